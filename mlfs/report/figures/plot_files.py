"""The files of ``mlfs plot``: the figures of results, or the waterfall of one dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ... import datasets
from ...config import shipped
from ...errors import UserError
from ...results import read as stored
from ...results.packing import SUFFIX, find
from ...results.store import Store
from ...steps_shown import Steps
from . import diagrams, draw, style


def write(
    root: Path | None, output: Path | None, waterfall: str | None, **wanted: Any
) -> tuple[list[Path], list[str]]:
    """Draw the figures of results, or the waterfall of one dataset; return files and notes.

    `wanted` are fields of `draw.Wanted`. The notes name what was left out.
    """
    choice = draw.Wanted(**wanted)
    if waterfall:
        entry = datasets.load(waterfall)
        X = entry.X.toarray() if hasattr(entry.X, "toarray") else entry.X
        rows = (min(599, len(X) - 2), min(600, len(X) - 1))  # the paper's 600th and 601st
        folder = output or Path("results")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise style.unwritable(folder, error) from error
        figure = diagrams.waterfall(X, waterfall, rows)
        stem = folder / f"waterfall_{waterfall}"
        return style.save(figure, stem, choice.kinds, printed=choice.printed), []
    if root is None:
        raise UserError("say what to draw: 'mlfs plot RESULTS' or 'mlfs plot --waterfall DATASET'")
    stores = find(root)
    files, notes = list[Path](), list[str]()
    with Steps(len(stores), "plot") as steps:
        for store in steps.over(stores, [store.folder.name for store in stores]):
            folder = output or _figures_of(store)
            if output and len(stores) > 1:  # experiments must not overwrite each other's files
                folder = output / _name(store)
            left_out: list[str] = []
            try:
                files += draw.draw(stored.read(store), folder, choice, left_out)
            except draw.NothingToDraw:
                if len(stores) == 1:  # among several, those without a figure are skipped
                    raise
            if left_out:
                notes.append(
                    f"left out of {_name(store)}, since they have very many lines: "
                    f"{', '.join(left_out)}; 'mlfs plot {store.folder} --metric NAME' draws one"
                )
    if not files and not notes:
        raise UserError(f"no results in {root} have a figure: 'mlfs table {root}' shows them best")
    return files, notes


def _name(store: Store) -> str:
    return store.folder.name.removesuffix(SUFFIX)


def _figures_of(store: Store) -> Path:
    """Return the folder for the figures of results: the user's, not that of the package."""
    if store.folder.resolve().is_relative_to(shipped.reference().resolve()):
        return Path("figures") / _name(store)
    return store.figures
