"""Say what a paper's folder has, and what is still missing in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..datasets import catalog
from ..errors import count_of
from ..metrics import METRICS
from . import add
from .claims import Where
from .paper import Paper, read_paper


def as_text(folder: Path) -> str:
    """Return the text of ``mlfs paper check``; raise a UserError at the first mistake."""
    name = add(folder)
    paper = read_paper(folder.expanduser().resolve())
    values, claims = paper.printed_values(), paper.claims()
    counts = [
        f"{count_of(len(values), 'printed value')} in {count_of(values.table.nunique(), 'table')}",
        count_of(len(paper.statistics()), "statistic"),
        f"{count_of(len(claims.claims), 'claim')} "
        f"({count_of(len(claims.unchecked), 'sentence')} cannot be checked)",
        count_of(len(paper.readings()), "reading"),
    ]
    missing = list(lacks(paper))
    lines = [f"missing: {text}" for text in missing] or ["missing: nothing"]
    following = f"Next: 'paper: ./{folder}' in a config, mlfs audit --paper ./{folder}"
    return "\n".join([f"{name}: {', '.join(counts)}", *lines, following])


def lacks(paper: Paper) -> Iterator[str]:
    """Yield what is missing in a paper, a sentence each."""
    values, printed = paper.printed_values(), paper.printed()
    if values.empty:
        yield "printed.csv with the values of its tables, so nothing can be compared"
    for number in paper.tables:
        if len(values) and number not in set(values.table):
            yield f"the values of table {number} in printed.csv"
    headings = set(paper.methods.values())
    for heading in dict.fromkeys(values.method):
        if heading not in headings:
            yield (
                f"our name of the method '{heading}': add it to 'methods' of paper.yaml, or give a "
                f"column of a config 'printed: {heading}'"
            )
    catalogue = catalog()
    for dataset in dict.fromkeys(printed.dataset):
        if dataset not in catalogue:
            yield f"'{dataset}' is no dataset of mlfs: map it in 'datasets', or name your data so"
    for metric in dict.fromkeys(printed.metric):
        if metric not in METRICS and metric not in ("selection_seconds", "acc", "nmi"):
            yield f"'{metric}' is no metric of mlfs: map it in 'metrics' of paper.yaml"
    if len(values) and values["std"].isna().all():
        yield "deviations (std) of the printed values: without them gaps are judged by ours alone"
    if paper.repeats is None:
        yield "'repeats' of paper.yaml: how many repeats the printed values are means of"
    claims = paper.claims()
    if not claims.claims:
        yield "claims.yaml with what the text claims in numbers"
    for claim in claims.claims:
        yield from _unknown(paper, claim.claim, claim.rule)


def _unknown(paper: Paper, claim: str, rule: object) -> Iterator[str]:
    """Yield what a rule names that the paper does not have."""
    if not isinstance(rule, Where):
        return
    for number in rule.tables:
        if number not in paper.tables:
            yield f"table {number} in paper.yaml, which the claim '{claim}' is about"
    if rule.figure is not None and rule.figure not in paper.figures:
        yield f"figure {rule.figure} in paper.yaml, which the claim '{claim}' is about"
    headings = {*paper.methods.values(), *paper.printed_values().method}
    named = [getattr(rule, "method", None), *(getattr(rule, "over", None) or [])]
    for method in named:
        if method is not None and method not in headings:
            yield f"the method '{method}', which the claim '{claim}' is about"
