"""Find the settings a paper leaves open on the one column that no method of its touches."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import Any

import pandas as pd

from . import config
from .api import execute
from .engine.plan import plan
from .engine.runner import Options, Work
from .engine.store import Store
from .errors import UserError
from .protocols import Experiment
from .report.results import read
from .report.tables import flat, make_tables

OPEN: dict[str, list[Any]] = {
    "scale": ["none", "standard", "minmax"],
    "train": [0.5, 0.8],
    "C": [1.0, 10.0],
    "gamma": ["auto", 1.0],
    "mask": ["exact", "replace", "keep_one"],
}
_MASKS: dict[str, dict[str, bool]] = {
    "exact": {},  # exactly the share of labels that the ratio says
    "replace": {"replace": True},
    "keep_one": {"keep_one": True},
}
FIRST = 3  # datasets that every setting is run on; only the better third goes on to the next one


def calibrate(
    path: Path,
    results: Path,
    *,
    workers: int | None,
    names: tuple[str, ...],
    opened: tuple[str, ...],
) -> pd.DataFrame:
    """Run the no-selection column under the combinations of the open settings.

    All of them are run on the three smallest datasets; for each larger one the better third of
    those left goes on, two at the least, since one setting must serve all sets.

    Parameters
    ----------
    path : Path
        A selection config with a paper and tables in which the 'all' column is printed.
    results : Path
        Where the runs are kept; they resume like any other.
    workers : int, optional
        Number of worker processes; one per core by default.
    names : tuple of str
        Only these datasets; all of the config's when empty.
    opened : tuple of str
        Only these settings of `OPEN` are tried, the others stay as the config has them; all are
        when empty.

    Returns
    -------
    DataFrame
        One row per setting, best first: the settings, on how many sets it ran, the mean absolute
        gap over those, and the gap on each. Settings that went further come first.
    """
    base = config.load(path)
    if base.protocol != "selection" or not base.paper or not base.tables:
        raise UserError(
            f"{path} has no printed column to calibrate on: it needs protocol selection, a paper "
            "and its tables"
        )
    chosen = [d for d in base.datasets if not names or d.name in names]
    chosen.sort(key=lambda d: d.shape[0] * d.shape[2] if d.shape else math.inf)
    now = _settings(base)
    tried = {name: OPEN[name] if name in (opened or OPEN) else [now[name]] for name in OPEN}
    left = [dict(zip(OPEN, values)) for values in itertools.product(*tried.values())]
    gaps: dict[tuple[Any, ...], dict[str, float]] = {tuple(s.values()): {} for s in left}
    for place, dataset in enumerate(chosen):
        for setting in left:
            one = base.model_copy(update={"datasets": [dataset]})
            gaps[tuple(setting.values())][dataset.name] = _gap(one, setting, results, workers)
        if place >= FIRST - 1:
            left.sort(key=lambda setting: _mean(gaps[tuple(setting.values())]))
            left = left[: max(2, math.ceil(len(left) / 3))]
    rows = [
        {**dict(zip(OPEN, key)), "sets": len(found), "gap": _mean(found), **found}
        for key, found in gaps.items()
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


def _mean(found: dict[str, float]) -> float:
    return sum(found.values()) / len(found)


def _gap(base: Experiment, setting: dict[str, Any], results: Path, workers: int | None) -> float:
    """Mean absolute gap of the no-selection column on one dataset."""
    name = "-".join([base.datasets[0].name, *map(str, setting.values())])
    content = base.model_dump(mode="json") | {
        "name": name,
        "methods": ["all"],
        "metrics": ["average_precision"],
        "scale": setting["scale"],
        "split": {"kind": "holdout", "train": setting["train"]},
        "mask": [
            {"kind": mask["kind"], "ratio": mask["ratio"], **_MASKS[setting["mask"]]}
            for mask in base.model_dump(mode="json")["mask"]
        ],
        "classifier": {"libsvm": {"C": setting["C"], "gamma": setting["gamma"]}},
        "tune": {"strategy": "none"},
    }
    experiment = config.parse(content, source=name)
    store = Store(results / f"calibrate_{base.name}" / name)
    if execute([Work(experiment, store, plan(experiment))], Options(workers=workers)):
        raise UserError(f"{name} failed: see the error in {store.folder}/cells")
    return float(flat(make_tables(read(store)))["gap"].abs().mean())


def write(path: Path, best: dict[str, Any]) -> None:
    """Set scale, train share, mask, C and gamma in a config; comments and order stay."""
    text = path.read_text(encoding="utf-8")
    classifier = f"{{libsvm: {{C: {best['C']}, gamma: {best['gamma']}}}}}"
    text = re.sub(r"(?m)(?<=^mask: )(.*?)(, (replace|keep_one): true)*\}", r"\1}", text)
    drawn = "" if best["mask"] == "exact" else f", {best['mask']}: true"
    for pattern, line in (
        (r"(?m)^scale:[^#\n]*?(?=\s*(#|$))", f"scale: {best['scale']}"),
        (r"(?m)^classifier:[^#\n]*?(?=\s*(#|$))", f"classifier: {classifier}"),
        (r"(?m)(?<=train: )[0-9.]+(?=.*$)", str(best["train"])),
        (r"(?m)(?<=^mask: \{)([^}\n]*)\}", rf"\1{drawn}}}"),
    ):
        text, count = re.subn(pattern, line, text)
        if count != 1:
            raise UserError(
                f"{path} needs one line each 'scale: ...', 'classifier: ...', 'mask: {{...}}' and "
                "'split: {kind: holdout, train: ...}' to write to"
            )
    path.write_text(text, encoding="utf-8")
