"""L20ALM against enumeration of all sets, its convex part's conditions, and invariances."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.linear_model import QuantileRegressor

from mlfs.selectors import L20ALM
from mlfs.selectors.l20alm import principal_axes, refit


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 8)) + 0.5 * rng.normal(size=(60, 1))
    Y = X[:, [1, 4, 6]] @ rng.normal(size=(3, 2)) + 0.3 * rng.standard_t(3, size=(60, 2))
    return X, Y


def test_best_of_all_sets(small):
    X, Y = small
    centred = principal_axes(Y)
    values = {s: refit(X[:, list(s)], centred)[0] for s in combinations(range(8), 3)}
    model = L20ALM(k=3).fit(X, Y)
    assert set(model.ranking_[:3]) == set(min(values, key=values.get)) == {1, 4, 6}
    assert min(model.objectives_) == pytest.approx(min(values.values()), rel=1e-8)


def test_never_above_the_top_k_of_its_own_row_norms(yeast_slice):
    X, Y = yeast_slice(200)
    settings = {"k": 8, "n_restarts": 2, "max_iter": 40, "rho": 1.2}  # far from convergence
    for seed in range(3):
        model = L20ALM(random_state=seed, **settings).fit(X, Y)
        assert np.count_nonzero(model.coef_.any(axis=1)) == 8
        by_norm = np.argsort(-np.linalg.norm(model.coef_, axis=1), kind="stable")[:8]
        assert np.array_equal(model.ranking_[:8], by_norm)
        best = min(model.objectives_)
        assert best == pytest.approx(refit(X[:, np.sort(by_norm)], principal_axes(Y))[0], rel=1e-6)
        # the first start alone, and its last W, can only be worse
        rng, centred = np.random.RandomState(seed), X - X.mean(axis=0)
        reduced = principal_axes(Y)
        A = centred.T @ centred + np.eye(X.shape[1])
        solve = lambda B: np.linalg.solve(A, B)  # noqa: E731, B023
        for _ in range(2):
            W, _ = model._multipliers(centred, reduced, 8, solve, rng)
            top = np.argsort(-np.linalg.norm(W, axis=1))[:8]
            assert best <= refit(X[:, top], reduced)[0] * (1 + 1e-8)


@pytest.mark.parametrize(("n", "d"), [(40, 3), (60, 8), (200, 20)])
def test_refit_equals_the_linear_programme_for_one_target(n, d):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n, d))
    y = X @ rng.normal(size=d) + rng.standard_t(3, size=n)
    reference = QuantileRegressor(quantile=0.5, alpha=0).fit(X, y)
    assert refit(X, y[:, None])[0] == pytest.approx(
        np.abs(reference.predict(X) - y).sum(), rel=1e-5
    )


def test_principal_axes_keep_every_distance():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(3, 50))[rng.integers(3, size=40)]
    reduced = principal_axes(Y)
    assert reduced.shape == (40, 2)
    distances = lambda A: np.linalg.norm(A[:, None] - A[None], axis=2)  # noqa: E731
    np.testing.assert_allclose(distances(reduced), distances(Y), atol=1e-6)


def test_more_features_than_instances(small):
    X, Y = small
    rng = np.random.default_rng(0)
    wide = np.hstack([X, rng.normal(size=(60, 72))])
    model = L20ALM(k=3).fit(wide, Y)
    assert set(model.ranking_[:3]) == {1, 4, 6}
    assert sorted(model.ranking_) == list(range(80))
