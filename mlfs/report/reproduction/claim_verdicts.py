"""Check the papers' numerical claims on our results or on the printed values.

A claim *holds* if enough of its cases are significantly favourable, it is *contradicted* if a case
that it needs is significantly contrary, and it is *not distinguishable* otherwise. The tests are
paired and corrected for the number of cases (see `claim_tests`). A claim is *not comparable* if it
is about seconds on another machine, or if other features stand in for the paper's; it is *not run*
if no case has results. Arithmetic needs no test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import pandas as pd
import scipy

from ... import datasets, papers, stats
from ...papers import Paper, claims
from ...results.read import Results
from ...stats.friedman import ranks_of
from ...types import Array
from ..tables.metric_facts import UnknownMetric, sign, words
from ..tables.texts import short_number
from .claim_cases import AlreadyRead, Case, ClaimValues, Ours, Printed
from .claim_tests import LEVEL, Amount, Evidence, Sample, against_all, evidence, tally
from .comparison import Comparison

Outcome = Literal["holds", "contradicted", "not distinguishable", "not comparable", "not run"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
MEANINGS: dict[Outcome, str] = {
    "holds": (
        "enough of its cases are significantly favourable (paired tests at 5 %, corrected for "
        "overlapping training parts and, by Holm, for the number of cases; most means more than "
        "half)"
    ),
    "contradicted": "so many of its cases are significantly contrary that too few are left",
    "not distinguishable": "neither can be shown",
    "not comparable": "seconds on another machine, or features that stand in for the paper's",
    "not run": "no case has results",
}
_SHOWN = 5  # texts that are listed at most
_Rank = claims.AverageRank | claims.Friedman | claims.Differs
_Pairs = claims.Beats | claims.Ahead | claims.Faster
_Curves = claims.Peak | claims.Trend | claims.Flat


@dataclass(frozen=True)
class Answer:
    """The verdict on a rule, what was found, how it was tested, and the p-value behind it."""

    verdict: Outcome
    numbers: str
    test: str
    p: float = math.nan


@dataclass(frozen=True)
class Verdict:
    """The result of checking a claim.

    Attributes
    ----------
    paper, claim, place, quote : str
        The paper, the claim in our words, where the paper makes it, and its own words.
    verdict : str
        One of `OUTCOMES`.
    numbers : str
        What was counted or measured, and what is missing.
    test : str
        How the claim was tested.
    p : float, optional
        The p-value behind the verdict; None for arithmetic, and if nothing could be tested.
    """

    paper: str
    claim: str
    place: str
    quote: str
    verdict: Outcome
    numbers: str
    test: str
    p: float | None


def verdicts(
    results: Sequence[Results], comparisons: Sequence[Comparison], read: AlreadyRead | None = None
) -> list[Verdict]:
    """Check the claims of all papers on results, given their comparisons with printed values.

    `read` keeps what is read of the results, for a second call with some of the same ones.
    """
    made = []
    for name in papers.names():
        paper = papers.paper(name)
        made += of_paper(paper, Ours(paper, results, comparisons, read))
    return made


def on_printed(paper: Paper) -> list[Verdict]:
    """Check a paper's claims on the values of its own tables."""
    return of_paper(paper, Printed(paper))


def of_paper(paper: Paper, source: ClaimValues) -> list[Verdict]:
    """Check a paper's claims on the values of a source."""
    made = []
    for claim in paper.claims().claims:
        try:
            answer = check(claim.rule, source)
        except UnknownMetric as error:
            answer = Answer("not comparable", str(error), claim.rule.kind)
        about = (paper.name, claim.claim, claim.place, claim.quote)
        p = None if math.isnan(answer.p) else answer.p
        made.append(Verdict(*about, answer.verdict, answer.numbers, answer.test, p))
    return made


def check(rule: claims.Rule, source: ClaimValues) -> Answer:
    """Return the verdict on one rule, the numbers behind it, and how it was tested."""
    if isinstance(rule, claims.CriticalDifference):
        value = stats.nemenyi_cd(rule.methods, rule.sets)
        test = f"Nemenyi's critical difference, {rule.methods} methods, {rule.sets} sets, 5 %"
        unit = 10.0 ** int(Decimal(repr(rule.value)).as_tuple().exponent)
        # printed values are rounded or cut off: less than one unit of the last digit
        return Answer(_fact(abs(value - rule.value) < unit), f"{value:.3f}", test)
    if isinstance(rule, claims.Cardinality):
        return _cardinality(rule)
    if isinstance(rule, claims.Seconds):
        return _seconds(rule, source)
    replaced = sorted(set(rule.datasets or ()) & source.paper.substitutes.keys())
    if isinstance(rule, _Pairs):
        answer = _cases(rule, source, replaced)
    elif isinstance(rule, _Rank):
        answer = _ranks(rule, source)
    else:
        answer = _curve(rule, source, replaced)
    return answer


def _fact(true: bool) -> Outcome:
    return "holds" if true else "contradicted"


def _cardinality(rule: claims.Cardinality) -> Answer:
    cardinalities = {name: entry.cardinality for name, entry in datasets.catalog().items()}
    values = {name: cardinalities.get(name) for name in rule.datasets}
    told = ", ".join(f"{name} {v:.2f}" for name, v in values.items() if v is not None)
    missing = [name for name, value in values.items() if value is None]
    over = [name for name, value in values.items() if value is not None and value >= rule.below]
    test = f"labels per instance below {rule.below:g} on every set, by the catalogue"
    if missing and not over:
        return Answer("not run", f"not in the catalogue: {', '.join(missing)}", test)
    return Answer(_fact(not over), told, test)


def _seconds(rule: claims.Seconds, source: ClaimValues) -> Answer:
    """Show seconds as ratios: they were measured on another machine."""
    values = {case.dataset: case.values.get(rule.method) for case in source.rows(rule)}
    seconds = {name: took for name in rule.at_most if (took := values.get(name)) is not None}
    test = f"{rule.method} takes no more seconds than named"
    if not seconds:
        return Answer("not run", f"{len(rule.at_most)} without results", test)
    told = [f"{name} {took / rule.at_most[name]:.3g} times" for name, took in seconds.items()]
    return Answer("not comparable", f"of the seconds named: {', '.join(told)}", test)


def _cases(rule: _Pairs, source: ClaimValues, replaced: Sequence[str]) -> Answer:
    """Decide a claim about cases: rows of tables, or curves."""
    if rule.tables:
        cases = source.rows(rule)
    else:
        cases = source.curves(rule, at=rule.at, each_point=rule.each_point, up_to=rule.up_to)
    place = rule.place if isinstance(rule, claims.Beats) else 1
    shares = f"at least {rule.at_least:.1%} of the cases" if rule.at_least != claims.MOST else ""
    share = "every case" if rule.at_least == 1 else shares or "most cases (more than half)"
    test = f"{_question(rule)}, in {share}"
    tested, missing, no = list[Evidence](), list[str](), list[str]()
    yes, others = 0, 0
    for case in cases:
        over = [name for name in rule.over or case.methods if name != rule.method]
        absent = [name for name in (rule.method, *over) if name not in case.samples]
        if absent or not over:
            missing.append(f"{case.name} ({', '.join(absent)})" if case.samples else case.name)
            continue
        if case.dataset in replaced:
            others += 1
            continue
        one = _against(rule, case, over, place)
        tested.append(one)
        yes += one.amount >= 0
        if one.amount < 0:
            no.append(f"{case.name}, {words(case.metric)} ({_amount(rule, one.amount)})")
    if others and not tested:
        return Answer("not comparable", source.paper.substitutes[replaced[0]], test)
    if not tested:
        lost = f"{len(missing)} without results: {_some(missing)}" if missing else "no values"
        return Answer("not run", lost, test)
    total = len(cases)
    counted = tally(tested, claims.needed(rule.at_least, total), total)
    numbers = (
        f"{counted.favourable} of {len(tested)} cases are significantly favourable, "
        f"{counted.contrary} contrary; by the means alone {yes} would be favourable"
    )
    if not isinstance(rule, claims.Beats):
        amounts = [one.amount for one in tested]
        ends = dict.fromkeys(_amount(rule, value) for value in (min(amounts), max(amounts)))
        numbers += f"; {' to '.join(ends)} beyond what is asked"
    if no:
        numbers += f"; not {_some(no)}"
    if missing:
        numbers += f"; {len(missing)} without results: {_some(missing)}"
    return Answer(_outcome(counted.outcome), numbers, test, counted.p)


def _outcome(text: str) -> Outcome:
    return next(one for one in OUTCOMES if one == text)


def _against(rule: _Pairs, case: Case, over: Sequence[str], place: int) -> Evidence:
    """Compare a method with others in one case."""
    ours = case.samples[rule.method]
    amount = _asked(rule, case.metric)
    tests = [
        evidence(ours, case.samples[name], amount, overlap=case.overlap, unit=_unit(rule, case))
        for name in over
    ]
    return against_all(tests, place)


def _unit(rule: _Pairs, case: Case) -> float:
    """Return the printed precision, for differences that have the unit of the scores."""
    return case.unit if isinstance(rule, claims.Beats) else 0.0


def _asked(rule: _Pairs, metric: str) -> Amount:
    """Return what speaks for a rule: how much more two values differ than it asks."""
    if isinstance(rule, claims.Faster):
        factor = rule.factor * (1 - rule.slack)
        return lambda ours, other: (
            math.log(other / ours / factor) if ours > 0 and other > 0 else math.nan
        )
    better = sign(metric)
    if isinstance(rule, claims.Beats):
        return lambda ours, other: better * (ours - other)
    low = rule.low - rule.slack
    if rule.relative:
        return lambda ours, other: better * (ours - other) / (abs(other) or 1.0) - low
    return lambda ours, other: better * (ours - other) - low


def _amount(rule: _Pairs, value: float) -> str:
    if isinstance(rule, claims.Faster):
        return f"{math.exp(value):.2f} times"
    if isinstance(rule, claims.Ahead) and rule.relative:
        return f"{value:+.1%}"
    return ("-" if value < 0 else "+") + short_number(abs(value))


def _question(rule: _Pairs) -> str:
    """Return in words what is asked of every case."""
    others = _names(rule.over)
    if isinstance(rule, claims.Ahead):
        unit = "% of theirs" if rule.relative else "of the score"
        low = f"{rule.low * 100:g} {unit}" if rule.relative else f"{short_number(rule.low)} {unit}"
        about = f" (less {short_number(rule.slack)})" if rule.slack else ""
        return f"{rule.method} ahead of {others} by {low}{about} or more"
    if isinstance(rule, claims.Faster):
        factor = f"{rule.factor * (1 - rule.slack):g}"
        return f"{rule.method} at least {factor} times as fast as {others}"
    if rule.place == 1:
        return f"{rule.method} better than {others}"
    return f"{rule.method} among the best {rule.place}"


def _ranks(rule: _Rank, source: ClaimValues) -> Answer:
    """Decide a claim about ranks; those of several tables are averaged for each dataset."""
    every = source.rows(rule)
    several = len({(case.dataset, case.metric) for case in every}) < len(every)
    test = _rank_test(rule) + (", ranks averaged over the tables" if several else "")
    cases, told, missing, sets = list[Evidence](), list[str](), list[str](), 0
    for metric in dict.fromkeys(case.metric for case in every):
        ranked = _ranked(rule, [case for case in every if case.metric == metric], missing)
        if ranked is not None:
            sets = max(sets, len(ranked))
            for one, text in _rank_evidence(rule, ranked, words(metric)):
                cases.append(one)
                told.append(text)
    if not cases or missing:
        lost = f"{len(missing)} without results: {_some(missing)}" if missing else "no values"
        return Answer("not run", lost, test)
    share = getattr(rule, "at_least", 1.0)
    differs = isinstance(rule, claims.Differs)  # Nemenyi's test corrects for the pairs itself
    needed = claims.needed(share, len(cases))
    counted = tally(cases, needed, len(cases), corrected=differs)
    numbers = f"{counted.favourable} of {len(cases)} are significantly favourable, "
    numbers += f"{counted.contrary} contrary: {_some(told)}"
    least = stats.smallest_wilcoxon_p(sets) * len(cases)
    if isinstance(rule, claims.AverageRank) and least >= LEVEL:
        numbers += f"; it cannot be significant with {sets} sets"
    return Answer(_outcome(counted.outcome), numbers, test, counted.p)


def _ranked(rule: _Rank, cases: Sequence[Case], missing: list[str]) -> pd.DataFrame | None:
    """Return the mean ranks by dataset and method, or None and add what is missing."""
    lost = [case.name for case in cases if set(case.methods) - set(case.samples)]
    metric = cases[0].metric
    names = list(dict.fromkeys(name for case in cases for name in case.samples))
    rows = [case.values for case in cases]
    values = np.array([[row.get(name, math.nan) for name in names] for row in rows])
    if not lost and np.isnan(values).any():  # some row has no value of some method
        lost = [f"all methods on all sets in {words(metric)}"]
    if lost:
        missing += lost
        return None
    of_set: dict[str, list[Array]] = {}
    for case, ranks in zip(cases, ranks_of(values, sign(metric) > 0)):
        of_set.setdefault(case.dataset, []).append(ranks)
    means = np.array([np.mean(some, axis=0) for some in of_set.values()])
    pooled = pd.DataFrame(means, list(of_set), names)
    named = {getattr(rule, "method", None), *(getattr(rule, "over", None) or ())} - {None}
    if gone := named - set(pooled.columns):
        missing.append(", ".join(sorted(gone)))
        return None
    if min(pooled.shape) < 2:
        missing.append(f"a second set or method in {words(metric)}")
        return None
    return pooled


def _rank_test(rule: _Rank) -> str:
    if isinstance(rule, claims.Friedman):
        return "Friedman's test at 5 % for every metric"
    if isinstance(rule, claims.AverageRank):
        return f"average rank of {rule.method} for every metric, Wilcoxon's tests over datasets"
    return "Friedman's test, then Nemenyi's, both at 5 %"


def _rank_evidence(rule: _Rank, ranks: pd.DataFrame, metric: str) -> list[tuple[Evidence, str]]:
    """Return for one metric what speaks for each part of a claim, with its numbers."""
    outcome = stats.friedman_of_ranks(ranks)
    mean = outcome.ranks
    if isinstance(rule, claims.Friedman):
        text = f"{metric} F_F {outcome.F_F:.2f} (p {outcome.p:.2g})"
        return [(Evidence(outcome.F_F - outcome.critical_value, outcome.p, 1.0), text)]
    own = mean[rule.method]
    if isinstance(rule, claims.AverageRank):
        compared = []
        for name in [str(name) for name in mean.index if name != rule.method]:
            p = stats.wilcoxon(ranks[name], ranks[rule.method]).p
            ahead = float(mean[name] - own)
            compared.append(Evidence(ahead, p if ahead > 0 else 1.0, p if ahead < 0 else 1.0))
        first = str(mean.drop(rule.method).idxmin())
        text = f"{metric} {own:.2f} (best other {first} {mean[first]:.2f})"
        return [(against_all(compared), text)]
    k, n = len(mean), outcome.n
    unit = math.sqrt(k * (k + 1) / (12 * n))
    cd = stats.nemenyi_cd(k, n)
    made = []
    for name in rule.over or [str(name) for name in mean.index if name != rule.method]:
        ahead = float(mean[name] - own)
        nemenyi = float(scipy.stats.studentized_range.sf(abs(ahead) / unit, k, np.inf))
        p = max(outcome.p, nemenyi)  # Nemenyi's test follows only if Friedman's finds something
        both = Evidence(ahead, p if ahead > 0 else 1.0, p if ahead < 0 else 1.0)
        made.append((both, f"{name} in {metric} ({ahead:+.2f}, CD {cd:.2f})"))
    return made


def _curve(rule: _Curves, source: ClaimValues, replaced: Sequence[str]) -> Answer:
    """Decide a claim about a method's curve, on every dataset and metric that it names."""
    test, told, missing, cases, others = _curve_test(rule), [], list[str](), [], 0
    series = source.series(rule, rule.method, rule.along)
    for (dataset, metric), curve in series.items():
        points = curve.points
        wanted = [rule.at] if isinstance(rule, claims.Peak) else [rule.start, rule.end]
        if any(point not in points for point in wanted) or len(points) < 2:
            missing.append(dataset)
            continue
        if dataset in replaced:
            others += 1
            continue
        one, text = _on_curve(rule, points, sign(metric), curve.overlap)
        cases.append(one)
        told.append(f"{dataset} {words(metric)} {text}")
    if others and not cases:
        return Answer("not comparable", source.paper.substitutes[replaced[0]], test)
    lost = f"{len(missing)} without results: {_some(missing)}" if missing else ""
    if not cases:
        return Answer("not run", lost or "no values", test)
    counted = tally(cases, len(series), len(series))
    numbers = "; ".join(filter(None, [*told, lost]))
    return Answer(_outcome(counted.outcome), numbers, test, counted.p)


def _on_curve(
    rule: _Curves, points: dict[claims.Point, Sample], better: int, overlap: float
) -> tuple[Evidence, str]:
    """Return what speaks for a claim on one curve, and its numbers."""
    if isinstance(rule, claims.Peak):
        turn = -better if rule.worst else better
        rest = {point: sample for point, sample in points.items() if point != rule.at}
        each = [
            evidence(points[rule.at], sample, lambda a, b: turn * (a - b), overlap=overlap)
            for sample in rest.values()
        ]
        best = max(points, key=lambda point: turn * points[point].mean)
        text = f"{short_number(points[rule.at].mean)}, at {_short(best)} "
        return against_all(each), text + short_number(points[best].mean)
    if isinstance(rule, claims.Trend):
        turn = -better if rule.worse else better
        first, last = points[rule.start], points[rule.end]
        one = evidence(last, first, lambda a, b: turn * (a - b), overlap=overlap)
        return one, f"{short_number(first.mean)} to {short_number(last.mean)}"
    inside = [
        sample
        for point, sample in points.items()
        if not isinstance(point, str) and rule.start <= point <= rule.end
    ]
    # flat: every pair of points differs by less than the margin, in both directions
    each = [
        evidence(one, other, within, overlap=overlap)
        for one, other in combinations(inside, 2)
        for within in (_below(rule.within, 1), _below(rule.within, -1))
    ]
    values = [sample.mean for sample in inside]
    return against_all(each), f"varies by {short_number(max(values) - min(values))}"


def _below(margin: float, turn: int) -> Callable[[float, float], float]:
    return lambda a, b: margin - turn * (a - b)


def _curve_test(rule: _Curves) -> str:
    along = "" if rule.along == "axis" else f"{words(rule.along)} "
    if isinstance(rule, claims.Peak):
        return f"{rule.method} {'worst' if rule.worst else 'best'} at {along}{rule.at:g}"
    if isinstance(rule, claims.Trend):
        word = "worse" if rule.worse else "better"
        return f"{rule.method} {word} at {along}{_short(rule.end)} than at {_short(rule.start)}"
    span = f"{along}{rule.start:g} to {rule.end:g}"
    return f"{rule.method} varies by {short_number(rule.within)} or less over {span}"


def _short(point: claims.Point) -> str:
    return point if isinstance(point, str) else f"{point:g}"


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
