"""Collect results of several experiments into groups that may be compared as a whole.

Kinds of missing labels are never pooled, nor are tuned and default parameters, nor classifiers
that were trained on hidden labels and on full ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ... import datasets, stats
from ...errors import UserError, nearest
from ...methods import registry
from ...protocols import Experiment
from ...protocols.experiment.masks import Mask, percent
from ...protocols.plan import Planned
from ...results.read import Results
from ..lists.chosen_features import FeatureChoice
from ..tables.texts import listed

ORACLE, ZERO, AVAILABLE, COMPLETE, KNOWS, CONTROL = (
    "oracle",
    "zero-filled",
    "available case",
    "complete rows",
    "knows",
    "control",
)
ARMS = {
    ZERO: "unknown labels count as 0",
    AVAILABLE: "each label on the rows where it is known",
    COMPLETE: "only rows whose labels are all known",
    KNOWS: "the method has a way of its own to treat missing labels",
    ORACLE: "the method sees all labels, as if none was missing",
    CONTROL: "uses no labels",
}
_TREATMENTS = {"zero": ZERO, "available": AVAILABLE, "complete": COMPLETE}
_LEAST = 2 / 3  # an entrant needs results on this share of the datasets
_FITTING = ("fit", "tune")  # phases that are the method's own; other phases evaluate it


@dataclass(frozen=True, order=True)
class Entrant:
    """A method with its parameters, and what it did about missing labels."""

    method: str
    arm: str

    @property
    def name(self) -> str:
        """The name in tables; a control has no arm."""
        return self.method if self.arm == CONTROL else f"{self.method} ({self.arm})"


@dataclass(frozen=True)
class ResultGroup:
    """Results that may be compared: one kind of missing labels, one way to train.

    Attributes
    ----------
    experiments : list of str
        The experiments that they come from.
    kind : str
        The kind of missing labels, in words.
    tuned : bool
        Whether parameters were tuned.
    panel : str
        What classifiers were trained on, if it is told; empty otherwise.
    metric : str
    larger : bool
        Whether larger values of the metric are better.
    values : DataFrame
        The mean over repeats, points of curves and classifiers: a row per dataset and ratio, a
        column per entrant, under its name.
    seconds, stability : dict
        Median seconds of a fit, and mean stability of the chosen features over datasets and ratios,
        by name of the entrant; nan if it is not known.
    families : dict
        The family of each dataset.
    entrants : list of Entrant
        All entrants, in the order of the configs.
    left_out : list of str
        Sentences on entrants and cells that are not used.
    """

    experiments: list[str]
    kind: str
    tuned: bool
    panel: str
    metric: str
    larger: bool
    values: pd.DataFrame
    seconds: dict[str, float]
    stability: dict[str, float]
    families: dict[str, str]
    entrants: list[Entrant]
    left_out: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """What is compared, in words."""
        trained = f", classifiers trained on {self.panel} labels" if self.panel else ""
        return f"{self.kind}{', tuned' if self.tuned else ''}{trained}"

    @property
    def ratios(self) -> list[float]:
        """The shares of hidden labels, ascending."""
        return sorted({float(ratio) for ratio in self.values.index.get_level_values("ratio")})

    @property
    def hidden(self) -> list[float]:
        """The ratios that decide: those above 0, or 0 if nothing is ever hidden."""
        return [ratio for ratio in self.ratios if ratio] or self.ratios

    def scores(self, ratio: float | None = None) -> pd.DataFrame:
        """Return the mean over the ratios that decide, or at one ratio: datasets by entrants.

        A dataset that lacks one of the ratios is left out.
        """
        wanted = self.hidden if ratio is None else [ratio]
        rows = self.values[self.values.index.get_level_values("ratio").isin(wanted)]
        grouped = rows.groupby(level="dataset", sort=False)
        return grouped.mean()[(grouped.size() == len(wanted)).to_numpy()]

    def gains(self, ratio: float | None = None) -> pd.DataFrame:
        """Return the scores with a sign so that larger is better."""
        return self.scores(ratio) * (1.0 if self.larger else -1.0)


def collect(results: Sequence[Results], metric: str | None = None) -> list[ResultGroup]:
    """Return the groups of some results; by default their first common metric is compared."""
    shared = [name for name in results[0].experiment.metrics if all(_has(r, name) for r in results)]
    known = {name for item in results for name in item.experiment.scores}
    if metric is not None and metric not in known:
        raise UserError(f"no results have the metric '{metric}'{nearest(metric, known)}")
    chosen = metric or next(iter(shared), results[0].experiment.metrics[0])
    frames = [frame for item in results for frame in _frames(item, chosen)]
    if not frames:
        raise UserError("no cell is finished: run the config first, with 'mlfs run CONFIG'")
    whole = pd.concat(frames, ignore_index=True)
    [larger] = {item.experiment.scores[chosen] for item in results if _has(item, chosen)}
    keys = ["kind", "tuned", "panel"]
    return [
        _group(dict(zip(keys, key)), part, chosen, larger)
        for key, part in whole.groupby(keys, sort=False)
    ]


def _has(item: Results, metric: str) -> bool:
    return metric in item.experiment.scores


def _frames(item: Results, metric: str) -> Iterator[pd.DataFrame]:
    """Yield a frame for an experiment: a row per cell and way of evaluation."""
    if metric not in item.rows or item.rows.empty:
        return
    entrants = {column: _entrant(item, column) for column in range(len(item.experiment.methods))}
    rows: list[dict[str, Any]] = []
    sizes = _middle_size(item)
    for planned, record in item.records:
        seconds = [record.seconds[phase] for phase in _FITTING if phase in record.seconds]
        first = planned.series.cell
        about = {
            "experiment": item.experiment.name,
            "kind": _kind(item.experiment, first.settings),
            "tuned": _tuned(planned),
            "dataset": first.data.name,
            "ratio": first.settings.ratio,
            "repeat": planned.repeat,
            "entrant": entrants[planned.column],
            "seconds": sum(seconds) if seconds else sum(record.seconds.values()),
            "d": record.n_features,
            "chosen": _chosen(record, sizes.get(first.data.name)),
        }
        if planned.varied:
            continue  # a sweep says what a parameter does, not who wins
        ways: dict[tuple[str, str], list[float]] = {}
        for row in record.rows:
            way = (str(row.get("train_on", "")), str(row.get("classifier", "")))
            value = row.get(metric)
            ways.setdefault(way, []).append(math.nan if value is None else float(value))
        for (panel, classifier), points in ways.items():
            own = {"panel": panel, "classifier": classifier, "value": float(np.mean(points))}
            rows.append(about | own)
    if rows:
        yield pd.DataFrame(rows)


def _kind(experiment: Experiment, settings: Any) -> str:
    """Return the kind of missing labels in words; without a mask, that of the experiment."""
    masks = [settings.mask] if settings.ratio else list(getattr(experiment, "mask", []))
    hiding: Mask | None = next((mask for mask in masks if mask.ratio), None)
    if hiding is None:
        return "no labels hidden"
    if hiding.ratio == 1:
        return "one positive label per row"
    visible = hiding.hides == "labels"
    return "visible: labels unknown" if visible else "invisible: positive labels hidden"


def _tuned(planned: Planned) -> bool:
    tune = getattr(planned.series.cell.settings, "tune", None)
    return bool(tune is not None and tune.strategy != "none")


def _entrant(item: Results, column: int) -> Entrant:
    choice = item.experiment.methods[column]
    settings = item.experiment.settings(choice.settings)
    decisive = max(settings, key=lambda one: one.ratio)
    name = choice.variant.rpartition(":")[2] if ":" in choice.name else choice.variant
    with item.experiment.scope:
        cls = registry.method(choice.name, item.experiment.kinds)
    arm = _arm(cls, decisive)
    if (
        isinstance(cls, registry.Recorded)
        and arm == ZERO
        and not getattr(decisive, "missing", None)
    ):
        # results do not record whether a foreign method takes unknown labels, but their notes do
        start = f"{choice.short} cannot use unobserved labels"
        arm = ZERO if any(note.startswith(start) for note in item.notes) else KNOWS
    return Entrant(name, arm)


def _arm(cls: Any, settings: Any) -> str:
    if not getattr(cls, "uses_labels", True):
        return CONTROL
    if getattr(settings, "select_on", "given") == "full":
        return ORACLE
    missing = getattr(settings, "missing", None)
    if missing:
        return _TREATMENTS[missing]
    tags = getattr(cls, "tags", None)
    if tags is not None and not tags.handles_missing:
        return ZERO
    return AVAILABLE if getattr(tags, "by_label", False) else KNOWS


def _middle_size(item: Results) -> dict[str, int]:
    """Return for each dataset the size of the middle point of the curves."""
    axis = item.experiment.axis
    if axis != "n_features" or axis not in item.rows:
        return {}
    found = {}
    for name, points in item.rows.groupby("dataset")[axis]:
        sizes = sorted(points.unique())
        found[str(name)] = int(sizes[len(sizes) // 2])
    return found


def _chosen(record: Any, size: int | None) -> tuple[int, ...] | None:
    if size is None or not record.features:
        return None
    subset = FeatureChoice("", 0, 0, "", "", record.features, record.n_features).of_size(size)
    return None if subset is None else tuple(subset)


def _group(about: dict[str, Any], part: pd.DataFrame, metric: str, larger: bool) -> ResultGroup:
    left_out: list[str] = []
    entrants: list[Entrant] = list(dict.fromkeys(part.entrant))
    part = part.assign(entrant=[one.name for one in part.entrant])
    sets = part.dataset.nunique()
    for entrant in list(entrants):
        count = part[part.entrant == entrant.name].dataset.nunique()
        if count < _LEAST * sets:
            entrants.remove(entrant)
            left_out.append(f"{entrant.name} has results on only {count} of {sets} datasets.")
    names = [one.name for one in entrants]
    part = part[part.entrant.isin(names)]
    values, uneven = _common(part, names)
    if uneven:
        left_out.append(f"Repeats that some method lacks are left out on {', '.join(uneven)}.")
    sets_left = [str(name) for name in dict.fromkeys(values.index.get_level_values("dataset"))]
    hidden = part[part.ratio > 0] if (part.ratio > 0).any() else part
    seconds = {str(name): float(some.median()) for name, some in hidden.groupby("entrant").seconds}
    stable = _stability(hidden)
    return ResultGroup(
        experiments=list(dict.fromkeys(part.experiment)),
        metric=metric,
        larger=larger,
        values=values,
        seconds={name: seconds.get(name, math.nan) for name in names},
        stability={name: stable.get(name, math.nan) for name in names},
        families={name: family(name) for name in sets_left},
        entrants=entrants,
        left_out=left_out,
        **about,
    )


def _common(part: pd.DataFrame, names: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return means over the repeats that all entrants have, and datasets that lack some.

    A classifier's repeat counts if every entrant that has results on the dataset has its value.
    """
    keys = ["dataset", "ratio"]
    wide = part.pivot_table(
        index=[*keys, "classifier", "repeat"],
        columns="entrant",
        values="value",
        aggfunc="first",
        sort=False,
    ).reindex(columns=names)
    there = wide.notna().groupby(level=keys).transform("any")
    complete = (wide.notna() | ~there).all(axis=1).to_numpy()
    uneven = dict.fromkeys(wide.index.get_level_values("dataset")[~complete])
    return wide[complete].groupby(level=keys, sort=False).mean(), [str(name) for name in uneven]


def _stability(part: pd.DataFrame) -> dict[str, float]:
    """Return the mean stability of each entrant's chosen features, by name."""
    chosen = part[part.chosen.notna()]
    once = chosen.drop_duplicates(["dataset", "ratio", "repeat", "entrant"])
    found: dict[str, list[float]] = {}
    for (entrant, *_), cells in once.groupby(["entrant", "dataset", "ratio"], sort=False):
        index = stats.stability([list(one) for one in cells.chosen], int(cells.d.iloc[0])).index
        if not math.isnan(index):
            found.setdefault(str(entrant), []).append(index)
    return {name: float(np.mean(some)) for name, some in found.items()}


@cache
def family(name: str) -> str:
    """Return the family of a dataset; one that is in no catalogue is its own family."""
    entry = datasets.catalog().get(name)
    return entry.family if entry else name


def in_words(ratios: Sequence[float]) -> str:
    """Return ratios as "40 % and 70 %"."""
    return listed([percent(ratio) for ratio in ratios])
