"""Rerun published multi-label experiments and see, value by value, how close you come."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import ResultSet, compare, load_results, run

__version__ = "0.1.0"  # the one place: pyproject.toml reads it from here
_PACKAGES = (
    "active",
    "classifiers",
    "datasets",
    "learners",
    "metrics",
    "selectors",
    "stats",
    "testing",
)
__all__ = ["ResultSet", "compare", "load_results", "run"]


def __getattr__(name: str) -> Any:
    """Import the library when it is first used, so that ``mlfs --help`` stays quick."""
    if name in __all__:
        from . import api

        return getattr(api, name)
    if name in _PACKAGES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'mlfs' has no attribute '{name}'")


def __dir__() -> list[str]:
    return ["__version__", *sorted((*__all__, *_PACKAGES))]
