"""Protocols that are not part of mlfs: a class of the user says what one cell does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, create_model

from ..errors import UserError
from ..methods import registry
from .cell import Cell, Record, Settings
from .experiment.repeated import Repeated
from .names import ProtocolParts


class OwnSettings(Settings):
    """The settings of a cell of the user's own protocol: its keys, as plain values."""

    model_config = ConfigDict(frozen=True, extra="allow")


class OwnProtocol(Repeated):
    """The base class of your own protocols; a config names one as ``protocol: module:Class``.

    A subclass sets `kinds` and `scores`, writes ``run``, and adds keys of its own as fields, each
    with a type and a default. Their values are in ``cell.settings``, decide the key of a cell, and
    must be numbers, texts, or lists and dicts of them.

    Attributes
    ----------
    kinds : tuple of str
        The kinds of methods that it runs: selector, learner, classifier or strategy.
    scores : dict of str to bool
        The metrics that its rows have, and whether larger is better.
    axis : str or None
        The column of its rows that is the x axis of curves.
    version : int
        Raise it when results change: stored cells are then run again.

    Examples
    --------
    >>> from mlfs.protocols import OwnProtocol, Record
    >>> class Constant(OwnProtocol):
    ...     kinds = ("classifier", "learner")
    ...     scores = {"value": True}
    ...     share: float = 0.5
    ...     @staticmethod
    ...     def run(cell):
    ...         return Record(rows=[{"value": cell.settings.share}])
    >>> Constant.own_keys()
    ['share']
    """

    version: ClassVar[int] = 1
    cell_settings = OwnSettings

    @staticmethod
    def run(cell: Cell) -> Record:
        """Run one cell: load its data, fit its method, and return the rows of its scores."""
        raise NotImplementedError

    @classmethod
    def own_keys(cls) -> list[str]:
        """Return the keys that it adds to those of every experiment."""
        return [name for name in cls.model_fields if name not in OwnProtocol.model_fields]

    @classmethod
    def changeable(cls) -> set[str]:
        """Return the keys that a column may change for itself in its `settings`."""
        return set(cls.own_keys())

    @classmethod
    def recorded_facts(cls) -> dict[str, Any]:
        """Return what results record, so that their tables need not import it."""
        return {
            "kinds": list(cls.kinds),
            "scores": dict(cls.scores),
            "axis": cls.axis,
            "keys": cls.own_keys(),
        }

    def settings(self, changes: Mapping[str, Any]) -> list[Settings]:
        """Return the settings of this config's cells, with some keys changed."""
        given = {name: getattr(self, name) for name in self.own_keys()}
        values = _keys(type(self))(**{**given, **changes}).model_dump(mode="json")
        return [OwnSettings(protocol=self.protocol, **values)]

    def versions(self, name: str, settings: Settings) -> dict[str, int | str]:
        """Return the versions of code that a method's results depend on."""
        return {
            self.protocol: registry.foreign_version(self.protocol),
            name: registry.version(name, self.kinds),
        }


@cache
def _keys(cls: type[OwnProtocol]) -> type[BaseModel]:
    """Return a model of the own keys of a protocol, to check their values."""
    fields: dict[str, Any] = {
        name: (cls.model_fields[name].annotation, cls.model_fields[name]) for name in cls.own_keys()
    }
    return create_model("Keys", __config__=ConfigDict(frozen=True, extra="forbid"), **fields)


def is_own(name: Any) -> bool:
    """Tell whether a name is that of a protocol outside mlfs: module:Class, or an entry point."""
    if not isinstance(name, str):
        return False
    offered = registry.recorded_protocol(name) is not None or name in registry.offered_protocols()
    return ":" in name or offered


def parts(name: str) -> ProtocolParts:
    """Return the parts of an own protocol that the engine needs.

    Parameters
    ----------
    name : str
        ``module:Class`` or the name of an entry point, looked for in the present scope.
    """
    facts = registry.recorded_protocol(name)
    cls = registry.foreign_class(name) if facts is None else _stand_in(name, facts)
    if not (isinstance(cls, type) and issubclass(cls, OwnProtocol)):
        raise UserError(f"'{name}' is not a protocol: derive it from mlfs.protocols.OwnProtocol")
    for text in _lacks(cls) if facts is None else ():
        raise UserError(f"'{name}' {text}")
    return ProtocolParts(cls, partial(_run, cls))


def _run(cls: type[OwnProtocol], cell: Cell) -> Record:
    record = cls.run(cell)
    if not isinstance(record, Record):
        raise TypeError(f"run of '{cell.settings.protocol}' must return a Record")
    return record


def _lacks(cls: type[OwnProtocol]) -> Iterator[str]:
    """Yield what is missing in a class for a protocol."""
    kinds, scores = getattr(cls, "kinds", None), getattr(cls, "scores", None)
    if not kinds or not isinstance(kinds, tuple) or not set(kinds) <= set(registry.KINDS):
        yield f"does not say what it runs: write 'kinds = (...)' with some of {registry.KINDS}"
    if not scores or not isinstance(scores, Mapping):
        yield "has no scores: write 'scores = {name: True}', True if larger is better"
    if cls.run is OwnProtocol.run:
        yield "does not say what a cell does: write 'run(cell)', which returns a Record"


def _stand_in(name: str, facts: Mapping[str, Any]) -> type[OwnProtocol]:
    """Return a class for tables of results, whose own class is not imported."""
    keys: dict[str, Any] = dict.fromkeys(facts["keys"], (Any, None))
    cls = create_model(name.rpartition(":")[2], __base__=OwnProtocol, **keys)
    cls.kinds, cls.scores, cls.axis = tuple(facts["kinds"]), facts["scores"], facts["axis"]
    return cls
