"""Check the papers' numerical claims on our results or on the printed values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from ... import datasets, papers, stats
from ...papers import Paper, claims
from ...results.read import Results
from ..tables.metric_facts import UnknownMetric, sign, words
from ..tables.texts import short_number
from .claim_cases import Case, ClaimValues, Ours, Printed
from .comparison import Comparison

Outcome = Literal["holds", "fails", "undecided"]
Answer = tuple[Outcome, str, str]  # the verdict, its numbers, and the test
_SHOWN = 5  # texts that are listed at most


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


def verdicts(results: Sequence[Results], comparisons: Sequence[Comparison]) -> list[Verdict]:
    """Check the claims of all papers on results, given their comparisons with printed values."""
    found = []
    for name in papers.names():
        paper = papers.paper(name)
        found += of_paper(paper, Ours(paper, results, comparisons))
    return found


def on_printed(paper: Paper) -> list[Verdict]:
    """Check a paper's claims on the values of its own tables."""
    return of_paper(paper, Printed(paper))


def of_paper(paper: Paper, source: ClaimValues) -> list[Verdict]:
    """Check a paper's claims on the values of a source."""
    found = []
    for claim in paper.claims().claims:
        try:
            verdict, numbers, test = check(claim.rule, source)
        except UnknownMetric as error:
            verdict, numbers, test = "undecided", str(error), claim.rule.kind
        found.append(Verdict(paper.name, claim.claim, claim.place, verdict, numbers, test))
    return found


def check(rule: claims.Rule, source: ClaimValues) -> Answer:
    """Return the verdict on one rule, the numbers behind it, and how it was tested."""
    if isinstance(rule, claims.Beats | claims.Ahead | claims.Faster):
        return _cases(rule, source)
    if isinstance(rule, claims.Seconds):
        return _seconds(rule, source)
    if isinstance(rule, claims.AverageRank | claims.Friedman | claims.Differs):
        return _ranks(rule, source)
    if isinstance(rule, claims.Peak | claims.Trend | claims.Flat):
        return _curve(rule, source)
    if isinstance(rule, claims.CriticalDifference):
        value = stats.nemenyi_cd(rule.methods, rule.sets)
        test = f"Nemenyi's critical difference, {rule.methods} methods, {rule.sets} sets, 5 %"
        return _verdict(abs(value - rule.value) < 0.011), f"{value:.3f}", test
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
    return _verdict(not over), told, test


def _seconds(rule: claims.Seconds, source: ClaimValues) -> Answer:
    values = {case.dataset: case.values.get(rule.method) for case in source.rows(rule)}
    known = {name: took for name in rule.at_most if (took := values.get(name)) is not None}
    missing = [name for name in rule.at_most if name not in known]
    slow = [name for name, took in known.items() if took > rule.at_most[name] + 1e-9]
    test = f"{rule.method} takes no more seconds than named"
    if not known:
        return "undecided", f"{len(missing)} without results: {_some(missing)}", test
    told = ", ".join(f"{name} {took:.3g} ({rule.at_most[name]:g})" for name, took in known.items())
    fast = len(known) - len(slow)
    numbers = f"{fast} of {len(known)} cases"
    numbers += f" ({fast / len(known):.1%}); {told}" if not missing else f"; {told}"
    if missing:
        numbers += f"; {len(missing)} without results: {_some(missing)}"
    return ("undecided" if missing and not slow else _verdict(not slow)), numbers, test


def _cases(rule: claims.Beats | claims.Ahead | claims.Faster, source: ClaimValues) -> Answer:
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
        return "undecided", "no values", test
    known = total - len(missing)
    if not known:
        return "undecided", f"{total} without results: {_some(missing)}", test
    numbers = f"{yes} of {known} cases" + (f" ({yes / known:.1%})" if not missing else "")
    if told and not isinstance(rule, claims.Beats):
        ends = dict.fromkeys(_amount(rule, value) for value in (min(told), max(told)))
        numbers += f"; {' to '.join(ends)}"
    if no:
        numbers += f"; not {_some(no)}"
    if missing:
        numbers += f"; {len(missing)} without results: {_some(missing)}"
    wanted = rule.at_least * total - 1e-9
    if yes >= wanted:
        return "holds", numbers, test
    return ("undecided" if yes + len(missing) >= wanted else "fails"), numbers, test


def _amount(rule: claims.Ahead | claims.Faster | claims.Beats, value: float) -> str:
    if isinstance(rule, claims.Faster):
        return f"{value:.1f} times"
    if isinstance(rule, claims.Ahead) and rule.relative:
        return f"{value:+.1%}"
    return ("-" if value < 0 else "+") + short_number(abs(value))


Ask = Callable[[Case, list[str]], tuple[bool, float]]


def _question(rule: claims.Beats | claims.Ahead | claims.Faster) -> tuple[Ask, str]:
    """Return a function that tests one case (holds, by how much), and the test in words."""
    others = _names(rule.over)

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
        low = f"{rule.low * 100:g} {unit}" if rule.relative else f"{short_number(rule.low)} {unit}"
        about = f" (less {short_number(rule.slack)})" if rule.slack else ""
        return margin, f"{rule.method} ahead of {others} by {low}{about} or more"
    if isinstance(rule, claims.Faster):
        factor = f"{rule.factor * (1 - rule.slack):g}"
        return times, f"{rule.method} at least {factor} times as fast as {others}"
    if rule.place == 1:
        return margin, f"{rule.method} no worse than {others}"
    return margin, f"{rule.method} among the best {rule.place}"


def _ranks(
    rule: claims.AverageRank | claims.Friedman | claims.Differs, source: ClaimValues
) -> Answer:
    """Check a claim about ranks; those of several tables are averaged for each dataset."""
    yes, no, missing = list[str](), list[str](), list[str]()
    found = source.rows(rule)
    several = len({(case.dataset, case.metric) for case in found}) < len(found)
    test = _test(rule, several)
    for metric in dict.fromkeys(case.metric for case in found):
        cases = [case for case in found if case.metric == metric]
        missing += [case.name for case in cases if set(case.methods) - set(case.values)]
        whole = [case for case in cases if not set(case.methods) - set(case.values)]
        if len(whole) < len(cases):
            continue
        values = pd.DataFrame([case.values for case in cases])
        if values.isna().any(axis=None):  # some row has no value of some method
            missing.append(f"all methods on all sets in {words(metric)}")
            continue
        ranked = stats.rank_rows(values, sign(metric) > 0)
        pooled = ranked.groupby([case.dataset for case in cases], sort=False).mean()
        named = {getattr(rule, "method", None), *(getattr(rule, "over", None) or ())} - {None}
        if lost := named - set(pooled.columns):
            missing.append(", ".join(sorted(lost)))
            continue
        if min(pooled.shape) < 2:
            missing.append(f"a second set or method in {words(metric)}")
            continue
        outcome = stats.friedman_of_ranks(pooled)
        for good, text in _outcomes(rule, outcome, words(metric)):
            (yes if good else no).append(text)
    if missing:
        return "undecided", f"{len(missing)} without results: {_some(missing)}", test
    if not yes and not no:
        return "undecided", "no values", test
    total = len(yes) + len(no)
    numbers = f"{len(yes)} of {total}" + (f"; not {_some(no)}" if no else f": {_some(yes)}")
    return _verdict(len(yes) >= getattr(rule, "at_least", 1.0) * total - 1e-9), numbers, test


def _test(rule: claims.AverageRank | claims.Friedman | claims.Differs, several: bool) -> str:
    pooled = ", ranks averaged over the tables" if several else ""
    if isinstance(rule, claims.Friedman):
        return f"Friedman's test at 5 % for every metric{pooled}"
    if isinstance(rule, claims.AverageRank):
        return f"average rank of {rule.method} for every metric{pooled}"
    return f"Friedman's test, then Nemenyi's, both at 5 %{pooled}"


def _outcomes(
    rule: claims.AverageRank | claims.Friedman | claims.Differs,
    outcome: stats.FriedmanResult,
    metric: str,
) -> list[tuple[bool, str]]:
    """Return for one metric whether each part of a claim is true, with its numbers."""
    if isinstance(rule, claims.Friedman):
        return [(outcome.significant, f"{metric} F_F {outcome.F_F:.2f} (p {outcome.p:.2g})")]
    ranks = outcome.ranks
    own = ranks[rule.method]
    if isinstance(rule, claims.AverageRank):
        good = bool(own <= ranks.min() + 1e-9)
        other = "" if good else f" ({ranks.idxmin()} {ranks.min():.2f})"
        return [(good, f"{metric} {own:.2f}{other}")]
    cd = stats.nemenyi_cd(len(ranks), outcome.n)
    return [
        (
            bool(outcome.significant and ranks[name] - own > cd),
            f"{name} in {metric} ({ranks[name] - own:.2f}, CD {cd:.2f})",
        )
        for name in rule.over or [str(name) for name in ranks.index if name != rule.method]
    ]


def _curve(rule: claims.Peak | claims.Trend | claims.Flat, source: ClaimValues) -> Answer:
    """Check a claim about a method's curve, on every dataset and metric that it names."""
    good, numbers, missing = True, list[str](), list[str]()
    along = "" if rule.along == "axis" else f"{words(rule.along)} "
    for (dataset, metric), points in source.series(rule, rule.method, rule.along).items():
        better = sign(metric)
        needed = [rule.at] if isinstance(rule, claims.Peak) else [rule.start, rule.end]
        if any(point not in points for point in needed) or len(points) < 2:
            missing.append(dataset)
            continue
        if isinstance(rule, claims.Peak):
            turn = -better if rule.worst else better
            best = max(points, key=lambda point: turn * points[point])
            good &= turn * points[rule.at] >= turn * points[best] - 1e-9
            text = f"{dataset} {short_number(points[rule.at])}, at {_short(best)} "
            text += short_number(points[best])
        elif isinstance(rule, claims.Trend):
            gain = better * (points[rule.end] - points[rule.start])
            good &= gain < 0 if rule.worse else gain > 0
            text = f"{dataset} {words(metric)} {short_number(points[rule.start])} to "
            text += short_number(points[rule.end])
        else:
            inside = [
                value
                for point, value in points.items()
                if not isinstance(point, str) and rule.start <= point <= rule.end
            ]
            spread = max(inside) - min(inside)
            good &= spread <= rule.within + 1e-9
            text = f"{dataset} {words(metric)} varies by {short_number(spread)}"
        numbers.append(text)
    if isinstance(rule, claims.Peak):
        test = f"{rule.method} {'worst' if rule.worst else 'best'} at {along}{rule.at:g}"
    elif isinstance(rule, claims.Trend):
        word = "worse" if rule.worse else "better"
        test = f"{rule.method} {word} at {along}{_short(rule.end)} than at {_short(rule.start)}"
    else:
        span = f"{along}{rule.start:g} to {rule.end:g}"
        test = f"{rule.method} varies by {short_number(rule.within)} or less over {span}"
    told = "; ".join(numbers)
    if missing and good:
        lost = f"{len(missing)} without results: {_some(missing)}"
        return "undecided", f"{told}; {lost}" if told else lost, test
    return _verdict(good), told, test


def _short(point: claims.Point) -> str:
    return point if isinstance(point, str) else f"{point:g}"


def _verdict(true: bool) -> Outcome:
    """Return the verdict on a claim that could be checked."""
    return "holds" if true else "fails"


def _some(texts: Sequence[str]) -> str:
    """Return the first few of several texts, each once, and how many more there are."""
    once = list(dict.fromkeys(texts))
    more = f"; and {len(once) - _SHOWN} more" if len(once) > _SHOWN else ""
    return "; ".join(once[:_SHOWN]) + more


def _names(methods: Sequence[str] | None) -> str:
    """Name methods in words."""
    if not methods:
        return "all others"
    if len(methods) > 3:
        return f"the {len(methods)} others named"
    return " and ".join(methods)
