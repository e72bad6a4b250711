"""A zero-shot dataset that needs no download: handwritten digits with seven-segment attributes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from .zeroshot_sets import ZeroShot

# which segments of a seven-segment display are on: top, two right, bottom, two left, middle
_SEGMENTS = "1111110 0110000 1101101 1111001 0110011 1011011 1011111 1110000 1111111 1111011"


def digits(unseen: Sequence[int] = (7, 8, 9)) -> ZeroShot:
    """Return scikit-learn's 1,797 digits of 8 x 8 pixels, with 7 binary attributes per class.

    Parameters
    ----------
    unseen : sequence of int, default=(7, 8, 9)
        The digits to recognise; all others are seen.

    Returns
    -------
    ZeroShot
        Instances, classes and attributes.
    """
    from sklearn.datasets import load_digits  # slow to import

    data = load_digits()
    return ZeroShot(
        name="digits",
        X=data.data,
        classes=data.target,
        attributes=np.array([[int(s) for s in digit] for digit in _SEGMENTS.split()], dtype=float),
        class_names=[str(digit) for digit in range(10)],
        seen=np.setdiff1d(np.arange(10), unseen),
        unseen=np.unique(unseen),
    )


def digits_checksum() -> str:
    """Return a checksum of the content."""
    data = digits()
    content = (data.X[:].tobytes(), data.classes.astype("<i8").tobytes(), data.attributes.tobytes())
    return hashlib.sha256(b"".join(content)).hexdigest()
