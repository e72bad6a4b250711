"""The claims of the papers on the page: what became of each, on our results and on their own."""

from __future__ import annotations

from dataclasses import dataclass

from .. import papers
from .claims import Verdict, on_printed
from .scorecard import Scorecard

OUTCOMES = ("holds", "fails", "undecided")


@dataclass(frozen=True)
class PaperClaims:
    """What one paper claims.

    Attributes
    ----------
    rows : list of (Verdict, Verdict)
        Every claim on our results, and on the values that the paper prints.
    counts : dict
        How many hold, fail and are undecided on our results.
    unchecked : list of (str, str)
        Sentences with a number that no rule can check, and why.
    """

    paper: papers.Paper
    rows: list[tuple[Verdict, Verdict]]
    counts: dict[str, int]
    unchecked: list[tuple[str, str]]


def claims(card: Scorecard) -> list[PaperClaims]:
    """Return the claims of all papers that make any."""
    made = []
    for name in papers.names():
        paper = papers.paper(name)
        mine = [one for one in card.claims if one.paper == name]
        left = [("; ".join(one.anchors), one.reason) for one in paper.claims().unchecked]
        if mine or left:
            rows = list(zip(mine, on_printed(paper)))
            made.append(PaperClaims(paper, rows, _counts(card, name), left))
    return made


def _counts(card: Scorecard, name: str) -> dict[str, int]:
    found = card.outcomes(name)
    return {outcome: found[outcome] for outcome in OUTCOMES}
