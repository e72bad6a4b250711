"""The checks of methods of every kind, on small data that are always the same."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from ..numerics.sklearn_private import check_params
from ..types import Array

_PROVENANCES = ("paper", "author code", "reconstructed")
# enough for data that are small
_AT_MOST = {"n_neighbors": 5, "k": 5, "n_trees": 10, "max_samples": 20}


def must(holds: Any, text: str) -> None:
    """Raise an AssertionError with this text if `holds` is false."""
    if not holds:
        raise AssertionError(text)


def make(cls: Any, **params: Any) -> Any:
    """Return the method with a fixed seed, and with few neighbours, trees and drawn instances."""
    method = cls(**params)
    defaults = method.get_params()
    if "random_state" in defaults:
        method.set_params(random_state=0)
    for name, most in _AT_MOST.items():
        if type(defaults.get(name)) is int and defaults[name] > most and name not in params:
            method.set_params(**{name: most})
    return method


def is_documented_and_tagged(cls: Any) -> None:
    """Check that the class has a docstring, and tags with its paper and provenance."""
    must((cls.__doc__ or "").strip(), "it has no docstring: write one")
    must(cls.tags.paper, "its tags name no paper")
    must(cls.tags.provenance in _PROVENANCES, f"its provenance is none of {_PROVENANCES}")


def has_parameters_as_scikit_learn_wants(cls: Any) -> None:
    """Check that get_params returns what was passed, and that the defaults are allowed."""
    params = cls().get_params(deep=False)
    must(set(params) == set(inspect.signature(cls).parameters), "get_params lacks parameters")
    check_params(cls())
    copied = clone(make(cls)).get_params(deep=False)
    for name, value in make(cls).get_params(deep=False).items():
        must(repr(copied[name]) == repr(value), f"a clone has a different '{name}'")


def has_a_search_space_of_allowed_values(cls: Any) -> None:
    """Check that the search space has only parameters of the method, with allowed values."""
    for name, values in cls.tags.search_space.items():
        must(name in inspect.signature(cls).parameters, f"'{name}' is not a parameter")
        for value in values:
            check_params(cls(**{name: value}))


def data(n: int = 40, d: int = 12, n_labels: int = 4) -> tuple[Array, Array]:
    """Make features that are not negative, and labels that depend on the first of them."""
    rng = np.random.default_rng(0)
    X = rng.random((n, d))
    Y = X[:, :n_labels] + 0.2 * rng.standard_normal((n, n_labels)) > 0.5
    return X, Y.astype(float)


EVERY: list[Callable[[Any], None]] = [
    is_documented_and_tagged,
    has_parameters_as_scikit_learn_wants,
    has_a_search_space_of_allowed_values,
]
