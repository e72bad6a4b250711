"""The experiments on the page: tables, curves and chosen features, as far as there is budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace

from ...results.read import Results
from ..figures import curves, svg
from ..kept import KeptViews
from ..overall.overall_text import is_compared
from ..reproduction.comparison import Comparison
from ..tables.paper_tables import make_tables
from . import features_section, runs_section, tables_section
from .features_section import Features
from .runs_section import Run
from .tables_section import Html, TableView, ValueIndex, ValueKey

LIMITS = curves.Limits(
    panels=24,  # readers cannot compare more
    points=60,  # of more, only some are drawn
)
SUMMED_UP = 500  # cells of an experiment that is only summed up, if others are compared with it


@dataclass
class PageBudget:
    """How much more the page may show, so that it stays small for any results."""

    entries: int = 12_000  # of tables
    points: int = 6_000  # points of curves
    choices: int = 6_000  # features that were chosen most often


@dataclass(frozen=True)
class FigureView:
    """Panels that share a legend, as the page draws them.

    Attributes
    ----------
    legend : list of (str, Html)
        Name and sample of each line.
    left_out : int
        The number of panels that are not drawn.
    points : int
        The number of points that are drawn.
    """

    title: str
    caption: str
    legend: list[tuple[str, Html]]
    panels: list[tuple[str, Html]]
    left_out: int
    points: int


@dataclass(frozen=True)
class ExperimentView:
    """What the page shows of one experiment.

    Attributes
    ----------
    omitted : list of str
        What had no budget.
    summed_up : bool
        Whether only the comparison of several experiments as a whole shows it.
    """

    name: str
    title: str
    paper: str
    printed: str
    run: Run
    tables: list[TableView]
    figures: list[FigureView]
    features: Features | None
    omitted: list[str]
    summed_up: bool

    @property
    def has_printed(self) -> bool:
        """Whether a paper prints a value that one of its tables shows."""
        rows = [row for table in self.tables for _, row in table.rows]
        return any(value is not None and value.printed for row in rows for value in row)


@dataclass(frozen=True)
class _Shown:
    """An experiment on the page, the places of its values, and the budget that is left."""

    view: ExperimentView
    anchors: list[tuple[ValueKey, str]]
    left: tuple[int, int, int]


def experiment_view(
    item: Results, number: int, index: ValueIndex, budget: PageBudget, kept: KeptViews
) -> ExperimentView:
    """Return what the page shows of an experiment; the budget gets smaller by it."""
    mine = index.of(item.experiment.name)
    statuses = [[*key, comparison.status] for key, comparison in mine.items()]
    parts = [number, astuple(budget), statuses]
    shown = kept.of(_Shown, [item], parts, lambda: _shown(item, number, mine, replace(budget)))
    index.anchors.update(shown.anchors)
    budget.entries, budget.points, budget.choices = shown.left
    return shown.view


def _shown(
    item: Results, number: int, comparisons: Mapping[ValueKey, Comparison], budget: PageBudget
) -> _Shown:
    experiment = item.experiment
    index = ValueIndex(comparisons)
    omitted: list[str] = []
    refs = [f"table {name}" for name in experiment.tables]
    refs += [f"figure {name}" for name in experiment.figures]
    run = runs_section.run_view(item)
    summed_up = is_compared(experiment) and run.planned > SUMMED_UP
    view = ExperimentView(
        name=experiment.name,
        title=experiment.title,
        paper=experiment.paper or "",
        printed=", ".join(refs),
        run=run,
        tables=[] if summed_up else _tables(item, f"t{number}", index, budget, omitted),
        figures=[] if summed_up else _figures(item, budget, omitted),
        features=None if summed_up else _features(item, budget, omitted),
        omitted=omitted,
        summed_up=summed_up,
    )
    return _Shown(view, list(index.anchors.items()), astuple(budget))


def _tables(
    item: Results, anchor: str, index: ValueIndex, budget: PageBudget, omitted: list[str]
) -> list[TableView]:
    shown, left = [], 0
    for i, table in enumerate(make_tables(item)):
        if len(table.entries) > budget.entries:
            left += 1
            continue
        budget.entries -= len(table.entries)
        shown.append(tables_section.table_view(table, f"{anchor}-{i}", index))
    if left:
        omitted.append(f"{left} tables are too large for this page: 'mlfs table' shows them")
    return shown


def _figures(item: Results, budget: PageBudget, omitted: list[str]) -> list[FigureView]:
    shown, left = [], 0
    for laid_out in curves.figures(item, limits=LIMITS):
        if laid_out.points > budget.points:
            left += 1
            continue
        budget.points -= laid_out.points
        shown.append(_figure(laid_out))
    if left:
        omitted.append(f"{left} figures are too large for this page: 'mlfs plot' draws them")
    return shown


def _figure(laid_out: curves.CurveFigure) -> FigureView:
    return FigureView(
        title=laid_out.title,
        caption=laid_out.caption,
        legend=[(name, svg.sample(look)) for name, look in laid_out.legend],
        panels=[(panel.title, svg.write(panel.drawing())) for panel in laid_out.panels],
        left_out=laid_out.left_out,
        points=laid_out.points,
    )


def _features(item: Results, budget: PageBudget, omitted: list[str]) -> Features | None:
    chosen = features_section.features(item)
    if chosen is None:
        return None
    weight = sum(len(one.features) for _, some in chosen.chosen for one in some)
    if weight > budget.choices:
        omitted.append("the chosen features are too many for this page: 'mlfs features' lists them")
        return None
    budget.choices -= weight
    return chosen
