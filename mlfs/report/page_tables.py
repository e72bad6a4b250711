"""Prepare tables for the page's template: texts, numbers to sort by, marks and tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from . import significance, svg_ranks
from .formats import average_ranks, has_printed, marks, mean_gaps, number, signed
from .results import Results
from .standing import Standing
from .tables import Table

# where a printed cell is shown: experiment, metric, ratio, dataset, our heading
Place = tuple[str, str, float, str, str]


@dataclass(frozen=True)
class CellView:
    """One value of a table; a text is empty where there is nothing to show."""

    anchor: str
    value: float
    mean: str
    spread: str = ""
    rank: str = ""
    best: bool = False
    printed: str = ""
    gap: str = ""
    status: str = ""
    repeats: int = 0


@dataclass(frozen=True)
class TableView:
    """One table, with its tests and the diagram of its ranks."""

    anchor: str
    title: str
    basis: str
    heading: str
    methods: list[str]
    rows: list[tuple[str, list[CellView | None]]]
    ranks: list[str]
    ranked_rows: int
    gaps: list[str]
    notes: list[str]
    sentences: list[str]
    diagram: Markup


@dataclass
class Places:
    """Where each of our values is on the page, and how it compares with the printed one."""

    standings: Mapping[Place, Standing]
    anchors: dict[Place, str] = field(default_factory=dict)


def key(standing: Standing, column: str) -> Place:
    """Return where a printed cell is shown among the tables of its experiment."""
    ratio = round(standing.ratio, 6)
    return standing.experiment, standing.metric, ratio, standing.dataset, column


def standing_places(
    results: Sequence[Results], standings: Sequence[Standing]
) -> dict[Place, Standing]:
    """Return the standings by the place of our value, in the ranked column of the method."""
    columns: dict[tuple[str, str], str] = {}
    for item in results:
        ranked = set(item.ranked)
        for head, printed in item.printed.items():
            if head in ranked:
                columns.setdefault((item.experiment.name, printed), head)
    return {
        key(one, columns[one.experiment, one.method]): one
        for one in standings
        if (one.experiment, one.method) in columns
    }


def view(table: Table, anchor: str, places: Places) -> TableView:
    """Prepare a table for the page, and record where each of its cells is shown."""
    cells = {(cell.row, cell.method): cell for cell in table.cells.itertuples()}
    uneven = set(table.uneven)
    rows = []
    for i, row in enumerate(table.rows):
        shown: list[CellView | None] = []
        for j, method in enumerate(table.methods):
            cell: Any = cells.get((row, method))
            made = _cell(table, cell, f"{anchor}-{i}-{j}", places) if cell else None
            shown.append(made)
        rows.append((f"{row}*" if row in uneven else row, shown))
    count, average = average_ranks(table)
    gaps = mean_gaps(table) if has_printed(table) else {}
    tested = significance.compare(table)
    drawn = tested is not None and len(table.ranked) > 2
    return TableView(
        anchor=anchor,
        title=table.title.removeprefix(f"{table.experiment}: "),
        basis=table.basis,
        heading=table.heading,
        methods=table.methods,
        rows=rows,
        ranks=[_or_dash(average.get(m), "{:.2f}") for m in table.methods] if average else [],
        ranked_rows=count,
        gaps=[number(gaps.get(m, math.nan)) for m in table.methods] if gaps else [],
        notes=marks(table),
        sentences=tested.sentences() if tested else [],
        diagram=svg_ranks.ranks(tested) if tested and drawn else Markup(""),
    )


def _cell(table: Table, cell: Any, anchor: str, places: Places) -> CellView:
    place = (table.experiment, table.metric, round(table.ratio, 6), cell.dataset, cell.method)
    standing = places.standings.get(place)
    if standing:
        places.anchors[place] = anchor
    printed = getattr(cell, "printed", math.nan)
    return CellView(
        anchor=anchor if standing else "",
        value=cell.mean,
        mean=number(cell.mean),
        spread=number(cell.std) if cell.count > 1 else "",
        rank="" if len(table.methods) < 2 or math.isnan(cell.rank) else f"{cell.rank:g}",
        best=bool(cell.best),
        printed="" if math.isnan(printed) else number(printed),
        gap="" if math.isnan(printed) else signed(cell.gap),
        status=standing.status if standing else "",
        repeats=int(cell.count),
    )


def _or_dash(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)
