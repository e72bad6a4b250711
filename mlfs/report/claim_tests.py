"""Claims about ranks over datasets, and about curves."""

from __future__ import annotations

import pandas as pd

from .. import stats
from ..papers import claims
from .claim_answers import Answer, said, some
from .claim_cases import Source
from .facts import figure, sign, words


def rank_answer(
    rule: claims.AverageRank | claims.Friedman | claims.Differs, source: Source
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
        return "undecided", f"{len(missing)} without results: {some(missing)}", test
    if not yes and not no:
        return "undecided", "no cells", test
    total = len(yes) + len(no)
    numbers = f"{len(yes)} of {total}" + (f"; not {some(no)}" if no else f": {some(yes)}")
    return said(len(yes) >= getattr(rule, "at_least", 1.0) * total - 1e-9), numbers, test


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


def curve_answer(rule: claims.Peak | claims.Trend | claims.Flat, source: Source) -> Answer:
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
            text = f"{dataset} {figure(points[rule.at])}, at {_short(best)} {figure(points[best])}"
        elif isinstance(rule, claims.Trend):
            gain = better * (points[rule.end] - points[rule.start])
            good &= gain < 0 if rule.worse else gain > 0
            text = f"{dataset} {words(metric)} {figure(points[rule.start])} to "
            text += figure(points[rule.end])
        else:
            inside = [
                value
                for point, value in points.items()
                if not isinstance(point, str) and rule.start <= point <= rule.end
            ]
            spread = max(inside) - min(inside)
            good &= spread <= rule.within + 1e-9
            text = f"{dataset} {words(metric)} varies by {figure(spread)}"
        numbers.append(text)
    if isinstance(rule, claims.Peak):
        test = f"{rule.method} {'worst' if rule.worst else 'best'} at {along}{rule.at:g}"
    elif isinstance(rule, claims.Trend):
        word = "worse" if rule.worse else "better"
        test = f"{rule.method} {word} at {along}{_short(rule.end)} than at {_short(rule.start)}"
    else:
        span = f"{along}{rule.start:g} to {rule.end:g}"
        test = f"{rule.method} varies by {figure(rule.within)} or less over {span}"
    told = "; ".join(numbers)
    if missing and good:
        lost = f"{len(missing)} without results: {some(missing)}"
        return "undecided", f"{told}; {lost}" if told else lost, test
    return said(good), told, test


def _short(point: claims.Point) -> str:
    return point if isinstance(point, str) else f"{point:g}"
