"""Tables that commands write for the user: never over a file, and never in part."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

from ..errors import UserError
from ..system.atomic import atomic_write
from ..types import Array


def check_output(path: Path | None, force: bool) -> None:
    """Raise a UserError if a file cannot be written, before any work is done for it.

    Parameters
    ----------
    path : Path or None
        The file; None if nothing is to be written.
    force : bool
        Whether an existing file may be replaced.
    """
    if path is None:
        return
    if path.is_dir():
        raise UserError(f"{path} is a folder: name a file in it")
    if path.exists() and not force:
        raise UserError(f"{path} exists: choose another file, or add --force to replace it")
    if not path.parent.is_dir():
        raise UserError(f"there is no folder {path.parent}: make it first, or choose another file")
    if not os.access(path.parent, os.W_OK):
        raise UserError(f"{path.parent} cannot be written: choose a file in another folder")


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as csv."""
    try:
        with atomic_write(path) as stream:
            stream.write(frame.to_csv(index=False).encode())
    except OSError as error:
        raise UserError(f"cannot write {path} ({error.strerror}): choose another file") from error


def labels_as_text(Y: Array) -> Array:
    """Return labels and probabilities as short texts: 1, 0 or 0.4711."""
    texts = np.char.mod("%.4f", Y).astype(object)
    texts[Y == 1], texts[Y == 0] = "1", "0"
    return texts
