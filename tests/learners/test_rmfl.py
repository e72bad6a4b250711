"""RMFL against literal forms of the paper's equations, and against its printed tables."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel

from mlfs.learners import RMFL
from mlfs.learners.rmfl import KernelModel, LinearModel
from mlfs.methods.labels import signed
from mlfs.metrics import average_precision, coverage, hamming_loss, ranking_loss
from mlfs.numerics.graphs import lle_weights
from mlfs.protocols.experiment.masks import DropPerInstance


@pytest.fixture(scope="module")
def fitted(incomplete):
    X, Y = incomplete(300)
    return X, Y, RMFL(lam1=0.1, lam2=0.1, n_factors=6, random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def state(fitted):
    """Everything that (8) speaks of, and (8) itself as a function of U, V, Z and T."""
    X, Y, model = fitted
    Y, R = signed(Y)
    B = (sp.eye_array(len(X)) - lle_weights(X, 10)).tocsr()
    return model, Y, R, B, model.model_.fit(model.U_)


def test_objective_never_rises(fitted):
    assert np.all(np.diff(fitted[2].objective_) < 0)


def test_no_step_raises_the_objective(state):
    model, Y, R, B, _ = state
    rng = np.random.default_rng(3)
    U, Z = rng.standard_normal(model.U_.shape), model.Z_
    V, T = rng.standard_normal(model.V_.shape), model.model_.fit(rng.standard_normal(U.shape))

    def value():
        return model._objective(Y, R, U, V, Z, T, B)

    values = [value()]
    for _ in range(3):
        V = model._solve_V(Y, R, U, V, Z)
        values.append(value())
        T = model.model_.fit(U)
        values.append(value())
        U = model._solve_U(Y, R, U, V, T, B)
        values.append(value())
    assert np.all(np.diff(values) <= 1e-9 * values[0])


def test_printed_gradients_are_derivatives_and_vanish_at_the_solution(state, numerical_gradient):
    """(10), (18) and (20) are the derivatives of (8), and vanish where V and U are solved."""
    model, Y, R, B, T = state
    U, V, Z = model.U_, model.V_, model.Z_
    lam1, lam2, lam3 = model.lam1, model.lam2, model.lam3

    def by_V(V):
        return (R.T * (V @ U.T - Y.T)) @ U + lam2 * Z @ Z.T @ V

    def by_U(U):
        return (R * (U @ V.T - Y)) @ V + lam1 * B.T @ (B @ U) + lam3 * (U - T)

    numeric = numerical_gradient(lambda V: model._objective(Y, R, U, V, Z, T, B), V)
    np.testing.assert_allclose(by_V(V), numeric, atol=1e-4)
    numeric = numerical_gradient(lambda Z: model._objective(Y, R, U, V, Z, T, B), Z)
    np.testing.assert_allclose(lam2 * V @ V.T @ Z, numeric, atol=1e-4)
    some = np.arange(0, 300, 50)

    def at_some(rows):
        moved = U.copy()
        moved[some] = rows
        return model._objective(Y, R, moved, V, Z, T, B)

    np.testing.assert_allclose(by_U(U)[some], numerical_gradient(at_some, U[some]), atol=1e-4)
    solved = model._solve_V(Y, R, U, V, Z)
    assert np.abs(by_V(solved)).max() < 1e-6 * np.abs(by_V(np.zeros_like(V))).max()
    solved = model._solve_U(Y, R, U, V, T, B)
    assert np.abs(by_U(solved)).max() < 1e-6 * np.abs(by_U(np.zeros_like(U))).max()


@pytest.mark.parametrize("ridge", [4.0**-7, 1.0, 16.0])
def test_kernel_model_equals_a_literal_16(yeast_slice, ridge):
    X = yeast_slice(80)[0]
    U = np.random.default_rng(0).standard_normal((80, 4))
    model = KernelModel(X, ridge)
    T = model.fit(U)
    K, one, m = rbf_kernel(X, gamma=0.5 / model.width**2), np.ones((80, 1)), 80
    system = K.T @ K + ridge * K - K.T @ one @ one.T @ K / m
    A = np.linalg.solve(system, K.T @ U - K.T @ one @ one.T @ U / m)
    b = (U.T - A.T @ K.T) @ one / m
    np.testing.assert_allclose(model.A, A, atol=1e-6 * np.abs(A).max())
    np.testing.assert_allclose(model.b, b[:, 0], atol=1e-6)
    np.testing.assert_allclose(T, K @ A + one @ b.T, atol=1e-6)
    np.testing.assert_allclose(model.latent(X), T, atol=1e-6)
    np.testing.assert_allclose(model.size, np.trace(A.T @ K @ A), rtol=1e-6)


def test_kernel_is_as_wide_as_the_mean_distance(yeast_slice):
    X = yeast_slice(50)[0]
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(KernelModel(X, 1.0).width, distances.mean())


def test_linear_model_equals_ridge(yeast_slice):
    X = yeast_slice(80)[0]
    U = np.random.default_rng(0).standard_normal((80, 4))
    ours, theirs = LinearModel(sp.csr_matrix(X), 0.5), Ridge(alpha=0.5).fit(X, U)
    np.testing.assert_allclose(ours.fit(U), theirs.predict(X), atol=1e-8)
    np.testing.assert_allclose(ours.W, theirs.coef_.T, atol=1e-8)


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
def test_sparse_features_give_the_same_scores(incomplete, kernel):
    X, Y = incomplete(120)
    model = RMFL(kernel=kernel, n_factors=5, max_iter=5, random_state=0)
    dense = model.fit(X, Y).decision_function(X)
    sparse = model.fit(sp.csr_matrix(X), Y).decision_function(sp.csr_matrix(X))
    np.testing.assert_allclose(sparse, dense, atol=1e-6)


@pytest.mark.parametrize("change", [{"lam1": 0.0}, {"lam2": 0.0}, {"kernel": "linear"}])
def test_every_ablation_descends_and_changes_the_scores(incomplete, change):
    """Each descends, and leaves out something that mattered."""
    X, Y = incomplete(150)
    whole = RMFL(lam1=1.0, lam2=1.0, random_state=0).fit(X, Y).decision_function(X)
    model = RMFL(**{"lam1": 1.0, "lam2": 1.0, **change}, random_state=0).fit(X, Y)
    assert np.all(np.diff(model.objective_) < 0)
    assert np.abs(model.decision_function(X) - whole).max() > 1e-3


@pytest.mark.parametrize("wrong", [{"kernel": "cubic"}, {"lam3": 0.0}, {"lam4": -1.0}])
def test_parameters_out_of_range_are_refused(incomplete, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        RMFL(**wrong).fit(*incomplete(30))


COLUMNS = ("average_precision", "hamming_loss", "ranking_loss", "coverage")
PRINTED = {
    ("yeast", 0.0): (0.78, 0.189, 0.157, 0.442),
    ("yeast", 0.4): (0.769, 0.193, 0.164, 0.454),
    ("yeast", 0.6): (0.765, 0.197, 0.167, 0.461),
    ("yeast", 0.8): (0.749, 0.208, 0.177, 0.474),
    ("science", 0.0): (0.613, 0.032, 0.114, 0.16),
    ("science", 0.4): (0.603, 0.031, 0.112, 0.158),
}
MEASURES = {
    "average_precision": average_precision,
    "ranking_loss": ranking_loss,
    "coverage": lambda Y, S: coverage(Y, S, normalize=True),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "ratio", "gap"),
    [("yeast", r, 0.015) for r in (0.0, 0.4, 0.6, 0.8)]
    + [("science", r, 0.02) for r in (0.0, 0.4)],
)
def test_scores_come_near_the_printed_tables(real, name, ratio, gap):
    """Tables II and IV to VI: the mean of three 80/20 splits of the unscaled features."""
    data = real(name)
    found = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(data.Y))
        train, test = np.split(order, [round(0.8 * len(order))])
        Y = DropPerInstance(ratio)(data.Y[train], rng)
        model = RMFL(random_state=0).fit(data.X[train], Y)
        scores = model.decision_function(data.X[test])
        row = {metric: f(data.Y[test], scores) for metric, f in MEASURES.items()}
        row["hamming_loss"] = hamming_loss(data.Y[test], model.predict_from_scores(scores))
        found.append(row)
    for metric, value in zip(COLUMNS, PRINTED[name, ratio]):
        ours = np.mean([row[metric] for row in found])
        assert abs(ours - value) < gap, f"{metric}: {ours:.4f}, printed {value}"
