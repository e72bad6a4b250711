"""Put data of the user's own into their catalogue, under a name."""

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
    """Read data once, to see that they are good, and keep their name and sizes.

    Parameters
    ----------
    name : str
        What configs and `load` call it from now on.
    own : Own
        Where the data are; relative paths are taken from the current folder.

    Returns
    -------
    data : Dataset
        What was read.
    path : Path
        The catalogue that it was added to.
    """
    if not _NAME.fullmatch(name):
        raise UserError(f"'{name}' is no name for data: use letters, digits, '.', '_' and '-'")
    if name in shipped():
        raise UserError(f"mlfs has a dataset '{name}' itself: take another name")
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
