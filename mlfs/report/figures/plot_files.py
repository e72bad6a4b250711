"""The files of ``mlfs plot``: the figures of results, or the waterfall of one dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ... import datasets
from ...errors import UserError
from ...results import read as stored
from ...results.packing import find
from . import diagrams, draw, style


def write(
    root: Path | None, output: Path | None, waterfall: str | None, **wanted: Any
) -> list[Path]:
    """Draw the figures of results, or the waterfall of one dataset; return the files.

    `wanted` are fields of `draw.Wanted`.
    """
    choice = draw.Wanted(**wanted)
    if waterfall:
        entry = datasets.load(waterfall)
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
            files += draw.draw(stored.read(store), folder, choice)
        except UserError:
            if len(stores) == 1:  # among several, those without a figure are skipped
                raise
    if not files:
        raise UserError(f"no results in {root} have a figure: 'mlfs table {root}' shows them best")
    return files
