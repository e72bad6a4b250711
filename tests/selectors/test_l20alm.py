"""L20ALM against enumeration of all sets, its convex part's conditions, and invariances."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.linear_model import QuantileRegressor

from mlfs.selectors import L20ALM, l20alm
from mlfs.selectors.l20alm import principal_axes, refit


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 8)) + 0.5 * rng.normal(size=(60, 1))
    Y = X[:, [1, 4, 6]] @ rng.normal(size=(3, 2)) + 0.3 * rng.standard_t(3, size=(60, 2))
    return X, Y


def test_the_set_found_is_the_best_of_all_sets(small):
    X, Y = small
    centred = principal_axes(Y)
    values = {s: refit(X[:, list(s)], centred)[0] for s in combinations(range(8), 3)}
    model = L20ALM(n_features=3, random_state=0).fit(X, Y)
    assert set(model.ranking_[:3]) == set(min(values, key=values.get)) == {1, 4, 6}
    assert min(model.objectives_) == pytest.approx(min(values.values()), rel=1e-8)


def test_labels_that_never_vary_leave_one_column_of_zeros():
    assert np.array_equal(principal_axes(np.ones((5, 3))), np.zeros((5, 1)))


def test_runs_one_by_one_give_what_runs_side_by_side_do(small, monkeypatch):
    model = L20ALM(n_features=3, random_state=0).fit(*small)
    monkeypatch.setattr(l20alm, "COLUMNS", 1)  # less than the targets of a single run
    again = L20ALM(n_features=3, random_state=0).fit(*small)
    np.testing.assert_allclose(again.objectives_, model.objectives_, rtol=1e-9)


def test_the_objective_is_never_above_that_of_the_largest_row_norms(yeast_slice):
    X, Y = yeast_slice(200)
    settings = {
        "n_features": 8,
        "n_restarts": 2,
        "max_iter": 40,
        "rho": 1.2,
    }  # far from convergence
    for seed in range(3):
        model = L20ALM(random_state=seed, **settings).fit(X, Y)
        assert np.count_nonzero(model.coef_.any(axis=1)) == 8
        by_norm = np.argsort(-np.linalg.norm(model.coef_, axis=1), kind="stable")[:8]
        assert np.array_equal(model.ranking_[:8], by_norm)
        best = min(model.objectives_)
        assert best == pytest.approx(refit(X[:, np.sort(by_norm)], principal_axes(Y))[0], rel=1e-6)
        # the last W of either start can only be worse
        rng, reduced = np.random.RandomState(seed), principal_axes(Y)
        for _ in range(2):
            W = one_run(X, reduced, 8, rng, mu=0.1, rho=1.2, max_iter=40)
            top = np.argsort(-np.linalg.norm(W, axis=1))[:8]
            assert best <= refit(X[:, top], reduced)[0] * (1 + 1e-8)


def one_run(X, Y, k, rng, *, mu, rho, max_iter):
    """The augmented Lagrangian from one start, instance by instance."""
    X = X - X.mean(axis=0)
    d, (n, m) = X.shape[1], Y.shape
    V, E = rng.uniform(size=(d, m)), rng.uniform(size=(n, m))
    Lam, Sig = np.zeros((d, m)), np.zeros((n, m))
    for _ in range(max_iter):
        T = Y + E - Sig / mu
        W = np.linalg.solve(X.T @ X + np.eye(d), V - Lam / mu + X.T @ T)
        shifted = W + Lam / mu
        V = np.zeros((d, m))
        for j in sorted(range(d), key=lambda j: -np.linalg.norm(shifted[j]))[:k]:
            V[j] = shifted[j]
        for i in range(n):
            residual = W.T @ X[i] + T.mean(axis=0) - Y[i]
            r = residual + Sig[i] / mu
            E[i] = max(1 - 1 / (mu * np.linalg.norm(r)), 0) * r
            Sig[i] += mu * (residual - E[i])
        Lam += mu * (W - V)
        mu *= rho
    return W


def test_runs_side_by_side_equal_one_run(yeast_slice):
    X, Y = (part[:60] for part in yeast_slice(200))
    reduced = principal_axes(Y)
    model = L20ALM(n_restarts=2, max_iter=15, random_state=0)
    for k, (found, twice) in zip((4, 9), model._search(X, Y, [4, 9])):
        rng = np.random.RandomState(0)
        for solution in (found, twice):
            W = one_run(X, reduced, k, rng, mu=0.1, rho=1.01, max_iter=15)
            rest = [j for j in np.argsort(-np.linalg.norm(W, axis=1)) if not solution.coef[j].any()]
            assert solution.ranking[k:].tolist() == rest


def test_every_size_has_a_set_of_its_own(yeast_slice):
    X, Y = (part[:70, :20] for part in yeast_slice(150))
    model = L20ALM(rho=1.1, random_state=0)
    sizes = [3, 6]
    subsets = model.subsets(X, Y, sizes)
    for size, columns in zip(sizes, subsets):
        alone = L20ALM(n_features=size, rho=1.1, random_state=0).fit(X, Y)
        np.testing.assert_array_equal(columns, alone.ranking_[:size])
        value = refit(X[:, np.sort(columns)], principal_axes(Y))[0]
        assert value == pytest.approx(min(alone.objectives_), rel=1e-6)
    one_for_all = L20ALM(n_features=50, rho=1.1, random_state=0)
    tops = one_for_all.subsets(X, Y, sizes)
    assert set(subsets[0]) != set(tops[0])
    for size, top in zip(sizes, tops, strict=True):
        np.testing.assert_array_equal(top, one_for_all.ranking_[:size])


@pytest.mark.parametrize(("asked", "k"), [(3, 3), (0.25, 2), (None, 4)])
def test_k_is_the_number_selected_unless_given(small, asked, k):
    X, Y = small
    params = {"n_features_to_select": asked, "rho": 1.1, "random_state": 0}
    model = L20ALM(**params).fit(X, Y)
    assert np.flatnonzero(model.coef_.any(axis=1)).tolist() == sorted(model.ranking_[:k])
    assert model.get_support().sum() == k
    given = L20ALM(5, **params).fit(X, Y)
    assert np.count_nonzero(given.coef_.any(axis=1)) == 5
    everything = L20ALM(50, **params).fit(X, Y)  # more than there are
    assert np.count_nonzero(everything.coef_.any(axis=1)) == 8


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


def test_the_true_features_are_found_among_more_features_than_instances(small):
    X, Y = small
    rng = np.random.default_rng(0)
    wide = np.hstack([X, rng.normal(size=(60, 72))])
    model = L20ALM(n_features=3, random_state=0).fit(wide, Y)
    assert set(model.ranking_[:3]) == {1, 4, 6}
    assert sorted(model.ranking_) == list(range(80))


def test_the_longest_run_is_counted_however_many_go_side_by_side(monkeypatch):
    """Alone, the last start needs fewer iterations than another."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 6))
    Y = (X[:, :3] > 0).astype(float)
    model = L20ALM(2, rho=1.1, n_restarts=4, random_state=0)
    together = model.fit(X, Y).n_iter_
    steps = []
    monkeypatch.setattr("mlfs.selectors.l20alm.COLUMNS", 1)  # one run at a time
    one_run = L20ALM._multipliers

    def counted(self, *args):
        ends = one_run(self, *args)
        steps.append(self.n_iter_)
        return ends

    monkeypatch.setattr(L20ALM, "_multipliers", counted)
    assert model.fit(X, Y).n_iter_ == together == max(steps)
    assert len(steps) == 4 and steps[-1] < max(steps)
