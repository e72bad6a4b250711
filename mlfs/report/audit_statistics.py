"""Rules over ranks and marks, and over what a paper computes from its tables.

Recomputed from the printed cells: average ranks, means, Friedman's statistic, its critical value
and the critical difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from .. import stats
from .audit_cells import ROW
from .facts import directions, figure, groups, records
from .finding import Finding

RANK, VALUE = "printed_rank", "mean"


def ranks(cells: pd.DataFrame) -> Iterator[Finding]:
    """Printed ranks that the printed values of their row contradict.

    Equal values may have any of the ranks that they share: unprinted digits may part them.
    """
    for key, row in groups(cells[cells.printed_rank.notna()], ROW):
        up = directions().get(key[2])
        if up is None:
            continue
        least = row[VALUE].rank(method="min", ascending=not up)
        most = row[VALUE].rank(method="max", ascending=not up)
        for cell, low, high in zip(records(row), least, most):
            if not low <= cell.printed_rank <= high:
                span = f"{low:g}" if low == high else f"{low:g} to {high:g}"
                text = f"printed rank {cell.printed_rank:g}, but {figure(cell.mean)} is {span}"
                yield Finding.of("rank", cell, text)


def marks(cells: pd.DataFrame) -> Iterator[Finding]:
    """Rows whose best value is not bold while a worse one is."""
    for key, row in groups(cells[cells.bold.notna()], ROW):
        up, bold = directions().get(key[2]), row.bold.astype(bool)
        if up is None or not bold.any():
            continue
        best = row[VALUE].max() if up else row[VALUE].min()
        for cell in records(row[bold & (row[VALUE] != best)]):
            leaders = ", ".join(row.method[row[VALUE] == best])
            if not bold[row[VALUE] == best].any():
                text = f"{figure(cell.mean)} is bold, but {leaders} has {figure(best)}"
                yield Finding.of("bold", cell, text)


def recomputed(cells: pd.DataFrame, printed: pd.DataFrame) -> Iterator[Finding]:
    """What the paper computes from its tables, computed again."""
    for (_, statistic), group in groups(printed, ["place", "statistic"]):
        rule = _AGAIN.get(str(statistic))
        if rule is None:
            continue
        digits = max(len(f"{value!r}".partition(".")[2]) for value in group.value)
        for line in records(group):
            part = cells[cells.table.isin(line.tables.split())]
            if line.metric:
                part = part[part.metric == line.metric]
            if part.empty or not set(part.metric) <= set(directions()):
                continue  # nothing to compute it from
            text = rule(part, line, 10.0**-digits)
            if text:
                name = str(statistic).replace("_", " ")
                yield Finding(name, line.tables, "", line.method, line.metric, text)


def _average_rank(cells: pd.DataFrame, line: Any, unit: float) -> str:
    if line.method not in set(cells.method):
        return f"printed {line.value:g}, but the table has no such column"
    own = cells[cells.method == line.method][RANK].mean()
    by_value = _rank_table(cells, VALUE)[line.method].mean()
    if abs(own - line.value) <= 0.6 * unit or abs(by_value - line.value) <= 0.6 * unit:
        return ""
    return (
        f"printed {line.value:g}; the printed ranks give {own:.3f}, the printed values "
        f"{by_value:.3f}"
    )


def _mean(cells: pd.DataFrame, line: Any, unit: float) -> str:
    if line.method not in set(cells.method):
        return f"printed {figure(line.value)}, but the table has no such column"
    mean = cells[cells.method == line.method][VALUE].mean()
    if abs(mean - line.value) <= 1.1 * unit:  # the values are rounded, too
        return ""
    return f"printed {figure(line.value)}; the printed values give {figure(mean)}"


def _friedman(cells: pd.DataFrame, line: Any, unit: float) -> str:
    """Several tables at once: their ranks are averaged, or each row counts."""
    values: dict[str, float] = {}
    for source, column in (("printed ranks", RANK), ("printed values", VALUE)):
        table = _rank_table(cells, column)
        if table.isna().any(axis=None):
            continue
        pooled = table.groupby(level="dataset", sort=False).mean()
        if min(pooled.shape) < 2:
            continue
        values[source] = stats.friedman_of_ranks(pooled).F_F
        if len(table) > len(pooled):
            values[f"{source}, all {len(table)} rows"] = stats.friedman_of_ranks(table).F_F
    if not values:
        return ""
    nearest = min(values, key=lambda source: abs(values[source] - line.value))
    fits = abs(values[nearest] - line.value) <= max(0.005 * line.value, unit)
    tables, n = cells.table.nunique(), cells.dataset.nunique()
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
        f"printed F_F {line.value:g} {word} that of ranks pooled: averaged over {tables} tables on "
        f"the same {n} sets ({told})"
    )


def _critical_value(cells: pd.DataFrame, line: Any, unit: float) -> str:
    n, k = cells.dataset.nunique(), cells.method.nunique()
    table = pd.DataFrame([range(1, k + 1)] * n)
    value = stats.friedman_of_ranks(table).critical_value
    if abs(value - line.value) <= 1.1 * unit:
        return ""
    return f"printed {line.value:g}; for {k} methods on {n} sets it is {value:.3f}"


def _critical_difference(cells: pd.DataFrame, line: Any, unit: float) -> str:
    n, k = cells.dataset.nunique(), cells.method.nunique()
    nemenyi, dunn = stats.nemenyi_cd(k, n), stats.bonferroni_dunn_cd(k, n)
    if abs(nemenyi - line.value) <= 1.1 * unit:  # rounded or cut off
        return ""
    return (
        f"printed CD {line.value:g}; for {k} methods on {n} sets Nemenyi's is {nemenyi:.2f} "
        f"(Bonferroni and Dunn's {dunn:.2f})"
    )


def _rank_table(cells: pd.DataFrame, column: str) -> pd.DataFrame:
    """Ranks, a row per table, dataset, metric and ratio: as printed, or by the printed values."""
    wide = cells.pivot(index=ROW, columns="method", values=column)
    if column == RANK:
        return wide
    parts = [
        stats.rank_rows(part, directions()[str(metric)])
        for metric, part in wide.groupby(level="metric", sort=False)
    ]
    return pd.concat(parts)


_AGAIN: dict[str, Callable[[pd.DataFrame, Any, float], str]] = {
    "average_rank": _average_rank,
    "mean": _mean,
    "friedman": _friedman,
    "critical_value": _critical_value,
    "critical_difference": _critical_difference,
}

RULES = (ranks, marks)
