"""MDDM's scores against the generalised eigenproblem that defines it, and the HSIC."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh

from mlfs.selectors import MDDM


@pytest.mark.parametrize(("kind", "mu"), [("proj", 0.5), ("spc", 0.5), ("spc", 0.1), ("spc", 0.0)])
def test_scores_are_the_shares_of_the_projection(yeast_slice, kind, mu):
    """Σ_m λ_m P_jm² from a solver of S p = λ B p, with the matrices written out."""
    X, Y = yeast_slice(150)
    n, d = X.shape
    H = np.eye(n) - 1 / n
    S = X.T @ H @ Y @ Y.T @ H @ X
    B = np.eye(d) if kind == "proj" else mu * X.T @ H @ X + (1 - mu) * np.eye(d)
    values, P = eigh((S + S.T) / 2, B)
    scores = MDDM(kind=kind, mu=mu).fit(X, Y).scores_
    np.testing.assert_allclose(scores, P**2 @ values, rtol=1e-7, atol=1e-9 * scores.max())


def test_projection_scores_are_the_dependence_of_each_feature(yeast_slice):
    """tr(KHLH) with K = x xᵀ of one feature and L = Y Yᵀ; ±1 labels only change the unit."""
    X, Y = yeast_slice(80)
    H = np.eye(80) - 1 / 80
    hsic = [np.trace(np.outer(x, x) @ H @ Y @ Y.T @ H) for x in X.T]
    np.testing.assert_allclose(MDDM().fit(X, Y).scores_, hsic)
    signed = 2 * Y - 1
    np.testing.assert_allclose(
        4 * np.array(hsic), [np.trace(np.outer(x, x) @ H @ signed @ signed.T @ H) for x in X.T]
    )


@pytest.mark.parametrize("kind", ["proj", "spc"])
def test_shifts_and_the_order_of_features_do_not_matter(yeast_slice, kind):
    X, Y = yeast_slice(300)
    order = np.random.default_rng(0).permutation(X.shape[1])
    model, again = MDDM(kind=kind).fit(X, Y), MDDM(kind=kind).fit(X[:, order] + 5.0, Y)
    assert np.array_equal(order[again.ranking_], model.ranking_)


def test_duplicating_rows_changes_no_projection(yeast_slice):
    X, Y = yeast_slice(200)
    twice = MDDM().fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2, axis=0))
    assert np.array_equal(twice.ranking_, MDDM().fit(X, Y).ranking_)


@pytest.mark.parametrize("kind", ["proj", "spc"])
def test_sparse_features_give_the_same_scores(real, kind):
    data = real("arts")
    X, Y = sp.csr_matrix(data.X[:400]), data.Y[:400]
    dense = MDDM(kind=kind).fit(X.toarray(), Y).scores_
    np.testing.assert_allclose(MDDM(kind=kind).fit(X, Y).scores_, dense, atol=1e-10)


def test_constant_features_come_last(yeast_slice):
    X, Y = yeast_slice(100)
    X[:, 7] = 2.0
    assert MDDM().fit(X, Y).ranking_[-1] == 7


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"kind": "pca"}, "'kind' parameter of MDDM .* Got 'pca'"),
        ({"kind": "spc", "mu": 1.0}, "'mu' parameter of MDDM .* Got 1.0"),
    ],
)
def test_bad_parameters_are_refused(params, message):
    X = np.random.default_rng(0).normal(size=(20, 5))
    with pytest.raises(ValueError, match=message):
        MDDM(**params).fit(X, X[:, :2] > 0)
