"""All methods by kind and name, and how to build one and check its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .active import STRATEGIES
from .classifiers import CLASSIFIERS
from .errors import nearest
from .learners import LEARNERS
from .selectors import SELECTORS
from .tags import check_params

METHODS: Mapping[str, Mapping[str, Any]] = {
    "selector": SELECTORS,
    "learner": LEARNERS,
    "classifier": CLASSIFIERS,
    "strategy": STRATEGIES,
}


def methods(kinds: Sequence[str]) -> dict[str, Any]:
    """Classes of some kinds, by name."""
    return {name: cls for kind in kinds for name, cls in METHODS[kind].items()}


def kinds_of(name: str) -> list[str]:
    """The kinds that have a method of this name."""
    return [kind for kind, classes in METHODS.items() if name in classes]


def method(name: str, kinds: Sequence[str]) -> Any:
    """The class of a method."""
    return methods(kinds)[name]


def unknown(name: str, kinds: Sequence[str]) -> str:
    """A sentence for a name that none of these kinds has."""
    for kind in kinds_of(name):
        return f"'{name}' is a {kind}, not a {' or '.join(kinds)}"
    known = methods(kinds)
    return f"unknown method '{name}'{nearest(name, known)} ('mlfs methods' shows all)"


def build(name: str, params: Mapping[str, Any], kinds: Sequence[str], seed: int) -> Any:
    """Make a method, with the cell's seed where it takes one and the config gives none."""
    made = method(name, kinds)(**params)
    if made.get_params().get("random_state", seed) is None:
        made.set_params(random_state=seed)
    return made


def mistakes(
    name: str, params: Mapping[str, Any], kinds: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """What is wrong with a method's parameters: the parameter's name, and a sentence."""
    return parameter_mistakes(name, method(name, kinds), params)


def parameter_mistakes(name: str, cls: Any, params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """As `mistakes`, of a class that need not be in the registry."""
    known = cls().get_params(deep=False)
    for parameter, value in params.items():
        if parameter not in known:
            yield (
                parameter,
                f"method '{name}' has no parameter '{parameter}'{nearest(parameter, known)} "
                f"('mlfs methods show {name}' lists them)",
            )
            continue
        try:
            check_params(cls(**{parameter: value}))
        except ValueError as error:
            yield parameter, str(error)
