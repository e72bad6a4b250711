"""Names of the types that every room uses."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
Matrix = Any  # ndarray or scipy.sparse: scipy ships no types that mypy could check
