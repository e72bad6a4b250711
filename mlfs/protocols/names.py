"""The names of all protocols; the module of a protocol is imported when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .cell import Cell, Record
    from .experiment.base import Experiment

NAMES = ("selection", "learning", "completion", "active", "zeroshot", "planted")


@dataclass(frozen=True)
class ProtocolParts:
    """What a protocol provides for the engine.

    Attributes
    ----------
    experiment : type
        The keys of a config. In the module ``selection`` it is the class ``SelectionExperiment``.
    run : callable
        Runs one cell.
    """

    experiment: type[Experiment]
    run: Callable[[Cell], Record]


def protocol(name: str) -> ProtocolParts:
    """Return the parts of one kind of experiment: one of those named above, or the user's own."""
    if name in NAMES:
        module = import_module(f".{name}", __package__)
        return ProtocolParts(getattr(module, f"{name.capitalize()}Experiment"), module.run)
    from . import own_protocol

    return own_protocol.parts(name)


def is_own(name: object) -> bool:
    """Tell whether a name may be that of a protocol outside mlfs."""
    if name in NAMES:
        return False
    from . import own_protocol

    return own_protocol.is_own(name)


def running(kind: str) -> list[str]:
    """Return the protocols that run methods of a kind."""
    return [name for name in NAMES if kind in protocol(name).experiment.kinds]
