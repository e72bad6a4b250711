"""The Python side of mlfs: run experiments and look at results without the command line."""

from __future__ import annotations

import contextlib
import html
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from .datasets.user.description import Impute
from .engine import runner
from .errors import UserError, nearest
from .report.tables import over_repeats, significance
from .report.tables.paper_tables import Table, flat, make_tables
from .results import read as stored
from .results.packing import find
from .results.repeat_values import By

if TYPE_CHECKING:
    from matplotlib.figure import Figure
from .progress import execute
from .protocols.steps.preparation import Scale

Config = str | Path | Mapping[str, Any]


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

    @property
    def metrics(self) -> list[str]:
        """The metrics that the experiments name, the first experiment's first."""
        return list(dict.fromkeys(m for item in self.experiments for m in item.experiment.metrics))

    def _repr_html_(self) -> str:
        """Return the tables of all metrics for a notebook."""
        parts = [f"<p>{html.escape(repr(self))}</p>"]
        for metric in self.metrics:
            with contextlib.suppress(UserError):  # no cell has finished
                table = self.table(metric).to_html(
                    float_format="{:.4f}".format, na_rep="", border=0
                )
                parts.append(f"<p>{html.escape(metric)}</p>{table}")
        return "".join(parts)

    def entries(self, metric: str | None = None, *, by: By = "dataset") -> pd.DataFrame:
        """Return the entries of a metric's tables.

        Parameters
        ----------
        metric : str, optional
            Name of the metric; the first one of the config by default.
        by : {"dataset", "size"}, default="dataset"
            What the rows are: datasets, or the numbers of features.

        Returns
        -------
        DataFrame
            Mean, std, count, rank, printed value and gap of each entry.
        """
        return flat(self._tables(metric, by))

    def table(self, metric: str | None = None, *, by: By = "dataset") -> pd.DataFrame:
        """Return the means of a metric.

        Parameters
        ----------
        metric : str, optional
            Name of the metric; the first one of the config by default.
        by : {"dataset", "size"}, default="dataset"
            What the rows are: datasets, or the numbers of features.

        Returns
        -------
        DataFrame
            One row for each experiment, ratio and dataset (or number of features), one column for
            each method.
        """
        entries = self.entries(metric, by=by)
        panels = [name for item in self.experiments for name in item.experiment.panels[0]]
        keys = ["experiment", "ratio", *dict.fromkeys(panels), "row"]
        wide = entries.pivot(index=keys, columns="method", values="mean")
        order = pd.MultiIndex.from_frame(entries[keys].drop_duplicates())
        return wide.reindex(index=order, columns=list(dict.fromkeys(entries.method)))

    def tests(self, metric: str | None = None) -> pd.DataFrame:
        """Return the statistical tests of a metric.

        Over several datasets these are the Friedman, post-hoc and Holm-corrected Wilcoxon tests.
        On a single dataset they are t tests over its repeats with Holm's correction. Repeats share
        rows, so the variance is the larger one of Nadeau and Bengio.

        Parameters
        ----------
        metric : str, optional
            Name of the metric; the first one of the config by default.

        Returns
        -------
        DataFrame
            One row for each pair of methods.
        """
        tables = self._tables(metric)
        tested = [significance.tests_of(table) for table in tables]
        frames = [tests.frame() for tests in tested if tests]
        frames += [
            over_repeats.frame(item, tables[0].metric)
            for item in self.experiments
            if over_repeats.fits(item)
        ]
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

    def _tables(self, metric: str | None, by: By = "dataset") -> list[Table]:
        metric = metric or next(iter(self.metrics), "")
        tables = [table for item in self.experiments for table in make_tables(item, [metric], by)]
        if not tables:
            measured = {m for item in self.experiments for m in item.experiment.measured}
            raise UserError(
                f"no finished cell has the metric '{metric}'{nearest(metric, measured)}"
            )
        return tables


def run(
    configs: Config | Sequence[Config],
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
    configs : path, dict, or a sequence of them
        Config files, names of configs that come with mlfs, or configs as dicts. Paths in a dict are
        relative to the working folder.
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
    given = [configs] if isinstance(configs, str | Path | Mapping) else list(configs)
    how = runner.Options(workers=workers, **options)
    work = runner.gather(
        [one if isinstance(one, Mapping) else Path(one) for one in given],
        Path(results),
        tuple(only),
        quick,
        how.skip_missing,
    )
    execute(work, how)
    return ResultSet([stored.read(item.store) for item in work])


def compare(
    X: Any,
    Y: Any,
    methods: Sequence[Any],
    *,
    sizes: Sequence[int] | None = None,
    metrics: Sequence[str] = (),
    classifier: Any = None,
    folds: int = 5,
    scale: Scale = "standard",
    impute: Impute | None = None,
    seed: int = 0,
    workers: int | None = None,
) -> ResultSet:
    """Compare methods on arrays or tables, without files.

    Selectors are compared through a classifier that is trained on their first features; learners
    and classifiers by their own predictions. Nothing is kept on disk.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame of shape (n, d)
        The features. Columns of words become columns of 0 and 1.
    Y : array, sparse matrix or DataFrame of shape (n, l)
        Labels: 1, 0, or nan, None or pd.NA where a label is not known.
    methods : sequence of str, estimator or class
        Names of ``mlfs methods``, ``module:Class``, or estimators in the style of scikit-learn,
        also of classes of this script or notebook. If there is an estimator, all cells are run in
        this process; otherwise in worker processes.
    sizes : sequence of int, optional
        Numbers of features at which selectors are compared; by default up to half of the features,
        at most 20.
    metrics : sequence of str
        Names of metrics; by default average_precision, macro_auc and micro_f1.
    classifier : str or dict, optional
        The classifier that judges the selectors, such as ``{"mlknn": {"k": 5}}``.
    folds : int, default=5
        Number of parts of the rows; each is the test part once.
    scale : {"none", "standard", "minmax", "unit"}, default="standard"
        How features are scaled, fitted on the training part.
    impute : {"mean", "median"}, optional
        Replace missing values of features by the mean or the median of the training rows.
    seed : int, default=0
        Another seed gives other folds.
    workers : int, optional
        Number of worker processes; one per core by default.

    Returns
    -------
    ResultSet
        Tables, tests and figures; a notebook shows the tables.

    Examples
    --------
    >>> import mlfs
    >>> import numpy as np
    >>> from mlfs.selectors import FSNM
    >>> X = np.random.default_rng(0).standard_normal((80, 6))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> comparison = mlfs.compare(X, Y, [FSNM()], sizes=[2], folds=2, metrics=["average_precision"])
    >>> comparison.table().columns.tolist()
    ['FSNM']
    """
    from .own import session

    with tempfile.TemporaryDirectory(prefix="mlfs-") as folder:
        work, how = session.prepare(
            X,
            Y,
            methods,
            folder=Path(folder),
            workers=workers,
            impute=impute,
            sizes=sizes,
            metrics=metrics,
            classifier=classifier,
            folds=folds,
            scale=scale,
            seed=seed,
        )
        execute([work], how, summary=False)  # the folder does not stay
        return ResultSet([stored.read(work.store)])


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
