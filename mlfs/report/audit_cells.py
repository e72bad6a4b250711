"""Rules over the printed cells of a paper: marks, decimals, ranges, chance, and what contradicts.

A frame of cells has the columns of `Paper.printed`; `mean` is what the paper prints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import pandas as pd

from ..papers import density
from .facts import chance, directions, figure, groups, limits, records, words
from .finding import Finding

ROW = ["table", "dataset", "metric", "missing_ratio"]  # a row of a table: its methods compare
COLUMN = ["table", "method", "missing_ratio"]
QUANTITY = ["dataset", "method", "metric", "missing_ratio"]  # may stand in several tables
_SHIFTS = {-2: "a hundredth", -1: "a tenth", 1: "ten times", 2: "a hundred times"}
_NEAR_SHIFT = 0.15  # of the decimal logarithm: a factor of 1.4
_MARGIN = 0.05  # of the chance level, which is known for the mean number of labels only
_TELLING = 0.1  # a label density that a Hamming loss does not come near by chance
_FEWEST = 3  # datasets or cells before a rule speaks of all of them


def out_of_range(cells: pd.DataFrame) -> Iterator[Finding]:
    """Values that the metric cannot have, and deviations below 0."""
    for cell in records(cells):
        low, high = limits(cell.metric)
        if not low <= cell.mean <= high:
            text = f"{figure(cell.mean)} is outside {low:g} to {high:g}"
            yield Finding.of("range", cell, text, misprint=True)
        if cell.std < 0:
            yield Finding.of(
                "range", cell, f"the deviation {figure(cell.std)} is below 0", misprint=True
            )


def shifted(cells: pd.DataFrame) -> Iterator[Finding]:
    """Columns that are a power of ten away from the same quantities elsewhere, or their row."""
    for (table, method, _), column in groups(cells, COLUMN):
        others = cells[(cells.table != table) & (cells.method == method)]
        there = others.groupby(QUANTITY)["mean"].median()
        beside = cells[(cells.table == table) & (cells.method != method)]
        around = beside.groupby(ROW)["mean"].median()
        found: dict[int, list[Finding]] = {}
        for cell in records(column):
            value = there.get((cell.dataset, cell.method, cell.metric, cell.missing_ratio))
            where = "another table prints"
            if value is None and math.isfinite(limits(cell.metric)[1]):
                value = around.get((cell.table, cell.dataset, cell.metric, cell.missing_ratio))
                where = "the other columns have about"
            if value is None or value <= 0 or cell.mean <= 0:
                continue
            power = math.log10(cell.mean / value)
            whole = round(power)
            if whole in _SHIFTS and abs(power - whole) < _NEAR_SHIFT:
                text = f"{figure(cell.mean)} is about {_SHIFTS[whole]} what it must be: {where} "
                found.setdefault(whole, []).append(
                    Finding.of("decimal shift", cell, text + figure(value), misprint=True)
                )
        for some in found.values():
            if len(some) == len(column) >= _FEWEST:  # one cell may be what it is; a column is not
                yield from some


def unequal(cells: pd.DataFrame) -> Iterator[Finding]:
    """The same quantity with different values in two tables."""
    for one, two in combinations(dict.fromkeys(cells.table), 2):
        both = cells[cells.table == one].merge(cells[cells.table == two], on=QUANTITY)
        for (method,), same in groups(both, ["method"]):
            apart = same[(same.corrected_x - same.corrected_y).abs() > 1e-9]
            if apart.empty:
                continue
            first = apart.iloc[0]
            text = (
                f"tables {one} and {two} differ in {len(apart)} of {len(same)} cells that are the "
                f"same quantity, such as {first.dataset}, {words(first.metric)}: "
                f"{figure(first.corrected_x)} and {figure(first.corrected_y)}"
            )
            yield Finding("two values", f"{one} {two}", "", str(method), "", text)


def below_chance(cells: pd.DataFrame) -> Iterator[Finding]:
    """Columns that are worse than no knowledge at all, on some datasets."""
    for (table, method, ratio, metric), column in groups(cells, [*COLUMN, "metric"]):
        up = directions().get(metric)
        worse, way = [], ""
        for cell in records(column):
            level = chance(metric, cell.dataset)
            if level is None or up is None:
                continue
            margin = max(0.002, _MARGIN * level[0])
            if (level[0] - cell.mean if up else cell.mean - level[0]) > margin:
                worse.append(f"{cell.dataset} {figure(cell.mean)} ({figure(level[0])})")
                way = level[1]
        if worse:
            text = f"worse than {way} on {len(worse)} of {len(column)} sets: {', '.join(worse)}"
            yield Finding("below chance", table, "", method, metric, text, ratio=ratio)


def at_density(cells: pd.DataFrame) -> Iterator[Finding]:
    """Hamming losses that are the label density: those of a learner that predicts no label."""
    losses = cells[cells.metric == "hamming_loss"]
    for _, column in groups(losses, COLUMN):
        shares = [(cell, density(cell.dataset)) for cell in records(column)]
        known = [(cell, share) for cell, share in shares if share is not None]
        near = [
            (cell, share)
            for cell, share in known
            if abs(cell.mean - share) <= (0.002 if share >= _TELLING else 0.001)
        ]
        telling = [pair for pair in near if pair[1] >= _TELLING]
        all_are = len(near) == len(known) and len(telling) >= _FEWEST
        for cell, share in near if all_are else telling:
            text = f"{figure(cell.mean)} is the label density {figure(share)}: no label predicted"
            yield Finding.of("label density", cell, text)


def improves(cells: pd.DataFrame) -> Iterator[Finding]:
    """A score that gets better on every dataset with fewer labels, while others get worse."""
    once = cells.drop_duplicates(QUANTITY).sort_values("missing_ratio", kind="stable")
    lines = once.groupby(["method", "dataset", "metric"], sort=False).agg(
        tables=("table", lambda tables: " ".join(dict.fromkeys(tables))),
        first=("mean", "first"),
        last=("mean", "last"),
        ratios=("missing_ratio", "nunique"),
    )
    lines = lines[lines.ratios > 1].reset_index()
    for (method, tables), group in groups(lines, ["method", "tables"]):
        gains: dict[str, list[float]] = {}
        for line in records(group):
            up = directions().get(line.metric)
            if up is not None:
                gain = line.last - line.first if up else line.first - line.last
                gains.setdefault(line.metric, []).append(gain)
        worse = [name for name, of in gains.items() if sum(gain < 0 for gain in of) > len(of) / 2]
        for metric, of in gains.items():
            if len(of) >= _FEWEST and min(of) > 0 and len(worse) > 1:
                others = ", ".join(words(name) for name in worse)
                text = (
                    f"gets better on all {len(of)} sets as labels go missing, while others get "
                    f"worse on most ({others}): was it scored against labels that are missing too?"
                )
                yield Finding("better with less", tables, "", method, metric, text)


RULES = (shifted, out_of_range, unequal, below_chance, at_density, improves)
