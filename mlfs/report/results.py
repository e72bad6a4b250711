"""Read stored cells back as one long table: a row per cell and point of its curve."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..engine.plan import Cell, label_of, plan
from ..engine.store import Store
from ..errors import UserError
from ..protocols import Experiment

KEYS = ["dataset", "ratio", "repeat", "method"]


@dataclass(frozen=True)
class Results:
    """What an experiment gave so far.

    Attributes
    ----------
    experiment : Experiment
    rows : DataFrame
        `KEYS`, a column per swept parameter, the protocol's axis, and a column per metric.
    missing : list of (Cell, str)
        The cells without a result, and why: "not run yet" or the error.
    notes : list of str
        What the cells noted, each once.
    info : list of (Cell, dict)
        What cells recorded beside their rows, such as an objective per iteration.
    point : str
        Where on the curves the rows are, if at one point only.
    """

    experiment: Experiment
    rows: pd.DataFrame
    missing: list[tuple[Cell, str]]
    notes: list[str]
    info: list[tuple[Cell, dict[str, Any]]]
    point: str = ""

    def at(self, value: float) -> Results:
        """The same results at one point of the curves, such as 20 features."""
        axis = self.experiment.axis
        points = self.rows[axis] if axis in self.rows else pd.Series(dtype=float)
        rows = self.rows[points == value] if len(points) else self.rows[:0]
        if rows.empty:
            known = ", ".join(f"{point:g}" for point in sorted(points.unique())) or "none"
            raise UserError(
                f"{self.experiment.name} has no results at {value:g}; its points: {known}"
            )
        return replace(self, rows=rows, point=f", at {value:g} {str(axis).removeprefix('n_')}")

    @property
    def swept(self) -> list[str]:
        """Names of the parameters that the experiment sweeps."""
        return list(self.experiment.vary)

    @property
    def methods(self) -> list[str]:
        """Column headings, in the config's order."""
        return [label_of(self.experiment, choice) for choice in self.experiment.methods]

    @property
    def ranked(self) -> list[str]:
        """The headings that are ranked and tested."""
        return [
            label_of(self.experiment, choice)
            for choice in self.experiment.methods
            if not choice.extra
        ]


def read(store: Store) -> Results:
    """Collect the results of one experiment from its folder."""
    experiment = store.experiment()
    rows, missing, notes, info = [], [], dict[str, None](), []
    for cell in plan(experiment):
        record = store.read(cell)
        if record is None or record["status"] == "failed":
            missing.append((cell, record["error"] if record else "not run yet"))
            continue
        spec = cell.spec
        keys = {
            "dataset": spec["dataset"],
            "ratio": spec["mask"]["ratio"],
            "repeat": spec["repeat"],
            "method": cell.label,
        }
        rows += [keys | cell.varied | row for row in record["rows"]]
        notes |= dict.fromkeys(record["notes"])
        info.append((cell, record.get("info", {})))
    columns = None if rows else [*KEYS, *experiment.metrics]
    frame = pd.DataFrame(rows, columns=columns)
    return Results(experiment, frame, missing, list(notes), info)
