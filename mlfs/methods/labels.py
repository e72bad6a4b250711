"""What labels may be: 1 (relevant), 0 (irrelevant) or nan (unobserved)."""

from __future__ import annotations

import numpy as np

from ..label_values import label_array
from ..types import Array


def observed(Y: Array) -> Array:
    """Mark the labels that are known.

    Parameters
    ----------
    Y : ndarray of shape (n, l)
        Labels: 1, 0, or nan where unobserved.

    Returns
    -------
    ndarray of bool
        True where the label is known.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.methods.labels import observed
    >>> observed(np.array([1.0, np.nan, 0.0])).tolist()
    [True, False, True]
    """
    return ~np.isnan(Y)


def signed(Y: Array) -> tuple[Array, Array]:
    """Code labels as +1, -1 and 0 where unobserved.

    Parameters
    ----------
    Y : ndarray of shape (n, l)
        Labels: 1, 0, or nan where unobserved.

    Returns
    -------
    Y : ndarray of shape (n, l)
        The coded labels.
    R : ndarray of shape (n, l)
        1.0 where a label is observed, else 0.0.
    """
    R = observed(Y).astype(float)
    return np.where(R > 0, 2.0 * np.nan_to_num(Y) - 1.0, 0.0), R


def most_frequent(Y: Array, count: int) -> Array:
    """Return the columns of the `count` most frequent labels, in ascending order.

    Among equally frequent labels the first ones are taken.
    """
    return np.sort(np.argsort(-np.nansum(Y, axis=0, dtype=float), kind="stable")[:count])


def hidden_shares(Y: Array, masked: Array) -> dict[str, float]:
    """Return the shares of the known labels and of the positive ones that a mask has hidden.

    Parameters
    ----------
    Y : ndarray of shape (n, l)
        The labels: 1, 0, or nan where unknown.
    masked : ndarray of shape (n, l)
        The same labels after a mask: hidden ones are nan, or 0 in place of 1.

    Returns
    -------
    dict
        The shares ``labels`` and ``positives``.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.methods.labels import hidden_shares
    >>> hidden_shares(np.array([[1.0, 1.0, 0.0, 0.0]]), np.array([[1.0, 0.0, np.nan, 0.0]]))
    {'labels': 0.5, 'positives': 0.5}
    """
    lost, positive, known = masked != Y, Y == 1, observed(Y)  # nan differs from every label
    return {
        "labels": float(lost[known].mean()) if known.any() else 0.0,
        "positives": float(lost[positive].mean()) if positive.any() else 0.0,
    }


def check_labels(Y: Array, *, n: int, missing: bool, real: bool = False) -> Array:
    """Return Y as a float n x l array, or raise a ValueError that says what is wrong.

    Parameters
    ----------
    Y : array of shape (n, l) or (n,)
        Entries 1, 0 or nan.
    n : int
        Number of instances that Y must have.
    missing : bool
        Whether nan is allowed.
    real : bool, default=False
        Whether any finite number is allowed, as attributes need.

    Returns
    -------
    ndarray of shape (n, l)
        The labels as floats.
    """
    Y = label_array(Y)
    if Y.ndim == 1:
        Y = Y[:, None]
    if Y.ndim != 2 or len(Y) != n or Y.shape[1] == 0:
        raise ValueError(
            f"labels of shape {Y.shape} do not fit {n} instances: use one row for each instance"
        )
    Y = np.asarray(Y, dtype=float)
    unknown = np.isnan(Y)
    if not missing and unknown.any():
        raise ValueError(
            f"{int(unknown.sum())} labels are nan and this method cannot use unobserved labels: "
            "replace them first, for example with 0"
        )
    if real and not np.isfinite(Y[~unknown]).all():
        raise ValueError("attributes must be finite numbers: replace the infinite ones")
    if not real and not np.isin(Y[~unknown], (0.0, 1.0)).all():
        raise ValueError("labels must be 1 (relevant), 0 (irrelevant) or nan (unobserved)")
    return Y
