"""scikit-learn's own checks of estimators, over every selector, learner and classifier."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlfs.active import BayesianCompressedSensing
from mlfs.methods.registry import methods
from mlfs.selectors import L1Logistic

ESTIMATORS = [
    *methods(["selector", "learner", "classifier"]).values(),
    BayesianCompressedSensing,
]
# what an estimator of multi-label data cannot satisfy: check and reason, in all and in one
OF_ALL_CLASSIFIERS = {
    "check_classifier_multioutput": (
        "takes decision_function > 0 for the prediction of every label and one pair of classes "
        "for all of them; here scores compare across labels, with one threshold_ that is .5 for "
        "most, and classes_ has a pair a label, as scikit-learn's scorers need it"
    ),
}
OF_ONE = {
    BayesianCompressedSensing: {
        "check_non_transformer_estimators_n_iter": (
            "max_iter limits the updates made for each point that is predicted; fit makes none"
        )
    },
}


def quick(cls):
    """An instance with few iterations or trees on few instances, as scikit-learn checks its own."""
    method = cls()
    limits = {"max_iter": 5, "max_samples": 50, "n_trees": 5}
    known = method.get_params()
    return method.set_params(
        **{name: min(known[name], limit) for name, limit in limits.items() if name in known}
    )


def expected_failures(method):
    of_all = OF_ALL_CLASSIFIERS if hasattr(method, "predict") else {}
    return of_all | OF_ONE.get(type(method), {})


@pytest.mark.filterwarnings("ignore::UserWarning")  # defaults too large for tiny data
@parametrize_with_checks(
    [quick(cls) for cls in ESTIMATORS], expected_failed_checks=expected_failures
)
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_few_checks_are_expected_to_fail(cls):
    assert len(expected_failures(cls())) <= 6


ITERATED = [cls for cls in ESTIMATORS if "max_iter" in cls().get_params() and cls not in OF_ONE]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("cls", ITERATED)
def test_n_iter_counts_the_iterations(cls):
    """As many as are allowed where no tolerance ends them, and less where one does at once."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 8))
    Y = (X[:, :3] + 0.5 * rng.standard_normal((40, 3)) > 0).astype(float)
    if cls.tags.handles_missing:  # with all labels one iteration may be exact
        Y[rng.random(Y.shape) < 0.3] = np.nan
    seed = {"random_state": 0} if "random_state" in cls().get_params() else {}
    if cls is L1Logistic:  # with a small C no weight leaves 0, and the solver is done at once
        seed["C"] = 10.0
    for turns in (1, 3):
        exact = {"tol": 0.0} if "tol" in cls().get_params() else {}
        assert cls(max_iter=turns, **exact, **seed).fit(X, Y).n_iter_ == turns
    if exact:
        assert cls(max_iter=50, tol=1e6, **seed).fit(X, Y).n_iter_ <= 2
