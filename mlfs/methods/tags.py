"""Tags that describe a method, and the check of features that uses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..types import Matrix


@dataclass(frozen=True)
class Tags:
    """Describe a method and the input that it accepts; ``mlfs methods show`` prints these tags.

    Parameters
    ----------
    paper : str
        Where the method was published.
    provenance : str
        What our code was checked against: "paper", "author code" or "reconstructed".
    handles_missing : bool
        Whether the method accepts nan labels; otherwise a protocol treats them first.
    by_label : bool
        Whether each label may be treated alone, on the rows where it is known. A method that
        accepts nan does so itself; of any other, one copy is fitted to each label. Classifiers that
        do not accept nan can always be used in this way.
    real_targets : bool
        Whether Y may have real values, such as class attributes, besides 0 and 1.
    supports_sparse : bool
        Whether a sparse X stays sparse; otherwise it is made dense on entry.
    search_space : mapping
        The grid of the paper: for each parameter the values to try.
    note : str
        What a user should know, such as a limit, or a choice that the paper does not specify.

    Examples
    --------
    >>> from mlfs.selectors import FSNM
    >>> FSNM.tags.supports_sparse
    True
    """

    paper: str
    provenance: str = "paper"
    handles_missing: bool = False
    by_label: bool = False
    real_targets: bool = False
    supports_sparse: bool = False
    search_space: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    note: str = ""


def check_features(estimator: Any, X: Matrix, *, reset: bool = True) -> Matrix:
    """Check X and return it as finite float64, dense or csr as the estimator's tags say.

    The result may share memory with X, so methods must never write into it.
    """
    from sklearn.utils.validation import validate_data

    from ..numerics.linalg import dense

    X = validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64)
    return X if estimator.tags.supports_sparse else dense(X)
