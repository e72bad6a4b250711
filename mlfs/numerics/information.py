"""Discretise features, and compute entropies and informations from contingency tables.

All values are in nats and computed for all pairs of columns at once, by matrix products. A third
variable c is a single column: rows are grouped by its states, and the groups are added up. The
last variable, b, may be a label that is unknown in some rows: every term uses the other rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..types import Array

DISCRETISERS = ("frequency", "width", "mean")


@dataclass(frozen=True, eq=False)
class Codes:
    """Hold columns of whole numbers 0..states - 1, and the indicators that are used for counting.

    Parameters
    ----------
    values : ndarray of int, shape (n, d)
        The codes.
    states : int
        How many states a column may have; a column may use fewer.
    unknown : bool, default=False
        Whether the last state means that a value is unknown.
    """

    values: Array
    states: int
    unknown: bool = False

    @cached_property
    def hot(self) -> Array:
        """The indicators of states 1, 2, ...; counts of state 0 are found by subtraction."""
        parts = [self.values == state for state in range(1, self.states)]
        # float32 counts exactly up to 2²⁴ rows and multiplies twice as fast as float64
        return np.hstack(parts).astype(np.float32)

    def columns(self, chosen: Array | slice) -> Codes:
        """Take the chosen columns."""
        return Codes(self.values[:, chosen], self.states, self.unknown)

    def rows(self, chosen: Array) -> Codes:
        """Take the chosen rows."""
        return Codes(self.values[chosen], self.states, self.unknown)


def binary(Y: Array) -> Codes:
    """Turn labels in {0, 1} into codes; if some are nan, these have a third state, unknown."""
    unknown = np.isnan(Y)
    if not unknown.any():
        return Codes(np.asarray(Y, dtype=np.intp), 2)
    return Codes(np.where(unknown, 2, Y).astype(np.intp), 3, unknown=True)


def where_known(F: Codes, L: Codes, label: int) -> tuple[Codes, Codes]:
    """Take the rows of features and labels where one of the labels is known."""
    if not L.unknown:
        return F, L
    known = L.values[:, label] < L.states - 1
    return F.rows(known), L.rows(known)


def joint_code(codes: Codes) -> Array:
    """Return one column of codes for the joint states (c₁, c₂, ...) that occur."""
    if codes.values.shape[1] == 0:
        return np.zeros(len(codes.values), dtype=np.intp)
    return np.unique(codes.values, axis=0, return_inverse=True)[1].reshape(-1)


def discretise(X: Array, kind: str = "frequency", bins: int = 2) -> Codes:
    """Divide every column into bins; the code of a value is the number of thresholds below it.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The features.
    kind : {"frequency", "width", "mean"}, default="frequency"
        Where the thresholds are. "frequency": at the values of rank ceil(k n / bins); "width":
        equally spaced between the smallest and the largest value; "mean": at the mean, which
        makes two bins.
    bins : int, default=2
        Number of bins. If a column has fewer distinct values, some bins are empty.

    Returns
    -------
    Codes
        The discretised features.

    Notes
    -----
    For "frequency", a threshold at the largest value of a column would separate nothing. The next
    smaller value replaces it, so a column with two values keeps both, even if one is rare.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.numerics.information import discretise
    >>> discretise(np.array([[1.0], [2.0], [3.0], [4.0]]), bins=2).values.ravel().tolist()
    [0, 0, 1, 1]
    """
    if kind not in DISCRETISERS:
        raise ValueError(f"discretise = {kind!r}: choose one of {', '.join(DISCRETISERS)}")
    if bins != int(bins) or bins < 2:
        raise ValueError(f"bins = {bins}: choose a whole number of at least 2")
    if kind == "mean" and bins != 2:
        raise ValueError(f"discretise = 'mean' makes two bins, not {bins}: leave bins at 2")
    steps = np.arange(1, int(bins))
    low, high = X.min(axis=0), X.max(axis=0)
    if kind == "frequency":
        ranks = -(-steps * len(X) // int(bins)) - 1  # ceil in whole numbers
        thresholds = np.partition(X, ranks, axis=0)[ranks]
        below = np.where(high > X, X, -np.inf).max(axis=0)
        thresholds = np.where(thresholds == high, below, thresholds)
    elif kind == "width":
        thresholds = low + steps[:, None] * (high - low) / int(bins)
    else:
        thresholds = X.mean(axis=0)[None, :]
    values = sum((threshold < X).astype(np.intp) for threshold in thresholds)
    return Codes(np.asarray(values), int(bins))


def contingency(A: Codes, B: Codes, rows: Array | slice = slice(None)) -> Array:
    """Count the joint states of every pair of columns: shape (states A, states B, d_A, d_B).

    Parameters
    ----------
    A, B : Codes
        Codes with n rows each. An unknown state of B is left out.
    rows : index array or slice, default all
        The rows to count.

    Returns
    -------
    ndarray of int
        The counts.
    """
    P, Q = A.hot[rows], B.hot[rows]
    a, b, d_a, d_b = A.states, B.states, A.values.shape[1], B.values.shape[1]
    cross = (P.T @ Q).reshape(a - 1, d_a, b - 1, d_b)
    of_a = P.sum(axis=0).reshape(a - 1, d_a, 1)
    of_b = Q.sum(axis=0).reshape(b - 1, 1, d_b)
    table = np.empty((a, b, d_a, d_b), dtype=np.intp)
    table[1:, 1:] = cross.transpose(0, 2, 1, 3)
    table[1:, 0] = of_a - cross.sum(axis=2)
    table[0, 1:] = of_b - cross.sum(axis=0).transpose(1, 0, 2)
    table[0, 0] = len(P) - of_a.sum(axis=0) - table[0, 1:].sum(axis=0)
    return table[:, :-1] if B.unknown else table


def _xlogx(n: int) -> Array:
    """Tabulate m log m for all counts m = 0..n, so that no logarithm is computed twice."""
    m = np.arange(n + 1, dtype=float)
    return m * np.log(np.maximum(m, 1.0))


def _marginal(codes: Codes) -> Array:
    """Count the states of every column, without unknown ones: shape (states, d)."""
    states = range(codes.states - codes.unknown)
    return np.stack([(codes.values == state).sum(axis=0) for state in states])


def _rows(codes: Codes) -> Array | int:
    """Count the known rows of every column; 1 where there are none, so that sums are 0 / 1."""
    if not codes.unknown:
        return len(codes.values)
    return np.maximum((codes.values < codes.states - 1).sum(axis=0), 1)


def entropy(A: Codes) -> Array:
    """Compute H(a) for every column: shape (d_A,)."""
    n = _rows(A)
    return np.log(n) - _xlogx(len(A.values))[_marginal(A)].sum(axis=0) / n  # (1)


def joint_entropy(A: Codes, B: Codes) -> Array:
    """Compute H(a, b) for every pair of columns: shape (d_A, d_B)."""
    n = _rows(B)
    return np.log(n) - _xlogx(len(A.values))[contingency(A, B)].sum(axis=(0, 1)) / n  # (3)


def mutual_information(A: Codes, B: Codes) -> Array:
    """Compute I(a; b) = H(a) + H(b) - H(a, b) for every pair of columns: shape (d_A, d_B)."""
    if not B.unknown:
        return entropy(A)[:, None] + entropy(B) - joint_entropy(A, B)  # (6)
    return joint_information(A, np.zeros(len(A.values), dtype=np.intp), B)


def joint_information(A: Codes, c: Array, B: Codes, whole: Array | None = None) -> Array:
    """Compute I((a, c); b) for a column of codes c and every pair of columns: (d_A, d_B).

    A caller with many columns c passes ``whole = contingency(A, B)``, which is then counted once.
    """
    xlogx = _xlogx(len(A.values))
    total = np.zeros((A.values.shape[1], B.values.shape[1]))
    for table in _by_state(A, c, B, contingency(A, B) if whole is None else whole):
        total += xlogx[table].sum(axis=(0, 1))
        # the counts of (a, c): where no b is unknown, they are the same for any b
        counts = table if B.unknown else table[..., :1]
        total -= xlogx[counts.sum(axis=1)].sum(axis=0)
    return entropy(B) + total / _rows(B)  # (9): H(b) + H(a, c) - H(a, b, c)


def _by_state(A: Codes, c: Array, B: Codes, whole: Array) -> list[Array]:
    """Count the joint states in the rows of each state of c; the largest state has the rest."""
    if not len(c):  # a label that is known nowhere
        return []
    states, sizes = np.unique(c, return_counts=True)
    largest, rest = int(np.argmax(sizes)), whole.copy()
    tables = []
    for i, state in enumerate(states):
        tables.append(rest if i == largest else contingency(A, B, np.flatnonzero(c == state)))
        if i != largest:
            rest -= tables[i]
    return tables


def conditional_information(A: Codes, c: Array, B: Codes, whole: Array | None = None) -> Array:
    """Compute I(a; b | c) = I((a, c); b) - I(c; b) for every pair of columns: (d_A, d_B)."""
    C = Codes(c[:, None], int(c.max(initial=1)) + 1)
    return joint_information(A, c, B, whole) - mutual_information(C, B)


def rounded(information: Array) -> Array:
    """Round to 10 decimals, so that values that are equal in exact arithmetic stay equal."""
    return np.round(information, 10) + 0.0  # + 0.0 turns -0.0 into 0.0
