"""Numbers of features as a config writes them: counts, shares, or what a selector keeps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from .. import registry
from ..types import Array
from .dataset import DatasetChoice
from .experiment import Mistake

_SHORT = re.compile(r"[^eE]{1,60}([eE][+-]?\d{1,2})?")  # a fraction of 1e300000000 takes for ever


def resolve(size: str, d: int) -> int:
    """Turn a size from a config into a number of features out of `d`.

    A whole number above 1 is a count; a fraction or decimal up to 1 is a share, rounded to the
    nearest count; the name of a selector that knows how many features it keeps is that number.
    """
    selector = registry.methods(["selector"]).get(size)
    if selector is not None:
        kept = selector.n_output(d)
        if kept is None:
            raise ValueError(
                f"size '{size}': that selector does not say how many features it keeps"
            )
        return int(kept)
    try:
        value = Fraction(size if _SHORT.fullmatch(size) else "")
    except (ValueError, ZeroDivisionError) as error:
        raise ValueError(
            f"size '{size}' is neither a count, a share such as 1/6, nor a selector that knows "
            "how many features it keeps"
        ) from error
    if value <= 0 or (value > 1 and value.denominator != 1):
        raise ValueError(f"size '{size}' must be a whole number or a share in (0, 1]")
    if value > d:
        raise ValueError(f"size {size} is more than the {d} features")
    return max(1, round(value * d if value <= 1 else value))


def resolve_all(sizes: Iterable[str], d: int) -> list[int]:
    """All sizes as numbers out of `d`, ascending, each once."""
    return sorted({resolve(size, d) for size in sizes})


def _as_text(value: Any) -> Any:
    return [str(size) for size in (value if isinstance(value, list | tuple) else [value])]


def _readable(sizes: Sequence[str]) -> Sequence[str]:
    for size in sizes:
        resolve(size, 10**9)  # large enough for any count: only its form is looked at
    return sizes


Sizes = Annotated[
    list[str], BeforeValidator(_as_text), AfterValidator(_readable), Field(min_length=1)
]


def mistakes(sizes: Sequence[str], datasets: Iterable[DatasetChoice]) -> Iterator[Mistake]:
    """Sizes that exceed the features of a dataset whose number of features is known."""
    for dataset in datasets:
        d = dataset.shape[1] if dataset.shape else 10**9
        for i, size in enumerate(sizes):
            try:
                resolve(size, d)
            except ValueError as error:
                yield ("sizes", i), f"{error} in {dataset.name}"


def distinct(subsets: list[Array]) -> list[list[int]]:
    """Return the last subset where all others are its top, otherwise every one of them."""
    lists = [[int(i) for i in subset] for subset in subsets]
    largest = lists[-1]
    if all(largest[: len(subset)] == subset for subset in lists):
        return [largest]
    return lists
