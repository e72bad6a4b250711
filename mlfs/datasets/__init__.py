"""Benchmark data: ``load(name)`` finds, verifies and reads a set; ``catalog()`` lists them."""

from .archive import unpack
from .catalog import Entry, File, Source, catalog
from .dataset import Dataset
from .fetch import Check, fetch, import_dir, status, verify
from .files import cache_dir
from .load import checksum, load
from .toy import Planted, draw, gaussian_toy, planted
from .zeroshot import ZeroShot, load_zero_shot

__all__ = [
    "Check",
    "Dataset",
    "Entry",
    "File",
    "Planted",
    "Source",
    "ZeroShot",
    "cache_dir",
    "catalog",
    "checksum",
    "draw",
    "fetch",
    "gaussian_toy",
    "import_dir",
    "load",
    "load_zero_shot",
    "planted",
    "status",
    "unpack",
    "verify",
]
