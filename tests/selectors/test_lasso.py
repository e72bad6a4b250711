"""Lasso against its optimality conditions and scikit-learn fitted column by column."""

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Lasso as Reference

from mlfs.selectors import Lasso


def test_the_solution_fulfils_the_optimality_conditions(yeast_slice):
    X, Y = yeast_slice(300)
    model = Lasso(alpha=0.02, tol=1e-10).fit(X, Y)
    residual = (Y - Y.mean(axis=0)) - (X - X.mean(axis=0)) @ model.coef_
    correlation = (X - X.mean(axis=0)).T @ residual / len(X)
    active = model.coef_ != 0
    assert active.any() and not active.all()
    assert np.abs(correlation).max() <= 0.02 * (1 + 1e-4)
    np.testing.assert_allclose(correlation[active], 0.02 * np.sign(model.coef_[active]), atol=1e-6)


def test_equals_one_regression_per_real_target_dense_and_sparse():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12)) * (rng.uniform(size=(60, 12)) < 0.4)
    Y = X[:, :3] @ rng.normal(size=(3, 4)) + rng.normal(size=(60, 4))
    expected = sum(np.abs(Reference(alpha=0.05, tol=1e-10).fit(X, y).coef_) for y in Y.T)
    for given in (X, sp.csr_matrix(X), X[:8]):
        model = Lasso(alpha=0.05, tol=1e-10).fit(given, Y[: given.shape[0]])
        if given.shape[0] == 60:
            np.testing.assert_allclose(model.scores_, expected, atol=1e-5)
    assert model.coef_.shape == (12, 4)
