"""The texts that commands print: tables, methods, datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .. import datasets as data
from .. import papers
from ..active import STRATEGIES
from ..classifiers import CLASSIFIERS
from ..engine.store import find
from ..errors import UserError, nearest
from ..learners import LEARNERS
from ..selectors import SELECTORS
from . import results as stored
from .tables import Table, as_json, as_latex, as_markdown, flat, make_tables, pooled, tests

_KINDS: dict[str, Mapping[str, Any]] = {
    "selector": SELECTORS,
    "learner": LEARNERS,
    "classifier": CLASSIFIERS,
    "strategy": STRATEGIES,
}


def tables(
    roots: Sequence[Path],
    metrics: list[str],
    *,
    kind: str,
    compare: bool,
    stats: bool,
    pool: bool,
    in_full: bool,
    at: float | None,
) -> str:
    """All tables of the results at `roots`, in one text."""
    found = [stored.read(store) for root in roots for store in find(root)]
    if at is not None:
        found = [item.at(at) for item in found]
    for name in metrics:
        known = {m for item in found for m in item.experiment.scores}
        if name not in known:
            raise UserError(f"no results have the metric '{name}'{nearest(name, known)}")
    if in_full:
        whole = pd.concat([item.rows.assign(experiment=item.experiment.name) for item in found])
        if kind == "json":
            return str(whole.to_json(orient="records"))
        return whole.to_csv(index=False).rstrip()
    made = [(item, make_tables(item, metrics or None)) for item in found]
    every = [table for _, some in made for table in some]
    if not every:
        raise UserError(f"no finished cells in {', '.join(map(str, roots))} yet: run the config")
    if pool:
        return pooled(every)
    if kind == "json":
        return as_json(every)
    if kind == "csv":
        return flat(every).to_csv(index=False).rstrip()
    texts = []
    for item, some in made:
        texts += [_one(table, kind, compare, stats) for table in some]
        if kind == "md":
            texts.append(_footer(item))
    return "\n\n".join(texts)


def figures(root: Path | None, output: Path | None, waterfall: str | None) -> list[Path]:
    """Draw what results hold, or the waterfall of one dataset; give the files."""
    from . import figures as drawing

    if waterfall:
        entry = data.load(waterfall)
        X = entry.X.toarray() if hasattr(entry.X, "toarray") else entry.X
        rows = (min(599, len(X) - 2), min(600, len(X) - 1))  # the paper's 600th and 601st
        folder = output or Path("results")
        folder.mkdir(parents=True, exist_ok=True)
        return drawing.save(
            drawing.waterfall(X, waterfall, rows), folder / f"waterfall_{waterfall}"
        )
    if root is None:
        raise UserError("say what to draw: 'mlfs plot RESULTS' or 'mlfs plot --waterfall DATASET'")
    stores = find(root)
    files = []
    for store in stores:
        try:
            files += drawing.draw(stored.read(store), output or store.folder / "figures")
        except UserError:
            if len(stores) == 1:  # among several, those without a figure are passed over
                raise
    return files


def _one(table: Table, kind: str, compare: bool, stats: bool) -> str:
    if kind == "latex":
        return as_latex(table, compare)
    below = tests(table) if stats else ""
    return as_markdown(table, compare) + (f"\n\n{below}" if below else "")


def _footer(item: stored.Results) -> str:
    """What is missing, and how the figures came about."""
    lines = []
    if item.missing:
        lines.append(f"missing: {len(item.missing)} cells")
        lines += [f"  {cell.describe()}: {reason}" for cell, reason in item.missing[:10]]
        if len(item.missing) > 10:
            lines.append(f"  and {len(item.missing) - 10} more")
    else:
        lines.append("missing: nothing.")
    lines += [f"note: {note}" for note in [*item.notes, *_left_out(item)]]
    experiment = item.experiment
    settings = experiment.model_dump(mode="json", include={"split", *experiment.cell_keys})
    if settings.get("tune", {}).get("strategy") == "none":
        settings["tune"] = "none"
    shown = ", ".join(f"{name}: {_short(value)}" for name, value in settings.items())
    lines.append(f"settings: {shown}")
    if experiment.paper:
        paper = papers.paper(experiment.paper)
        lines.append(f"paper: {paper.title} ({paper.venue} {paper.year})")
    return "\n".join(lines)


def _left_out(item: stored.Results) -> list[str]:
    """Say of each metric in which rows of a table it is a mean over some of the repeats only."""
    notes = []
    for metric in item.experiment.metrics:
        if metric not in item.rows:
            continue
        column = ["dataset", "ratio", "method"]
        rows = item.rows.assign(found=item.rows[metric].notna())
        found = rows.groupby(stored.KEYS, sort=False)["found"].any()
        shares = found.groupby(column, sort=False).agg(["sum", "size"])
        some = shares[(shares["sum"] > 0) & (shares["sum"] < shares["size"])]
        if len(some):
            where = ", ".join(
                f"{method} on {dataset} {have} of {repeats}"
                for (dataset, _, method), have, repeats in zip(
                    some.index, some["sum"], some["size"]
                )
            )
            name = metric.replace("_", " ")
            notes.append(f"{name} is a mean over the repeats that have a value: {where}")
    return notes


def _short(value: Any) -> str:
    if isinstance(value, dict):
        inner = (
            f"{name} {_short(item)}"
            for name, item in value.items()
            if item not in (None, {}, False)
        )
        return "(" + ", ".join(inner) + ")"
    if isinstance(value, list):
        return " ".join(_short(item) for item in value)
    return str(value)


def _columns(lines: list[list[str]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines
    )


def methods() -> str:
    """One line per method."""
    lines = [["method", "kind", "paper", "provenance", "missing labels", "sparse"]]
    for kind, registry in _KINDS.items():
        for name, cls in registry.items():
            tags = cls.tags
            lines.append(
                [
                    name,
                    kind,
                    tags.paper,
                    tags.provenance,
                    "yes" if tags.handles_missing else "as 0",
                    "yes" if tags.supports_sparse else "made dense",
                ]
            )
    return _columns(lines) + "\n\nNext: mlfs methods show NAME"


def method(name: str) -> str:
    """All that is to be known of one method."""
    known = [(n, kind) for kind, registry in _KINDS.items() for n in registry]
    if name not in dict(known):
        hint = nearest(name, dict(known))
        raise UserError(f"unknown method '{name}'{hint} ('mlfs methods' lists all)")
    return "\n\n".join(_method(n, kind) for n, kind in known if n == name)


def _method(name: str, kind: str) -> str:
    cls = _KINDS[kind][name]
    tags = cls.tags
    lines = [
        f"{name} ({kind}): from {cls.__module__} import {cls.__name__}",
        "",
        (cls.__doc__ or "").strip().splitlines()[0],
        "",
        f"paper:       {tags.paper}",
        f"provenance:  {tags.provenance}",
    ]
    if tags.note:
        lines.append(f"note:        {tags.note}")
    lines += ["parameters:", *(f"  {k} = {v!r}" for k, v in cls().get_params().items())]
    if tags.search_space:
        lines += ["search space:", *(f"  {k}: {list(v)}" for k, v in tags.search_space.items())]
    return "\n".join(lines)


def datasets() -> str:
    """One line per dataset of the catalogue."""
    lines = [["dataset", "instances", "features", "labels", "cardinality", "status"]]
    for name, entry in data.catalog().items():
        numbers = [entry.n, entry.d, entry.l, entry.cardinality]
        shown = ["-" if number is None else str(number) for number in numbers]
        lines.append([name, *shown, data.status(name)])
    return _columns(lines) + "\n\nNext: mlfs data fetch NAME, mlfs data info NAME"


def dataset(name: str) -> str:
    """All that is to be known of one dataset."""
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
        f"checksum: {data.checksum(name)}",
    ]
    lines += [
        f"file: {file.name} ({file.bytes} bytes, sha256 {file.sha256})" for file in entry.files
    ]
    lines += [f"note: {note}" for note in entry.notes]
    return "\n".join([*lines, f"Next: mlfs data fetch {name}"])
