"""Ridge regression per label against scikit-learn's, on the rows where the label is known."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge

from mlfs.learners import BRRidge, br_ridge


@pytest.fixture(params=["many rows", "many features"])
def wide_or_long(request, incomplete):
    X, Y = incomplete(200)
    return (X[:, :40], Y) if request.param == "many rows" else (X[:60], Y[:60])


def expected(X, Y, alpha):
    """Weights and intercepts of scikit-learn, label by label, on the known rows."""
    found = []
    for y in Y.T:
        seen = ~np.isnan(y)
        model = Ridge(alpha=alpha, solver="svd").fit(X[seen], y[seen])
        found.append([*model.coef_, model.intercept_])
    return np.transpose(found)


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("case", ["nan", "complete", "two masks"])
def test_weights_are_scikit_learns_on_the_known_rows(wide_or_long, alpha, kind, case):
    X, Y = wide_or_long
    if case == "complete":
        Y = np.nan_to_num(Y)
    elif case == "two masks":
        Y = np.nan_to_num(Y)
        Y[::3, :5] = np.nan
    if kind == "sparse":
        X = np.where(np.abs(X) > 0.8, X, 0.0)
    wanted = expected(X, Y, alpha)
    features = sp.csr_matrix(X) if kind == "sparse" else X + 50.0  # far from the origin
    model = BRRidge(alpha).fit(features, Y)
    np.testing.assert_allclose(model.W_, wanted[:-1], atol=1e-7)
    scores = X @ wanted[:-1] + wanted[-1]
    np.testing.assert_allclose(model.decision_function(features), scores, atol=1e-6)
    np.testing.assert_array_equal(model.predict(features), model.decision_function(features) >= 0.5)


def test_conjugate_gradients_solve_every_label_and_the_rest_is_direct(incomplete, monkeypatch):
    X, Y = incomplete(200)
    X, wanted = X[:, :40], expected(X[:, :40], Y, 1.0)
    calls, inner = [], BRRidge._solve_one

    def watched(self, X, error):
        calls.append(X.shape[0])
        return inner(self, X, error)

    monkeypatch.setattr(BRRidge, "_solve_one", watched)
    np.testing.assert_allclose(BRRidge().fit(X, Y).W_, wanted[:-1], atol=1e-9)
    assert not calls
    monkeypatch.setattr(br_ridge, "_STEPS", 5)
    np.testing.assert_allclose(BRRidge().fit(X, Y).W_, wanted[:-1], atol=1e-9)
    assert calls == (~np.isnan(Y)).sum(axis=0).tolist()


def test_a_label_with_few_known_rows_is_as_exact_as_the_others(incomplete):
    X, Y = incomplete(200)
    X, Y = 30.0 * X[:, :40], Y.copy()
    Y[3:, 0] = np.nan
    Y[:3, 0] = [1, 0, 1]
    wanted = expected(X, Y, 0.01)
    np.testing.assert_allclose(BRRidge(0.01).fit(X, Y).W_, wanted[:-1], atol=1e-7)


def test_labels_of_one_known_value_are_constant(incomplete):
    X, Y = incomplete(60)
    for features in (X, X[:, :10]):
        labels = Y.copy()
        labels[:, 0] = np.where(np.arange(60) < 20, 1.0, np.nan)
        labels[:, 1] = np.where(np.arange(60) < 20, 0.0, np.nan)
        labels[:, 2] = np.nan
        scores = BRRidge().fit(features, labels).decision_function(features)
        np.testing.assert_allclose(scores[:, :3], np.tile([1.0, 0.0, 0.0], (60, 1)), atol=1e-12)
        nothing = BRRidge().fit(features, np.full_like(Y, np.nan)).decision_function(features)
        assert not nothing.any()


def test_sparse_features_stay_sparse(incomplete, monkeypatch):
    X, Y = incomplete(100)
    features = sp.csr_matrix(np.where(np.abs(X[:, :40]) > 0.8, X[:, :40], 0.0))
    made = []
    inner = sp.csr_matrix.toarray
    monkeypatch.setattr(
        sp.csr_matrix, "toarray", lambda self, *a, **k: made.append(self.shape) or inner(self)
    )
    BRRidge().fit(features, Y).decision_function(features)
    assert (100, 40) not in made  # only Gram matrices are dense
