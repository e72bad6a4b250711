"""Estimator objects of a Python session as methods of an experiment that runs in this process.

Worker processes cannot see classes of a script or notebook, so the cells are run here.
"""

from __future__ import annotations

import inspect
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import clone

from ..engine.options import Options
from ..engine.workers.executor import Executor
from ..engine.workers.run_cell import failure
from ..errors import UserError
from ..methods import registry
from ..methods.registry import Scope
from ..methods.user_code import brief
from ..protocols import Cell, Record, protocol

_PLACE = "object"  # the module of objects in the names of methods
_KINDS = ("selector", "classifier")


@dataclass(frozen=True)
class ComparedMethod:
    """Hold a method of a comparison.

    Parameters
    ----------
    name : str
        Its name in the experiment.
    label : str
        The heading of its column.
    kinds : list of str
        The kinds that it can be used as.
    made : object, optional
        The estimator, if it is an object.
    """

    name: str
    label: str
    kinds: list[str]
    made: Any = None


def columns_of(methods: Sequence[Any], named: Mapping[str, list[str]]) -> list[ComparedMethod]:
    """Return the columns of a comparison.

    Parameters
    ----------
    methods : sequence of str, estimator or class
        The methods.
    named : mapping
        The kinds that methods given by name can be used as.

    Returns
    -------
    list of ComparedMethod
        The columns; objects of the same class are numbered.
    """
    columns: list[ComparedMethod] = []
    seen: Counter[str] = Counter()
    for method in methods:
        if isinstance(method, str):
            columns.append(ComparedMethod(method, method, named[method]))
            continue
        made = method() if isinstance(method, type) else method
        title = type(made).__name__
        kinds = [kind for kind in _KINDS if _can_be(made, kind)]
        if not kinds:
            raise UserError(
                f"{title} is neither a name, a selector nor a classifier: use a name of 'mlfs "
                "methods', or an object with fit, get_params and set_params"
            )
        seen[title] += 1
        label = title if seen[title] == 1 else f"{title} {seen[title]}"
        columns.append(ComparedMethod(f"{_PLACE}:{title}_{seen[title]}", label, kinds, made))
    return columns


def _can_be(made: Any, kind: str) -> bool:
    try:
        return bool(registry.as_method("", type(made), [kind]))
    except UserError:
        return False


def scope_of(columns: Sequence[ComparedMethod], kinds: Sequence[str], scope: Scope) -> Scope:
    """Return the scope in which the objects of columns are found by their names."""
    for column in columns:
        if column.made is not None:
            scope.add(column.name, _holding(column.made, kinds))
    return scope


def _holding(made: Any, kinds: Sequence[str]) -> type:
    """Return a class whose instances are copies of an object, wrapped if the object is foreign."""
    base = registry.as_method(type(made).__name__, type(made), kinds)
    foreign = base is not type(made)

    def copy(cls: type, **params: Any) -> Any:
        ours = clone(made).set_params(**params)
        if not foreign:
            return ours
        wrapped = object.__new__(base)
        wrapped.estimator = ours
        return wrapped

    about = {"__new__": copy, "__module__": base.__module__}
    return type(base.__name__, (base,), {**about, "__signature__": inspect.signature(base)})


@dataclass(frozen=True)
class InProcess(Options):
    """Run cells in this process, one after the other.

    Parameters
    ----------
    scope : Scope
        Where the methods are found.
    """

    scope: Scope = field(default_factory=Scope)

    @property
    def place(self) -> str:
        """A text that says where the cells run."""
        return "in this process"

    def open(self) -> AbstractContextManager[Executor]:
        """Return what runs the cells."""
        return _here(self.scope)


@contextmanager
def _here(scope: Scope) -> Iterator[Executor]:
    def submit(cell: Cell, need: float) -> Future[Record]:
        future: Future[Record] = Future()
        future.set_result(_run(cell, scope))
        return future

    yield Executor(submit, lambda: 1)


def _run(cell: Cell, scope: Scope) -> Record:
    """Run one cell; an error of its code becomes a record of the failure."""
    try:
        with scope, warnings.catch_warnings(action="ignore"):
            return protocol(cell.settings.protocol).run(cell)
    except UserError as error:
        return failure(str(error), traceback.format_exc())
    except Exception as error:
        return failure(brief(error), traceback.format_exc())
