"""What a method says of itself, and the check of its features that follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from .types import Matrix


@dataclass(frozen=True)
class Tags:
    """What a method is and what it can take; ``mlfs methods`` prints these.

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
    needs_nonnegative : bool
        Whether X must not have negative entries.
    supports_sparse : bool
        Whether a sparse X stays sparse; otherwise it is made dense on entry.
    search_space : mapping
        The paper's grid: parameter name to the values tried.
    note : str
        What a user should know: a choice the paper leaves open, a limit.
    """

    paper: str
    provenance: str = "paper"
    handles_missing: bool = False
    real_targets: bool = False
    needs_nonnegative: bool = False
    supports_sparse: bool = False
    search_space: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    note: str = ""


def check_features(estimator: Any, X: Matrix, *, reset: bool = True) -> Matrix:
    """Validate X as the estimator's tags say: float64, finite, dense or csr, not negative.

    The result may share memory with X: methods never write into it.
    """
    tags: Tags = estimator.tags
    X = validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64)
    if sp.issparse(X) and not tags.supports_sparse:
        X = X.toarray()
    if tags.needs_nonnegative and X.min() < 0:
        raise ValueError(
            f"{type(estimator).__name__} needs features that are not negative: "
            "scale them first (scale: minmax)"
        )
    return X
