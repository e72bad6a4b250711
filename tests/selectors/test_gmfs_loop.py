"""GMFS as a whole against its equations repeated entry by entry from the same start."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.selectors import GMFS

C, K, SIGMA0, SIGMA1, LAM, LAM_W = 3, 4, 1e-3, 0.5, 1e-3, 0.05
PARAMS = {
    "n_factors": C,
    "n_neighbors": K,
    "sigma0": SIGMA0,
    "sigma1": SIGMA1,
    "lam_w": LAM_W,
    "tol": 0,
    "random_state": 0,
}
TURNS = (1, 2, 10)
SLICE = 70, 24  # rows and columns of emotions


def holed(Y):
    Y = Y.copy()
    Y[np.random.default_rng(0).random(Y.shape) < 0.2] = np.nan
    return Y


def diagonal(W, prior, threshold):
    """The diagonal A of (17) given W, as the text below (16) sets tau."""
    if prior == "laplace":
        return LAM_W / np.sqrt(W**2 + 1e-12)
    xi = np.sqrt(2 * SIGMA0 * SIGMA1 / (SIGMA1 - SIGMA0) * np.log(np.sqrt(SIGMA1 / SIGMA0)))
    if threshold == "exact":
        xi *= np.sqrt(C)
    tau = np.array([1.0 if np.linalg.norm(w) >= xi else 0.0 for w in W])
    return (1 / SIGMA1) ** tau * (1 / SIGMA0) ** (1 - tau)


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def five_steps(X, V, a, W):
    """Conjugate gradients for (17), scaled by the diagonal, on W as one long vector."""
    A = np.kron(LAM * X.T @ X, np.eye(C)) + np.diag(np.repeat(a, C))
    scale, b, x = np.diag(A), (LAM * X.T @ V).ravel(), W.ravel().copy()
    r = b - A @ x
    p = r / scale
    for _ in range(5):
        step = (r @ (r / scale)) / (p @ A @ p)
        x, rest = x + step * p, r - step * A @ p
        p = rest / scale + (rest @ (rest / scale)) / (r @ (r / scale)) * p
        r = rest
    return x.reshape(W.shape)


def log_posterior(error, Y, state, a, ranked, prior):
    """log p(Y | V, B, theta) + log priors, entry by entry, without constants."""
    V, B, theta, W = state["V"], state["B"], state["theta"], state["W"][ranked]
    value = 0.0
    for i, j in np.ndindex(Y.shape):
        positive = 1 / (1 + np.exp(-V[i] @ B[j]))
        if Y[i, j] == 1:
            value += np.log(theta[i, j] * positive)
        elif Y[i, j] == 0:
            value += np.log(theta[i, j] * (1 - positive) + 1 - theta[i, j])
        value -= 0.5 * (np.log(theta[i, j]) + np.log(1 - theta[i, j])) / len(Y)
    value -= 0.5 * LAM * (np.sum(error**2) + np.sum(B**2))
    if prior == "laplace":
        return value - LAM_W * np.sqrt(W**2 + 1e-12).sum()
    return value + 0.5 * np.sum(C * np.log(a) - a * np.sum(W**2, axis=1))


@pytest.fixture(scope="module")
def literal(gmfs_step):
    """``literal(X, Y, turns, ...)``: the whole algorithm; what it has at the end."""

    def run(X, Y, turns, prior="spike_slab", threshold="paper", cg=False, intercept=False):
        rng = np.random.RandomState(0)
        (n, d), l = X.shape, Y.shape[1]  # noqa: E741
        if intercept:  # one more feature, which has neither tau nor a penalty
            X, d = np.column_stack([X, np.ones(n)]), d + 1
        V, B = 0.1 * rng.standard_normal((n, C)), 0.1 * rng.standard_normal((l, C))
        state = {"V": V, "B": B, "W": np.zeros((d, C)), "theta": np.full((n, l), 0.5)}
        values = []
        for turn in range(turns):
            before = [state[name] for name in ("V", "B", "W", "theta")]
            # at first tau = 1 for all: W is still 0
            a = np.full(d, 1 / SIGMA1) if turn == 0 else diagonal(state["W"], prior, threshold)
            if intercept:
                a[-1] = 0.0
            state = gmfs_step(X, Y, *before, a, k=K, lam=LAM)
            state["theta"] = np.clip(state["theta"], 1e-6, 1 - 1e-6)
            if cg:
                state["W"] = five_steps(X, state["V"], a, before[2])
            ranked = slice(d - intercept)
            error = state["V"] - X @ state["W"]
            values.append(log_posterior(error, Y, state, a[ranked], ranked, prior))
        state["gamma"] = gmfs_step.expectations(Y, state["V"], state["B"], state["theta"])[1]
        state["b"] = state["W"][-1] if intercept else np.zeros(C)
        state["W"] = state["W"][ranked]
        return state | {"tau": (a[ranked] == 1 / SIGMA1).astype(float), "values": values}

    return run


def compare(close, model, expected, rel):
    for name in ("V", "B", "W", "theta", "gamma"):
        close(getattr(model, name + "_"), expected[name], rel, name)
    np.testing.assert_allclose(model.b_, expected["b"], rtol=10 * rel, atol=rel)
    close(model.objective_, expected["values"], rel, "objective")
    close(model.scores_, np.sqrt((expected["W"] ** 2).sum(axis=1)), rel, "scores")


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("case", ["full", "nan", "exact", "laplace"])
def test_every_iteration_is_literal(emotions, literal, close, case, turns):
    X, Y = emotions
    Y = holed(Y) if case == "nan" else Y
    more = {"exact": {"threshold": "exact"}, "laplace": {"prior": "laplace"}}.get(case, {})
    expected = literal(X, Y, turns, **more)
    model = GMFS(**PARAMS, **more, n_cg=2000, max_iter=turns).fit(X, Y)
    compare(close, model, expected, 1e-8)
    if case != "laplace":
        np.testing.assert_array_equal(model.tau_, expected["tau"])
        assert turns == 1 or 0 < expected["tau"].sum() < X.shape[1]  # both sides are met


@pytest.mark.parametrize("turns", TURNS)
def test_five_steps_of_conjugate_gradients_are_literal(emotions, literal, close, turns):
    X, Y = 10 * emotions[0], emotions[1]  # harder for CG: five steps do not end it
    expected = literal(X, Y, turns, cg=True)
    model = GMFS(**PARAMS, n_cg=5, max_iter=turns).fit(X, Y)
    compare(close, model, expected, 1e-8)
    exact = literal(X, Y, turns)["W"]
    assert np.abs(expected["W"] - exact).max() > 1e-6 * np.abs(exact).max()  # cut short indeed


def test_sparse_features_are_literal(emotions, literal, close):
    X, Y = emotions
    X = np.where(X > 0.3, X, 0.0)
    model = GMFS(**PARAMS, n_cg=2000, max_iter=10).fit(sp.csr_matrix(X), holed(Y))
    compare(close, model, literal(X, holed(Y), 10), 1e-8)


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("prior", ["spike_slab", "laplace"])
@pytest.mark.parametrize("standardize", [False, True])
def test_an_intercept_is_a_column_of_ones(emotions, literal, close, standardize, prior, turns):
    """X is far from centred, so that the intercept has something to do."""
    X, Y = emotions[0] + 2.0, emotions[1]
    options = {"prior": prior, "standardize": standardize, "fit_intercept": True}
    features = standardised(X) if standardize else X
    expected = literal(features, Y, turns, prior, intercept=True)
    for given in (X, sp.csr_matrix(X)):
        model = GMFS(**PARAMS, **options, n_cg=3000, max_iter=turns).fit(given, Y)
        compare(close, model, expected, 1e-7)
        assert len(model.scores_) == X.shape[1]
    assert turns == 1 or np.abs(expected["b"]).max() > 1e-3


@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("intercept", [False, True])
def test_sparse_features_are_standardised_without_being_made_dense(
    emotions, literal, close, intercept, turns
):
    """Five steps, as the paper has it, on columns of very different sizes and means."""
    X, Y = np.where(emotions[0] > 0.3, emotions[0], 0.0) * np.logspace(-2, 2, 24), emotions[1]
    expected = literal(standardised(X), holed(Y), turns, cg=True, intercept=intercept)
    options = {"standardize": True, "fit_intercept": intercept, "max_iter": turns}
    sparse = GMFS(**PARAMS, **options).fit(sp.csr_matrix(X), holed(Y))
    compare(close, sparse, expected, 1e-9)
    compare(close, GMFS(**PARAMS, **options).fit(X, holed(Y)), expected, 1e-9)
    np.testing.assert_array_equal(sparse.tau_, expected["tau"])
