"""The names of all protocols; the module of a protocol is imported when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .cell import Cell, Record
    from .experiment.base import Experiment

NAMES = ("selection", "learning", "completion", "active", "zeroshot", "planted")


class ProtocolModule(Protocol):
    """What every module named above provides for the engine."""

    @property
    def Config(self) -> type[Experiment]:
        """The keys of a config."""

    def run(self, cell: Cell) -> Record:
        """Run one cell."""


def protocol(name: str) -> ProtocolModule:
    """Return the module of one kind of experiment, or the same parts of the user's own."""
    if name in NAMES:
        return import_module(f".{name}", __package__)
    from .own_protocol import Own

    return Own(name)


def is_own(name: object) -> bool:
    """Tell whether a name may be that of a protocol outside mlfs."""
    if name in NAMES:
        return False
    from . import own_protocol

    return own_protocol.is_own(name)


def running(kind: str) -> list[str]:
    """Return the protocols that run methods of a kind."""
    return [name for name in NAMES if kind in protocol(name).Config.kinds]
