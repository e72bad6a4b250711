"""Import a library without another one that it would import, too, only because it is installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def left_out(name: str) -> Iterator[None]:
    """Make a library look as if it were not installed, unless it is imported already.

    pandas imports pyarrow where it can, which takes a third as long as a small table. After this
    the library can be imported as usual, such as to read parquet files.
    """
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
