"""The features that methods chose: which ones, and how alike over repeats and methods."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations_with_replacement

from ... import stats
from ...errors import UserError
from ...protocols.experiment.dataset_choice import DatasetChoice
from ...protocols.experiment.method_choice import setting
from ...protocols.steps.preparation import load_dataset
from ...results.read import Results


@dataclass(frozen=True)
class FeatureChoice:
    """What one cell chose.

    Parameters
    ----------
    dataset : str
        Name of the dataset.
    ratio : float
        Share of the labels that was hidden.
    repeat : int
        Number of the repeat, from 0.
    method : str
        Heading of the method's column.
    varied : str
        The swept parameter and its value, such as "gamma=10"; empty without a sweep.
    subsets : list of list of int
        Indices of features, from 0. If smaller subsets are the beginning of the largest, there is
        one list, best first. Otherwise there is one list per size, smallest first.
    d : int
        Number of features to choose from.
    """

    dataset: str
    ratio: float
    repeat: int
    method: str
    varied: str
    subsets: list[list[int]]
    d: int

    def of_size(self, size: int | None) -> list[int] | None:
        """Return the subset of a size, by default the largest; None if there is no such subset."""
        longest = self.subsets[-1] if self.subsets else []
        if size is None:
            return longest
        if len(self.subsets) == 1 and size <= len(longest):
            return longest[:size]
        return next((subset for subset in self.subsets if len(subset) == size), None)


@dataclass(frozen=True)
class MethodSummary:
    """The choices of one method over the repeats of a dataset.

    Parameters
    ----------
    method : str
        Heading of the method's column.
    subsets : dict of int to list of int
        The chosen features by repeat.
    shares : list of (int, str, float)
        Features with their name and the share of repeats that chose them, most often first.
    stability : StabilityResult
        How alike the choices of the repeats are.
    """

    method: str
    subsets: dict[int, list[int]]
    shares: list[tuple[int, str, float]]
    stability: stats.StabilityResult

    @property
    def sizes(self) -> list[int]:
        """The numbers of chosen features, ascending; more than one if repeats differ."""
        return sorted({len(subset) for subset in self.subsets.values()})


@dataclass(frozen=True)
class Summary:
    """What the methods chose on one dataset at one ratio (and one value of a sweep).

    Parameters
    ----------
    experiment, dataset, varied : str
        Names of the experiment and of the dataset, and the value of a sweep.
    ratio : float
        Share of the labels that was hidden.
    d : int
        Number of features to choose from.
    methods : list of MethodSummary
        What each method chose.
    agreement : dict of str to dict of str to float
        Mean Jaccard index of two methods over the repeats that both have; nan if there are none.
    left_out : list of str
        The methods that have no subset to show, and why.
    """

    experiment: str
    dataset: str
    ratio: float
    varied: str
    d: int
    methods: list[MethodSummary]
    agreement: dict[str, dict[str, float]]
    left_out: list[str]


def choices(results: Results) -> list[FeatureChoice]:
    """Return the choices that cells recorded, with methods in the order of the config."""
    methods = results.methods
    chosen = [
        FeatureChoice(
            dataset=planned.series.cell.data.name,
            ratio=planned.series.cell.settings.ratio,
            repeat=planned.repeat,
            method=methods[planned.column],
            varied=", ".join(setting(name, value) for name, value in planned.varied.items()),
            subsets=record.features,
            d=record.n_features,
        )
        for planned, record in results.records
        if record.features
    ]
    return sorted(chosen, key=lambda choice: methods.index(choice.method))


def names_of(
    results: Results, chosen: Sequence[FeatureChoice], published: bool = True
) -> dict[str, list[str]]:
    """Return the names of all features, by dataset.

    They are numbers if the file has no names or is not on this machine: a report downloads nothing.
    If not `published`, only the user's own files are read: to read published sets takes minutes.
    """
    given = {choice.name: choice for choice in results.experiment.datasets}
    one = {choice.dataset: choice for choice in chosen}
    return {name: _names(choice, given[name], published) for name, choice in one.items()}


def _names(choice: FeatureChoice, dataset: DatasetChoice, published: bool) -> list[str]:
    if (published or dataset.own) and dataset.here:
        with suppress(UserError):  # zero-shot sets and images cannot be loaded this way
            names = load_dataset(dataset.data).feature_names
            if len(names) == choice.d:
                return names
    return [f"feature {i}" for i in range(choice.d)]


def summarise(
    experiment: str,
    chosen: Sequence[FeatureChoice],
    names: Mapping[str, Sequence[str]],
    size: int | None = None,
) -> list[Summary]:
    """Summarise the choices on every dataset, at every ratio and swept value.

    Parameters
    ----------
    experiment : str
        Name of the experiment.
    chosen : sequence of FeatureChoice
        The choices of all cells.
    names : mapping
        The names of all features, by dataset.
    size : int, optional
        The number of features of the subsets; by default that of each method's largest subset.
    """
    groups: dict[tuple[str, float, str], dict[str, dict[int, FeatureChoice]]] = {}
    for choice in chosen:
        group = groups.setdefault((choice.dataset, choice.ratio, choice.varied), {})
        group.setdefault(choice.method, {})[choice.repeat] = choice
    summaries = []
    for (dataset, ratio, varied), by_method in groups.items():
        mine, left_out = [], []
        for method, repeats in by_method.items():
            made = _of_method(method, repeats, names[dataset], size)
            if isinstance(made, str):
                left_out.append(f"{method}: {made}")
            else:
                mine.append(made)
        key = (experiment, dataset, ratio, varied, len(names[dataset]))
        summaries.append(Summary(*key, mine, _agreement(mine), left_out))
    if size is not None and not any(summary.methods for summary in summaries):
        raise UserError(f"{experiment}: no method chose {size} features: use another --size")
    return summaries


def _of_method(
    method: str, repeats: Mapping[int, FeatureChoice], names: Sequence[str], size: int | None
) -> MethodSummary | str:
    """Summarise one method, or say why there is nothing to summarise."""
    d = len(names)
    everything = list(range(d))
    if all(choice.of_size(None) == everything for choice in repeats.values()):
        return f"takes all {d} features in their own order and so chooses none"
    subsets = {repeat: choice.of_size(size) for repeat, choice in sorted(repeats.items())}
    complete = {repeat: subset for repeat, subset in subsets.items() if subset is not None}
    if len(complete) < len(subsets):
        sizes = sorted({len(s) for choice in repeats.values() for s in choice.subsets})
        return f"has no subset of {size} features in some repeat; its sizes: {_listed(sizes)}"
    places: dict[int, list[int]] = {}
    for subset in complete.values():
        for place, feature in enumerate(subset):
            places.setdefault(feature, []).append(place)
    # ties go to the feature that is ranked higher, then to the lower index
    order = sorted(places, key=lambda f: (-len(places[f]), sum(places[f]), f))
    shares = [(f, str(names[f]), len(places[f]) / len(complete)) for f in order]
    return MethodSummary(method, complete, shares, stats.stability(list(complete.values()), d))


def _listed(sizes: list[int]) -> str:
    return ", ".join(map(str, sizes))


def _agreement(methods: Sequence[MethodSummary]) -> dict[str, dict[str, float]]:
    shares: dict[str, dict[str, float]] = {one.method: {} for one in methods}
    for a, b in combinations_with_replacement(methods, 2):  # the index is symmetric
        shares[a.method][b.method] = shares[b.method][a.method] = _alike(a, b)
    return {a: {b.method: others[b.method] for b in methods} for a, others in shares.items()}


def _alike(a: MethodSummary, b: MethodSummary) -> float:
    common = a.subsets.keys() & b.subsets.keys()
    alike = [stats.jaccard(a.subsets[repeat], b.subsets[repeat]) for repeat in sorted(common)]
    return sum(alike) / len(alike) if alike else math.nan
