"""Turn an experiment into its cells: the smallest units that are run, stored and retried."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .. import datasets, papers
from ..errors import UserError
from ..protocols import Experiment, Spec
from ..protocols.common import MethodChoice
from ..protocols.tuning import search_space


@dataclass(frozen=True)
class Cell:
    """One dataset, one split and mask, one method: what to run and how a report calls it.

    Parameters
    ----------
    spec : dict
        Everything that decides the numbers; its hash is the cell's key.
    label : str
        Heading of the method's column.
    varied : dict
        The parameter that an experiment sweeps, and its value here.
    tuner : Cell, optional
        The cell whose tuned parameters this one takes.
    """

    spec: Spec
    label: str
    varied: dict[str, Any] = field(default_factory=dict)
    tuner: Cell | None = None

    @cached_property
    def key(self) -> str:
        """Address of the result: the same work always has the same one."""
        text = json.dumps(self.spec, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def describe(self) -> str:
        """One line that tells the cell from its neighbours."""
        parts = [self.spec["dataset"], self.label]
        parts += [f"{name}={value}" for name, value in self.varied.items()]
        if self.spec["mask"]["ratio"]:
            parts.append(f"{self.spec['mask']['ratio']:.0%} hidden")
        stage = "tuning" if "stage" in self.spec else f"repeat {self.spec['repeat']}"
        return ", ".join([*parts, stage])


def plan(experiment: Experiment) -> list[Cell]:
    """List all cells of an experiment, a dataset at a time, the methods of a repeat together."""
    return list(_cells(experiment))


def _cells(experiment: Experiment) -> Iterator[Cell]:
    common = {"protocol": experiment.protocol, "seed": experiment.seed}
    settings = experiment.model_dump(mode="json", include=set(experiment.cell_keys))
    split = experiment.split.model_dump(mode="json", exclude={"repeats"})
    for dataset in experiment.datasets:
        data = {
            "dataset": dataset.name,
            "clean": dataset.clean,
            "data": _checksum(dataset.name, dataset.clean),
        }
        for ratio in experiment.mask.ratio:
            mask = {"kind": experiment.mask.kind if ratio else "none", "ratio": ratio}
            for repeat in range(experiment.split.count):
                for choice, varied in _methods(experiment):
                    params, changed = dict(choice.params), dict[str, Any]()
                    for name, value in varied.items():
                        (changed if name in settings else params)[name] = value
                    spec = common | data | settings | changed | {"split": split, "mask": mask}
                    spec |= {"repeat": repeat, "method": choice.name, "params": params}
                    if choice.search:
                        spec["search"] = choice.search
                    spec["version"] = experiment.method_version(spec)
                    tuner = _tuner(experiment, spec, label_of(experiment, choice), varied)
                    if tuner:
                        spec["tuned_by"] = tuner.key
                    yield Cell(spec, label_of(experiment, choice), varied, tuner)


def _checksum(name: str, clean: bool) -> str:
    """What identifies the data; a set whose files are not here cannot be run, only planned."""
    try:
        return datasets.checksum(name, clean=clean)
    except UserError:
        return "not here"


def _methods(experiment: Experiment) -> Iterator[tuple[MethodChoice, dict[str, Any]]]:
    """Every method as configured, or once for each value of each swept parameter."""
    for choice in experiment.methods:
        if not experiment.vary:
            yield choice, {}
        for name, values in experiment.vary.items():
            for value in values:
                yield choice, {name: value}


def _tuner(experiment: Experiment, spec: Spec, label: str, varied: dict[str, Any]) -> Cell | None:
    """The cell that tunes for all repeats, where the config says ``tune: {per: dataset}``."""
    tune = spec.get("tune", {"strategy": "none"})
    if tune["strategy"] == "none" or tune["per"] != "dataset":
        return None
    if not search_space(spec, experiment.registry):
        return None
    return Cell(spec | {"repeat": 0, "stage": "tune"}, label, varied)


def label_of(experiment: Experiment, choice: MethodChoice) -> str:
    """Heading of a method's column: its own, the paper's, or its name."""
    if choice.label:
        return choice.label
    if experiment.paper:
        return papers.paper(experiment.paper).methods.get(choice.name, choice.name)
    return choice.name


def only(cells: list[Cell], conditions: tuple[str, ...]) -> list[Cell]:
    """Keep the cells that meet every condition such as ``dataset=yeast`` or ``repeat=0``."""
    for condition in conditions:
        name, sign, wanted = condition.partition("=")
        if not sign or name not in ("dataset", "method", "repeat", "ratio"):
            raise UserError(
                f"cannot read --only {condition}: write dataset=NAME, method=NAME, repeat=N or "
                "ratio=R (several values with commas)"
            )
        values = set(wanted.split(","))
        cells = [cell for cell in cells if values & _names(cell, name)]
    return cells


def _names(cell: Cell, name: str) -> set[str]:
    spec = cell.spec
    if name == "method":
        return {spec["method"], cell.label}
    return {str(spec["mask"]["ratio"] if name == "ratio" else spec[name])}
