"""Draw and save all figures that results have data for; they are readable in grey, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from ...errors import UserError, nearest
from ...protocols.steps.preparation import load_dataset
from ...results.read import Results
from ..tables.paper_tables import make_tables
from ..tables.significance import tests_of
from . import curves, plots, seconds
from .diagrams import dots, points, scatter
from .ranks import WIDTH as RANKS_WIDTH
from .ranks import ranks
from .style import Print, save, unwritable
from .views import drawable


class NothingToDraw(UserError):
    """Report that results have none of the figures that are wanted."""


@dataclass(frozen=True)
class Wanted:
    """What to draw, and how.

    Attributes
    ----------
    kinds : tuple of str
        The formats of the files, some of `style.KINDS`.
    metrics : tuple of str
        The metrics to draw; if empty, those of the config.
    ratios : tuple of float
        The shares of hidden labels to draw; if empty, all.
    bands : bool
        Whether to draw deviations.
    against : str
        "seconds" to draw scores against the seconds that methods need, and nothing else.
    printed : Print
        Width, font, caption and dots of the figures.
    """

    kinds: tuple[str, ...] = ("svg", "png")
    metrics: tuple[str, ...] = ()
    ratios: tuple[float, ...] = ()
    bands: bool = True
    against: str = ""
    printed: Print = field(default_factory=Print)

    def of(self, results: Results) -> Results:
        """Return the part of the results that is wanted; raise an error if there is none."""
        experiment, rows = results.experiment, results.rows
        if rows.empty:
            raise NothingToDraw(f"{experiment.name} has no finished cells: run its config first")
        for metric in self.metrics:
            if metric not in rows or rows[metric].isna().all():
                measured = [name for name in experiment.measured if name in rows]
                hint = nearest(metric, measured)
                raise NothingToDraw(f"{experiment.name} has no metric '{metric}'{hint}")
        if not self.ratios:
            return results
        rows = rows[[any(abs(ratio - one) < 1e-9 for one in self.ratios) for ratio in rows.ratio]]
        if rows.empty:
            ratios = ", ".join(f"{ratio:g}" for ratio in experiment.ratios)
            raise NothingToDraw(f"{experiment.name} has none of these ratios; its ratios: {ratios}")
        return results.with_rows(rows)


EVERYTHING = Wanted()


def draw(
    results: Results,
    folder: Path,
    wanted: Wanted = EVERYTHING,
    left_out: list[str] | None = None,
) -> list[Path]:
    """Draw every figure that the results have data for; return the files.

    With a list `left_out`, figures that have very many lines are drawn only if their metric is
    named; otherwise the list gets their names.
    """
    results = wanted.of(results)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    files: list[Path] = []
    with plt.rc_context(wanted.printed.rc()):
        for name, figure in figures_of(results, wanted, left_out):
            files += save(figure, folder / name, wanted.kinds, printed=wanted.printed)
    if not files and not left_out:
        raise NothingToDraw(
            f"{results.experiment.name} has no curve, no sweep, no second ratio, and neither "
            "two methods on one dataset nor three datasets and methods: there is nothing to draw; "
            "'mlfs table' shows it best, and --against seconds draws scores against time"
        )
    return files


def figures_of(
    results: Results, wanted: Wanted = EVERYTHING, left_out: list[str] | None = None
) -> Iterator[tuple[str, Figure]]:
    """Yield every figure that the results have data for, with the name of its file.

    With a list `left_out`, crowded figures that are not asked for are only named in it.
    """
    limits = curves.Limits(deviations=wanted.bands)
    if wanted.against:
        for laid_out in seconds.figures(results, wanted.metrics, limits):
            yield laid_out.name, plots.curves(laid_out, wanted.printed)
        return
    drawn = False
    for laid_out in curves.figures(results, wanted.metrics, limits):
        drawn = True
        if left_out is not None and laid_out.crowded and not wanted.metrics:
            left_out.append(f"{laid_out.name} ({len(laid_out.panels)} panels)")
            continue
        yield laid_out.name, plots.curves(laid_out, wanted.printed)
    results = drawable(results)
    if not drawn:
        yield from _dots(results, wanted.metrics or results.experiment.metrics, wanted.printed)
    yield from _ranks(results, wanted.metrics or results.experiment.metrics, wanted.printed)
    if not wanted.metrics:
        yield from _of_all_metrics(results, wanted.printed)


def _measured(results: Results, metrics: Sequence[str]) -> list[str]:
    """Return the metrics of which there is a value."""
    rows = results.rows
    return [name for name in metrics if name in rows and rows[name].notna().any()]


def _dots(results: Results, metrics: Sequence[str], printed: Print) -> Iterator[tuple[str, Figure]]:
    """Yield the means of methods on the only dataset, which no curve shows."""
    single = len(results.experiment.datasets) == 1 and len(results.methods) > 1
    for table in (
        make_tables(results, _measured(results, metrics)) if single and not results.swept else []
    ):
        suffix = f"_{table.ratio:g}" if len(results.experiment.ratios) > 1 else ""
        drawn = dots(table.entries, table.methods, table.metric, table.drawn, printed)
        yield f"means{suffix}_{table.metric}", drawn


def _ranks(
    results: Results, metrics: Sequence[str], printed: Print
) -> Iterator[tuple[str, Figure]]:
    """Yield a diagram of critical differences for every table that can be tested."""
    for table in [] if results.swept else make_tables(results, _measured(results, metrics)):
        comparison = tests_of(table)
        if comparison and len(table.ranked) > 2:
            suffix = f"_{table.ratio:g}" if len(results.experiment.ratios) > 1 else ""
            suffix += "".join(f"_{value}" for value in table.panel.values())
            drawing = ranks(comparison, 100 * printed.width or RANKS_WIDTH)
            yield f"cd{suffix}_{table.metric}", plots.ranks(drawing, table.title, printed)


def _of_all_metrics(results: Results, printed: Print) -> Iterator[tuple[str, Figure]]:
    """Yield the figures that are not about one metric."""
    experiment, rows = results.experiment, results.rows
    varied = ["ratio", *results.swept, *(["method"] if len(results.methods) > 1 else [])]
    for name, (x, y) in getattr(experiment, "scatters", {}).items():
        if x in rows and y in rows:
            yield name, scatter(rows, x, y, varied, printed)
    for choice in experiment.datasets:
        if choice.shape and choice.shape[1] == 2 and choice.name in set(rows.dataset):
            with suppress(UserError):  # the data may not be on this machine
                yield f"points_{choice.name}", points(load_dataset(choice.data), printed)
