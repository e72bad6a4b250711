"""The rules of the audit, and what they find.

Rules for printed values look at decimals, ranges, chance levels and contradictions. Rules for ranks
and bold marks compare them with the values. Statistics that a paper computes from its tables are
computed again: average ranks, means, Friedman's statistic, its critical value and the critical
difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Any

import pandas as pd

from ... import stats
from ...papers import density
from ..tables.metric_facts import chance, directions, groups, limits, records, sign, words
from ..tables.texts import short_number
from .printed_values import PrintedValue, by

Ranks = Callable[[Sequence[PrintedValue]], dict[str, float]]  # the ranks of one row, by method
_SHIFTS = {-2: "a hundredth of", -1: "a tenth of", 1: "ten times", 2: "a hundred times"}
_NEAR_SHIFT = 0.15  # in the decimal logarithm: a factor of 1.4
_MARGIN = 0.05  # share of the chance level, which assumes the mean number of labels
_TELLING = 0.1  # from this label density on, an equal Hamming loss is no coincidence
_FEWEST = 3  # datasets or values that a rule needs to judge a whole column


@dataclass(frozen=True)
class Finding:
    """Something in a paper that cannot be right, or that a reader should know.

    Attributes
    ----------
    rule : str
        The rule that found it.
    table : str
        Number of the printed table, or several numbers separated by blanks.
    dataset, method, metric : str
        Where it is in the table, with our names; empty if it is about more than one.
    text : str
        What is wrong, in a sentence.
    misprint : bool
        Whether this one printed value is wrong.
    ratio : float, optional
        The missing ratio of the value.
    """

    rule: str
    table: str
    dataset: str
    method: str
    metric: str
    text: str
    misprint: bool = False
    ratio: float | None = None

    @classmethod
    def of(cls, rule: str, value: PrintedValue, text: str, misprint: bool = False) -> Finding:
        """Return a finding about one printed value."""
        place = (value.table, value.dataset, value.method, value.metric)
        return cls(rule, *place, text, misprint, value.ratio)


def out_of_range(values: Sequence[PrintedValue]) -> Iterator[Finding]:
    """Find values that the metric cannot have, and deviations below 0."""
    for value in values:
        low, high = limits(value.metric)
        if not low <= value.mean <= high:
            text = f"{short_number(value.mean)} is outside {low:g} to {high:g}"
            yield Finding.of("range", value, text, misprint=True)
        if value.std < 0:
            text = f"the deviation {short_number(value.std)} is below 0"
            yield Finding.of("range", value, text, misprint=True)


def shifted(values: Sequence[PrintedValue]) -> Iterator[Finding]:
    """Find columns that differ from another table, or from their rows, by a power of ten."""
    same, rows = by(values, lambda value: value.quantity), by(values, lambda value: value.row)
    for column in by(values, lambda value: value.column).values():
        by_column: dict[int, list[Finding]] = {}
        for value in column:
            others = [one.mean for one in same[value.quantity] if one.table != value.table]
            where = "another table prints"
            if not others and math.isfinite(limits(value.metric)[1]):
                others = [one.mean for one in rows[value.row] if one.method != value.method]
                where = "the other columns have about"
            usual = median(others) if others else 0.0
            if usual <= 0 or value.mean <= 0:
                continue
            power = math.log10(value.mean / usual)
            whole = round(power)
            if whole in _SHIFTS and abs(power - whole) < _NEAR_SHIFT:
                text = (
                    f"{short_number(value.mean)} is about {_SHIFTS[whole]} the right value: "
                    f"{where} {short_number(usual)}"
                )
                by_column.setdefault(whole, []).append(
                    Finding.of("decimal shift", value, text, misprint=True)
                )
        for some in by_column.values():
            if len(some) == len(column) >= _FEWEST:  # one value may be right; a column is not
                yield from some


def unequal(values: Sequence[PrintedValue]) -> Iterator[Finding]:
    """Find quantities that have different values in two tables."""
    tables = by(values, lambda value: value.table)
    for one, two in combinations(tables, 2):
        there = {value.quantity: value.corrected for value in tables[two]}
        both = [value for value in tables[one] if value.quantity in there]
        for method, same in by(both, lambda value: value.method).items():
            apart = [value for value in same if abs(value.corrected - there[value.quantity]) > 1e-9]
            if not apart:
                continue
            first = apart[0]
            text = (
                f"tables {one} and {two} differ in {len(apart)} of {len(same)} values that are the "
                f"same quantity, such as {first.dataset}, {words(first.metric)}: "
                f"{short_number(first.corrected)} and {short_number(there[first.quantity])}"
            )
            yield Finding("two values", f"{one} {two}", "", method, "", text)


def below_chance(values: Sequence[PrintedValue]) -> Iterator[Finding]:
    """Find columns that are worse than a guess without knowledge on some datasets."""
    levels = {
        (metric, dataset): chance(metric, dataset)
        for metric, dataset in dict.fromkeys((value.metric, value.dataset) for value in values)
    }
    columns = by(values, lambda value: (*value.column, value.metric))
    for (table, method, ratio, metric), column in columns.items():
        up = directions().get(metric)
        worse, way = [], ""
        for value in column:
            level = levels[metric, value.dataset]
            if level is None or up is None:
                continue
            margin = max(0.002, _MARGIN * level[0])
            if (level[0] - value.mean if up else value.mean - level[0]) > margin:
                worse.append(
                    f"{value.dataset} {short_number(value.mean)} ({short_number(level[0])})"
                )
                way = level[1]
        if worse:
            text = f"worse than {way} on {len(worse)} of {len(column)} sets: {', '.join(worse)}"
            yield Finding("below chance", table, "", method, metric, text, ratio=ratio)


def at_density(values: Sequence[PrintedValue]) -> Iterator[Finding]:
    """Find Hamming losses equal to the label density: the learner predicted no label."""
    losses = [value for value in values if value.metric == "hamming_loss"]
    shares = {name: density(name) for name in dict.fromkeys(value.dataset for value in losses)}
    for column in by(losses, lambda value: value.column).values():
        pairs = [(value, shares[value.dataset]) for value in column]
        comparable = [(value, share) for value, share in pairs if share is not None]
        near = [
            (value, share)
            for value, share in comparable
            if abs(value.mean - share) <= (0.002 if share >= _TELLING else 0.001)
        ]
        telling = [pair for pair in near if pair[1] >= _TELLING]
        all_are = len(near) == len(comparable) and len(telling) >= _FEWEST
        for value, share in near if all_are else telling:
            text = (
                f"{short_number(value.mean)} is the label density {short_number(share)}: "
                "no label predicted"
            )
            yield Finding.of("label density", value, text)


def improves(values: Sequence[PrintedValue]) -> Iterator[Finding]:
    """Find metrics that improve on all datasets with fewer labels while others get worse."""
    once = [same[0] for same in by(values, lambda value: value.quantity).values()]
    once.sort(key=lambda value: value.ratio)
    lines = by(once, lambda value: (value.method, value.dataset, value.metric)).values()
    gains: dict[tuple[str, str], dict[str, list[float]]] = {}
    for line in lines:
        first, last, up = line[0], line[-1], directions().get(line[0].metric)
        if up is not None and len(line) > 1:
            tables = " ".join(dict.fromkeys(value.table for value in line))
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


def ranks(values: Sequence[PrintedValue]) -> Iterator[Finding]:
    """Find printed ranks that the printed values of their row contradict.

    Equal values may have any of the ranks that they share: digits not printed may differ.
    """
    ranked = [value for value in values if not math.isnan(value.rank)]
    for row in by(ranked, lambda value: value.row).values():
        up = directions().get(row[0].metric)
        if up is None:
            continue
        for value in row:
            gains = [(one.mean - value.mean) * (1 if up else -1) for one in row]
            low = 1 + sum(gain > 0 for gain in gains)
            high = sum(gain >= 0 for gain in gains)
            if not low <= value.rank <= high:
                span = f"{low}" if low == high else f"{low} to {high}"
                text = (
                    f"printed rank {value.rank:g}, but {short_number(value.mean)} has rank {span}"
                )
                yield Finding.of("rank", value, text)


def marks(values: Sequence[PrintedValue]) -> Iterator[Finding]:
    """Find rows where a worse value is bold, but not the best one."""
    marked = [value for value in values if value.bold is not None]
    for row in by(marked, lambda value: value.row).values():
        up = directions().get(row[0].metric)
        if up is None:
            continue
        best = (max if up else min)(value.mean for value in row)
        leaders = [value for value in row if value.mean == best]
        if any(value.bold for value in leaders):
            continue
        names = ", ".join(value.method for value in leaders)
        for value in row:
            if value.bold:
                text = f"{short_number(value.mean)} is bold, but {names} has {short_number(best)}"
                yield Finding.of("bold", value, text)


def recomputed(values: Sequence[PrintedValue], printed: pd.DataFrame) -> Iterator[Finding]:
    """Compute a paper's statistics again from its tables, and find those that differ."""
    for (_, statistic), group in groups(printed, ["place", "statistic"]):
        digits = max(len(f"{value!r}".partition(".")[2]) for value in group.value)
        for line in records(group):
            tables = line.tables.split()
            part = [
                value
                for value in values
                if value.table in tables and line.metric in ("", value.metric)
            ]
            if not part or not {value.metric for value in part} <= set(directions()):
                continue  # nothing to compute it from
            text = _AGAIN[statistic](part, line, 10.0**-digits)
            if text:
                name = str(statistic).replace("_", " ")
                yield Finding(name, line.tables, "", line.method, line.metric, text)


def _average_rank(values: Sequence[PrintedValue], line: Any, unit: float) -> str:
    rows = by(values, lambda value: value.row).values()
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


def _mean(values: Sequence[PrintedValue], line: Any, unit: float) -> str:
    own = [value.mean for value in values if value.method == line.method]
    if not own:
        return f"printed {short_number(line.value)}, but the table has no such column"
    mean = sum(own) / len(own)
    if abs(mean - line.value) <= 1.1 * unit:  # the values are rounded, too
        return ""
    return f"printed {short_number(line.value)}; the printed values give {short_number(mean)}"


def _friedman(values: Sequence[PrintedValue], line: Any, unit: float) -> str:
    """Compare F_F; for several tables, average their ranks or count every row."""
    again: dict[str, float] = {}
    sources: dict[str, Ranks] = {"printed ranks": _printed_ranks, "printed values": _ranks_by_value}
    rows = by(values, lambda value: value.row)
    for source, rank in sources.items():
        table = pd.DataFrame([rank(row) for row in rows.values()])
        pooled = table.groupby([row[1] for row in rows], sort=False).mean()
        if table.isna().any(axis=None) or min(pooled.shape) < 2:
            continue
        again[source] = stats.friedman_of_ranks(pooled).F_F
        if len(table) > len(pooled):
            again[f"{source}, all {len(table)} rows"] = stats.friedman_of_ranks(table).F_F
    if not again:
        return ""
    nearest = min(again, key=lambda source: abs(again[source] - line.value))
    fits = abs(again[nearest] - line.value) <= max(0.005 * line.value, unit)
    tables, n = len({value.table for value in values}), len({value.dataset for value in values})
    if fits and tables == 1:
        return ""
    told = "; ".join(f"{source}: {statistic:.2f}" for source, statistic in again.items())
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


def _critical_value(values: Sequence[PrintedValue], line: Any, unit: float) -> str:
    k, n = _sizes(values)
    if min(k, n) < 2:
        return ""
    right = stats.friedman_of_ranks(pd.DataFrame([range(1, k + 1)] * n)).critical_value
    if abs(right - line.value) <= 1.1 * unit:
        return ""
    return f"printed {line.value:g}; for {k} methods on {n} sets it is {right:.3f}"


def _critical_difference(values: Sequence[PrintedValue], line: Any, unit: float) -> str:
    k, n = _sizes(values)
    if k < 2:
        return ""
    nemenyi, dunn = stats.nemenyi_cd(k, n), stats.bonferroni_dunn_cd(k, n)
    if abs(nemenyi - line.value) <= 1.1 * unit:  # it may be rounded or truncated
        return ""
    return (
        f"printed CD {line.value:g}; for {k} methods on {n} sets Nemenyi's is {nemenyi:.2f} "
        f"(Bonferroni and Dunn's {dunn:.2f})"
    )


def _sizes(values: Sequence[PrintedValue]) -> tuple[int, int]:
    """Return the numbers of methods and datasets."""
    return len({value.method for value in values}), len({value.dataset for value in values})


def _printed_ranks(row: Sequence[PrintedValue]) -> dict[str, float]:
    return {value.method: value.rank for value in row}


def _ranks_by_value(row: Sequence[PrintedValue]) -> dict[str, float]:
    scores = [sign(value.metric) * value.mean for value in row]
    return {
        value.method: 1 + sum(score > own for score in scores) + (scores.count(own) - 1) / 2
        for value, own in zip(row, scores)
    }


_AGAIN: dict[str, Callable[[Sequence[PrintedValue], Any, float], str]] = {
    "average_rank": _average_rank,
    "mean": _mean,
    "friedman": _friedman,
    "critical_value": _critical_value,
    "critical_difference": _critical_difference,
}

# the rules that need only the printed values
RULES = (shifted, out_of_range, unequal, below_chance, at_density, improves, ranks, marks)
