"""What a comparison says in a few lines: which method, does it pay, and does knowing pay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..tables.paper_tables import LEVEL
from ..tables.texts import capitalised, listed
from .cases import (
    AVAILABLE,
    COMPLETE,
    INVISIBLE,
    KNOWS,
    NOTHING,
    ORACLE,
    SINGLE,
    VISIBLE,
    ZERO,
    ResultGroup,
)
from .contest import Against, Contest
from .verdict_words import cannot_differ, tuning_gains

_KINDS = {
    NOTHING: "nothing hidden",
    INVISIBLE: "positives hidden",
    SINGLE: "one positive per row",
    VISIBLE: "labels unknown",
}
_FIRST = 3  # methods that are named
_ARMS = {
    AVAILABLE: "each label used where it is known",
    COMPLETE: "only complete rows used",
    KNOWS: "a way of its own",
    ORACLE: "all labels seen",
}
_TESTS = "(Wilcoxon's signed ranks, Holm's correction.)"


def in_short(contests: Sequence[Contest]) -> list[str]:
    """Return the answers of some groups, one line for each question that they can answer.

    Groups with tuned parameters, and those whose classifiers saw full labels, only tell what
    tuning gives.
    """
    answers = []
    for protocol in dict.fromkeys(one.group.protocol for one in contests):
        mine = [one for one in contests if one.group.protocol == protocol]
        plain = [one for one in mine if not one.group.tuned and one.group.panel != "full"]
        plain = [one for one in plain if one.testable]
        groups = [one.group for one in mine if one.group.panel != "full"]
        answers += [*_which(plain), *_controls(plain), *_knowing(plain), *_tuning(groups)]
    return answers


def _which(contests: Sequence[Contest]) -> Iterator[str]:
    if not contests:
        return
    noun = {"selectors": "selector", "learners": "learner", "strategies": "strategy"}
    which = noun.get(contests[0].group.noun, "method")
    parts = [f"{capitalised(_KINDS[one.group.kind])}: {_leaders(one)}." for one in contests]
    level = [
        (len(one.level_with_best) - 1, len(one.order) - 1)
        for one in contests
        if one.decisive.significant
    ]
    if level:
        near, others = (_range(counts) for counts in zip(*level))
        verb = "is" if near == "1" else "are"
        parts.append(f"Of the other {others}, {near} {verb} not distinguished from the first.")
    sets = _range([len(one.table) for one in contests])
    tests = f"(Average ranks on {sets} datasets; tests of Friedman and Nemenyi.)"
    yield f"Which {which}? {' '.join(parts)} {tests}"


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def _leaders(contest: Contest) -> str:
    test, order = contest.decisive, contest.order
    if not test.significant:
        return f"the {len(order)} {contest.group.noun} cannot be told apart (p = {test.p:.2g})"
    several = contest.group.kind == VISIBLE  # ways to treat a missing label, so that zero is one
    first = order[:_FIRST]
    return listed([one.name if several or one.arm != ZERO else one.method for one in first])


def _controls(contests: Sequence[Contest]) -> Iterator[str]:
    """Yield what the methods give over controls where nothing is hidden."""
    for contest in contests:
        if contest.group.kind != NOTHING or not contest.against_controls:
            continue
        parts = []
        for control, tests in contest.against_controls.items():
            better, worse = (sum(_sided(test, side) for test in tests) for side in (1, -1))
            features = " features" if contest.group.protocol == "selection" else ""
            parts.append(
                f"{better} better and {worse} worse than {control.name}{features} "
                f"({_spread([test.difference for test in tests])})"
            )
        count = max(len(tests) for tests in contest.against_controls.values())
        yield (
            f"Do they pay? {capitalised(_KINDS[contest.group.kind])}: of {count} "
            f"{contest.group.noun}, {listed(parts)} in {contest.group.score}. {_TESTS}"
        )


def _spread(differences: Sequence[float]) -> str:
    return f"{min(differences):+.3f} to {max(differences):+.3f}"


def _knowing(contests: Sequence[Contest]) -> Iterator[str]:
    by_arm: dict[str, list[str]] = {}
    for arm, words in _ARMS.items():
        for contest in contests:
            if arm in contest.arms:
                told = _gap(contest.arms[arm], len(contest.arms), contest.group.kind)
                by_arm.setdefault(words, []).append(told)
    if by_arm:
        parts = "; ".join(f"{words}: {listed(gaps)}" for words, gaps in by_arm.items())
        group = contests[0].group
        yield (
            f"Does knowing pay? Gains of {group.noun} in {group.score} over counting what is "
            f"missing as 0. {capitalised(parts)}. {_TESTS}"
        )


def _gap(test: Against, count: int, kind: str) -> str:
    """Return a difference, where it was found, and what its test says."""
    if test.differs:
        told = f"p = {test.p_holm:.1g}"
        told += ", within .01" if test.bayes.likeliest == "equal" else ""
    elif cannot_differ(len(test.gaps), count):
        told = "too few datasets to test"
    else:
        told = "not significant"
    return f"{test.difference:+.3f} with {_KINDS[kind]} ({told})"


def _tuning(groups: Sequence[ResultGroup]) -> Iterator[str]:
    default, tuned = ([one for one in groups if one.tuned is is_] for is_ in (False, True))
    parts = [
        f"{one.mean:+.4f} with {_KINDS[one.group.kind]} "
        + (f"(p = {one.p:.1g})" if one.p < LEVEL else "(not significant)")
        for one in tuning_gains(default, tuned)
    ]
    if parts:
        gains = f"Gains in {groups[0].score} over defaults: {listed(parts)}"
        yield f"Does tuning pay? {gains}. (Wilcoxon's signed ranks.)"


def _sided(test: Against, side: int) -> bool:
    return test.differs and test.difference * side > 0
