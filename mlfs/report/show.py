"""The texts that commands print: tables and datasets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import datasets as data
from ..engine.packing import find
from ..errors import UserError, nearest
from . import feature_tables, formats, latex, significance
from . import features as chosen
from . import results as stored
from .footer import footer, why_none
from .methods import columns
from .tables import By, Table, flat, make_tables


def tables(
    roots: Sequence[Path],
    metrics: list[str],
    *,
    kind: str,
    compare: bool,
    stats: bool,
    tests: bool,
    pool: bool,
    in_full: bool,
    at: float | None,
    by: By,
    width: int | None,
) -> str:
    """Return all tables of the results at `roots` in one text."""
    if by == "size" and (pool or tests):
        raise UserError("tests compare datasets: leave out --by size, --pool or --tests")
    found = [stored.read(store) for root in roots for store in find(root)]
    if at is not None:
        found = [item.at(at) for item in found]
    for name in metrics:
        known = {m for item in found for m in item.experiment.scores}
        if name not in known:
            raise UserError(f"no results have the metric '{name}'{nearest(name, known)}")
    if in_full:
        whole = pd.concat([item.rows.assign(experiment=item.experiment.name) for item in found])
        return _frame(whole, kind)
    made = [(item, make_tables(item, metrics or None, by)) for item in found]
    every = [table for _, some in made for table in some]
    if not every:
        raise UserError(why_none(found, roots, by))
    if pool:
        return _pooled(every, kind, width)
    compared = {id(table): significance.compare(table) for table in every}
    comparisons = [comparison for comparison in compared.values() if comparison]
    if tests:
        return _tests(comparisons, kind, width)
    if kind == "json":
        return formats.as_json(every, comparisons)
    if kind == "csv":
        return _frame(flat(every), kind)
    texts, seen = [], set[str]()
    for item, some in made:
        for table in some:
            comparison = compared[id(table)] if stats else None
            below = comparison.sentences() if comparison else []
            if kind == "latex":
                texts.append(latex.as_latex(table, compare, below))
            else:
                text = formats.as_markdown(table, compare, width)
                texts.append("\n".join([text, "", *below]) if below else text)
        if kind == "md" and some:
            texts.append(footer(item, papers_seen=seen if compare else None))
    return "\n\n".join(texts)


def _frame(frame: pd.DataFrame, kind: str) -> str:
    """Return a frame as csv, or as JSON records."""
    if kind == "json":
        return str(frame.to_json(orient="records"))
    return frame.to_csv(index=False).rstrip()


def _tests(comparisons: list[significance.Comparison], kind: str, width: int | None) -> str:
    """Return only the tests: a row per pair of methods, and sentences for people."""
    if not comparisons:
        raise UserError(
            "nothing to test: a test needs at least two methods with results on at least "
            f"{significance.FEWEST} datasets"
        )
    if kind == "json":
        return json.dumps(formats.tests_record(comparisons), indent=1)
    if kind == "csv":
        return _frame(pd.concat([c.frame() for c in comparisons], ignore_index=True), kind)
    texts = []
    for comparison in comparisons:
        title, notes = comparison.table.title, comparison.sentences()
        texts.append(_shown(comparison.pairs, title, notes, kind, width))
    return "\n\n".join(texts)


def _pooled(tables: list[Table], kind: str, width: int | None) -> str:
    frame = significance.pooled(tables)
    if kind in ("csv", "json"):
        return _frame(frame, kind)
    n = len({(table.experiment, table.ratio) for table in tables})
    return _shown(frame, f"average ranks and Friedman tests over {n} tables", [], kind, width)


def _shown(frame: pd.DataFrame, title: str, notes: list[str], kind: str, width: int | None) -> str:
    """Return a frame as Markdown or LaTeX, with notes below."""
    rows = [[_cell(value) for value in row] for row in frame.itertuples(index=False)]
    lines = [[str(name) for name in frame], *rows]
    if kind == "latex":
        escaped = [[latex.escape(text) for text in line] for line in lines]
        return latex.tabular(escaped, title, notes)
    text = f"{title}\n\n{formats.aligned(lines, width)}"
    return "\n".join([text, "", *notes]) if notes else text


def _cell(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def figures(
    root: Path | None, output: Path | None, waterfall: str | None, **wanted: Any
) -> list[Path]:
    """Draw the figures of results, or the waterfall of one dataset; return the files.

    `wanted` are fields of `figures.Wanted`.
    """
    from . import diagrams, style
    from . import figures as drawing

    choice = drawing.Wanted(**wanted)
    if waterfall:
        entry = data.load(waterfall)
        X = entry.X.toarray() if hasattr(entry.X, "toarray") else entry.X
        rows = (min(599, len(X) - 2), min(600, len(X) - 1))  # the paper's 600th and 601st
        folder = output or Path("results")
        folder.mkdir(parents=True, exist_ok=True)
        figure = diagrams.waterfall(X, waterfall, rows)
        return style.save(figure, folder / f"waterfall_{waterfall}", choice.kinds)
    if root is None:
        raise UserError("say what to draw: 'mlfs plot RESULTS' or 'mlfs plot --waterfall DATASET'")
    stores = find(root)
    files = []
    for store in stores:
        folder = output or store.figures
        if output and len(stores) > 1:  # so that experiments do not overwrite each other's files
            folder = output / store.folder.name
        try:
            files += drawing.draw(stored.read(store), folder, choice)
        except UserError:
            if len(stores) == 1:  # among several, those without a figure are skipped
                raise
    if not files:
        raise UserError(f"no results in {root} have a figure: 'mlfs table {root}' shows them best")
    return files


def features(roots: Sequence[Path], *, top: int, size: int | None, kind: str) -> str:
    """Return the features that methods chose in the results at `roots`, in one text."""
    made: list[chosen.Summary] = []
    for store in (store for root in roots for store in find(root)):
        item = stored.read(store)
        found = chosen.choices(item)
        made += chosen.summarise(item.experiment.name, found, chosen.names_of(item, found), size)
    if not made:
        where = ", ".join(map(str, roots))
        raise UserError(
            f"no cell in {where} chose features: run a config whose methods select features"
        )
    if kind == "json":
        return feature_tables.as_json(made, top)
    if kind == "csv":
        return feature_tables.flat(made, top).to_csv(index=False).rstrip()
    return feature_tables.as_markdown(made, top) + f"\n\nNext: mlfs table {roots[0]}"


def datasets() -> str:
    """Return one line per dataset of the catalogue."""
    lines = [["dataset", "instances", "features", "labels", "cardinality", "status"]]
    for name, entry in data.catalog().items():
        numbers = [entry.n, entry.d, entry.l, entry.cardinality]
        shown = ["-" if number is None else str(number) for number in numbers]
        lines.append([name, *shown, data.status(name)])
    return columns(lines) + "\n\nNext: mlfs data fetch NAME, mlfs data info NAME"


def dataset(name: str) -> str:
    """Describe one dataset of the catalogue."""
    known = data.catalog()
    if name not in known:
        raise UserError(
            f"unknown dataset '{name}'{nearest(name, known)} ('mlfs data list' lists all)"
        )
    entry = known[name]
    lines = [
        f"{name}: {entry.n} instances, {entry.d} features, {entry.l} labels, "
        f"cardinality {entry.cardinality}",
        f"status: {data.status(name)}",
    ]
    if entry.own is None or data.is_here(entry.own):
        lines.append(f"checksum: {data.checksum(name)}")
    for file in entry.files:
        facts = [f"{file.bytes} bytes"] if file.bytes else []
        facts.append(file.digest.replace(":", " ") or "checksum not published")
        lines.append(f"file: {file.name} ({', '.join(facts)})")
    if entry.own:
        keys = entry.own.model_dump(mode="json", exclude_defaults=True)
        lines += [f"{key}: {value}" for key, value in keys.items()]
    lines += [f"note: {note}" for note in entry.notes]
    if entry.own:
        return "\n".join([*lines, f"Next: 'datasets: [{name}]' in a config"])
    return "\n".join([*lines, f"Next: mlfs data fetch {name}"])
