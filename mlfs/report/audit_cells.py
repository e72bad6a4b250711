"""Rules for printed cells: decimals, ranges, chance levels and contradictions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import median

from ..papers import density
from .facts import chance, directions, figure, limits, words
from .finding import Cell, Finding, by

_SHIFTS = {-2: "a hundredth of", -1: "a tenth of", 1: "ten times", 2: "a hundred times"}
_NEAR_SHIFT = 0.15  # in the decimal logarithm: a factor of 1.4
_MARGIN = 0.05  # share of the chance level, which assumes the mean number of labels
_TELLING = 0.1  # from this label density on, an equal Hamming loss is no coincidence
_FEWEST = 3  # datasets or cells that a rule needs to judge a whole column


def out_of_range(cells: Sequence[Cell]) -> Iterator[Finding]:
    """Find values that the metric cannot have, and deviations below 0."""
    for cell in cells:
        low, high = limits(cell.metric)
        if not low <= cell.mean <= high:
            text = f"{figure(cell.mean)} is outside {low:g} to {high:g}"
            yield Finding.of("range", cell, text, misprint=True)
        if cell.std < 0:
            text = f"the deviation {figure(cell.std)} is below 0"
            yield Finding.of("range", cell, text, misprint=True)


def shifted(cells: Sequence[Cell]) -> Iterator[Finding]:
    """Find columns that differ from another table, or from their rows, by a power of ten."""
    same, rows = by(cells, lambda cell: cell.quantity), by(cells, lambda cell: cell.row)
    for column in by(cells, lambda cell: cell.column).values():
        found: dict[int, list[Finding]] = {}
        for cell in column:
            others = [one.mean for one in same[cell.quantity] if one.table != cell.table]
            where = "another table prints"
            if not others and math.isfinite(limits(cell.metric)[1]):
                others = [one.mean for one in rows[cell.row] if one.method != cell.method]
                where = "the other columns have about"
            value = median(others) if others else 0.0
            if value <= 0 or cell.mean <= 0:
                continue
            power = math.log10(cell.mean / value)
            whole = round(power)
            if whole in _SHIFTS and abs(power - whole) < _NEAR_SHIFT:
                text = f"{figure(cell.mean)} is about {_SHIFTS[whole]} the right value: {where} "
                found.setdefault(whole, []).append(
                    Finding.of("decimal shift", cell, text + figure(value), misprint=True)
                )
        for some in found.values():
            if len(some) == len(column) >= _FEWEST:  # one cell may be right; a column is not
                yield from some


def unequal(cells: Sequence[Cell]) -> Iterator[Finding]:
    """Find quantities that have different values in two tables."""
    tables = by(cells, lambda cell: cell.table)
    for one, two in combinations(tables, 2):
        there = {cell.quantity: cell.corrected for cell in tables[two]}
        both = [cell for cell in tables[one] if cell.quantity in there]
        for method, same in by(both, lambda cell: cell.method).items():
            apart = [cell for cell in same if abs(cell.corrected - there[cell.quantity]) > 1e-9]
            if not apart:
                continue
            first = apart[0]
            text = (
                f"tables {one} and {two} differ in {len(apart)} of {len(same)} cells that are the "
                f"same quantity, such as {first.dataset}, {words(first.metric)}: "
                f"{figure(first.corrected)} and {figure(there[first.quantity])}"
            )
            yield Finding("two values", f"{one} {two}", "", method, "", text)


def below_chance(cells: Sequence[Cell]) -> Iterator[Finding]:
    """Find columns that are worse than a guess without knowledge on some datasets."""
    levels = {
        (metric, dataset): chance(metric, dataset)
        for metric, dataset in dict.fromkeys((cell.metric, cell.dataset) for cell in cells)
    }
    columns = by(cells, lambda cell: (*cell.column, cell.metric))
    for (table, method, ratio, metric), column in columns.items():
        up = directions().get(metric)
        worse, way = [], ""
        for cell in column:
            level = levels[metric, cell.dataset]
            if level is None or up is None:
                continue
            margin = max(0.002, _MARGIN * level[0])
            if (level[0] - cell.mean if up else cell.mean - level[0]) > margin:
                worse.append(f"{cell.dataset} {figure(cell.mean)} ({figure(level[0])})")
                way = level[1]
        if worse:
            text = f"worse than {way} on {len(worse)} of {len(column)} sets: {', '.join(worse)}"
            yield Finding("below chance", table, "", method, metric, text, ratio=ratio)


def at_density(cells: Sequence[Cell]) -> Iterator[Finding]:
    """Find Hamming losses equal to the label density: the learner predicted no label."""
    losses = [cell for cell in cells if cell.metric == "hamming_loss"]
    shares = {name: density(name) for name in dict.fromkeys(cell.dataset for cell in losses)}
    for column in by(losses, lambda cell: cell.column).values():
        pairs = [(cell, shares[cell.dataset]) for cell in column]
        known = [(cell, share) for cell, share in pairs if share is not None]
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


def improves(cells: Sequence[Cell]) -> Iterator[Finding]:
    """Find metrics that improve on all datasets with fewer labels while others get worse."""
    once = [same[0] for same in by(cells, lambda cell: cell.quantity).values()]
    once.sort(key=lambda cell: cell.ratio)
    lines = by(once, lambda cell: (cell.method, cell.dataset, cell.metric)).values()
    gains: dict[tuple[str, str], dict[str, list[float]]] = {}
    for line in lines:
        first, last, up = line[0], line[-1], directions().get(line[0].metric)
        if up is not None and len(line) > 1:
            tables = " ".join(dict.fromkeys(cell.table for cell in line))
            gain = last.mean - first.mean if up else first.mean - last.mean
            of = gains.setdefault((first.method, tables), {})
            of.setdefault(first.metric, []).append(gain)
    for (method, tables), metrics in gains.items():
        worse = [name for name, of in metrics.items() if sum(g < 0 for g in of) > len(of) / 2]
        for metric, each in metrics.items():
            if len(each) >= _FEWEST and min(each) > 0 and len(worse) > 1:
                others = ", ".join(words(name) for name in worse)
                text = (
                    f"gets better on all {len(each)} sets with more labels missing, while others "
                    f"get worse on most ({others}): were labels of the test part hidden too?"
                )
                yield Finding("better with less", tables, "", method, metric, text)


RULES = (shifted, out_of_range, unequal, below_chance, at_density, improves)
