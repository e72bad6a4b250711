"""Find the settings that a paper does not report, with its column of no feature selection."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from . import config
from .engine.runner import Options, Work
from .errors import UserError
from .progress import execute
from .protocols import Experiment
from .protocols.plan import only as only_cells
from .protocols.plan import plan
from .report.tables.paper_tables import flat, make_tables
from .results.read import read
from .results.store import Store

OPEN: dict[str, list[Any]] = {
    "scale": ["none", "standard", "minmax"],
    "train": [0.5, 0.8],
    "C": [1.0, 10.0],
    "gamma": ["auto", 1.0],
    "mask": ["exact", "replace", "keep_one"],
}
_MASKS: dict[str, dict[str, bool]] = {
    "exact": {},  # hides exactly the share of labels that the ratio says
    "replace": {"replace": True},
    "keep_one": {"keep_one": True},
}
FIRST = 3  # datasets on which all settings run; on the next one only the better third runs


def calibrate(
    path: Path,
    results: Path,
    *,
    workers: int | None,
    only: tuple[str, ...],
    opened: tuple[str, ...],
) -> pd.DataFrame:
    """Run the no-selection column with all combinations of the open settings.

    All combinations run on the three smallest datasets. After that, only the better third of the
    combinations, but at least two, runs on the next larger dataset.

    Parameters
    ----------
    path : Path
        A selection config with a paper and tables in which the 'all' column is printed.
    results : Path
        The folder for the results of these runs; finished cells are not run again.
    workers : int, optional
        Number of worker processes; one per core by default.
    only : tuple of str
        Use only the datasets of cells that meet these conditions, such as ``dataset=yeast``.
    opened : tuple of str
        Vary only these settings of `OPEN`, and keep the others as in the config; if empty, vary
        all of them.

    Returns
    -------
    DataFrame
        One row for each combination: its settings, the number of datasets it ran on, its mean
        absolute gap, and its gap on each dataset. Combinations that ran on more datasets come
        first; among these, smaller gaps come first.
    """
    base = config.load(path)
    if base.protocol != "selection" or not base.paper or not base.tables:
        raise UserError(
            f"{path} has no printed column to calibrate on: set 'protocol: selection', 'paper' "
            "and 'tables'"
        )
    names = {cell.series.cell.data.name for cell in only_cells(plan(base), only)}
    if not names:
        raise UserError(f"no dataset of {path} fits {' '.join(only)}: name others with --only")
    chosen = [d for d in base.datasets if d.name in names]
    chosen.sort(key=lambda d: d.shape[0] * d.shape[2] if d.shape else math.inf)
    now = _settings(base)
    tried = {name: OPEN[name] if name in (opened or OPEN) else [now[name]] for name in OPEN}
    left = [dict(zip(OPEN, values)) for values in itertools.product(*tried.values())]
    gaps: dict[tuple[Any, ...], dict[str, float]] = {tuple(s.values()): {} for s in left}
    for place, dataset in enumerate(chosen):
        one = base.model_copy(update={"datasets": [dataset]})
        work = [_work(one, setting, results) for setting in left]
        _run(work, workers)  # all settings at once: one bar, and no worker waits
        for setting, item in zip(left, work):
            gaps[tuple(setting.values())][dataset.name] = _gap(item)
        if place >= FIRST - 1:
            left.sort(key=lambda setting: _mean(gaps[tuple(setting.values())]))
            left = left[: max(2, math.ceil(len(left) / 3))]
    rows = [
        {**dict(zip(OPEN, key)), "sets": len(by_dataset), "gap": _mean(by_dataset), **by_dataset}
        for key, by_dataset in gaps.items()
    ]
    order = pd.DataFrame(rows).sort_values(["sets", "gap"], ascending=[False, True], kind="stable")
    return order.reset_index(drop=True)


def _settings(base: Any) -> dict[str, Any]:
    """Return the open settings as a config has them."""
    params = base.classifier.params
    mask = base.mask[0]
    drawn = next(
        (name for name in _MASKS if name != "exact" and getattr(mask, name, False)), "exact"
    )
    return {
        "scale": base.scale,
        "train": getattr(base.split, "train", 0.8),
        "C": params.get("C", 1.0),
        "gamma": params.get("gamma", "auto"),
        "mask": drawn,
    }


def _mean(by_dataset: dict[str, float]) -> float:
    return sum(by_dataset.values()) / len(by_dataset)


def _work(base: Experiment, setting: dict[str, Any], results: Path) -> Work:
    """Return the no-selection column on one dataset with a setting, as work to run."""
    name = "-".join([base.datasets[0].name, *map(str, setting.values())])
    content = base.model_dump(mode="json") | {
        "name": name,
        "methods": ["all"],
        "metrics": ["average_precision"],
        "scale": setting["scale"],
        "split": {"kind": "holdout", "train": setting["train"]},
        "mask": _masks(base, setting["mask"]),
        "classifier": _classifier(setting),
        "tune": {"strategy": "none"},
    }
    experiment = config.parse(content, source=name)
    store = Store(results / f"calibrate_{base.name}" / name)
    return Work(experiment, store, plan(experiment))


def _run(work: list[Work], workers: int | None) -> None:
    if execute(work, Options(workers=workers), summary=False):
        folder = work[0].store.folder.parent
        raise UserError(f"some cells failed: 'mlfs failures {folder}' shows why")


def _gap(work: Work) -> float:
    """Return the mean absolute gap of the column to the printed values."""
    return float(flat(make_tables(read(work.store)))["gap"].abs().mean())


def keys_to_set(path: Path, table: pd.DataFrame) -> str:
    """Return the keys of a config, as YAML, that have the best setting of a table."""
    base: Any = config.load(path)
    best = {name: table[name].astype(object).iloc[0] for name in OPEN}  # no types of numpy
    masks = _masks(base, best["mask"])
    keys = {
        "split": {"kind": "holdout", "train": best["train"], "repeats": base.split.repeats},
        "mask": masks[0] if len(masks) == 1 else masks,
        "scale": best["scale"],
        "classifier": _classifier(best),
    }
    return yaml.safe_dump(keys, sort_keys=False, default_flow_style=None)


def _masks(base: Any, drawn: str) -> list[dict[str, Any]]:
    """Return the masks of a config, with another way to draw the hidden labels."""
    return [
        {key: value for key, value in mask.items() if key not in _MASKS} | _MASKS[drawn]
        for mask in base.model_dump(mode="json")["mask"]
    ]


def _classifier(setting: dict[str, Any]) -> dict[str, Any]:
    return {"libsvm": {"C": setting["C"], "gamma": setting["gamma"]}}
