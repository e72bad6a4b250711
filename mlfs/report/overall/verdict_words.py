"""The verdict on a group of results in sentences that could stand in a paper.

Every sentence is made from the numbers, and names the test or the measure that it rests on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from ... import stats
from ...errors import count_of
from ..tables.paper_tables import LEVEL
from ..tables.texts import capitalised, listed
from .cases import (
    AVAILABLE,
    COMPLETE,
    CONTROL,
    KNOWS,
    ORACLE,
    VISIBLE,
    ZERO,
    Entrant,
    ResultGroup,
)
from .contest import ROPE, Against, Contest, Interval
from .properties import associations

_MANY = 6  # names in a list before "and N more"


def sentences(contest: Contest) -> list[str]:
    """Return the verdict on a group, sentence by sentence."""
    if not contest.testable:
        return [
            f"{count_of(len(contest.table), 'dataset')} with results of all methods: too few for "
            "Friedman's test, so nothing is claimed."
        ]
    return [
        *_ranks(contest),
        *_knowing(contest),
        *_recovered(contest),
        *_losses(contest),
        *_controls(contest),
        *_seconds(contest),
        *_stability(contest),
        *_properties(contest),
    ]


def _ranks(contest: Contest) -> Iterator[str]:
    friedman, group, best = contest.decisive, contest.group, contest.best
    units = "families of datasets" if contest.of_families else "datasets"
    sets = len(contest.table)
    where = group.where(group.hidden)
    many = len({one.method for one in contest.ranked}) < len(contest.ranked)
    ways = ", each with its ways to treat missing labels," if many else ""
    differ = "differ" if friedman.significant else "cannot be told apart"
    yield (
        f"Over {friedman.n} {units} ({sets} datasets){f', {where},' if where else ''} the "
        f"{len(contest.ranked)} {group.noun}{ways} {differ} in {group.score} "
        f"(Friedman: F_F = {friedman.F_F:.2f}, p = {friedman.p:.2g})."
    )
    if not friedman.significant:
        return
    level = [one for one in contest.level_with_best if one != best]
    rank = friedman.ranks[best.name]
    test = f"Nemenyi, critical difference {contest.cd:.2f}"
    if not level:
        yield f"{best.name} has the best average rank, {rank:.2f}, ahead of all others ({test})."
        return
    yield (
        f"{best.name} has the best average rank, {rank:.2f}, but is not distinguished from "
        f"{len(level)} of the {len(contest.ranked) - 1} others: {_some(level)} ({test})."
    )


def _knowing(contest: Contest) -> Iterator[str]:
    for arm, test in contest.arms.items():
        yield knowing(contest, arm, test)
    better = [one for one, test in contest.against_zero.items() if _wins(test, one)]
    worse = [one for one, test in contest.against_zero.items() if _loses(test, one)]
    entrants = [one for one in contest.against_zero if one.arm not in (ORACLE, CONTROL)]
    count, sets = len(contest.against_zero), len(contest.group.scores())
    if entrants and not better and not worse and cannot_differ(sets, count):
        yield _too_few("zero-filled methods", sets, count)
    elif entrants:
        yield (
            "Against its zero-filled form, or the mean of the zero-filled methods if it has none, "
            f"{_count(better)} better and {_count(worse)} worse, out of {len(entrants)} "
            "(Wilcoxon's signed ranks, Holm's correction)."
        )


def cannot_differ(sets: int, count: int) -> bool:
    """Tell whether no p-value of so many comparisons over so many datasets can be small enough."""
    return bool(2.0 ** (1 - sets) * count >= LEVEL)


def _too_few(others: str, sets: int, count: int) -> str:
    return (
        f"Differences from {others} cannot be significant with {sets} datasets and {count} "
        "comparisons (Wilcoxon's signed ranks, Holm's correction)."
    )


def knowing(contest: Contest, arm: str, test: Against) -> str:
    """Return the sentence on an arm against zero-filling."""
    subject = {
        ORACLE: f"{contest.group.protocol.capitalize()} that sees all labels",
        KNOWS: "Having a way of its own to treat missing labels",
        COMPLETE: "Using only completely known rows",
    }.get(arm, "Using each label where it is known")
    return f"{subject} {_verb(test, zero_filling(contest.group))} ({_tests(test)})."


def zero_filling(group: ResultGroup) -> str:
    """Return what a zero-filled method does, in words."""
    return f"counting {'unknown' if group.kind == VISIBLE else 'hidden'} labels as 0"


def _wins(test: Against, one: Entrant) -> bool:
    return test.differs and test.difference > 0 and one.arm not in (ORACLE, CONTROL)


def _loses(test: Against, one: Entrant) -> bool:
    return test.differs and test.difference < 0 and one.arm not in (ORACLE, CONTROL)


def _recovered(contest: Contest) -> Iterator[str]:
    group = contest.group
    others = any(contest.of_arm(arm) for arm in (AVAILABLE, COMPLETE, KNOWS))
    if ORACLE not in contest.arms or not others:
        return
    for arm, share in contest.recovered_by_arm.items():
        what = {KNOWS: "methods that know", COMPLETE: "complete rows"}.get(arm, f"the {arm}")
        yield (
            f"Of what {group.protocol} loses by {zero_filling(group)}, {what} recover"
            f"{'s' if what.startswith('the ') else ''} {_percent(share)} (bootstrap over datasets)."
        )
    if not contest.recovered_by_arm:
        yield (
            f"How much of the loss is recovered cannot be said, since {group.protocol} that sees "
            "all labels is not reliably better (bootstrap over datasets)."
        )


def _losses(contest: Contest) -> Iterator[str]:
    table, group = contest.losses, contest.group
    zero = [one.name for one in contest.of_arm(ZERO) if one.name in table.index]
    if not zero:
        return
    ratio = group.hidden[-1]
    start, end = group.gains(0.0), group.gains(ratio)
    before, after = start[zero].mean(axis=1), end[zero].mean(axis=1)
    both = pd.DataFrame({"before": before, "after": after}).dropna()
    if len(both) < 3:
        return
    test = stats.wilcoxon(both.before, both.after)
    loss = float((both.before - both.after).mean())
    if test.p >= LEVEL:
        yield (
            f"{capitalised(group.where([ratio]))} the zero-filled methods lose nothing that a test "
            f"finds (Wilcoxon's signed ranks, p = {test.p:.2g})."
        )
        return
    change = "lose" if loss > 0 else "gain"
    yield (
        f"{capitalised(group.where([ratio]))} the zero-filled methods {change} {abs(loss):.3f} "
        f"{group.score} on average (Wilcoxon's signed ranks, p = {test.p:.2g})."
    )


def _controls(contest: Contest) -> Iterator[str]:
    noun = contest.group.noun
    features = " features" if contest.group.protocol == "selection" else ""
    for control, tests in contest.against_controls.items():
        better = sum(test.differs and test.difference > 0 for test in tests)
        worse = sum(test.differs and test.difference < 0 for test in tests)
        sets = len(tests[0].gaps)
        if not better and not worse and cannot_differ(sets, len(tests)):
            yield _too_few(f"{control.name}{features}", sets, len(tests))
            continue
        yield (
            f"Compared with {control.name}{features}, {better} of {len(tests)} {noun} are better "
            f"and {worse} worse (Wilcoxon's signed ranks, Holm's correction)."
        )


def _seconds(contest: Contest) -> Iterator[str]:
    front, seconds = contest.front, contest.group.seconds
    if not front:
        return
    named = [f"{one.name} ({seconds[one.name]:.2g} s)" for one in front]
    yield (
        f"No other is both better on average and faster than {listed(named)} (Pareto front of "
        f"mean {contest.group.score} and median seconds of a fit)."
    )


def _stability(contest: Contest) -> Iterator[str]:
    given = contest.group.stability
    values = {one.name: given[one.name] for one in contest.ranked}
    values = {name: value for name, value in values.items() if not math.isnan(value)}
    if len(values) < 2:
        return
    most, least = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    if values[most] - values[least] < 1e-9:
        yield (
            "All selectors choose equally stable features "
            f"(stability of Nogueira et al.: {values[most]:.2f})."
        )
        return
    yield (
        f"The choice of {most} is the most stable over repeats, {values[most]:.2f}, and that of "
        f"{least} the least, {values[least]:.2f} (stability of Nogueira et al.)."
    )


def _properties(contest: Contest) -> Iterator[str]:
    tested = associations(contest)
    if not tested:
        return
    related = [one for one in tested if one.found]
    if not related:
        yield (
            "No property of the data is found to go with who wins (Spearman's correlation of "
            f"{len(tested)} pairs, Holm's correction: smallest p = {tested[0].p_holm:.2g})."
        )
        return
    parts = [
        f"the advantage of {one.advantage} {'grows' if one.rho > 0 else 'shrinks'} with "
        f"{one.trait} (ρ = {one.rho:.2f}, p = {one.p_holm:.2g})"
        for one in related
    ]
    yield f"{capitalised('; '.join(parts))} (Spearman's correlation, Holm's correction)."


def _verb(test: Against, other: str) -> str:
    if not test.differs:
        return f"cannot be told from {other}"
    if test.bayes.likeliest == "equal":
        side = "above" if test.difference > 0 else "below"
        return f"is {side} {other}, but within {ROPE:g} of it"
    return f"is {'better' if test.difference > 0 else 'worse'} than {other}"


def _tests(test: Against) -> str:
    bayes = test.bayes
    return (
        f"{test.difference:+.4f} on average, better on {test.wins} and worse on {test.losses} of "
        f"{len(test.gaps)} datasets; Wilcoxon with Holm's correction p = {test.p_holm:.2g}, over "
        f"families without correction p = {test.p_families:.2g}; Bayesian signed-rank: "
        f"better by more than {ROPE:g} with probability {bayes.better:.2f}, within it "
        f"{bayes.equal:.2f}, worse {bayes.worse:.2f}"
    )


def _count(some: Sequence[Entrant]) -> str:
    return f"{_some(some)} {'is' if len(some) == 1 else 'are'}" if some else "none is"


def _some(some: Sequence[Entrant]) -> str:
    names = [one.name for one in some]
    if len(names) > _MANY:
        names = [*names[:_MANY], f"{len(names) - _MANY} more"]
    return listed(names)


def _percent(share: Interval) -> str:
    return f"{100 * share.value:.0f} % [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def _alike(one: ResultGroup, other: ResultGroup) -> bool:
    """Tell whether two groups differ at most in tuning."""
    return all(getattr(one, key) == getattr(other, key) for key in ("protocol", "kind", "panel"))


@dataclass(frozen=True)
class TuningGain:
    """What tuning gives over defaults: the mean over datasets, and Wilcoxon's p."""

    group: ResultGroup
    methods: int
    sets: int
    mean: float
    p: float


def tuning_gains(
    default: Sequence[ResultGroup], tuned: Sequence[ResultGroup]
) -> Iterator[TuningGain]:
    """Yield what tuning gives, for each kind of missing labels that has results of both."""
    for group in tuned:
        plain = next((one for one in default if _alike(one, group)), None)
        if plain is None:
            continue
        shared = [one for one in group.entrants if one in plain.entrants and one.arm != CONTROL]
        ratios = [ratio for ratio in group.ratios if ratio in plain.ratios]
        columns = [one.name for one in shared]
        rows = group.values.index.intersection(plain.values.index)
        if not shared or not ratios or len(rows) < 3:
            continue
        sign = 1 if group.larger else -1
        gap = sign * (group.values.loc[rows, columns] - plain.values.loc[rows, columns])
        by_set = gap.mean(axis=1).groupby(level="dataset").mean().dropna()
        if len(by_set) >= 3:
            p = stats.wilcoxon(by_set, 0 * by_set).p
            yield TuningGain(group, len(shared), len(by_set), float(by_set.mean()), p)


def tuning(default: Sequence[ResultGroup], tuned: Sequence[ResultGroup]) -> list[str]:
    """Return a sentence for each kind of missing labels on what tuning gives."""
    lines = []
    for one in tuning_gains(default, tuned):
        change = "changes nothing that a test finds"
        if one.p < LEVEL:
            change = "is better than defaults" if one.mean > 0 else "is worse than defaults"
        lines.append(
            f"{capitalised(one.group.title)}: tuning {change}, by {one.mean:+.4f} on average over "
            f"{one.methods} {one.group.noun} and {one.sets} datasets (Wilcoxon's "
            f"signed ranks, p = {one.p:.2g})."
        )
    return lines
