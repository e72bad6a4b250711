"""Papers as folders: their bibliography, every value that their tables print, and their claims.

A folder ``NAME/`` holds ``paper.yaml`` and, if needed, ``printed.csv`` (the values of its tables),
``statistics.csv`` (what it computes from them), ``claims.yaml`` and ``readings.yaml``. mlfs finds
the folders beside this file, those in the folder ``$MLFS_PAPERS``, and those that a config or the
results of one name (`add`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

import pandas as pd

from ..errors import UserError, nearest
from ..protocols import Experiment
from .paper import Paper, density, read_paper
from .readings import STATED, ReadColumn, Reading

__all__ = [
    "STATED",
    "Paper",
    "ReadColumn",
    "Reading",
    "add",
    "chosen",
    "control",
    "density",
    "folders",
    "headings",
    "is_folder",
    "names",
    "only",
    "own_folder",
    "own_method",
    "paper",
    "printed_values",
    "read_paper",
]


def folders() -> dict[str, Path]:
    """Return the folder of every paper: those of mlfs, then those in ``$MLFS_PAPERS``."""
    by_name = dict(_shipped())
    given = os.environ.get("MLFS_PAPERS")
    if given:
        own = Path(given).expanduser().resolve()
        if not own.is_dir():
            raise UserError(f"MLFS_PAPERS is {own}, which is not a folder: name one with papers")
        for name, folder in _inside(own).items():
            if name in by_name:
                raise UserError(f"{folder}: mlfs has a paper '{name}' already: rename the folder")
            by_name[name] = folder
    return by_name | _OWN


_OWN: dict[str, Path] = {}  # the folders that configs name


def add(folder: Path) -> str:
    """Make the paper in a folder of the user known, and return its name: that of the folder."""
    folder = folder.expanduser().resolve()
    if not (folder / "paper.yaml").is_file():
        raise UserError(
            f"{folder} has no paper.yaml: 'mlfs paper new {folder.name}' writes one to start from"
        )
    other = folders().get(folder.name)
    if other is not None and other.resolve() != folder:
        raise UserError(f"{folder}: there is a paper '{folder.name}' in {other}: rename the folder")
    _OWN[folder.name] = folder
    return folder.name


def own_folder(name: str | None) -> Path | None:
    """Return the folder that a config named for a paper; None for other papers."""
    return _OWN.get(name or "")


def is_folder(name: str) -> bool:
    """Return whether the key 'paper' of a config, or --paper, names a folder: ./mine, not mine."""
    return "/" in name or os.sep in name or name.startswith((".", "~"))


@cache
def _shipped() -> dict[str, Path]:
    return _inside(Path(__file__).parent)


def _inside(folder: Path) -> dict[str, Path]:
    return {path.parent.name: path.parent for path in sorted(folder.glob("*/paper.yaml"))}


def names() -> list[str]:
    """Return the names of all papers; inside ``with only(...)`` those of some papers."""
    some = chosen()
    return [name for name in folders() if not some or name in some]


_ONLY: ContextVar[tuple[str, ...]] = ContextVar("mlfs_papers", default=())


def chosen() -> tuple[str, ...]:
    """Return the papers that `only` has chosen; none outside of it."""
    return _ONLY.get()


@contextmanager
def only(some: Sequence[str]) -> Iterator[None]:
    """Make reports show only these papers; without names, all."""
    for name in some:
        paper(name)  # raises if there is none
    token = _ONLY.set(tuple(some))
    try:
        yield
    finally:
        _ONLY.reset(token)


def paper(name: str) -> Paper:
    """Return one paper by name."""
    every = folders()
    if name not in every:
        raise UserError(
            f"unknown paper '{name}'{nearest(name, every)} (known: {', '.join(every)}; "
            "write ./folder for one of your own)"
        )
    return read_paper(every[name])


def printed_values() -> pd.DataFrame:
    """Return all printed values of all papers, with the papers' names of datasets and metrics.

    The columns are paper, table, dataset, method, metric, missing_ratio, mean, std, printed_rank,
    bold (whether the paper prints it bold; missing if this is not known), as_printed (the
    value on paper, where `mean` corrects a misprint) and note.
    """
    every = folders()
    return _joined(tuple(every[name] for name in names()))


@cache
def _joined(places: tuple[Path, ...]) -> pd.DataFrame:
    parts = [read_paper(folder).printed_values() for folder in places]
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def headings(experiment: Experiment) -> list[str]:
    """Return the headings of an experiment's columns: labels, or names as the paper prints them."""
    if experiment.paper is None:
        return experiment.labels
    printed = paper(experiment.paper).methods
    return [
        label
        if choice.label
        else label.replace(choice.name, printed.get(choice.name, choice.name), 1)
        for choice, label in zip(experiment.methods, experiment.labels)
    ]


def control(experiment: Experiment) -> str | None:
    """Return the heading of the column that all others are tested against."""
    heads = headings(experiment)
    named = dict(zip(experiment.labels, heads)) | dict(zip(heads, heads))
    return named.get(experiment.control or "")


def own_method(experiment: Experiment) -> str:
    """Return the heading of the paper's own method; empty if the experiment has none."""
    if experiment.paper is None:
        return ""
    own = [choice.name == experiment.paper for choice in experiment.methods]
    return next((head for head, is_ in zip(headings(experiment), own) if is_), "")
