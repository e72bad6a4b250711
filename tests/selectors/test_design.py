"""The products of a design against the matrix written out in full."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.selectors.design import Design, regress


@pytest.fixture(scope="module")
def features():
    """Sparse columns of very different sizes, one of them all zero and one constant."""
    rng = np.random.default_rng(0)
    X = rng.gamma(1.0, size=(50, 8)) * (rng.random((50, 8)) < 0.3) * 10.0 ** np.arange(-3, 5)
    X[:, 2], X[:, 5] = 0.0, 7.0
    return X


def written_out(X, standardize, fit_intercept):
    if standardize:
        columns = [x - x.mean() for x in X.T]
        X = np.column_stack([x / x.std() if x.any() else x for x in columns])
    return np.column_stack([X, np.ones(len(X))]) if fit_intercept else X


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_products_and_norms_equal_those_of_the_written_out_matrix(
    features, close, form, standardize, fit_intercept
):
    A = written_out(features, standardize, fit_intercept)
    rng = np.random.default_rng(1)
    W, V = rng.normal(size=(A.shape[1], 3)), rng.normal(size=(50, 3))
    before = W.copy(), V.copy()
    X = form(features)
    design = Design(X, standardize=standardize, fit_intercept=fit_intercept)
    close(design.apply(W), A @ W, 1e-12, "AW")
    close(design.adjoint(V), A.T @ V, 1e-12, "AᵀV")
    close(design.squared, (A**2).sum(axis=0), 1e-12, "norms")
    np.testing.assert_array_equal(W, before[0])
    np.testing.assert_array_equal(V, before[1])
    np.testing.assert_array_equal(X.toarray() if sp.issparse(X) else X, features)


def test_a_sparse_matrix_gets_no_new_entries(features):
    X = sp.csr_matrix(features)
    design = Design(X, standardize=True, fit_intercept=True)
    assert sp.issparse(design.X) and design.X.nnz == X.nnz


def test_one_step_regresses_on_orthogonal_columns(close):
    """Scaled by its diagonal, a diagonal system is solved at once."""
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.standard_normal((30, 6)))[0] * np.arange(1.0, 7.0)
    V, precision = rng.standard_normal((30, 2)), rng.uniform(0.1, 9.0, (6, 1))
    W = regress(Design(X), V, precision, 0.5, np.zeros((6, 2)), steps=1)
    close(W, 0.5 * X.T @ V / (0.5 * np.arange(1.0, 7.0)[:, None] ** 2 + precision), 1e-12)
