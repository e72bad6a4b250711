"""Datasets: ``load(name)`` loads one of ``catalog()``, ``read(path)`` reads your own files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .catalogue import catalog
from .checksums import checksum
from .dataset import Dataset
from .places import cache_dir
from .published.published_catalogue import DataSource, Entry, File
from .user.description import UserData
from .user.user_catalogue import add, user_catalogue

if TYPE_CHECKING:
    from .images.zeroshot_sets import ZeroShot, load_zero_shot
    from .loading import load
    from .made.toy import Planted, draw, gaussian_toy, planted
    from .published.archive import unpack
    from .published.fetch import FileCheck, fetch, import_dir, status, verify
    from .user.user_data import is_here, nearby, own_checksum, read, read_own

__all__ = [
    "DataSource",
    "Dataset",
    "Entry",
    "File",
    "FileCheck",
    "Planted",
    "UserData",
    "ZeroShot",
    "add",
    "cache_dir",
    "catalog",
    "checksum",
    "draw",
    "fetch",
    "gaussian_toy",
    "import_dir",
    "is_here",
    "load",
    "load_zero_shot",
    "nearby",
    "own_checksum",
    "planted",
    "read",
    "read_own",
    "status",
    "unpack",
    "user_catalogue",
    "verify",
]

# what reads or makes data needs scipy and scikit-learn, which take longer to import than all else
_LATE = {
    "images.zeroshot_sets": {"ZeroShot", "load_zero_shot"},
    "loading": {"load"},
    "made.toy": {"Planted", "draw", "gaussian_toy", "planted"},
    "published.archive": {"unpack"},
    "published.fetch": {"FileCheck", "fetch", "import_dir", "status", "verify"},
    "user.user_data": {"is_here", "nearby", "own_checksum", "read", "read_own"},
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used, so that a table of results does not read data."""
    for module, names in _LATE.items():
        if name in names:
            value = getattr(import_module(f".{module}", __name__), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
