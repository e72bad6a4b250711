"""Collect results of several experiments into groups that may be compared as a whole.

Kinds of missing labels are never pooled, nor are tuned and default parameters, nor classifiers
that were trained on hidden labels and on full ones.
"""

from __future__ import annotations

import math
import re
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

ORACLE, ZERO, AVAILABLE, COMPLETE, KNOWS, CONTROL, PLAIN = (
    "oracle",
    "zero-filled",
    "available case",
    "complete rows",
    "knows",
    "control",
    "nothing hidden",
)
ARMS = {
    ZERO: "unknown labels count as 0",
    AVAILABLE: "each label on the rows where it is known",
    COMPLETE: "only rows whose labels are all known",
    KNOWS: "the method has a way of its own to treat missing labels",
    ORACLE: "the method sees all labels, as if none was missing",
    CONTROL: "uses no labels",
    PLAIN: "no label is missing",
}
_TREATMENTS = {"zero": ZERO, "available": AVAILABLE, "complete": COMPLETE}
# a heading such as "fsnm (own way)" names the arm
_HEADING = re.compile(r"(?P<method>.+) \((?P<arm>zero|available|complete|own way|oracle)\)")
_NAMED = _TREATMENTS | {"own way": KNOWS, "oracle": ORACLE}
NOTHING, SINGLE = "no labels hidden", "one positive label per row"
VISIBLE, INVISIBLE = "visible: labels unknown", "invisible: positive labels hidden"
_NOUNS = {"selection": "selectors", "learning": "learners", "active": "strategies"}
_FULL = "full"  # what a classifier is trained on to isolate what selection loses
LEAST = 2 / 3  # an entrant needs results on this share of the datasets
_FITTING = ("fit", "tune")  # phases that are the method's own; other phases evaluate it


@dataclass(frozen=True, order=True)
class Entrant:
    """A method with its parameters, and what it did about missing labels."""

    method: str
    arm: str

    @property
    def name(self) -> str:
        """The name in tables; without hidden labels, and for a control, there is no arm."""
        return self.method if self.arm in (CONTROL, PLAIN) else f"{self.method} ({self.arm})"


@dataclass(frozen=True)
class ResultGroup:
    """Results that may be compared: one kind of missing labels, one way to train.

    Attributes
    ----------
    experiments : list of str
        The experiments that they come from.
    protocol : str
        What the methods are for: selection, learning or another protocol.
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
    fewer_labels : dict
        How many labels are used, by name of the datasets of which only the frequent ones are.
    """

    experiments: list[str]
    protocol: str
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
    fewer_labels: dict[str, int] = field(default_factory=dict)
    _scores: dict[float | None, pd.DataFrame] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def title(self) -> str:
        """What is compared, in words."""
        told = self.panel and self.kind != NOTHING  # without a mask all labels are given
        trained = f", classifiers trained on {self.panel} labels" if told else ""
        return f"{self.protocol}, {self.kind}{', tuned' if self.tuned else ''}{trained}"

    @property
    def noun(self) -> str:
        """What the methods are, in the plural."""
        return _NOUNS.get(self.protocol, "methods")

    @property
    def score(self) -> str:
        """The metric in words."""
        return self.metric.replace("_", " ")

    def where(self, ratios: Sequence[float]) -> str:
        """Return where labels are hidden, as "with 40 % and 70 % hidden"; empty if nowhere."""
        if not any(ratios):
            return ""
        return f"with {SINGLE if self.kind == SINGLE else f'{in_words(ratios)} hidden'}"

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
        if ratio not in self._scores:
            self._scores[ratio] = self._means(self.hidden if ratio is None else [ratio])
        return self._scores[ratio]

    def _means(self, wanted: list[float]) -> pd.DataFrame:
        rows = self.values[self.values.index.get_level_values("ratio").isin(wanted)]
        grouped = rows.groupby(level="dataset", sort=False)
        return grouped.mean()[(grouped.size() == len(wanted)).to_numpy()]

    def gains(self, ratio: float | None = None) -> pd.DataFrame:
        """Return the scores with a sign so that larger is better."""
        return self.scores(ratio) * (1.0 if self.larger else -1.0)


def collect(results: Sequence[Results], metric: str | None = None) -> list[ResultGroup]:
    """Return the groups of some results; by default their first common metric is compared."""
    shared = [name for name in results[0].experiment.metrics if all(_has(r, name) for r in results)]
    measured = {name for item in results for name in item.experiment.measured}
    if metric is not None and metric not in measured:
        raise UserError(f"no results have the metric '{metric}'{nearest(metric, measured)}")
    chosen = metric or next(iter(shared), results[0].experiment.metrics[0])
    frames = [frame for item in results for frame in _frames(item, chosen)]
    if not frames:
        raise UserError("no cell is finished: run the config first, with 'mlfs run CONFIG'")
    whole = _with_full(pd.concat(frames, ignore_index=True))
    [larger] = {item.experiment.measured[chosen] for item in results if _has(item, chosen)}
    keys = ["protocol", "kind", "tuned", "panel"]
    fewer = {
        choice.name: choice.frequent_labels
        for item in results
        for choice in item.experiment.datasets
        if choice.frequent_labels is not None
    }
    return [
        _group(
            dict(zip(keys, key)) | {"tuned": bool(key[2]), "fewer_labels": fewer},
            part,
            chosen,
            larger,
        )
        for key, part in whole.groupby(keys, sort=False)
        if part.panel.iloc[0] != _FULL or part.ratio.any()  # else it is the same as "given"
    ]


def _with_full(whole: pd.DataFrame) -> pd.DataFrame:
    """Use experiments without a mask as ratio 0 of the others, and as their oracle.

    What a method reaches if nothing is hidden is the oracle of a learner, and of a selection that
    is judged by classifiers trained on full labels.
    """
    full = whole[(whole.kind == NOTHING) & ~whole.tuned]
    others = whole[(whole.kind != NOTHING) & ~whole.tuned]
    if full.empty or others.empty:
        return whole
    keys = ["protocol", "panel", "method"]
    by_method = {tuple(map(str, key)): part for key, part in full.groupby(keys, sort=False)}
    parts = [whole]
    for key, group in others.groupby(["kind", "panel", "protocol"], sort=False):
        kind, panel, protocol = map(str, key)
        entrants = _entrants(group)
        ratios = sorted({float(ratio) for ratio in group.ratio})
        for entrant in entrants if 0.0 not in ratios else []:
            start = by_method.get((protocol, panel, entrant.method))
            if start is not None:
                parts.append(_as(start, entrant).assign(kind=kind))
        if panel != _FULL and protocol != "learning":
            continue
        for method in dict.fromkeys(one.method for one in entrants if one.arm != CONTROL):
            start, oracle = by_method.get((protocol, panel, method)), Entrant(method, ORACLE)
            if start is None or oracle in entrants:
                continue
            own = _as(start, oracle).assign(kind=kind)
            parts += [own.assign(ratio=ratio) for ratio in dict.fromkeys([0.0, *ratios])]
    return pd.concat(parts, ignore_index=True)


def _as(rows: pd.DataFrame, entrant: Entrant) -> pd.DataFrame:
    """Return rows as those of another entrant."""
    return rows.assign(entrant=entrant.name, method=entrant.method, arm=entrant.arm)


def _entrants(rows: pd.DataFrame) -> list[Entrant]:
    """Return the entrants of some rows, in their order."""
    once = rows.drop_duplicates("entrant")
    return [Entrant(str(method), str(arm)) for method, arm in zip(once.method, once.arm)]


def _has(item: Results, metric: str) -> bool:
    return metric in item.experiment.measured


def _frames(item: Results, metric: str) -> Iterator[pd.DataFrame]:
    """Yield a frame for an experiment: a row per cell and way of evaluation."""
    if metric not in item.rows or item.rows.empty:
        return
    entrants = {column: _entrant(item, column) for column in range(len(item.experiment.methods))}
    rows: list[dict[str, Any]] = []
    stable = _stability(item)
    for planned, record in item.records:
        if planned.varied:
            continue  # a sweep says what a parameter does, not who wins
        seconds = [record.seconds[phase] for phase in _FITTING if phase in record.seconds]
        first = planned.series.cell
        about = {
            "experiment": item.experiment.name,
            "protocol": item.experiment.protocol,
            "kind": _kind(item.experiment, first.settings),
            "tuned": _tuned(planned),
            "dataset": first.data.name,
            "ratio": first.settings.ratio,
            "repeat": planned.repeat,
            "entrant": entrants[planned.column].name,
            "method": entrants[planned.column].method,
            "arm": entrants[planned.column].arm,
            "seconds": sum(seconds) if seconds else sum(record.seconds.values()),
            "stability": stable.get((planned.column, first.data.name, first.settings.ratio)),
        }
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
        return NOTHING
    if hiding.ratio == 1:
        return SINGLE
    return VISIBLE if hiding.hides == "labels" else INVISIBLE


def _tuned(planned: Planned) -> bool:
    tune = getattr(planned.series.cell.settings, "tune", None)
    return bool(tune is not None and tune.strategy != "none")


def _entrant(item: Results, column: int) -> Entrant:
    choice = item.experiment.methods[column]
    decisive: Any = max(item.experiment.settings(choice.settings), key=lambda one: one.ratio)
    with item.experiment.scope:
        cls = registry.method(choice.name, item.experiment.kinds)
    if choice.label:
        named = _HEADING.fullmatch(choice.label)
        name = named["method"] if named else choice.label
    else:
        named, name = None, choice.variant.rpartition(":")[2]
    if not getattr(cls, "uses_labels", True):
        return Entrant(name, CONTROL)
    if not decisive.ratio:
        return Entrant(name, PLAIN)
    if named:
        return Entrant(name, _NAMED[named["arm"]])
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
    middle = {}
    for name, points in item.rows.groupby("dataset")[axis]:
        sizes = sorted(points.unique())
        middle[str(name)] = int(sizes[len(sizes) // 2])
    return middle


def _stability(item: Results) -> dict[tuple[int, str, float], float]:
    """Return the stability of the features chosen in all repeats, by column, dataset and ratio."""
    sizes = _middle_size(item)
    chosen: dict[tuple[int, str, float], list[list[int]]] = {}
    counts: dict[str, int] = {}
    for planned, record in item.records:
        first = planned.series.cell
        name = first.data.name
        if name not in sizes or not record.features:
            continue
        subsets = FeatureChoice("", 0, 0, "", "", record.features, record.n_features)
        subset = subsets.of_size(sizes[name])
        if subset is not None:
            place = (planned.column, name, first.settings.ratio)
            chosen.setdefault(place, []).append(subset)
            counts[name] = record.n_features
    return {place: stats.stability_index(some, counts[place[1]]) for place, some in chosen.items()}


def _group(about: dict[str, Any], part: pd.DataFrame, metric: str, larger: bool) -> ResultGroup:
    left_out: list[str] = []
    entrants = _entrants(part)
    sets = part.dataset.nunique()
    for entrant in list(entrants):
        count = part[part.entrant == entrant.name].dataset.nunique()
        if count < LEAST * sets:
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
    once = hidden.drop_duplicates(["entrant", "dataset", "ratio"])
    stable = {str(name): float(some.mean()) for name, some in once.groupby("entrant").stability}
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


@cache
def family(name: str) -> str:
    """Return the family of a dataset; one that is in no catalogue is its own family."""
    entry = datasets.catalog().get(name)
    return entry.family if entry else name


def in_words(ratios: Sequence[float]) -> str:
    """Return ratios as "40 % and 70 %"."""
    return listed([percent(ratio) for ratio in ratios])
