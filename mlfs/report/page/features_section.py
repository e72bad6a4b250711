"""The chosen features on the page: which ones, their stability, and how methods agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...protocols.experiment.masks import asked
from ...results.read import Results
from ..lists.chosen_features import MethodSummary, Summary, choices, names_of, summarise
from ..tables.texts import number

TOP = 5  # features that are named for each method


@dataclass(frozen=True)
class Stability:
    """How alike a method's choices are over repeats; the value is nan if it is undefined."""

    value: float
    text: str
    about: str


@dataclass(frozen=True)
class Chosen:
    """The features that a method chose most often, with the share of repeats."""

    method: str
    features: list[tuple[str, float]]


@dataclass(frozen=True)
class Features:
    """What the methods of one experiment chose.

    Attributes
    ----------
    stability : list of (str, list of Stability or None)
        One row for each dataset, ratio and swept value, and one column for each method.
    agreement : list of (str, list of float)
        Mean Jaccard index of two methods over all rows that both have.
    chosen : list of (str, list of Chosen)
    """

    methods: list[str]
    stability: list[tuple[str, list[Stability | None]]]
    agreement: list[tuple[str, list[float]]]
    chosen: list[tuple[str, list[Chosen]]]
    left_out: list[str]


def features(item: Results) -> Features | None:
    """Return what the methods of an experiment chose; None if its cells record no choice."""
    chosen = choices(item)
    if not chosen:
        return None
    made = summarise(item.experiment.name, chosen, names_of(item, chosen, published=False))
    methods = list(dict.fromkeys(one.method for summary in made for one in summary.methods))
    left_out = list(dict.fromkeys(text for summary in made for text in summary.left_out))
    if not methods:
        return None
    return Features(
        methods=methods,
        stability=[(_place(summary), _row(summary, methods)) for summary in made],
        agreement=_agreement(made, methods) if len(methods) > 1 else [],
        chosen=[(_place(s), [_chosen(one) for one in s.methods]) for s in made if s.methods],
        left_out=left_out,
    )


def _place(summary: Summary) -> str:
    parts = [summary.dataset]
    parts += [asked(summary.ratio)] if summary.ratio else []
    parts += [summary.varied] if summary.varied else []
    return ", ".join(parts)


def _row(summary: Summary, methods: Sequence[str]) -> list[Stability | None]:
    by_method: Mapping[str, MethodSummary] = {one.method: one for one in summary.methods}
    return [
        _stability(by_method[name], summary.d) if name in by_method else None for name in methods
    ]


def _stability(method: MethodSummary, d: int) -> Stability:
    stability = method.stability
    sizes = " to ".join(map(str, dict.fromkeys((method.sizes[0], method.sizes[-1]))))
    about = f"{sizes} of {d} features, {stability.n} repeats"
    if stability.reason:
        return Stability(math.nan, "–", f"{about}: {stability.reason}")
    if not math.isnan(stability.low):
        about += f", 95 % interval {number(stability.low)} to {number(stability.high)}"
    return Stability(stability.index, f"{stability.index:.2f}", about)


def _agreement(made: Sequence[Summary], methods: Sequence[str]) -> list[tuple[str, list[float]]]:
    def mean(a: str, b: str) -> float:
        values = [summary.agreement.get(a, {}).get(b, math.nan) for summary in made]
        numbers = [value for value in values if not math.isnan(value)]
        return sum(numbers) / len(numbers) if numbers else math.nan

    return [(a, [mean(a, b) for b in methods]) for a in methods]


def _chosen(method: MethodSummary) -> Chosen:
    return Chosen(method.method, [(name, share) for _, name, share in method.shares[:TOP]])
