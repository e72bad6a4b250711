"""What a method says of itself, and the checks of features and parameters that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from .linalg import dense
from .types import Matrix


@dataclass(frozen=True)
class Tags:
    """Describe what a method is and what it can take; ``mlfs methods`` prints these.

    Parameters
    ----------
    paper : str
        Where it was published.
    provenance : str
        "paper", "author code" or "reconstructed": what our code was checked against.
    handles_missing : bool
        Whether nan labels may be passed; otherwise a protocol turns them into 0 first.
    real_targets : bool
        Whether Y may hold real values, such as class attributes, besides 0 and 1.
    supports_sparse : bool
        Whether a sparse X stays sparse; otherwise it is made dense on entry.
    search_space : mapping
        The paper's grid: parameter name to the values tried.
    note : str
        What a user should know: a choice the paper leaves open, a limit.

    Examples
    --------
    >>> from mlfs.selectors import FSNM
    >>> FSNM.tags.supports_sparse
    True
    """

    paper: str
    provenance: str = "paper"
    handles_missing: bool = False
    real_targets: bool = False
    supports_sparse: bool = False
    search_space: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    note: str = ""


def check_features(estimator: Any, X: Matrix, *, reset: bool = True) -> Matrix:
    """Validate X as the estimator's tags say: float64, finite, dense or csr.

    The result may share memory with X: methods never write into it.
    """
    X = validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64)
    return X if estimator.tags.supports_sparse else dense(X)


def check_params(estimator: BaseEstimator) -> None:
    """Raise a ValueError of one sentence unless every parameter has a value it may have.

    It works on a method that is built but not fitted, ours or any other estimator; an estimator
    that declares no constraints passes.
    """
    if hasattr(estimator, "_parameter_constraints"):
        estimator._validate_params()
