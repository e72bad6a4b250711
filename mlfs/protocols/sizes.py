"""Numbers of features in a config: counts, shares, or the number that a selector keeps."""

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

_SHORT = re.compile(r"[^eE]{1,60}([eE][+-]?\d{1,2})?")  # Fraction("1e300000000") would never end


def resolve(size: str, d: int) -> int:
    """Turn a size from a config into a number of features out of `d`.

    A whole number above 1 is a count. A fraction or decimal up to 1 is a share, rounded to the
    nearest count. The name of a selector means the number of features that it keeps.
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
            f"size '{size}' must be a count, a share such as 1/6, or a selector that decides how "
            "many features it keeps"
        ) from error
    if value <= 0 or (value > 1 and value.denominator != 1):
        raise ValueError(f"size '{size}' must be a whole number or a share in (0, 1]")
    if value > d:
        raise ValueError(f"size {size} is more than the {d} features")
    return max(1, round(value * d if value <= 1 else value))


def resolve_all(sizes: Iterable[str], d: int) -> list[int]:
    """Turn all sizes into numbers of features out of `d`, ascending and distinct."""
    return sorted({resolve(size, d) for size in sizes})


def _as_text(value: Any) -> Any:
    return [str(size) for size in (value if isinstance(value, list | tuple) else [value])]


def _readable(sizes: Sequence[str]) -> Sequence[str]:
    for size in sizes:
        resolve(size, 10**9)  # large enough for any count: only the form is checked
    return sizes


Sizes = Annotated[
    list[str], BeforeValidator(_as_text), AfterValidator(_readable), Field(min_length=1)
]


def mistakes(sizes: Sequence[str], datasets: Iterable[DatasetChoice]) -> Iterator[Mistake]:
    """Yield the sizes that are larger than a dataset's number of features, if it is known."""
    for dataset in datasets:
        d = dataset.shape[1] if dataset.shape else 10**9
        for i, size in enumerate(sizes):
            try:
                resolve(size, d)
            except ValueError as error:
                yield ("sizes", i), f"{error} in {dataset.name}"


def distinct(subsets: list[Array]) -> list[list[int]]:
    """Return only the last subset if all others are its beginning, otherwise all subsets."""
    lists = [[int(i) for i in subset] for subset in subsets]
    largest = lists[-1]
    if all(largest[: len(subset)] == subset for subset in lists):
        return [largest]
    return lists
