"""Tables as the papers print them: mean and deviation, ranks, bold, and the printed figure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from .. import papers, stats
from ..errors import UserError
from .results import Results

LEVEL = 0.05  # of every test


@dataclass(frozen=True)
class Table:
    """One metric at one missing ratio.

    Attributes
    ----------
    cells : DataFrame
        A row per dataset (and swept value) and method: mean, std, count, rank, best, and where
        the paper prints it, printed and gap (ours less printed).
    rows, methods : list of str
        The order to show them in.
    ranked : list of str
        The methods that are ranked and tested.
    point : str
        Where on the curves the figures are taken; by default they are means along them.
    """

    experiment: str
    metric: str
    ratio: float
    cells: pd.DataFrame
    rows: list[str]
    methods: list[str]
    ranked: list[str]
    larger_is_better: bool
    point: str = ""

    @property
    def caption(self) -> str:
        """One line that says what the figures are."""
        better = "higher" if self.larger_is_better else "lower"
        hidden = f", {self.ratio:.0%} of the labels hidden" if self.ratio else ""
        metric = self.metric.replace("_", " ")
        return f"{self.experiment}: {metric} ({better} is better){hidden}{self.point}"

    def means(self) -> pd.DataFrame:
        """Means, datasets by ranked methods."""
        wide = self.cells.pivot(index="row", columns="method", values="mean")
        return wide.reindex(index=self.rows, columns=self.ranked)


def make_tables(results: Results, metrics: list[str] | None = None) -> list[Table]:
    """Build one table for every metric and missing ratio of an experiment."""
    experiment = results.experiment
    rows = results.rows.assign(row=_row_names(results))
    printed = None
    if experiment.paper and experiment.tables:
        printed = papers.paper(experiment.paper).printed(experiment.tables)
    tables = []
    for metric in metrics or experiment.metrics:
        for ratio in experiment.mask.ratio:
            if metric not in rows:
                continue
            part = rows[(rows.ratio == ratio) & rows[metric].notna()]
            if part.empty:
                continue
            larger = experiment.scores[metric]
            cells = _summarise(part, metric, larger, results.ranked)
            if printed is not None:
                cells = _with_printed(cells, printed[printed.metric == metric], ratio)
            order = list(dict.fromkeys(part.row))
            about = (results.methods, results.ranked, larger, results.point)
            tables.append(Table(experiment.name, metric, ratio, cells, order, *about))
    return tables


def _row_names(results: Results) -> pd.Series:
    rows = results.rows
    names = rows.dataset.astype(str)
    for name in results.swept:
        swept = rows[name].map(
            lambda value, name=name: "" if _absent(value) else f", {name}={value}"
        )
        names = names + swept
    return names


def _absent(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _summarise(part: pd.DataFrame, metric: str, larger: bool, ranked: list[str]) -> pd.DataFrame:
    """Mean and deviation over repeats and points; best, and what is not significantly worse."""
    grouped = part.groupby(["row", "dataset", "method"], sort=False)[metric]
    cells = grouped.agg(["mean", "std", "count"]).reset_index()
    of_rank = cells["mean"].where(cells.method.isin(ranked))
    cells["rank"] = of_rank.groupby(cells.row).rank(ascending=not larger)
    repeats = part.groupby(["row", "method", "repeat"])[metric].mean().reset_index()
    per_repeat: dict[Any, pd.Series[float]] = {
        key: group.set_index("repeat")[metric] for key, group in repeats.groupby(["row", "method"])
    }
    best: dict[Any, bool] = {}
    for row, group in cells.groupby("row", sort=False):
        methods = group.sort_values("mean", ascending=not larger, kind="stable")["method"]
        for index, method in methods.items():
            best[index] = not _worse(per_repeat[row, method], per_repeat[row, methods.iloc[0]])
    # a lone method is not best of anything
    cells["best"] = pd.Series(best) & (part.method.nunique() > 1)
    return cells


def _worse(ours: pd.Series, best: pd.Series) -> bool:
    """Whether a paired t-test over the common repeats finds a difference."""
    common = ours.index.intersection(best.index)
    if ours[common].equals(best[common]):
        return False
    if len(common) < 2:
        return True
    return stats.paired_t(ours[common], best[common]).p < LEVEL


def _with_printed(cells: pd.DataFrame, printed: pd.DataFrame, ratio: float) -> pd.DataFrame:
    near = printed[(printed.missing_ratio - ratio).abs() < 1e-9]
    near = near[["dataset", "method", "mean", "std"]]
    near = near.rename(columns={"mean": "printed", "std": "printed_std"})
    cells = cells.merge(near, on=["dataset", "method"], how="left")
    cells["gap"] = cells["mean"] - cells["printed"]
    return cells


def number(value: float) -> str:
    """A figure as papers print it: .754 and not 0.754; large ones without decimals."""
    if math.isnan(value):
        return "-"
    if abs(value) >= 100:
        return f"{value:.0f}"
    text = f"{value:.4f}" if abs(value) < 1 else f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def _text(cell: Any, compare: bool, ranks: bool, bold: Callable[[str], str]) -> str:
    text = number(cell.mean)
    if cell.count > 1 and not math.isnan(cell.std):
        text += f"±{number(cell.std)}"
    if cell.best:
        text = bold(text)
    if ranks and not math.isnan(cell.rank):
        text += f" [{cell.rank:g}]"
    if compare and not math.isnan(getattr(cell, "printed", math.nan)):
        text += f" ({number(cell.printed)}, {_signed(cell.gap)})"
    return text


def _signed(gap: float) -> str:
    size = number(abs(gap))
    return ("-" if gap < 0 else "+") + size if float(size) else "0"


def grid(table: Table, compare: bool, bold: Callable[[str], str]) -> list[list[str]]:
    """The table as texts: a heading, a line per dataset, and the average ranks."""
    ranks = len(table.methods) > 1
    texts = {
        (cell.row, cell.method): _text(cell, compare, ranks, bold)
        for cell in table.cells.itertuples()
    }
    lines = [["dataset", *table.methods]]
    lines += [[row, *(texts.get((row, m), "-") for m in table.methods)] for row in table.rows]
    complete = table.means().dropna().index  # ranks among fewer methods do not compare
    if ranks and len(complete) > 1:
        cells = table.cells[table.cells.row.isin(complete)]
        average = cells.groupby("method")["rank"].mean()
        shown = (average.get(method, math.nan) for method in table.methods)
        of = "" if len(complete) == len(table.rows) else f" of {len(complete)}"
        lines.append([f"average rank{of}", *("-" if math.isnan(r) else f"{r:.2f}" for r in shown)])
    if compare and "gap" in table.cells and table.cells.gap.notna().any():
        gaps = table.cells.gap.abs().groupby(table.cells.method).mean()
        lines.append(["mean absolute gap", *(number(gaps.get(m, math.nan)) for m in table.methods)])
    return lines


def as_markdown(table: Table, compare: bool) -> str:
    """A Markdown table whose columns also line up in a terminal."""
    lines = grid(table, compare, bold=lambda text: f"**{text}**")
    printed = compare and "printed" in table.cells and table.cells["printed"].notna().any()
    legend = "; ours (printed, gap)" if printed else ""
    return f"{table.caption}{legend}\n\n{_aligned(lines)}"


def _aligned(lines: list[list[str]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    shown = ["| " + " | ".join(t.ljust(w) for t, w in zip(line, widths)) + " |" for line in lines]
    shown.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(shown)


def as_latex(table: Table, compare: bool) -> str:
    """A LaTeX tabular."""
    lines = grid(table, compare, bold=lambda text: rf"\textbf{{{text}}}")
    body = [
        " & ".join(t.replace("±", r"$\pm$").replace("_", r"\_") for t in line) + r" \\"
        for line in lines
    ]
    columns = "l" + "r" * len(table.methods)
    top = [f"% {table.caption}", rf"\begin{{tabular}}{{{columns}}}", r"\hline", body[0], r"\hline"]
    return "\n".join([*top, *body[1:], r"\hline", r"\end{tabular}"])


def flat(tables: list[Table]) -> pd.DataFrame:
    """All cells of several tables in one long frame."""
    parts = [
        table.cells.assign(experiment=table.experiment, metric=table.metric, ratio=table.ratio)
        for table in tables
    ]
    first = ["experiment", "metric", "ratio", "row", "dataset", "method"]
    whole = pd.concat(parts, ignore_index=True)
    return whole[first + [column for column in whole if column not in first]]


def as_json(tables: list[Table]) -> str:
    """All cells as JSON records; what is not known is null."""
    return json.dumps(json.loads(flat(tables).to_json(orient="records")), indent=1)


def tests(table: Table) -> str:
    """The Friedman and Nemenyi tests of a table, in words, or why there are none."""
    means = table.means()
    if means.shape[1] < 3 or len(means.dropna()) < 3:
        return ""
    result = stats.friedman(means, larger_is_better=table.larger_is_better, alpha=LEVEL)
    k, n = means.shape[1], result.n
    lines = [
        f"Friedman over {n} datasets: chi2 = {result.chi2:.3f}, F_F = {result.F_F:.3f} "
        f"(critical {result.critical_value:.3f} at {LEVEL:g}), p = {result.p:.2g}"
    ]
    cd = stats.nemenyi_cd(k, n, LEVEL)
    ranks = {str(method): rank for method, rank in result.ranks.items()}
    best = min(ranks, key=lambda method: ranks[method])
    beaten = [method for method in ranks if ranks[method] - ranks[best] > cd]
    lines.append(
        f"Nemenyi: critical difference {cd:.3f}; best average rank {best} ({ranks[best]:.2f}), "
        f"significantly better than {', '.join(beaten) if beaten else 'none'}"
    )
    if result.dropped:
        lines.append(f"left out of the tests, cells missing: {', '.join(map(str, result.dropped))}")
    return "\n".join(lines)


def pooled(tables: list[Table]) -> str:
    """One Friedman test for every metric, on ranks averaged over tables of the same methods."""
    methods = tables[0].ranked
    if any(table.ranked != methods for table in tables):
        raise UserError("tables with different methods cannot be pooled: name the folders to pool")
    lines = [["metric", *methods, "F_F", f"critical at {LEVEL:g}", "p"]]
    for metric in dict.fromkeys(table.metric for table in tables):
        ranks = [
            stats.rank_rows(table.means(), table.larger_is_better)
            for table in tables
            if table.metric == metric
        ]
        mean = pd.concat(ranks).groupby(level=0, sort=False).mean()
        if len(mean.dropna()) < 2 or len(methods) < 2:
            raise UserError("a Friedman test needs two datasets and two methods at the least")
        result = stats.friedman_of_ranks(mean, LEVEL)
        shown = [f"{result.ranks[method]:.2f}" for method in methods]
        tail = [f"{result.F_F:.2f}", f"{result.critical_value:.3f}", f"{result.p:.2g}"]
        lines.append([metric, *shown, *tail])
    n = len({table.experiment + str(table.ratio) for table in tables})
    return f"average ranks and Friedman tests over {n} tables\n\n{_aligned(lines)}"
