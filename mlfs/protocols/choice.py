"""A method as a config names it, and the errors in such a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from .. import registry
from ..errors import UserError
from .cell import Method


class MethodChoice(Method):
    """A method of a config, with the heading, settings and tuning of its column.

    In YAML: ``gmfs``, ``gmfs: {n_factors: 7}`` or ``{rmfl: {lam1: 0}, label: "λ1 = 0"}``.
    A column with ``extra: true`` is shown but not ranked or tested: the paper does not have it.
    ``search: {lam1: [0, 1]}`` sets the values that tuning tries instead of the method's own grid.
    ``settings: {hide_test: true}`` changes keys of the config only for this column, and
    ``printed: FastTag`` names the paper's column that it is compared with.
    """

    label: str | None = Field(None, min_length=1, description="heading of the column")
    extra: bool = Field(
        False, description="show the column, but do not rank or test it: the paper does not have it"
    )
    settings: dict[str, Any] = Field({}, description="keys of the config, only for this column")
    printed: str | None = Field(None, description="the paper's column to compare this one with")
    search: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(
        {}, description="the values that tuning tries instead of the method's own"
    )

    @property
    def variant(self) -> str:
        """The name with the parameters: ``fsnm(gamma=10)``."""
        given = ", ".join(setting(name, value) for name, value in self.params.items())
        return f"{self.name}({given})" if given else self.name

    @property
    def short(self) -> str:
        """The name without the module of a ``module:Class``."""
        return self.name.rpartition(":")[2]

    def wrong(self, parameter: str, value: Any, kinds: tuple[str, ...]) -> Iterator[str]:
        """Yield the errors that another value of a parameter would cause."""
        params = self.params | {parameter: value}
        for name, text in registry.mistakes(self.name, params, kinds):
            if name == parameter:
                yield text


def setting(name: str, value: Any) -> str:
    """Return a parameter and its value as a short text: ``gamma=10``."""
    return f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"


def why_not(name: str, kinds: tuple[str, ...]) -> str | None:
    """Return the error in the name of a method as a sentence; None if there is none."""
    from . import running  # the protocols import this module

    try:
        registry.method(name, kinds)
    except UserError as error:
        text = str(error)
    else:
        return None
    if ":" not in name:
        for kind in registry.kinds_of(name):
            return f"{text}: protocol {' or '.join(running(kind))} runs it"
    return text
