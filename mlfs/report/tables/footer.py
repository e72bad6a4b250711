"""The text below tables: missing cells, notes, settings, the paper; or why there is no table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import papers
from ...protocols import Experiment
from ...protocols.experiment import sizes
from ...results import read as stored

_HEADS = ("kind", "name", "strategy")  # the key that says what a mapping is


def footer(item: stored.Results, papers_seen: set[str] | None = None) -> str:
    """Return which cells are missing, and how the values were obtained.

    With `papers_seen`, the notes on the paper are shown too, unless its name is in that set; the
    name is then added to the set.
    """
    lines = []
    if item.missing:
        lines.append(f"missing: {len(item.missing)} cells")
        lines += [f"  {one.describe()}: {reason}" for one, reason in item.missing[:10]]
        if len(item.missing) > 10:
            lines.append(f"  and {len(item.missing) - 10} more")
    else:
        lines.append("missing: nothing.")
    lines += [f"note: {note}" for note in [*item.notes, *_left_out(item)]]
    experiment = item.experiment
    lines.append(f"settings: {in_words(settings(experiment))}")
    if experiment.paper:
        paper = papers.paper(experiment.paper)
        lines.append(f"paper: {paper.title} ({paper.venue} {paper.year})")
        lines += [f"  table {name}: {paper.tables[name]}" for name in experiment.tables]
        lines += [f"  figure {name}: {paper.figures[name]}" for name in experiment.figures]
        if papers_seen is not None:
            if paper.name not in papers_seen:
                lines += [f"  note on the paper: {note}" for note in paper.notes]
            papers_seen.add(paper.name)
    return "\n".join(lines)


def settings(experiment: Experiment) -> dict[str, str]:
    """Return the keys of a config that decide its numbers, with their values in a few words."""
    keys = {"repeats", *experiment.cell_settings.model_fields} - {"protocol", "mask"}
    content = experiment.model_dump(mode="json", include=keys)
    if content.get("tune", {}).get("strategy") == "none":
        content["tune"] = "none"
    if "sizes" in content:
        content["sizes"] = sizes.told(content["sizes"])
    return {name: _short(value) for name, value in content.items() if value not in (None, [], {})}


def in_words(content: Mapping[str, str]) -> str:
    """Return what `settings` returns as one text."""
    return "; ".join(f"{name}: {text}" for name, text in content.items())


def _left_out(item: stored.Results) -> list[str]:
    """Say for each metric which values are means over only some of the repeats."""
    notes = []
    for metric in item.experiment.metrics:
        if metric not in item.rows:
            continue
        column = ["dataset", "ratio", "method"]
        rows = item.rows.assign(scored=item.rows[metric].notna())
        scored = rows.groupby(stored.KEYS, sort=False)["scored"].any()
        shares = scored.groupby(column, sort=False).agg(["sum", "size"])
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
    """Return a value in words: "holdout (train 0.8, repeats 3)", not the mapping of a config."""
    if isinstance(value, dict):
        given = {name: item for name, item in value.items() if item not in (None, {}, [], False)}
        head = next((str(given.pop(name)) for name in _HEADS if name in given), "")
        given |= given.pop("params", {})
        inner = ", ".join(
            name.replace("_", " ") if item is True else f"{name.replace('_', ' ')} {_short(item)}"
            for name, item in given.items()
        )
        return f"{head} ({inner})" if head and inner else head or inner or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_short(item) for item in value) or "none"
    return str(value)


def why_none(results: Sequence[stored.Results], roots: Sequence[Path], by: str) -> str:
    """Say in one sentence why there is no table."""
    where = ", ".join(map(str, roots))
    if any(len(item.rows) for item in results):
        if by == "size":
            return f"the results in {where} have no sizes to show: leave out --by size"
        return f"no finished cell in {where} has a value of these metrics: name others (--metric)"
    reasons = [reason for item in results for _, reason in item.missing]
    errors = Counter(" ".join(reason.split()) for reason in reasons if reason != stored.NOT_RUN)
    if not errors:
        return f"no finished cells in {where} yet: run the config"
    [(error, times)] = errors.most_common(1)
    return (
        f"no cell in {where} has finished: {errors.total()} of {len(reasons)} failed, {times} of "
        f"them with '{error}'; 'mlfs failures {roots[0]}' shows all"
    )
