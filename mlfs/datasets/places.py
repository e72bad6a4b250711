"""The places of data on this machine: the cache, the mirror, the user's own catalogue."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import platformdirs

from ..errors import UserError


def cache_dir() -> Path:
    """Return the folder of cached data files.

    Returns
    -------
    Path
        ``$MLFS_DATA``, else datasets/ of the checkout, else the user's cache.
    """
    given = os.environ.get("MLFS_DATA")
    if given:
        return _expanded("MLFS_DATA", given)
    checkout = _above()
    if (checkout / "pyproject.toml").is_file() and (checkout / "datasets").is_dir():
        return checkout / "datasets"
    return platformdirs.user_cache_path("mlfs")


@cache  # links are followed once: every look into the catalogue asks
def _above() -> Path:
    """Return the folder that holds the package, which is the checkout if there is one."""
    return Path(__file__).resolve().parents[2]


def mirror_dir(mirror: Path | None = None) -> Path | None:
    """Return the given mirror, else ``$MLFS_MIRROR``, else None."""
    if mirror is not None:
        return Path(mirror)
    given = os.environ.get("MLFS_MIRROR")
    return _expanded("MLFS_MIRROR", given) if given else None


def user_catalogue_file() -> Path:
    """Return the user's own catalogue: ``$MLFS_CATALOG``, else a file beside the cache.

    It is not in the cache, because users may delete the cache, which can be fetched again.
    """
    given = os.environ.get("MLFS_CATALOG")
    if given:
        return _expanded("MLFS_CATALOG", given)
    return cache_dir().parent / "mlfs-catalog.yaml"


def _expanded(variable: str, given: str) -> Path:
    """Return the path that a variable of the environment names; ``~`` is a user's folder."""
    try:
        return Path(given).expanduser()
    except RuntimeError as error:
        raise UserError(
            f"${variable} is {given}, and there is no such user's folder: correct it"
        ) from error
