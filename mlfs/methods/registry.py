"""Find methods by kind and name: in mlfs, in installed packages and in the user's files."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from ..errors import UserError, nearest
from ..metrics import METRICS, Metric, own_metrics
from . import discovery, user_code
from .tags import Tags
from .user_code import Source

GROUP = "mlfs.methods"  # the entry points with which an installed package offers methods
PROTOCOLS = "mlfs.protocols"  # and protocols
# for each kind: the package with mlfs's own methods, and the module and name of their base class,
# which is imported late: a table of results needs the versions of methods, but not the classes
_ROOMS: Mapping[str, tuple[str, str, str]] = {
    "selector": ("selectors", "ranker", "Ranker"),
    "learner": ("learners", "classifier", "MultiLabelClassifier"),
    "classifier": ("classifiers", "classifier", "MultiLabelClassifier"),
    "strategy": ("active", "strategy", "QueryStrategy"),
}
KINDS = tuple(_ROOMS)


def _base(kind: str) -> type:
    """Return the base class of a kind."""
    _, module, name = _ROOMS[kind]
    base: type = getattr(import_module(f".{module}", __package__), name)
    return base


@dataclass(frozen=True)
class Recorded:
    """Hold what results record about a foreign method or metric, so that tables need not import it.

    A foreign one is not part of mlfs.
    """

    version: str
    tuned: list[str] = field(default_factory=list)  # the parameters of a method's search space
    larger_is_better: bool | None = None  # of a metric
    protocol: dict[str, Any] | None = None  # of a protocol: its kinds, scores, axis and keys

    @property
    def tags(self) -> Tags:
        """The tuned parameters, without values: only a run needs these."""
        return Tags(paper="", search_space=dict.fromkeys(self.tuned, ()))


@dataclass(frozen=True)
class _Found:
    """Hold a foreign class or function, its version, and its file if it is beside the config."""

    cls: Any
    version: str
    source: Source | None = None

    def record(self, name: str) -> Recorded:
        if not isinstance(self.cls, type):
            larger = own_metrics.as_metric(name, self.cls).larger_is_better
            return Recorded(self.version, larger_is_better=larger)
        facts = getattr(self.cls, "recorded_facts", None)
        if facts is not None:  # a protocol
            return Recorded(self.version, protocol=facts())
        tags = getattr(self.cls, "tags", None)
        return Recorded(self.version, list(tags.search_space) if isinstance(tags, Tags) else [])


@dataclass(eq=False)
class Scope:
    """Say where to look for foreign methods; inside ``with scope:`` names refer to this scope.

    Parameters
    ----------
    folder : Path, optional
        Folder of a config: modules are looked for there first, then among installed packages.
    sources : mapping
        Files that were sent to the worker with a cell, by name of the module.
    recorded : mapping
        What results record about methods, by name; such a method is not looked for.
    checked : bool
        Whether the parameters were checked before, as those of stored results were by their run.
        Then no foreign class is imported: whoever reads results runs none of the code they name.
    """

    folder: Path | None = None
    sources: Mapping[str, Source] = field(default_factory=dict)
    recorded: Mapping[str, Recorded] = field(default_factory=dict)
    checked: bool = False
    _found: dict[str, _Found] = field(default_factory=dict, repr=False)
    _tokens: list[Token[Scope]] = field(default_factory=list, repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scope) and self.records() == other.records()

    __hash__ = None  # type: ignore[assignment]

    def __enter__(self) -> Scope:
        self._tokens.append(_SCOPE.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        _SCOPE.reset(self._tokens.pop())

    def add(self, name: str, cls: type) -> None:
        """Let a name, such as ``object:Mine``, refer to a class of this process."""
        self._found[name] = _Found(cls, user_code.version(cls, None))

    def find(self, name: str) -> _Found:
        """Return what ``module:Class``, ``module:function``, or an entry point refers to."""
        if self.checked:
            raise UserError(f"these results do not record '{name}': run their config again")
        if name not in self._found:
            self._found[name] = self._look_for(name)
        return self._found[name]

    def _look_for(self, name: str) -> _Found:
        if ":" not in name:  # otherwise it is no entry point, and looking for them takes long
            if name in _entry_points():
                return _offered(name)
            name = own_metrics.offered().get(name) or offered_protocols().get(name, name)
        module = name.partition(":")[0]
        source = self.sources.get(module) or user_code.beside(module, self.folder)
        cls = user_code.find(name, source, self.folder)
        return _Found(cls, user_code.version(cls, source), source)

    def code(self, names: Sequence[str]) -> dict[str, Source]:
        """Return the files that a worker needs for these methods, by name of the module."""
        sources = [self._found[name].source for name in names if name in self._found]
        return {source.module: source for source in sources if source}

    def records(self) -> dict[str, Recorded]:
        """Return what results must record about every method that was found here."""
        new = {name: entry.record(name) for name, entry in self._found.items()}
        return {**self.recorded, **new}


_SCOPE: ContextVar[Scope] = ContextVar("mlfs_scope", default=Scope())  # noqa: B039


@cache
def _entry_points() -> dict[str, metadata.EntryPoint]:
    """Return what installed packages offer, by name; they cannot replace a method of mlfs."""
    offered = metadata.entry_points(group=GROUP)
    return {point.name: point for point in offered if not _outline(point.name, KINDS)}


def _offered(name: str) -> _Found:
    point = _entry_points()[name]
    cls = user_code.find(f"{point.module}:{point.attr}", None, None)
    return _Found(cls, user_code.version(cls, None))


def _ours(kind: str) -> dict[str, Any]:
    return discovery.methods(f"mlfs.{_ROOMS[kind][0]}", _base(kind))


def _outline(name: str, kinds: Sequence[str]) -> discovery.Outline | None:
    """Return what the source says about a method of mlfs; None if mlfs has none of this name."""
    outlines = (discovery.outline(f"mlfs.{_ROOMS[kind][0]}", name) for kind in kinds)
    return next((outline for outline in outlines if outline), None)


def methods(kinds: Sequence[str] = KINDS) -> dict[str, Any]:
    """Return the classes of some kinds by name: those of mlfs and of entry points."""
    by_name = {name: cls for kind in kinds for name, cls in _ours(kind).items()}
    for name in _entry_points():
        try:
            by_name[name] = as_method(name, _offered(name).cls, kinds)
        except UserError:  # another kind, or a broken package: `method` raises when it is used
            continue
    return by_name


def broken() -> dict[str, str]:
    """Return the entry points that cannot be used: the reason, by name."""
    reasons = {}
    for name in _entry_points():
        try:
            _offered(name)
        except UserError as error:
            reasons[name] = str(error)
    return reasons


def kinds_of(name: str) -> list[str]:
    """Return the kinds that have a method of this name, or the kinds of a foreign class."""
    if name in _SCOPE.get().recorded:
        return []
    kinds = [kind for kind in KINDS if _outline(name, [kind])]
    if kinds or not _is_foreign(name):
        return kinds
    cls = _SCOPE.get().find(name).cls
    return [kind for kind in KINDS if kind != "learner" and _is_of(cls, kind)]


def _is_foreign(name: str) -> bool:
    return ":" in name or name in _entry_points()


def _is_of(cls: Any, kind: str) -> bool:
    try:
        return bool(as_method("", cls, [kind]))
    except UserError:
        return False


def method(name: str, kinds: Sequence[str]) -> Any:
    """Return the class of a method; raise a UserError if it does not exist in these kinds."""
    scope = _SCOPE.get()
    if name in scope.recorded:
        return scope.recorded[name]
    outline = _outline(name, kinds)
    if outline:
        return outline.load()
    if _is_foreign(name):
        return as_method(name, scope.find(name).cls, kinds)
    for kind in kinds_of(name):
        raise UserError(f"'{name}' is a {kind}, not a {' or '.join(kinds)}")
    hint = "" if scope.checked else nearest(name, methods(kinds))
    raise UserError(
        f"unknown method '{name}'{hint} ('mlfs methods list' shows all; your own are module:Class)"
    )


def as_method(name: str, cls: Any, kinds: Sequence[str]) -> Any:
    """Return a class as a method of these kinds: unchanged if it has the base class, else wrapped.

    Parameters
    ----------
    name : str
        Name of the class in messages.
    cls : type
        The class.
    kinds : sequence of str
        The kinds that are allowed.

    Returns
    -------
    type
        The class, or one that wraps it.
    """
    from .adapters import adapted, unfit

    bases = [_base(kind) for kind in kinds]
    if isinstance(cls, type) and issubclass(cls, tuple(bases)):
        if not hasattr(cls, "tags"):
            raise UserError(f"'{name}' has no tags: write 'tags = Tags(paper=...)' in its class")
        return cls
    for kind in ("selector", "classifier", "strategy"):
        if isinstance(cls, type) and issubclass(cls, _base(kind)):
            raise UserError(f"'{name}' is a {kind}, not a {' or '.join(kinds)}")
    if set(kinds) == {"strategy"}:
        raise UserError(f"'{name}' is not a strategy: derive it from mlfs.active.QueryStrategy")
    selects = "selector" in kinds
    why = unfit(cls, selects)
    if why:
        raise UserError(f"'{name}' {why}")
    return adapted(cls, selects)


def version(name: str, kinds: Sequence[str]) -> int | str:
    """Return the version of a method; for a foreign method see `user_code.version`."""
    scope = _SCOPE.get()
    if name in scope.recorded:
        return scope.recorded[name].version
    outline = _outline(name, kinds)
    if outline:
        return outline.version
    method(name, kinds)  # raises if there is none
    return scope.find(name).version


def was_checked() -> bool:
    """Return whether the config of this scope was checked before, as that of stored results."""
    return _SCOPE.get().checked


def tuned(name: str, kinds: Sequence[str]) -> Sequence[str]:
    """Return the parameters of a method's search space; import it only if that is needed."""
    outline = None if name in _SCOPE.get().recorded else _outline(name, kinds)
    if outline is not None and outline.tuned is not None:
        return outline.tuned
    return list(method(name, kinds).tags.search_space)


def stated_time(name: str, kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the terms of the time that a method of mlfs states for a fit; empty for others."""
    outline = _outline(name, kinds)
    return outline.time if outline else ()


def metric(name: str) -> Metric:
    """Return a metric of mlfs, of an installed package, or ``module:function`` of the user."""
    if name in METRICS:
        return METRICS[name]
    return own_metrics.as_metric(name, _SCOPE.get().find(name).cls)


def is_foreign_metric(name: str) -> bool:
    """Tell whether a name is that of a metric outside mlfs, or was when results were stored."""
    return own_metrics.is_foreign(name) or name in _SCOPE.get().recorded


def larger_is_better(name: str) -> bool:
    """Tell whether a larger value of a foreign metric is better; results have recorded it."""
    recorded = _SCOPE.get().recorded.get(name)
    if recorded is not None and recorded.larger_is_better is not None:
        return recorded.larger_is_better
    return metric(name).larger_is_better


@cache
def offered_protocols() -> dict[str, str]:
    """Return the protocols of installed packages as module:Class, by name."""
    points = metadata.entry_points(group=PROTOCOLS)
    return {point.name: f"{point.module}:{point.attr}" for point in points}


def foreign_class(name: str) -> Any:
    """Return what ``module:Class`` or an entry point refers to, for a protocol of the user."""
    return _SCOPE.get().find(name).cls


def foreign_version(name: str) -> str:
    """Return the version of a foreign metric or protocol; see `user_code.version`."""
    scope = _SCOPE.get()
    recorded = scope.recorded.get(name)
    return recorded.version if recorded is not None else scope.find(name).version


def recorded_protocol(name: str) -> dict[str, Any] | None:
    """Return what results record about a foreign protocol; None outside results."""
    recorded = _SCOPE.get().recorded.get(name)
    return recorded.protocol if recorded is not None else None


def code(names: Sequence[str]) -> dict[str, Source]:
    """Return the files beside the config that a worker needs for these methods, by module."""
    return _SCOPE.get().code(names)


def build(name: str, params: Mapping[str, Any], kinds: Sequence[str], seed: int) -> Any:
    """Make a method; where ``random_state`` is None, also in an inner one, set the cell's seed."""
    made = method(name, kinds)(**params)
    for key, value in made.get_params().items():
        if value is None and key.rpartition("__")[2] == "random_state":
            made.set_params(**{key: seed})
    return made


def mistakes(
    name: str, params: Mapping[str, Any], kinds: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a method's parameters: the name of one, and a sentence about it."""
    scope = _SCOPE.get()
    if not scope.checked and name not in scope.recorded:
        yield from parameter_mistakes(name, method(name, kinds), params)


def parameter_mistakes(name: str, cls: Any, params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield mistakes as `mistakes` does, for a class that need not be in the registry."""
    parameters = inspect.signature(cls).parameters
    needed = {
        key
        for key, parameter in parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }
    given = {key: params[key] for key in needed & set(params)}
    try:
        cls(**given)
    except Exception as error:  # for example a missing parameter, or an abstract class
        yield "", f"method '{name}' cannot be made: {user_code.brief(error)}"
        return
    from ..numerics.sklearn_private import check_params  # planning imports no scikit-learn

    for parameter, value in params.items():
        if parameter not in parameters:
            yield (
                parameter,
                f"method '{name}' has no parameter '{parameter}'{nearest(parameter, parameters)} "
                f"('mlfs methods show {name}' lists them)",
            )
            continue
        try:
            check_params(cls(**{**given, parameter: value}))
        except Exception as error:
            text = str(error) if isinstance(error, ValueError) else user_code.brief(error)
            yield parameter, text
