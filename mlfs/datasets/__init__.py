"""Datasets: ``load(name)`` loads one of ``catalog()``, ``read(path)`` reads your own files."""

from .archive import unpack
from .catalog import Entry, File, Source, catalog
from .choice import Own
from .dataset import Dataset
from .fetch import Check, fetch, import_dir, status, verify
from .load import checksum, load
from .mine import kept
from .own import is_here, nearby, own_checksum, read, read_own
from .places import cache_dir
from .register import add
from .toy import Planted, draw, gaussian_toy, planted
from .zeroshot import ZeroShot, load_zero_shot

__all__ = [
    "Check",
    "Dataset",
    "Entry",
    "File",
    "Own",
    "Planted",
    "Source",
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
    "kept",
    "load",
    "load_zero_shot",
    "nearby",
    "own_checksum",
    "planted",
    "read",
    "read_own",
    "status",
    "unpack",
    "verify",
]
