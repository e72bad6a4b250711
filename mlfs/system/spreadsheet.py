"""Write tables as csv that a spreadsheet opens without running anything that is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for a formula begins so


def csv_text(frame: pd.DataFrame) -> str:
    """Return a frame as csv; a text that looks like a formula gets an apostrophe before it."""
    safe = frame.rename(columns=_harmless)
    for place, kind in enumerate(safe.dtypes):
        if kind.kind not in "biufc":
            safe.isetitem(place, [_harmless(value) for value in safe.iloc[:, place]])
    return str(safe.to_csv(index=False)).rstrip()


def _harmless(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith(_FORMULA) or len(value) == 1:
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value  # a number with a sign
