"""The Python side of mlfs: run experiments and look at results without the command line."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from . import progress
from .engine import runner
from .engine.packing import find
from .errors import UserError, nearest
from .report import results as stored
from .report import significance
from .report.tables import Table, flat, make_tables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Paths = str | Path | Sequence[str | Path]


@dataclass(frozen=True, repr=False)
class ResultSet:
    """What one or several experiments gave so far.

    Attributes
    ----------
    experiments : list of Results
        One for each results folder.
    """

    experiments: list[stored.Results]

    def __repr__(self) -> str:
        told = [
            f"{item.experiment.name} ({len(item.records)} cells done, {len(item.missing)} missing)"
            for item in self.experiments
        ]
        return f"ResultSet of {', '.join(told) or 'nothing'}"

    @property
    def frame(self) -> pd.DataFrame:
        """Every cell and point of its curve as one row."""
        parts = [item.rows.assign(experiment=item.experiment.name) for item in self.experiments]
        return pd.concat(parts, ignore_index=True)

    @property
    def missing(self) -> pd.DataFrame:
        """The cells without a result, and why."""
        rows = [
            {"experiment": item.experiment.name, "cell": planned.describe(), "reason": reason}
            for item in self.experiments
            for planned, reason in item.missing
        ]
        return pd.DataFrame(rows, columns=["experiment", "cell", "reason"])

    def cells(self, metric: str) -> pd.DataFrame:
        """The cells of a metric's tables: mean, std, count, rank, printed figure and gap."""
        return flat(self._tables(metric))

    def table(self, metric: str) -> pd.DataFrame:
        """The means of a metric: experiments, ratios and datasets by methods."""
        cells = self.cells(metric)
        keys = ["experiment", "ratio", "row"]
        wide = cells.pivot(index=keys, columns="method", values="mean")
        order = pd.MultiIndex.from_frame(cells[keys].drop_duplicates())
        return wide.reindex(index=order, columns=list(dict.fromkeys(cells.method)))

    def tests(self, metric: str) -> pd.DataFrame:
        """Friedman, post-hoc and Holm-corrected Wilcoxon tests of a metric, a row per pair."""
        found = [significance.compare(table) for table in self._tables(metric)]
        frames = [comparison.frame() for comparison in found if comparison]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def plot(self) -> dict[str, Figure]:
        """Every figure that the results allow, by experiment and name."""
        from .report.figures import figures_of  # it takes a second to import matplotlib

        return {
            f"{item.experiment.name}/{name}": figure
            for item in self.experiments
            for name, figure in figures_of(item)
        }

    def _tables(self, metric: str) -> list[Table]:
        tables = [table for item in self.experiments for table in make_tables(item, [metric])]
        if not tables:
            known = {m for item in self.experiments for m in item.experiment.scores}
            raise UserError(f"no finished cell has the metric '{metric}'{nearest(metric, known)}")
        return tables


def run(
    configs: Paths,
    *,
    results: str | Path = "results",
    workers: int | None = None,
    only: Sequence[str] = (),
    quick: bool = False,
    **options: Any,
) -> ResultSet:
    """Run configs, show how it goes, and give the results.

    What is finished is not run again. A cell that fails is recorded with its error, the others
    go on, and `ResultSet.missing` tells.

    Parameters
    ----------
    configs : path or sequence of paths
    results : path, default="results"
        The folder of results folders.
    workers : int, optional
        Worker processes; one per core by default.
    only : sequence of str
        Conditions such as "dataset=yeast".
    quick : bool, default=False
        A slice of each config: one dataset, ratio and repeat, no tuning.
    **options
        Further fields of `mlfs.engine.runner.Options`, such as executor, timeout or force.
    """
    paths = [configs] if isinstance(configs, str | Path) else list(configs)
    how = runner.Options(workers=workers, **options)
    work = runner.gather(
        [Path(path) for path in paths], Path(results), tuple(only), quick, how.skip_missing
    )
    execute(work, how)
    return ResultSet([stored.read(item.store) for item in work])


def execute(work: list[runner.Work], options: runner.Options) -> int:
    """Run what is unfinished, show how it goes, and give the number of cells that failed."""
    with closing(runner.run(work, options)) as events:
        return progress.show(events, options.place)


def load_results(root: str | Path = "results") -> ResultSet:
    """Read the results folders at or directly below `root`."""
    return ResultSet([stored.read(store) for store in find(root)])
