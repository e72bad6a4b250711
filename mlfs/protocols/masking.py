"""What experiments with hidden labels share: the `mask` key, one ratio for each cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field

from ..labels import AnyMask, Mask, NoMask
from .cell import Settings
from .experiment import Experiment, Mistake


def _each_ratio(value: Any) -> Any:
    """One mask for each of a list of ratios."""
    if isinstance(value, str):
        value = {"kind": value}
    if not isinstance(value, dict):
        return value
    given = value.get("ratio", 0.0)
    ratios = given if isinstance(given, list) else [given]
    whole = {"kind": "none"} | value
    return [whole | {"ratio": ratio} for ratio in ratios]


def _hiding(masks: list[Mask]) -> list[Mask]:
    """Make a ratio of 0 hide nothing, whatever the kind: such cells are the same work."""
    return [mask if mask.ratio else NoMask() for mask in masks]


class MaskedSettings(Settings):
    """What decides a cell whose training labels are hidden."""

    mask: AnyMask

    @property
    def ratio(self) -> float:
        """The share of labels that is hidden."""
        return self.mask.ratio


class Masked(Experiment):
    """An experiment with a `mask`: a list of ratios gives one table each."""

    mask: Annotated[list[AnyMask], BeforeValidator(_each_ratio), AfterValidator(_hiding)] = Field(
        [{"kind": "none"}],
        validate_default=True,
        min_length=1,
        description="how training labels are hidden; a list of ratios gives one table each",
    )

    def settings(self, changes: Mapping[str, Any]) -> list[Settings]:
        """Return the settings of this config's cells, one per mask."""
        each = super().settings
        return [settings for mask in self.mask for settings in each({"mask": mask, **changes})]

    def slice(self) -> Self:
        """Return a quick look: also the first mask only."""
        return super().slice().model_copy(update={"mask": self.mask[:1]})

    def mistakes(self) -> Iterator[Mistake]:
        """Yield what the types of the keys cannot tell, also of the masks."""
        yield from super().mistakes()
        ratios = [mask.ratio for mask in self.mask]
        for i, ratio in enumerate(ratios):
            if ratio in ratios[:i]:
                yield ("mask", "ratio", i), f"ratio {ratio:g} stands twice"
