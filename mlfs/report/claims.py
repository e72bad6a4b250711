"""Check the papers' numerical claims on our results or on the printed values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import datasets, papers, stats
from ..papers import Paper, claims
from .claim_answers import Answer, Outcome, names, said, some
from .claim_cases import Case, Ours, Printed, Source
from .claim_tests import curve_answer, rank_answer
from .facts import UnknownMetric, figure, sign, words
from .results import Results
from .standing import Standing, standings


@dataclass(frozen=True)
class Verdict:
    """The result of checking a claim.

    Attributes
    ----------
    paper, claim, place : str
        The paper, the claim itself, and where the paper makes it.
    verdict : {"holds", "fails", "undecided"}
    numbers : str
        What was counted or measured; what is missing if it is undecided.
    test : str
        How the claim was tested.
    """

    paper: str
    claim: str
    place: str
    verdict: Outcome
    numbers: str
    test: str


def verdicts(
    results: Sequence[Results], standing: Sequence[Standing] | None = None
) -> list[Verdict]:
    """Check the claims of all papers on results; `standing` may be passed to save time."""
    known = standings(results) if standing is None else standing
    found = []
    for name in papers.names():
        paper = papers.paper(name)
        found += of_paper(paper, Ours(paper, results, known))
    return found


def on_printed(paper: Paper) -> list[Verdict]:
    """Check a paper's claims on the values of its own tables."""
    return of_paper(paper, Printed(paper))


def of_paper(paper: Paper, source: Source) -> list[Verdict]:
    """Check a paper's claims on the values of a source."""
    found = []
    for claim in paper.claims().claims:
        try:
            verdict, numbers, test = check(claim.rule, source)
        except UnknownMetric as error:
            verdict, numbers, test = "undecided", str(error), claim.rule.kind
        found.append(Verdict(paper.name, claim.claim, claim.place, verdict, numbers, test))
    return found


def check(rule: claims.Rule, source: Source) -> Answer:
    """Return the verdict on one rule, the numbers behind it, and how it was tested."""
    if isinstance(rule, claims.Beats | claims.Ahead | claims.Faster):
        return _cases(rule, source)
    if isinstance(rule, claims.Seconds):
        return _seconds(rule, source)
    if isinstance(rule, claims.AverageRank | claims.Friedman | claims.Differs):
        return rank_answer(rule, source)
    if isinstance(rule, claims.Peak | claims.Trend | claims.Flat):
        return curve_answer(rule, source)
    if isinstance(rule, claims.CriticalDifference):
        value = stats.nemenyi_cd(rule.methods, rule.sets)
        test = f"Nemenyi's critical difference, {rule.methods} methods, {rule.sets} sets, 5 %"
        return said(abs(value - rule.value) < 0.011), f"{value:.3f}", test
    return _cardinality(rule)


def _cardinality(rule: claims.Cardinality) -> Answer:
    known = {name: entry.cardinality for name, entry in datasets.catalog().items()}
    values = {name: known.get(name) for name in rule.datasets}
    told = ", ".join(f"{name} {v:.2f}" for name, v in values.items() if v is not None)
    missing = [name for name, value in values.items() if value is None]
    over = [name for name, value in values.items() if value is not None and value >= rule.below]
    test = f"labels per instance below {rule.below:g} on every set, by the catalogue"
    if missing and not over:
        return "undecided", f"not in the catalogue: {', '.join(missing)}", test
    return said(not over), told, test


def _seconds(rule: claims.Seconds, source: Source) -> Answer:
    values = {case.dataset: case.values.get(rule.method) for case in source.rows(rule)}
    known = {name: took for name in rule.at_most if (took := values.get(name)) is not None}
    missing = [name for name in rule.at_most if name not in known]
    slow = [name for name, took in known.items() if took > rule.at_most[name] + 1e-9]
    test = f"{rule.method} takes no more seconds than named"
    if not known:
        return "undecided", f"{len(missing)} without results: {some(missing)}", test
    told = ", ".join(f"{name} {took:.3g} ({rule.at_most[name]:g})" for name, took in known.items())
    fast = len(known) - len(slow)
    numbers = f"{fast} of {len(known)} cases"
    numbers += f" ({fast / len(known):.1%}); {told}" if not missing else f"; {told}"
    if missing:
        numbers += f"; {len(missing)} without results: {some(missing)}"
    return ("undecided" if missing and not slow else said(not slow)), numbers, test


def _cases(rule: claims.Beats | claims.Ahead | claims.Faster, source: Source) -> Answer:
    """Count the cases where a claim holds; cases without values may leave it undecided."""
    if rule.tables:
        found = source.rows(rule)
    else:
        found = source.curves(rule, at=rule.at, each_point=rule.each_point, up_to=rule.up_to)
    ask, test = _question(rule)
    yes, no, missing, told = 0, list[str](), list[str](), list[float]()
    for case in found:
        over = [name for name in rule.over or case.methods if name != rule.method]
        needed = [rule.method, *over]
        absent = [name for name in needed if name not in case.values]
        if absent or not over:
            missing.append(f"{case.name} ({', '.join(absent)})" if case.values else case.name)
            continue
        good, amount = ask(case, over)
        told.append(amount)
        if good:
            yes += 1
        else:
            no.append(f"{case.name}, {words(case.metric)} ({_amount(rule, amount)})")
    total = len(found)
    share = "every case" if rule.at_least == 1 else f"at least {rule.at_least:.1%} of the cases"
    test = f"{test}, in {share}"
    if not total:
        return "undecided", "no cells", test
    known = total - len(missing)
    if not known:
        return "undecided", f"{total} without results: {some(missing)}", test
    numbers = f"{yes} of {known} cases" + (f" ({yes / known:.1%})" if not missing else "")
    if told and not isinstance(rule, claims.Beats):
        ends = dict.fromkeys(_amount(rule, value) for value in (min(told), max(told)))
        numbers += f"; {' to '.join(ends)}"
    if no:
        numbers += f"; not {some(no)}"
    if missing:
        numbers += f"; {len(missing)} without results: {some(missing)}"
    wanted = rule.at_least * total - 1e-9
    if yes >= wanted:
        return "holds", numbers, test
    return ("undecided" if yes + len(missing) >= wanted else "fails"), numbers, test


def _amount(rule: claims.Ahead | claims.Faster | claims.Beats, value: float) -> str:
    if isinstance(rule, claims.Faster):
        return f"{value:.1f} times"
    if isinstance(rule, claims.Ahead) and rule.relative:
        return f"{value:+.1%}"
    return ("-" if value < 0 else "+") + figure(abs(value))


Ask = Callable[[Case, list[str]], tuple[bool, float]]


def _question(rule: claims.Beats | claims.Ahead | claims.Faster) -> tuple[Ask, str]:
    """Return a function that tests one case (holds, by how much), and the test in words."""
    others = names(rule.over)

    def margin(case: Case, over: list[str]) -> tuple[bool, float]:
        assert not isinstance(rule, claims.Faster)
        better = sign(case.metric)
        ours = better * case.values[rule.method]
        others = sorted((better * case.values[name] for name in over), reverse=True)
        if isinstance(rule, claims.Beats):  # compare with the last of the best `place`
            behind = others[rule.place - 1] if rule.place <= len(others) else ours
            return ours >= behind - 1e-9, ours - behind
        ahead = ours - others[0]
        ahead /= abs(others[0]) if rule.relative and others[0] else 1.0
        return ahead >= rule.low - rule.slack - 1e-9, ahead

    def times(case: Case, over: list[str]) -> tuple[bool, float]:
        assert isinstance(rule, claims.Faster)
        ours = case.values[rule.method]
        factor = min(case.values[name] for name in over) / ours if ours else math.inf
        return factor >= rule.factor * (1 - rule.slack), factor

    if isinstance(rule, claims.Ahead):
        unit = "% of theirs" if rule.relative else "of the score"
        low = f"{rule.low * 100:g} {unit}" if rule.relative else f"{figure(rule.low)} {unit}"
        about = f" (less {figure(rule.slack)})" if rule.slack else ""
        return margin, f"{rule.method} ahead of {others} by {low}{about} or more"
    if isinstance(rule, claims.Faster):
        factor = f"{rule.factor * (1 - rule.slack):g}"
        return times, f"{rule.method} at least {factor} times as fast as {others}"
    if rule.place == 1:
        return margin, f"{rule.method} no worse than {others}"
    return margin, f"{rule.method} among the best {rule.place}"
