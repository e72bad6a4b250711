"""The key `mask` of experiments with hidden labels; each cell has one of its ratios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter

from ..cell import Settings
from .base import Experiment, Mistake
from .masks import AnyMask, Mask, NoMask

_MASK: TypeAdapter[Mask] = TypeAdapter(AnyMask)


def _each_ratio(value: Any) -> Any:
    """Turn a list of ratios into one mask for each."""
    if isinstance(value, str):
        value = {"kind": value}
    if not isinstance(value, dict):
        return value
    whole = {"kind": "none"} | value
    if not isinstance(value.get("ratio"), list):
        return [whole]
    return [whole | {"ratio": ratio} for ratio in value["ratio"]]


def _hiding(masks: list[Mask]) -> list[Mask]:
    """Use the same mask for a ratio of 0 in all kinds, since such cells are the same work."""
    return [mask if mask.ratio else NoMask() for mask in masks]


def _with_ratio(value: Any, table: Mask) -> Mask:
    """Return the mask of a column, which hides the same share as the mask of its table."""
    content: Any = {"kind": value} if isinstance(value, str) else value
    if isinstance(content, dict):
        content = {"ratio": table.ratio} | content
        if content.get("kind") == "none" and table.ratio:
            raise ValueError("a column cannot have mask 'none' in a table with hidden labels")
        if content["ratio"] != table.ratio:
            raise ValueError(
                f"a column's mask has the ratio of its table, {table.ratio:g}: leave out 'ratio'"
            )
    [mask] = _hiding([_MASK.validate_python(content)])
    return mask


class MaskedSettings(Settings):
    """The settings of a cell whose training labels are hidden."""

    mask: AnyMask

    @property
    def ratio(self) -> float:
        """The share of labels that is hidden."""
        return self.mask.ratio


class Masked(Experiment):
    """An experiment with a `mask`; each ratio of a list has its own tables."""

    mask: Annotated[list[AnyMask], BeforeValidator(_each_ratio), AfterValidator(_hiding)] = Field(
        [{"kind": "none"}],
        validate_default=True,
        min_length=1,
        description="how training labels are hidden; each ratio of a list has its own tables",
    )

    def settings(self, changes: Mapping[str, Any]) -> list[Settings]:
        """Return the settings of this config's cells, one per mask.

        Another mask among the changes gets the ratio of each of the config's masks.
        """
        masks: Sequence[Mask] = self.mask
        if "mask" in changes:
            masks = [_with_ratio(changes["mask"], mask) for mask in masks]
        each = super().settings
        return [settings for mask in masks for settings in each({**changes, "mask": mask})]

    def quick_version(self) -> Self:
        """Return a quick version of the experiment, also with only the first mask."""
        return super().quick_version().model_copy(update={"mask": self.mask[:1]})

    def mistakes(self) -> Iterator[Mistake]:
        """Yield mistakes that the types of the keys cannot show, also in the masks."""
        yield from super().mistakes()
        ratios = [mask.ratio for mask in self.mask]
        for i, ratio in enumerate(ratios):
            if ratio in ratios[:i]:
                yield ("mask", "ratio", i), f"ratio {ratio:g} is listed twice"
