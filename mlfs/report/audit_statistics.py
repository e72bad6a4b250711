"""Rules for ranks, for bold marks, and for statistics that a paper computes from its tables.

These are computed again from the printed cells: average ranks, means, Friedman's statistic, its
critical value and the critical difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd

from .. import stats
from .facts import directions, figure, groups, records, sign
from .finding import Cell, Finding, by

Ranks = Callable[[Sequence[Cell]], dict[str, float]]  # the ranks of one row, by method


def ranks(cells: Sequence[Cell]) -> Iterator[Finding]:
    """Find printed ranks that the printed values of their row contradict.

    Equal values may have any of the ranks that they share: digits not printed may differ.
    """
    ranked = [cell for cell in cells if not math.isnan(cell.rank)]
    for row in by(ranked, lambda cell: cell.row).values():
        up = directions().get(row[0].metric)
        if up is None:
            continue
        for cell in row:
            gains = [(one.mean - cell.mean) * (1 if up else -1) for one in row]
            low = 1 + sum(gain > 0 for gain in gains)
            high = sum(gain >= 0 for gain in gains)
            if not low <= cell.rank <= high:
                span = f"{low}" if low == high else f"{low} to {high}"
                text = f"printed rank {cell.rank:g}, but {figure(cell.mean)} has rank {span}"
                yield Finding.of("rank", cell, text)


def marks(cells: Sequence[Cell]) -> Iterator[Finding]:
    """Find rows where a worse value is bold, but not the best one."""
    known = [cell for cell in cells if cell.bold is not None]
    for row in by(known, lambda cell: cell.row).values():
        up = directions().get(row[0].metric)
        if up is None:
            continue
        best = (max if up else min)(cell.mean for cell in row)
        leaders = [cell for cell in row if cell.mean == best]
        if any(cell.bold for cell in leaders):
            continue
        names = ", ".join(cell.method for cell in leaders)
        for cell in row:
            if cell.bold:
                text = f"{figure(cell.mean)} is bold, but {names} has {figure(best)}"
                yield Finding.of("bold", cell, text)


def recomputed(cells: Sequence[Cell], printed: pd.DataFrame) -> Iterator[Finding]:
    """Compute a paper's statistics again from its tables, and find those that differ."""
    for (_, statistic), group in groups(printed, ["place", "statistic"]):
        digits = max(len(f"{value!r}".partition(".")[2]) for value in group.value)
        for line in records(group):
            tables = line.tables.split()
            part = [
                cell for cell in cells if cell.table in tables and line.metric in ("", cell.metric)
            ]
            if not part or not {cell.metric for cell in part} <= set(directions()):
                continue  # nothing to compute it from
            text = _AGAIN[statistic](part, line, 10.0**-digits)
            if text:
                name = str(statistic).replace("_", " ")
                yield Finding(name, line.tables, "", line.method, line.metric, text)


def _average_rank(cells: Sequence[Cell], line: Any, unit: float) -> str:
    rows = by(cells, lambda cell: cell.row).values()
    own = [_printed_ranks(row).get(line.method, math.nan) for row in rows]
    by_value = [_ranks_by_value(row).get(line.method, math.nan) for row in rows]
    if math.isnan(sum(by_value)):
        return f"printed {line.value:g}, but the table has no such column"
    means = sum(own) / len(own), sum(by_value) / len(by_value)
    if any(abs(mean - line.value) <= 0.6 * unit for mean in means):
        return ""
    return (
        f"printed {line.value:g}; the printed ranks give {means[0]:.3f}, the printed values "
        f"{means[1]:.3f}"
    )


def _mean(cells: Sequence[Cell], line: Any, unit: float) -> str:
    own = [cell.mean for cell in cells if cell.method == line.method]
    if not own:
        return f"printed {figure(line.value)}, but the table has no such column"
    mean = sum(own) / len(own)
    if abs(mean - line.value) <= 1.1 * unit:  # the values are rounded, too
        return ""
    return f"printed {figure(line.value)}; the printed values give {figure(mean)}"


def _friedman(cells: Sequence[Cell], line: Any, unit: float) -> str:
    """Compare F_F; for several tables, average their ranks or count every row."""
    values: dict[str, float] = {}
    sources: dict[str, Ranks] = {"printed ranks": _printed_ranks, "printed values": _ranks_by_value}
    rows = by(cells, lambda cell: cell.row)
    for source, rank in sources.items():
        table = pd.DataFrame([rank(row) for row in rows.values()])
        pooled = table.groupby([row[1] for row in rows], sort=False).mean()
        if table.isna().any(axis=None) or min(pooled.shape) < 2:
            continue
        values[source] = stats.friedman_of_ranks(pooled).F_F
        if len(table) > len(pooled):
            values[f"{source}, all {len(table)} rows"] = stats.friedman_of_ranks(table).F_F
    if not values:
        return ""
    nearest = min(values, key=lambda source: abs(values[source] - line.value))
    fits = abs(values[nearest] - line.value) <= max(0.005 * line.value, unit)
    tables, n = len({cell.table for cell in cells}), len({cell.dataset for cell in cells})
    if fits and tables == 1:
        return ""
    told = "; ".join(f"{source}: {value:.2f}" for source, value in values.items())
    if tables == 1:
        return f"printed F_F {line.value:g}; computed again from {told}"
    if "rows" in nearest:
        return (
            f"printed F_F {line.value:g} counts {n} sets once for each of {tables} tables; {told}"
        )
    word = "is" if fits else "is nearest to"
    return (
        f"printed F_F {line.value:g} {word} that of ranks averaged over {tables} tables on "
        f"the same {n} sets ({told})"
    )


def _critical_value(cells: Sequence[Cell], line: Any, unit: float) -> str:
    k, n = _sizes(cells)
    if min(k, n) < 2:
        return ""
    value = stats.friedman_of_ranks(pd.DataFrame([range(1, k + 1)] * n)).critical_value
    if abs(value - line.value) <= 1.1 * unit:
        return ""
    return f"printed {line.value:g}; for {k} methods on {n} sets it is {value:.3f}"


def _critical_difference(cells: Sequence[Cell], line: Any, unit: float) -> str:
    k, n = _sizes(cells)
    if k < 2:
        return ""
    nemenyi, dunn = stats.nemenyi_cd(k, n), stats.bonferroni_dunn_cd(k, n)
    if abs(nemenyi - line.value) <= 1.1 * unit:  # it may be rounded or truncated
        return ""
    return (
        f"printed CD {line.value:g}; for {k} methods on {n} sets Nemenyi's is {nemenyi:.2f} "
        f"(Bonferroni and Dunn's {dunn:.2f})"
    )


def _sizes(cells: Sequence[Cell]) -> tuple[int, int]:
    """Return the numbers of methods and datasets."""
    return len({cell.method for cell in cells}), len({cell.dataset for cell in cells})


def _printed_ranks(row: Sequence[Cell]) -> dict[str, float]:
    return {cell.method: cell.rank for cell in row}


def _ranks_by_value(row: Sequence[Cell]) -> dict[str, float]:
    values = [sign(cell.metric) * cell.mean for cell in row]
    return {
        cell.method: 1 + sum(v > own for v in values) + (values.count(own) - 1) / 2
        for cell, own in zip(row, values)
    }


_AGAIN: dict[str, Callable[[Sequence[Cell], Any, float], str]] = {
    "average_rank": _average_rank,
    "mean": _mean,
    "friedman": _friedman,
    "critical_value": _critical_value,
    "critical_difference": _critical_difference,
}

RULES = (ranks, marks)
