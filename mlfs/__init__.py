"""Rerun published multi-label experiments and see, cell by cell, how close you come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import load_results, run

__version__ = "0.1.0"  # the one place: pyproject.toml reads it from here
__all__ = ["load_results", "run"]


def __getattr__(name: str) -> Any:
    """Import the library when it is first used, so that ``mlfs --help`` stays quick."""
    if name in __all__:
        from . import api

        return getattr(api, name)
    raise AttributeError(f"module 'mlfs' has no attribute '{name}'")
