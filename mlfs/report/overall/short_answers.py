"""What a comparison says in a few lines: which method, does it pay, and does knowing pay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..tables.texts import listed
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
    Entrant,
)
from .standing import Against, Standing
from .verdict_words import cannot_differ, tuning, zero_filling

_KINDS = {
    NOTHING: "nothing hidden",
    INVISIBLE: "positives hidden",
    SINGLE: "one positive per row",
    VISIBLE: "labels unknown",
}
_FIRST = 3  # methods that are named
_ARMS = {
    AVAILABLE: "using each label where it is known",
    COMPLETE: "using completely known rows",
    KNOWS: "having a way of its own",
    ORACLE: "seeing all labels",
}


def in_short(standings: Sequence[Standing]) -> list[str]:
    """Return the answers of some groups, one line for each question that they can answer.

    Groups with tuned parameters, and those whose classifiers saw full labels, only tell what
    tuning gives.
    """
    answers = []
    for protocol in dict.fromkeys(one.group.protocol for one in standings):
        mine = [one for one in standings if one.group.protocol == protocol]
        plain = [one for one in mine if not one.group.tuned and one.group.panel != "full"]
        plain = [one for one in plain if one.testable]
        answers += [*_which(plain), *_controls(plain), *_knowing(plain)]
        groups = [one.group for one in mine if one.group.panel != "full"]
        default, tuned = ([g for g in groups if g.tuned is is_] for is_ in (False, True))
        answers += [f"Does tuning pay? {line}" for line in tuning(default, tuned)]
    return answers


def _which(standings: Sequence[Standing]) -> Iterator[str]:
    parts = [f"{_KINDS[one.group.kind]}: {_leaders(one)}" for one in standings]
    if parts:
        noun = {"selectors": "selector", "learners": "learner", "strategies": "strategy"}
        which = noun.get(standings[0].group.noun, "method")
        yield (
            f"Which {which}? {_capital('; '.join(parts))} (average ranks over families of datasets,"
            " tests of Friedman and Nemenyi)."
        )


def _leaders(standing: Standing) -> str:
    test, order = standing.decisive, standing.order
    if not test.significant:
        return (
            f"the {len(order)} {standing.group.noun} cannot be told apart on "
            f"{len(standing.table)} datasets (p = {test.p:.2g})"
        )

    def name(one: Entrant) -> str:
        return one.method if one.arm == ZERO else one.name

    first = [f"{name(one)} ({test.ranks[one.name]:.1f})" for one in order[:_FIRST]]
    level = len(standing.level_with_best) - 1
    return (
        f"{listed(first)} lead {len(order)} {standing.group.noun} on {len(standing.table)} "
        f"datasets, and {level or 'none'} of the others {'is' if level < 2 else 'are'} not "
        f"distinguished from {name(order[0])}"
    )


def _controls(standings: Sequence[Standing]) -> Iterator[str]:
    """Yield what the methods give over controls where nothing is hidden."""
    for standing in standings:
        if standing.group.kind != NOTHING or not standing.against_controls:
            continue
        parts = []
        for control, tests in standing.against_controls.items():
            better, worse = (sum(_sided(test, side) for test in tests) for side in (1, -1))
            features = " features" if standing.group.protocol == "selection" else ""
            mean = _spread([test.difference for test in tests])
            parts.append(
                f"of {len(tests)} {standing.group.noun} {better} are better than {control.name}"
                f"{features} and {worse} worse ({mean} {standing.group.score})"
            )
        yield (
            f"Do they pay? {_capital(_KINDS[standing.group.kind])}: {'; '.join(parts)} (means over "
            "datasets; Wilcoxon's signed ranks, Holm's correction)."
        )


def _spread(differences: Sequence[float]) -> str:
    return f"{min(differences):+.3f} to {max(differences):+.3f}"


def _knowing(standings: Sequence[Standing]) -> Iterator[str]:
    parts = []
    for standing in standings:
        told = [
            f"{_ARMS[arm]} {_verdict(test, len(standing.arms))}"
            for arm, test in standing.arms.items()
        ]
        if told:
            kind = _KINDS[standing.group.kind]
            parts.append(f"{kind}: against {zero_filling(standing.group)}, {listed(told)}")
    if parts:
        yield (
            f"Does knowing pay? {_capital('; '.join(parts))} (mean differences over datasets; "
            "Wilcoxon's signed ranks, Holm's correction)."
        )


def _verdict(test: Against, count: int) -> str:
    if not test.differs and cannot_differ(len(test.gaps), count):
        return f"cannot be tested with {len(test.gaps)} datasets ({test.difference:+.3f})"
    if not test.differs:
        return f"makes no difference that a test finds ({test.difference:+.3f})"
    sort = "better" if test.difference > 0 else "worse"
    small = ", but within .01 of it" if test.bayes.likeliest == "equal" else ""
    return f"is {sort} ({test.difference:+.3f}, p = {test.p_holm:.1g}{small})"


def _sided(test: Against, side: int) -> bool:
    return test.differs and test.difference * side > 0


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
