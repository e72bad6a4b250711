"""LEML against the closed forms of its blocks and scikit-learn's ridge."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge

from mlfs.learners import LEML
from mlfs.methods.labels import signed


def test_objective_never_rises(incomplete):
    X, Y = incomplete(300)
    model = LEML(lam=0.1, max_iter=30, random_state=0).fit(X, Y)
    assert np.all(np.diff(model.objective_) <= 1e-9)
    assert model.objective_[-1] < model.objective_[0]


def test_W_equals_its_closed_form_when_all_is_observed(yeast_slice):
    """vec(W) solves (HᵀH ⊗ XᵀX + λI) vec(W) = vec(XᵀYH)."""
    X, Y = yeast_slice(150)
    X = X[:, :12]
    model = LEML(lam=0.5, n_factors=3, fit_intercept=False, random_state=0).fit(X, Y)
    W, H = model.W_, model.H_
    system = np.kron(H.T @ H, X.T @ X) + 0.5 * np.eye(W.size)
    expected = np.linalg.solve(system, (X.T @ (2 * Y - 1) @ H).ravel(order="F"))
    np.testing.assert_allclose(W.ravel(order="F"), expected, atol=1e-8)


def test_W_equals_its_closed_form_when_some_is_missing(incomplete):
    X, Y = incomplete(100)
    X, (signs, R) = X[:, :6], signed(Y)
    model = LEML(lam=0.5, n_factors=3, fit_intercept=False, n_cg=200, random_state=0).fit(X, Y)
    # one row of the design per observed label: the outer product of x_i and h_j
    rows, columns = np.nonzero(R)
    design = (X[rows][:, :, None] * model.H_[columns][:, None, :]).reshape(len(rows), -1)
    ridge = Ridge(alpha=0.5, fit_intercept=False).fit(design, signs[R > 0])
    np.testing.assert_allclose(model.W_.ravel(), ridge.coef_, atol=1e-6)


def test_every_h_is_a_ridge_on_its_observed_instances(incomplete):
    X, Y = incomplete(100)
    (signs, R), A = signed(Y), X[:, :4]
    H = LEML(lam=0.3, random_state=0)._solve_H(A, signs, R)
    for j in range(Y.shape[1]):
        seen = R[:, j] > 0
        ridge = Ridge(alpha=0.3, fit_intercept=False).fit(A[seen], signs[seen, j])
        np.testing.assert_allclose(H[j], ridge.coef_, atol=1e-8)


def test_full_rank_and_no_penalty_is_least_squares(yeast_slice):
    """Without a bottleneck the model can be any linear one, so the loss reaches the best."""
    X, Y = yeast_slice(300)
    signs = 2 * Y - 1
    model = LEML(lam=1e-6, n_factors=Y.shape[1], max_iter=200, random_state=0).fit(X, Y)
    ones = np.hstack([X, np.ones((300, 1))])
    best = np.linalg.lstsq(ones, signs)[1].sum()
    loss = np.sum((model.decision_function(X) - signs) ** 2)
    np.testing.assert_allclose(loss, best, rtol=1e-3)


@pytest.mark.parametrize(
    ("asked", "rank"), [(0.5, 5), (0.25, 3), (3, 3), (6, 6), (10, 10), (0.01, 1), (99, 10)]
)
def test_the_rank_is_a_count_or_a_share_within_the_data(incomplete, asked, rank):
    X, Y = incomplete(60)
    assert LEML(n_factors=asked, max_iter=1, random_state=0).fit(X, Y[:, :10]).H_.shape == (
        10,
        rank,
    )


def test_sparse_features_give_the_same_scores(incomplete):
    X, Y = incomplete(100)
    dense = LEML(random_state=0).fit(X, Y).decision_function(X)
    sparse = LEML(random_state=0).fit(sp.csr_matrix(X), Y).decision_function(sp.csr_matrix(X))
    np.testing.assert_allclose(sparse, dense, atol=1e-8)


def test_where_all_is_observed_missing_has_no_effect(yeast_slice):
    X, Y = yeast_slice(80)
    first, *others = (
        LEML(missing=missing, random_state=0).fit(X, Y).decision_function(X)
        for missing in ("observed", "negative", "zero")
    )
    for other in others:
        assert np.array_equal(first, other)


def test_a_weight_of_zero_is_refused(incomplete):
    with pytest.raises(ValueError, match="lam"):
        LEML(lam=0.0, random_state=0).fit(*incomplete(30))
