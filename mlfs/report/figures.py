"""Draw and save the figures that results allow; all are readable in black and white."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from .. import papers
from ..errors import UserError
from ..protocols.preparation import load_dataset
from .curves import curves
from .diagrams import convergence, critical_difference, points, scatter
from .results import Results
from .tables import make_tables
from .views import drawable, parts, views


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw every figure that the results allow; give the files, svg and png of each."""
    experiment = results.experiment
    if results.rows.empty:
        raise UserError(f"{experiment.name} has no finished cells to draw: run its config first")
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    for name, figure in figures_of(results):
        files += save(figure, folder / name)
    if not files:
        raise UserError(
            f"{experiment.name} has neither a curve, a sweep, several ratios nor three datasets "
            "and methods to draw: 'mlfs table' shows it best"
        )
    return files


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as svg and png."""
    files = [stem.with_name(f"{stem.name}.{kind}") for kind in ("svg", "png")]
    for file in files:
        figure.savefig(file, dpi=150, bbox_inches="tight")
    plt.close(figure)
    return files


def figures_of(results: Results) -> Iterator[tuple[str, Figure]]:
    """Every figure that the results allow, under the name of its file."""
    results = drawable(results)
    for metric in results.experiment.metrics:
        if metric in results.rows and results.rows[metric].notna().any():
            for name, figure in _of_metric(results, metric):
                yield f"{name}_{metric}", figure
    yield from _once(results)


def _of_metric(results: Results, metric: str) -> Iterator[tuple[str, Figure]]:
    for view in views(results, metric):
        yield view.name, curves(view)
    if results.swept:
        return
    for table in make_tables(results, [metric]):
        if len(table.ranked) > 2 and len(table.means().dropna()) > 2:
            suffix = f"_{table.ratio:g}" if len(results.experiment.ratios) > 1 else ""
            control = papers.control(results.experiment)
            yield f"cd{suffix}", critical_difference(table, control)


def _once(results: Results) -> Iterator[tuple[str, Figure]]:
    """Figures that do not belong to one metric."""
    experiment, rows = results.experiment, results.rows
    if len(results.methods) == 1 and not results.swept:
        changes = _changes(results)
        if changes:
            yield "convergence", convergence(changes)
    varied = ["ratio", *results.swept, *(["method"] if len(results.methods) > 1 else [])]
    for name, (x, y) in getattr(experiment, "scatters", {}).items():
        if x in rows and y in rows:
            yield name, scatter(rows, x, y, varied)
    for choice in experiment.datasets:
        if choice.shape and choice.shape[1] == 2 and choice.name in set(rows.dataset):
            with suppress(UserError):  # results can be drawn where their data are not
                yield f"points_{choice.name}", points(load_dataset(choice.data))


def _changes(results: Results) -> dict[str, list[list[float]]]:
    """The changes per iteration that cells recorded, by dataset and ratio, a list per repeat."""
    cells = pd.DataFrame(
        [
            {
                "dataset": planned.series.cell.data.name,
                "ratio": planned.series.cell.settings.ratio,
                "change": record.info["change"],
            }
            for planned, record in results.records
            if "change" in record.info
        ],
        columns=["dataset", "ratio", "change"],
    )
    return {title: list(part.change) for title, part in parts(cells, ["ratio"])}
