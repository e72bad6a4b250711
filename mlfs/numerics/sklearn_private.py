"""The parts of scikit-learn that it calls private, in one place.

Another version of scikit-learn may move them, so ``pyproject.toml`` names the first version that
has not been tried. No other module imports such parts.
"""

from __future__ import annotations

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

__all__ = ["HasMethods", "Interval", "RealNotInt", "StrOptions", "check_params"]


def check_params(estimator: BaseEstimator) -> None:
    """Raise a ValueError with one sentence if a parameter has a value that is not allowed.

    The estimator need not be fitted. One that declares no constraints always passes.
    """
    if hasattr(estimator, "_parameter_constraints"):
        estimator._validate_params()
