"""Add the user's own data to their catalogue, under a name."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import UserError
from .catalog import shipped
from .choice import Own
from .dataset import Dataset
from .mine import Kept, keep
from .own import read_own

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def add(name: str, own: Own) -> tuple[Dataset, Path]:
    """Read data once to check them, and add their name and sizes to the user's catalogue.

    Parameters
    ----------
    name : str
        The name for configs and for `load`.
    own : Own
        Where the data are; relative paths start from the current folder.

    Returns
    -------
    data : Dataset
        The data.
    path : Path
        The file of the catalogue.
    """
    if not _NAME.fullmatch(name):
        raise UserError(f"'{name}' cannot be a name: use letters, digits, '.', '_' and '-'")
    if name in shipped():
        raise UserError(f"mlfs already has a dataset '{name}': choose another name")
    own = own.inside(Path.cwd())
    data = read_own(own, name)
    n, d = data.X.shape
    entry = Kept(
        **own.model_dump(),
        shape=(n, d, data.Y.shape[1]),
        cardinality=round(float(data.Y.sum(axis=1).mean()), 3),
        split=(len(data.train), len(data.test))
        if data.train is not None and data.test is not None
        else None,
    )
    return data, keep(name, entry)
