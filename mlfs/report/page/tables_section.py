"""Prepare tables for the page's template: texts, numbers to sort by, marks and tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

from markupsafe import Markup
from pydantic import PlainSerializer, PlainValidator

from ..figures import svg
from ..figures.ranks import ranks
from ..reproduction.comparison import Comparison
from ..tables import significance
from ..tables.formats import average_ranks, has_printed, marks, mean_gaps
from ..tables.paper_tables import Table
from ..tables.texts import number, signed

Html = Annotated[  # kept as a text; older pydantic asks classes for a signature that they lack
    Markup, PlainValidator(lambda text: Markup(text)), PlainSerializer(lambda html: str(html))
]
# where a value of ours is shown: experiment, metric, ratio, dataset, our heading
ValueKey = tuple[str, str, float, str, str]


@dataclass(frozen=True)
class ValueView:
    """One value of a table; a text is empty where there is nothing to show."""

    anchor: str
    value: float
    mean: str
    spread: str
    rank: str
    best: bool
    printed: str
    gap: str
    status: str


@dataclass(frozen=True)
class TableView:
    """One table, with its tests and the diagram of its ranks."""

    anchor: str
    title: str
    basis: str
    heading: str
    methods: list[str]
    rows: list[tuple[str, list[ValueView | None]]]
    ranks: list[str]
    ranked_rows: int
    gaps: list[str]
    notes: list[str]
    sentences: list[str]
    diagram: Html


@dataclass
class ValueIndex:
    """Where each of our values is on the page, and how it compares with the printed one."""

    comparisons: Mapping[ValueKey, Comparison]
    anchors: dict[ValueKey, str] = field(default_factory=dict)

    def of(self, experiment: str) -> dict[ValueKey, Comparison]:
        """Return the comparisons of the values of one experiment."""
        return self._by_experiment.get(experiment, {})

    @cached_property
    def _by_experiment(self) -> dict[str, dict[ValueKey, Comparison]]:
        by_experiment: dict[str, dict[ValueKey, Comparison]] = {}
        for key, comparison in self.comparisons.items():
            by_experiment.setdefault(key[0], {})[key] = comparison
        return by_experiment


def value_key(comparison: Comparison) -> ValueKey:
    """Return where our value for a printed one is shown among the tables of its experiment."""
    ratio = round(comparison.ratio, 6)
    return comparison.experiment, comparison.metric, ratio, comparison.dataset, comparison.column


def by_place(comparisons: Sequence[Comparison]) -> dict[ValueKey, Comparison]:
    """Return the comparisons by the place of our value."""
    return {value_key(one): one for one in comparisons if one.experiment}


def table_view(table: Table, anchor: str, index: ValueIndex) -> TableView:
    """Prepare a table for the page, and record where each of its values is shown."""
    # one entry after the other: named tuples of pandas take far longer
    columns: dict[str, list[Any]] = {
        str(name): table.entries[name].tolist() for name in table.entries
    }
    entries = [dict(zip(columns, values)) for values in zip(*columns.values())]
    by_heading = {(entry["row"], entry["method"]): entry for entry in entries}
    uneven = set(table.uneven)
    rows = []
    for i, row in enumerate(table.rows):
        shown: list[ValueView | None] = []
        for j, method in enumerate(table.methods):
            entry = by_heading.get((row, method))
            made = _value(table, entry, f"{anchor}-{i}-{j}", index) if entry else None
            shown.append(made)
        rows.append((f"{row}*" if row in uneven else row, shown))
    count, average = average_ranks(table)
    gaps = mean_gaps(table) if has_printed(table) else {}
    tested = significance.tests_of(table)
    drawn = tested is not None and len(table.ranked) > 2
    return TableView(
        anchor=anchor,
        title=table.title.removeprefix(f"{table.experiment}: "),
        basis="; ".join(table.about),
        heading=table.heading,
        methods=table.methods,
        rows=rows,
        ranks=[_or_dash(average.get(m), "{:.2f}") for m in table.methods] if average else [],
        ranked_rows=count,
        gaps=[number(gaps.get(m, math.nan)) for m in table.methods] if gaps else [],
        notes=marks(table),
        sentences=tested.sentences() if tested else [],
        diagram=svg.write(ranks(tested)) if tested and drawn else Markup(""),
    )


def _value(table: Table, entry: dict[str, Any], anchor: str, index: ValueIndex) -> ValueView:
    ratio = round(table.ratio, 6)
    key = (table.experiment, table.metric, ratio, entry["dataset"], entry["method"])
    comparison = index.comparisons.get(key)
    if comparison:
        index.anchors[key] = anchor
    printed, count, rank = entry.get("printed", math.nan), entry["count"], entry["rank"]
    return ValueView(
        anchor=anchor if comparison else "",
        value=entry["mean"],
        mean=number(entry["mean"]),
        spread=number(entry["std"]) if count > 1 else "",
        rank="" if len(table.methods) < 2 or math.isnan(rank) else f"{rank:g}",
        best=entry["best"],
        printed="" if math.isnan(printed) else number(printed),
        gap="" if math.isnan(printed) else signed(entry["gap"]),
        status=comparison.status if comparison else "",
    )


def _or_dash(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)
