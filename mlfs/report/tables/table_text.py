"""The text of ``mlfs table``: all tables of results, or only their tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import escape

from ...errors import UserError, nearest
from ...results import read as stored
from ...results.packing import find
from ...results.repeat_values import By
from ...results.store import Store
from ...steps_shown import Steps
from ...system.spreadsheet import csv_text
from . import latex, overview, significance, table_html
from .footer import footer, why_none
from .formats import as_json, as_markdown, tests_record
from .paper_tables import Table, flat, make_tables
from .texts import aligned, folded


def as_text(
    roots: Sequence[Path],
    metrics: list[str],
    *,
    kind: str,
    compare: bool,
    stats: bool,
    tests: bool,
    rope: float | None,
    pool: bool,
    in_full: bool,
    whole: bool,
    at: float | None,
    by: By,
    width: int | None,
) -> str:
    """Return all tables of the results at `roots` in one text.

    If one of the roots has several experiments, people get an overview instead, unless `whole`.
    """
    if by == "size" and (pool or tests):
        raise UserError("tests compare datasets: leave out --by size, --pool or --tests")
    if rope is not None and not tests:
        raise UserError("--rope goes with --tests")
    by_root = [find(root) for root in roots]
    stores = [store for some in by_root for store in some]
    people = kind == "md" and not (whole or pool or tests or in_full or metrics)
    if people and by == "dataset" and at is None and any(len(some) > 1 for some in by_root):
        return _overview(stores, roots, width)
    results = list(_read(stores))
    if at is not None:
        results = [item.at(at) for item in results]
    for name in metrics:
        metrics_there = {m for item in results for m in item.experiment.measured}
        if name not in metrics_there:
            raise UserError(f"no results have the metric '{name}'{nearest(name, metrics_there)}")
    if in_full:
        rows = pd.concat([item.rows.assign(experiment=item.experiment.name) for item in results])
        return _frame(rows, kind)
    made = [(item, make_tables(item, metrics or None, by)) for item in results]
    every = [table for _, some in made for table in some]
    if not every:
        raise UserError(why_none(results, roots, by))
    if pool:
        return _pooled(every, kind, width)
    tests_of = {id(table): significance.tests_of(table) for table in every}
    tested = [one for one in tests_of.values() if one]
    if tests:
        return _tests(tested, rope, kind, width)
    if kind == "json":
        return as_json(every, tested)
    if kind == "csv":
        return _frame(flat(every), kind)
    texts, seen = [], set[str]()
    for item, some in made:
        for table in some:
            its_tests = tests_of[id(table)] if stats else None
            below = its_tests.sentences() if its_tests else []
            if kind == "latex":
                texts.append(latex.as_latex(table, compare, below))
            elif kind == "html":
                texts.append(table_html.as_html(table, compare, below))
            else:
                text = as_markdown(table, compare, width)
                texts.append("\n".join([text, "", *below]) if below else text)
        if kind == "md" and some:
            texts.append(footer(item, papers_seen=seen if compare else None))
        elif kind == "html" and some:
            lines = footer(item, papers_seen=seen if compare else None).splitlines()
            texts.append("\n".join(f"<p>{escape(line)}</p>" for line in lines))
    if kind == "html":
        return table_html.document(texts)
    text = "\n\n".join(texts)
    return folded(text, width) if kind == "md" else text


def _read(stores: Sequence[Store]) -> Iterator[stored.Results]:
    with Steps(len(stores), "reading results") as steps:
        for store in steps.over(stores, [store.folder.name for store in stores]):
            yield stored.read(store)


def _overview(stores: Sequence[Store], roots: Sequence[Path], width: int | None) -> str:
    lines = overview.lines(stores)
    every = f"mlfs table {' '.join(map(str, roots))} --all"
    follows = f"Next: one of these commands, or {every} for all tables"
    return f"{overview.as_text(lines, width)}\n\n{follows}"


def _frame(frame: pd.DataFrame, kind: str) -> str:
    """Return a frame as csv, or as JSON records."""
    if kind == "json":
        return str(frame.to_json(orient="records"))
    return csv_text(frame)


def _tests(
    tested: list[significance.TableTests], rope: float | None, kind: str, width: int | None
) -> str:
    """Return only the tests: a row per pair of methods, and sentences for people."""
    if not tested:
        raise UserError(
            "nothing to test: a test needs at least two methods with results on at least "
            f"{significance.FEWEST} datasets"
        )
    meaning = []
    if rope is not None:
        tested = [one.with_probabilities(rope) for one in tested]
        meaning = [
            "p_better, p_equal and p_worse: how probable it is that a method is better than the "
            f"other one, practically equal (by at most {rope:g}) or worse (Bayesian signed-rank "
            "test over datasets)."
        ]
    if kind == "json":
        return json.dumps(tests_record(tested), indent=1)
    if kind == "csv":
        return _frame(pd.concat([one.frame() for one in tested], ignore_index=True), kind)
    texts = []
    for one in tested:
        title, notes = one.table.title, one.sentences() + meaning
        texts.append(_shown(one.pairs, title, notes, kind, width))
    return table_html.document(texts) if kind == "html" else "\n\n".join(texts)


def _pooled(tables: list[Table], kind: str, width: int | None) -> str:
    frame = significance.pooled(tables)
    if kind in ("csv", "json"):
        return _frame(frame, kind)
    n = len({(table.experiment, table.ratio) for table in tables})
    shown = _shown(frame, f"average ranks and Friedman tests over {n} tables", [], kind, width)
    return table_html.document([shown]) if kind == "html" else shown


def _shown(frame: pd.DataFrame, title: str, notes: list[str], kind: str, width: int | None) -> str:
    """Return a frame as Markdown or LaTeX, with notes below."""
    rows = [[_entry(value) for value in row] for row in frame.itertuples(index=False)]
    lines = [[str(name) for name in frame], *rows]
    if kind == "latex":
        escaped = [[latex.escape(text) for text in line] for line in lines]
        return latex.tabular(escaped, title, notes)
    if kind == "html":
        plain = [[str(escape(text)) for text in line] for line in lines]
        return table_html.html_table(plain, title, notes)
    text = f"{title}\n\n{aligned(lines, width)}"
    return "\n".join([text, "", *notes]) if notes else text


def _entry(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
