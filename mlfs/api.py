"""The Python side of mlfs: run experiments and look at results without the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from .engine import runner
from .errors import UserError, nearest
from .report.tables import significance
from .report.tables.paper_tables import Table, flat, make_tables
from .results import read as stored
from .results.packing import find

if TYPE_CHECKING:
    from matplotlib.figure import Figure
from .progress import execute

Paths = str | Path | Sequence[str | Path]


@dataclass(frozen=True, repr=False)
class ResultSet:
    """Hold what one or several experiments have produced so far.

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
        """A table with one row for each point of the curve of each cell."""
        parts = [item.rows.assign(experiment=item.experiment.name) for item in self.experiments]
        return pd.concat(parts, ignore_index=True)

    @property
    def missing(self) -> pd.DataFrame:
        """The cells without a result, and the reason for each."""
        rows = [
            {"experiment": item.experiment.name, "cell": planned.describe(), "reason": reason}
            for item in self.experiments
            for planned, reason in item.missing
        ]
        return pd.DataFrame(rows, columns=["experiment", "cell", "reason"])

    def entries(self, metric: str) -> pd.DataFrame:
        """Return the entries of a metric's tables.

        Parameters
        ----------
        metric : str
            Name of the metric.

        Returns
        -------
        DataFrame
            Mean, std, count, rank, printed value and gap of each entry.
        """
        return flat(self._tables(metric))

    def table(self, metric: str) -> pd.DataFrame:
        """Return the means of a metric.

        Parameters
        ----------
        metric : str
            Name of the metric.

        Returns
        -------
        DataFrame
            One row for each experiment, ratio and dataset, one column for each method.
        """
        entries = self.entries(metric)
        keys = ["experiment", "ratio", "row"]
        wide = entries.pivot(index=keys, columns="method", values="mean")
        order = pd.MultiIndex.from_frame(entries[keys].drop_duplicates())
        return wide.reindex(index=order, columns=list(dict.fromkeys(entries.method)))

    def tests(self, metric: str) -> pd.DataFrame:
        """Return the statistical tests of a metric.

        Parameters
        ----------
        metric : str
            Name of the metric.

        Returns
        -------
        DataFrame
            Friedman, post-hoc and Holm-corrected Wilcoxon tests, one row for each pair of methods.
        """
        tested = [significance.tests_of(table) for table in self._tables(metric)]
        frames = [tests.frame() for tests in tested if tests]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def plot(self) -> dict[str, Figure]:
        """Draw every figure that the results allow.

        Returns
        -------
        dict of str to Figure
            The figures, by experiment and name.
        """
        from .report.figures.draw import figures_of  # it takes a second to import matplotlib

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
    """Run configs, show the progress, and return the results.

    Finished cells are not run again. If a cell fails, its error is recorded and the other cells
    continue; `ResultSet.missing` lists the failed cells.

    Parameters
    ----------
    configs : path or sequence of paths
        Config files, or names of configs that come with mlfs.
    results : path, default="results"
        The folder that gets one results folder for each experiment.
    workers : int, optional
        Number of worker processes; one per core by default.
    only : sequence of str
        Run only the cells that meet these conditions, such as "dataset=yeast".
    quick : bool, default=False
        Run only a small part of each config: one dataset, ratio and repeat, no tuning.
    **options : any
        Further fields of `mlfs.engine.runner.Options`, such as executor, timeout or force.

    Returns
    -------
    ResultSet
        The results of all configs.
    """
    paths = [configs] if isinstance(configs, str | Path) else list(configs)
    how = runner.Options(workers=workers, **options)
    work = runner.gather(
        [Path(path) for path in paths], Path(results), tuple(only), quick, how.skip_missing
    )
    execute(work, how)
    return ResultSet([stored.read(item.store) for item in work])


def load_results(root: str | Path = "results") -> ResultSet:
    """Read the results folders at or directly below `root`.

    Parameters
    ----------
    root : path, default="results"
        A results folder, a folder of results folders, or a packed file.

    Returns
    -------
    ResultSet
        The results that were found.
    """
    return ResultSet([stored.read(store) for store in find(root)])
