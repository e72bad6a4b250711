"""A method as a config names it, and the errors in such a name."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated, Any, Self

from pydantic import Field

from ...errors import UserError
from ...methods import registry
from ..cell import Method
from ..names import running


class MethodChoice(Method):
    """A method of a config, with the heading, settings and tuning of its column.

    In YAML: ``gmfs``, ``gmfs: {n_factors: 7}`` or ``{rmfl: {lam1: 0}, label: "λ1 = 0"}``.
    A column with ``extra: true`` is shown but not ranked or tested: the paper does not have it.
    ``search: {lam1: [0, 1]}`` sets the values that tuning tries instead of the method's own grid.
    ``starts: [{lam1: 1.0}]`` are points that tuning tries first, besides the method's default.
    ``settings: {hide_test: true}`` changes keys of the config only for this column; a mask without
    ratio has the ratios of the config. ``by_dataset: {science: {n_factors: 12}}`` sets parameters
    on some datasets only. ``printed: FastTag`` names the paper's column that it is compared with.
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
    starts: list[Annotated[dict[str, Any], Field(min_length=1)]] = Field(
        [], description="points that tuning tries first, besides the method's default"
    )
    by_dataset: dict[str, dict[str, Any]] = Field(
        {}, description="parameters of the method on some datasets only; they are not tuned there"
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

    def on(self, names: Collection[str]) -> Self:
        """Return the choice for some datasets only."""
        kept = {name: params for name, params in self.by_dataset.items() if name in names}
        return self.model_copy(update={"by_dataset": kept})

    def untuned(self) -> Self:
        """Return the choice without what it says about tuning."""
        kept = {name: value for name, value in self.settings.items() if name != "tune"}
        return self.model_copy(update={"settings": kept, "starts": []})

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
    try:
        registry.version(name, kinds)
    except UserError as error:
        text = str(error)
    else:
        return None
    if ":" not in name:
        for kind in registry.kinds_of(name):
            return f"{text}: protocol {' or '.join(running(kind))} runs it"
    return text
