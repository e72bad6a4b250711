"""Papers as folders: what each one is, every figure its tables print, and what it claims.

A folder ``NAME/`` holds ``paper.yaml`` and, where there is something to tell, ``printed.csv`` (the
cells of its tables), ``statistics.csv`` (what it computes from them) and ``claims.yaml``. Folders
beside this file are found by themselves, and so are those in the folder ``$MLFS_PAPERS``.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pandas as pd

from ..errors import UserError, nearest
from ..protocols import Experiment
from .paper import Explained, Paper, density, read_paper

__all__ = [
    "Explained",
    "Paper",
    "control",
    "density",
    "folders",
    "headings",
    "names",
    "own_method",
    "paper",
    "printed_cells",
]


def folders() -> dict[str, Path]:
    """Return the folder of every paper: those of mlfs, then those in ``$MLFS_PAPERS``."""
    found = _inside(Path(__file__).parent)
    given = os.environ.get("MLFS_PAPERS")
    if given:
        own = Path(given).expanduser().resolve()
        if not own.is_dir():
            raise UserError(f"MLFS_PAPERS is {own}, which is no folder: give one that holds papers")
        for name, folder in _inside(own).items():
            if name in found:
                raise UserError(f"{folder}: mlfs has a paper '{name}' already: rename the folder")
            found[name] = folder
    return found


def _inside(folder: Path) -> dict[str, Path]:
    return {path.parent.name: path.parent for path in sorted(folder.glob("*/paper.yaml"))}


def names() -> list[str]:
    """Names of all papers."""
    return list(folders())


def paper(name: str) -> Paper:
    """One paper by name."""
    known = folders()
    if name not in known:
        raise UserError(
            f"unknown paper '{name}'{nearest(name, known)} (known: {', '.join(known)}; "
            "MLFS_PAPERS names a folder of your own)"
        )
    return read_paper(known[name])


def printed_cells() -> pd.DataFrame:
    """All printed figures of all papers, in the papers' own names of datasets and metrics.

    The columns are paper, table, dataset, method, metric, missing_ratio, mean, std, printed_rank,
    bold (whether the paper marks the cell; missing where nobody knows), as_printed (the figure
    itself where `mean` corrects a misprint) and note.
    """
    return _joined(tuple(folders().values()))


@cache
def _joined(found: tuple[Path, ...]) -> pd.DataFrame:
    parts = [read_paper(folder).cells() for folder in found]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def headings(experiment: Experiment) -> list[str]:
    """Headings of an experiment's columns: a label as given, a name as its paper prints it."""
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
    """Heading of the column that all others are tested against."""
    heads = headings(experiment)
    named = dict(zip(experiment.labels, heads)) | dict(zip(heads, heads))
    return named.get(experiment.control or "")


def own_method(experiment: Experiment) -> str:
    """Heading of the method that the experiment's paper is about; empty where it has none."""
    if experiment.paper is None:
        return ""
    own = [choice.name == experiment.paper for choice in experiment.methods]
    return next((head for head, is_ in zip(headings(experiment), own) if is_), "")
