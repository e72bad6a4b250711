"""Read stored cells into one long table: a row per cell and point of its curve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from .. import papers
from ..errors import UserError
from ..protocols import Experiment, Record
from ..protocols.plan import Planned, plan
from .cell_file import Damaged
from .store import Store

KEYS = ["dataset", "ratio", "repeat", "method"]
NOT_RUN = "not run yet"  # the reason given for a cell without a record


@dataclass(frozen=True)
class Results:
    """The results that an experiment has so far.

    Attributes
    ----------
    experiment : Experiment
    rows : DataFrame
        `KEYS`, a column per swept parameter, the protocol's axis, and a column per metric.
    missing : list of (Planned, str)
        The cells without a result, each with the reason: "not run yet" or the error.
    notes : list of str
        The notes of the cells, each once.
    records : list of (Planned, Record)
        The finished cells with their complete records.
    point : str
        The point of the curves, if the rows are at one point only.
    computed : dict
        What was computed from these results and is needed again, by name.
    """

    experiment: Experiment
    rows: pd.DataFrame
    missing: list[tuple[Planned, str]]
    notes: list[str]
    records: list[tuple[Planned, Record]]
    point: str = ""
    # what was computed from these rows already; other rows, see `with_rows`, begin anew
    computed: dict[Any, Any] = field(init=False, repr=False, compare=False, default_factory=dict)

    def at(self, value: float) -> Results:
        """Return the same results at one point of the curves, such as 20 features."""
        axis = self.experiment.axis
        points = self.rows[axis] if axis in self.rows else pd.Series(dtype=float)
        rows = self.rows[points == value] if len(points) else self.rows[:0]
        if rows.empty:
            offered = ", ".join(f"{point:g}" for point in sorted(points.unique())) or "none"
            raise UserError(
                f"{self.experiment.name} has no results at {value:g}; its points: {offered}"
            )
        return self.with_rows(rows, f", at {value:g} {str(axis).removeprefix('n_')}")

    def with_rows(self, rows: pd.DataFrame, point: str | None = None) -> Results:
        """Return the same results with other rows."""
        point = self.point if point is None else point
        return Results(self.experiment, rows, self.missing, self.notes, self.records, point)

    def read(self) -> None:
        """Read the cells, if that was not done yet."""

    @property
    def digest(self) -> str:
        """The digest of the packed file that all this follows from; empty without one."""
        return ""

    @property
    def swept(self) -> list[str]:
        """Names of the parameters that the experiment sweeps."""
        return list(self.experiment.vary)

    @cached_property
    def methods(self) -> list[str]:
        """Column headings, in the config's order."""
        return papers.headings(self.experiment)

    @cached_property
    def printed(self) -> dict[str, str]:
        """For each heading the paper's column that it is compared with."""
        choices = self.experiment.methods
        return {head: choice.printed or head for head, choice in zip(self.methods, choices)}

    @cached_property
    def ranked(self) -> list[str]:
        """The headings that are ranked and tested."""
        choices = self.experiment.methods
        return [head for head, choice in zip(self.methods, choices) if not choice.extra]


def in_panel(rows: pd.DataFrame, panel: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows that have the values of a panel, such as one of several classifiers."""
    for name, value in panel.items():
        rows = rows[rows[name] == value] if name in rows else rows[:0]
    return rows


class UnreadResults(Results):
    """The results of a store, whose cells are read when something of them is first asked for.

    Parameters
    ----------
    store : Store
        The folder or packed file.
    """

    def __init__(self, store: Store):
        fields = {"experiment": store.experiment(), "point": "", "computed": {}, "_store": store}
        self.__dict__.update(fields)  # the class is frozen

    def __getattr__(self, name: str) -> Any:
        if name not in ("rows", "missing", "notes", "records"):
            raise AttributeError(f"results have no {name}")
        self.read()
        return self.__dict__[name]

    def read(self) -> None:
        """Read the cells, if that was not done yet."""
        if "rows" not in self.__dict__:
            self.__dict__.update(_cells(self.experiment, self.__dict__["_store"]))

    @cached_property
    def digest(self) -> str:
        """The digest of the packed file; empty for a folder, whose cells may change."""
        return str(self.__dict__["_store"].digest())


def read(store: Store) -> Results:
    """Collect the results of one experiment from its folder."""
    experiment = store.experiment()
    return Results(experiment, **_cells(experiment, store))


def _cells(experiment: Experiment, store: Store) -> dict[str, Any]:
    """Return what the cells of an experiment say, by the names of the fields of its results."""
    headings = papers.headings(experiment)
    rows: list[dict[str, Any]] = []
    missing, records = list[tuple[Planned, str]](), list[tuple[Planned, Record]]()
    tuners: dict[str, Planned] = {}
    stored = store.records()
    for planned in plan(experiment):
        try:
            record = stored.read(planned)
        except Damaged as error:
            missing.append((planned, str(error)))
            continue
        if record is None or record.status == "failed":
            missing.append((planned, record.error if record else NOT_RUN))
            continue
        first = planned.series.cell
        keys = {
            "dataset": first.data.name,
            "ratio": first.settings.ratio,
            "repeat": planned.repeat,
            "method": headings[planned.column],
        }
        rows += [keys | planned.varied | row for row in record.rows]
        records.append((planned, record))
        if planned.tuner:
            tuners[planned.tuner.key] = planned.tuner
    told = [record for _, record in records] + [stored.get(tuner) for tuner in tuners.values()]
    notes = dict.fromkeys(note for record in told if record for note in record.notes)
    columns = None if rows else [*KEYS, *experiment.metrics]
    frame = pd.DataFrame(rows, columns=columns)
    # plain objects: pandas' own type of texts makes grouping a third slower
    frame = frame.astype({name: object for name in frame if frame[name].dtype == "str"})
    return {"rows": frame, "missing": missing, "notes": list(notes), "records": records}
