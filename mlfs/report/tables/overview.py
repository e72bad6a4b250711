"""One line for each experiment of a folder: what it is, how far it is, and what is best."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ... import papers
from ...errors import UserError, count_of
from ...results import read as stored
from ...results.packing import SUFFIX
from ...results.store import Store
from ...steps_shown import Steps
from ..kept import Kept, key_of
from .paper_tables import average_ranks_of
from .texts import columns

LineContent = dict[str, Any]  # what a line says about an experiment
KEPT = "overviews.json"  # the file of the cache with lines about packed files
WIDTH = 150  # of the lines, if there is no terminal
_SHORTEST = 20  # letters that are left of a description
_FIELDS = {
    "name": str,
    "about": str,
    "paper": str,
    "reading": bool,
    "done": int,
    "cells": int,
    "failed": int,
    "best": str,
    "compared": bool,
}


@dataclass(frozen=True)
class OverviewLine:
    """One experiment of the overview.

    Attributes
    ----------
    name, about : str
        Its name, and what it is.
    done, cells : int
        How many of its cells are finished, and how many there are.
    failed : int
        How many cells failed.
    best : str
        The method with the best average rank, and the metric; empty if there is none.
    command : str
        The next useful command.
    """

    name: str
    about: str
    done: int
    cells: int
    failed: int
    best: str
    command: str


def lines(stores: Sequence[Store]) -> list[OverviewLine]:
    """Describe the experiments in stores; packed files that were described before are not read.

    Experiments without a paper come first, then those of each paper: the runs that follow its words
    before those that follow a reading.
    """
    kept = Kept(KEPT)
    made = []
    with Steps(len(stores), "reading results") as steps:
        for store in steps.over(stores, [store.folder.name for store in stores]):
            try:
                made.append((_kept_content(store, kept), store))
            except UserError as error:  # the other experiments can be read
                made.append((_unreadable(store, error), store))
    kept.save()
    made.sort(key=lambda one: (one[0]["paper"], one[0]["reading"]))
    return [_line(*one) for one in made]


def _kept_content(store: Store, kept: Kept) -> LineContent:
    """Return what a line says about an experiment, as it was kept or read now."""
    digest = store.digest()
    content = kept.get(digest)
    if _is_content(content):
        return dict(content)
    item = stored.read(store)
    content = _content(item)
    if key_of([digest], [item.experiment]):
        kept.put(digest, content)
    return content


def line(item: stored.Results, store: Store) -> OverviewLine:
    """Describe one experiment."""
    return _line(_content(item), store)


def _content(item: stored.Results) -> LineContent:
    """Return what a line says about an experiment, wherever its results are."""
    done, failed = len(item.records), sum(why != stored.NOT_RUN for _, why in item.missing)
    return {
        "name": item.experiment.name,
        "about": _about(item),
        "paper": item.experiment.paper or "",
        "reading": item.experiment.reading not in (None, papers.STATED),
        "done": done,
        "cells": done + len(item.missing),
        "failed": failed,
        "best": best(item),
        "compared": bool(item.experiment.tables),
    }


def _unreadable(store: Store, error: UserError) -> LineContent:
    """Return what a line says about results that cannot be read."""
    zeros = {name: kind() for name, kind in _FIELDS.items()}
    return {**zeros, "name": store.folder.name.removesuffix(SUFFIX), "about": str(error)}


def _is_content(line: Any) -> bool:
    return (
        isinstance(line, dict)
        and line.keys() == _FIELDS.keys()
        and all(type(line[name]) is kind for name, kind in _FIELDS.items())
    )


def _line(content: LineContent, store: Store) -> OverviewLine:
    place = store.folder.with_name(store.folder.name.removesuffix(SUFFIX))
    told = {field.name for field in fields(OverviewLine)}
    about = {name: value for name, value in content.items() if name in told}
    command = f"mlfs table {_named(place)}{' --compare' if content['compared'] else ''}"
    if not content["cells"]:
        command = f"mlfs results check {_named(place)}"
    elif content["failed"]:
        command = f"mlfs failures {_named(place)}"
    elif not content["done"]:
        command = f"mlfs run {content['name']}"
    return OverviewLine(**about, command=command)


def best(item: stored.Results) -> str:
    """Return the method with the best average rank on the first metric, and that metric."""
    for metric in item.experiment.metrics:
        ranks = average_ranks_of(item, metric)
        if len(ranks) > 1:
            low = min(ranks.values())
            first = [method for method, rank in ranks.items() if rank == low]
            others = f" and {len(first) - 1} more" if len(first) > 1 else ""
            return f"{first[0]}{others} ({metric.replace('_', ' ')})"
    return ""


def as_text(lines: Sequence[OverviewLine], width: int | None = None) -> str:
    """Return the lines as a table for a terminal; long descriptions are cut to its width.

    If a narrow terminal leaves no room for a description, the commands are in lines of their own.
    """
    heads = ["experiment", "what it is", "cells", "best average rank", "next"]
    rows = [[one.name, one.about, _cells(one), one.best or "-", one.command] for one in lines]
    wide = [max(map(len, column)) for column in zip(heads, *rows)]
    left = (width or WIDTH) - sum(wide) + wide[1] - 2 * (len(wide) - 1)
    apart = left < _SHORTEST
    left += wide[-1] + 2 if apart else 0
    shown = [heads, *rows]
    for row in rows:
        row[1] = textwrap.shorten(row[1], max(_SHORTEST, left), placeholder=" …")
    if not apart:
        return columns(shown)
    table = columns([row[:-1] for row in shown]).splitlines()
    below = [f"  {one.command}" for one in lines]
    return "\n".join([table[0], *(text for pair in zip(table[1:], below) for text in pair)])


def _cells(one: OverviewLine) -> str:
    if not one.cells:
        return "unreadable"
    failed = f", {one.failed} failed" if one.failed else ""
    return f"{one.done}/{one.cells}{failed}"


def _about(item: stored.Results) -> str:
    experiment = item.experiment
    if experiment.title:
        return experiment.title
    sets = [choice.name for choice in experiment.datasets]
    where = " and ".join(sets) if len(sets) < 3 else f"{len(sets)} datasets"
    return f"{experiment.protocol}: {count_of(len(item.methods), 'method')} on {where}"


def _named(place: Path) -> Path:
    """Return the name that works in any folder for results that come with mlfs."""
    from ...config import shipped

    try:
        return shipped.REFERENCE / place.relative_to(shipped.reference())
    except ValueError:
        return place
