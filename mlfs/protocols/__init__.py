"""The kinds of experiments: what one cell does. A config names one with its key ``protocol``."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

from .cell import Cell, Data, Method, Record, Settings
from .choice import MethodChoice
from .experiment import Experiment, Mistake, Place

NAMES = ("selection", "learning", "active", "zeroshot", "planted")


class ProtocolModule(Protocol):
    """What every module named above provides for the engine."""

    Config: type[Experiment]

    def run(self, cell: Cell) -> Record:
        """Run one cell."""


def protocol(name: str) -> ProtocolModule:
    """Return the module of one kind of experiment."""
    return import_module(f".{name}", __package__)


def running(kind: str) -> list[str]:
    """Return the protocols that run methods of a kind."""
    return [name for name in NAMES if kind in protocol(name).Config.kinds]


__all__ = [
    "NAMES",
    "Cell",
    "Data",
    "Experiment",
    "Method",
    "MethodChoice",
    "Mistake",
    "Place",
    "Record",
    "Settings",
    "protocol",
    "running",
]
