"""Iterative stratification: divide rows so that every part gets each label in proportion.

Sechidis, Tsoumakas and Vlahavas, "On the stratification of multi-label data", ECML PKDD 2011,
https://doi.org/10.1007/978-3-642-23808-6_10.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...types import Array


def stratify(Y: Array, shares: Sequence[float], rng: np.random.Generator) -> Array:
    """Divide rows into parts, the rarest label first.

    A row goes to the part that wants most further rows of the label, then to the one that wants
    most rows of any kind, then to one of these by chance. Rows without a known relevant label come
    last.

    Parameters
    ----------
    Y : array of shape (n, l)
        Labels: 1, 0, or nan where unknown.
    shares : sequence of float
        The share of the rows that each part should get; they add up to 1.
    rng : Generator
        Decides the order of the rows, and ties.

    Returns
    -------
    ndarray of int of shape (n,)
        The part of each row.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.protocols.experiment.stratification import stratify
    >>> Y = np.repeat([[1.0, 0.0], [0.0, 1.0]], [6, 4], axis=0)
    >>> part = stratify(Y, [0.5, 0.5], np.random.default_rng(0))
    >>> Y[part == 0].sum(axis=0).tolist(), Y[part == 1].sum(axis=0).tolist()
    ([3.0, 2.0], [3.0, 2.0])
    """
    positive = np.asarray(Y) == 1
    n = len(positive)
    order = rng.permutation(n)
    chance = rng.random((n, len(shares)))
    wanted = np.outer(shares, positive.sum(axis=0))  # rows of each label that a part still wants
    room = np.multiply(shares, n)
    left = positive.sum(axis=0)  # rows of each label that are not yet dealt out
    # plain lists and numbers: a row has few labels, and arrays of so few are slow
    labels_of = _lists(positive)
    rows_of = [order[column] for column in positive[order].T]
    part = np.full(n, -1)
    while left.any():
        rarest = int(np.argmin(np.where(left > 0, left, n + 1)))
        for row in rows_of[rarest][part[rows_of[rarest]] < 0].tolist():
            chosen = _first(wanted[:, rarest], room, chance[row])
            part[row] = chosen
            room[chosen] -= 1
            for label in labels_of[row]:
                wanted[chosen, label] -= 1
                left[label] -= 1
    nothing = np.zeros(len(shares))
    for row in order[part[order] < 0].tolist():
        part[row] = chosen = _first(nothing, room, chance[row])
        room[chosen] -= 1
    return part


def _first(wanted: Array, room: Array, chance: Array) -> int:
    """Return the part that wants most; ties go by room, then by chance."""
    # what is wanted is a sum of shares: equal values may differ by rounding
    return max(
        range(len(room)),
        key=lambda i: (round(float(wanted[i]), 9), round(float(room[i]), 9), float(chance[i])),
    )


def _lists(positive: Array) -> list[list[int]]:
    """Return the labels of each row."""
    rows, labels = np.nonzero(positive)
    ends = np.searchsorted(rows, np.arange(1, len(positive)))
    return [part.tolist() for part in np.split(labels, ends)]
