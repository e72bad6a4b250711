"""The papers' claims on the page: each verdict on our results and on the printed values."""

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
        For every claim the verdict on our results, and that on the printed values.
    counts : dict
        How many claims hold, fail and are undecided on our results.
    unchecked : list of (str, str)
        Sentences with a number that no rule can check, each with the reason.
    """

    paper: papers.Paper
    rows: list[tuple[Verdict, Verdict]]
    counts: dict[str, int]
    unchecked: list[tuple[str, str]]


def claims(card: Scorecard) -> list[PaperClaims]:
    """Return the claims of all papers that have some."""
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
