"""Numbers of features in a config: counts, shares, or what a selector keeps; also by dataset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator

from ...errors import KeyPath, nearest
from ...methods import registry
from ...types import Array
from .base import Experiment, Mistake
from .dataset_choice import DatasetChoice

Kind = TypeVar("Kind", bound=Experiment)
_ONE, _ALL = "one", "1"  # as stored, and as part of a cell's key: one feature, all features
_WRITTEN = {_ONE: "1", _ALL: "all"}
_SHORT = re.compile(r"[^eE]{1,60}([eE][+-]?\d{1,2})?")  # Fraction("1e300000000") would never end


def resolve(size: str, d: int) -> int:
    """Turn a size from a config into a number of features out of `d`.

    A whole number above 1 is a count, and "one" is one feature. A fraction or decimal up to 1 is a
    share, rounded to the nearest count. The name of a selector means the number of features that it
    keeps.
    """
    if size == _ONE:
        return 1
    if _is_selector(size):
        kept = registry.method(size, ["selector"]).n_output(d)
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


def _is_selector(size: str) -> bool:
    """Tell whether a size is the name of a selector, without importing it."""
    return size.isidentifier() and "selector" in registry.kinds_of(size)


def expected(size: str, d: float) -> float:
    """Return about how many of `d` features a size means, without importing a selector."""
    if _is_selector(size):
        return d / 2
    if size == _ONE:
        return 1.0
    value = float(Fraction(size))
    return value if value > 1 else value * d


def told(sizes: BySet) -> BySet:
    """Return sizes as one would write them in a config."""
    if isinstance(sizes, Mapping):
        return {name: [_WRITTEN.get(size, size) for size in given] for name, given in sizes.items()}
    return [_WRITTEN.get(size, size) for size in sizes]


def resolve_all(sizes: Iterable[str], d: int) -> list[int]:
    """Turn all sizes into numbers of features out of `d`, ascending and distinct."""
    return sorted({resolve(size, d) for size in sizes})


def _as_text(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _as_text(sizes) for name, sizes in value.items()}
    return [_size(size) for size in (value if isinstance(value, list | tuple) else [value])]


def _size(value: Any) -> str:
    """Return a size as it is stored: the whole number 1 is a count, 1.0 and "all" are a share."""
    if isinstance(value, int) and value == 1:
        return _ONE
    return _ALL if value == "all" else str(value)


def _readable(sizes: BySet) -> BySet:
    for given in sizes.values() if isinstance(sizes, Mapping) else [sizes]:
        if not given:
            raise ValueError("a list of sizes should have at least 1 size")
        for size in given:
            if not _is_selector(size):  # `mistakes` asks it how many features it keeps
                resolve(size, 10**9)  # large enough for any count: only the form is checked
    return sizes


BySet = list[str] | dict[str, list[str]]  # one list for all datasets, or one for each
Sizes = Annotated[BySet, BeforeValidator(_as_text), AfterValidator(_readable)]


def of_dataset(sizes: BySet, name: str) -> list[str]:
    """Return the sizes for one dataset: those by its name, or those by 'default'."""
    if isinstance(sizes, list):
        return sizes
    return sizes.get(name, sizes.get("default", []))


def without_other_sizes(experiment: Kind) -> Kind:
    """Return the experiment without sizes of datasets that it does not have."""
    kept = {"default", *(dataset.name for dataset in experiment.datasets)}

    def fewer(settings: dict[str, Any]) -> dict[str, Any]:
        sizes = settings.get("sizes")
        if not isinstance(sizes, Mapping):
            return settings
        return settings | {"sizes": {name: sizes[name] for name in sizes if name in kept}}

    methods = [
        choice.model_copy(update={"settings": fewer(choice.settings)})
        for choice in experiment.methods
    ]
    own = fewer({"sizes": experiment.sizes})  # type: ignore[attr-defined]
    return experiment.model_copy(update={"methods": methods, **own})


def mistakes(sizes: BySet, datasets: Sequence[DatasetChoice]) -> Iterator[Mistake]:
    """Yield sizes of no dataset, and sizes beyond a dataset's number of features, if known."""
    names = [dataset.name for dataset in datasets]
    for name in sizes if isinstance(sizes, Mapping) else ():
        if name != "default" and name not in names:
            hint = nearest(name, names)
            yield ("sizes", name), f"'{name}' is not one of this config's datasets{hint}"
    for dataset in datasets:
        d = dataset.shape[1] if dataset.shape else 10**9
        given = of_dataset(sizes, dataset.name)
        if not given:
            yield ("sizes",), f"no size for {dataset.name}: add it, or 'default'"
        place: KeyPath = ("sizes",)
        if isinstance(sizes, Mapping):
            place = ("sizes", dataset.name if dataset.name in sizes else "default")
        for i, size in enumerate(given):
            if registry.was_checked() and _is_selector(size):
                continue  # reading results imports no method
            try:
                resolve(size, d)
            except ValueError as error:
                yield (*place, i), f"{error} in {dataset.name}"


def distinct(subsets: list[Array]) -> list[list[int]]:
    """Return only the last subset if all others are its beginning, otherwise all subsets."""
    lists = [[int(i) for i in subset] for subset in subsets]
    largest = lists[-1]
    if all(largest[: len(subset)] == subset for subset in lists):
        return [largest]
    return lists
