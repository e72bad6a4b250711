"""LSML as a whole against its objective and proximal steps written out from the same start."""

import numpy as np
import pytest

from mlfs.learners import LSML
from mlfs.metrics import average_precision

L1, L2, L3, L4, RHO = 5.0, 0.05, 0.2, 0.02, 2.0
PARAMS = {"lam1": L1, "lam2": L2, "lam3": L3, "lam4": L4, "rho": RHO, "tol": 0}


@pytest.fixture(scope="module")
def holed(incomplete):
    X, Y = incomplete(100)
    return X[:, :12] + 0.2, Y[:, :7]


def prepared(X, ones=True):
    """Rows of length one, then a column of ones."""
    X = np.array([x / np.sqrt(x @ x) for x in X])
    return np.column_stack([X, np.ones(len(X))]) if ones else X


def laplacian(C):
    return np.diag([sum(row) for row in C]) - C


def shrink(A, by):
    return np.array([[np.sign(a) * max(abs(a) - by, 0) for a in row] for row in A])


def ridge(X, Y, rho=RHO):
    return np.linalg.solve(X.T @ X + rho * np.eye(X.shape[1]), X.T @ Y)


class Written:
    """The objective in W stacked on C: its smooth part, their slopes, the l1 norms."""

    def __init__(self, X, Y):
        self.X, self.Y, self.d = X, Y, X.shape[1]
        steps = 2 * np.linalg.norm(X.T @ X, 2), 2 * (1 + L1) * np.linalg.norm(Y.T @ Y, 2)
        self.curvature = np.repeat(steps, [self.d, Y.shape[1]])[:, None]
        self.start = np.vstack([ridge(X, Y), np.zeros((Y.shape[1], Y.shape[1]))])

    def smooth(self, P):
        W, C, X, Y = P[: self.d], P[self.d :], self.X, self.Y
        value = np.sum((X @ W - Y @ C) ** 2) / 2 + L1 / 2 * np.sum((Y @ C - Y) ** 2)
        return value + L4 * np.trace(W @ laplacian(C) @ W.T)

    def slope(self, P):
        """tr(WLWᵀ) depends on C through L: its derivative by C_ij is ‖w_i‖² − w_iᵀw_j."""
        W, C, X, Y = P[: self.d], P[self.d :], self.X, self.Y
        L = laplacian(C)
        by_W = X.T @ (X @ W - Y @ C) + L4 * W @ (L + L.T)
        by_C = Y.T @ (Y @ C - X @ W) + L1 * Y.T @ (Y @ C - Y)
        by_C += L4 * np.array([[u @ u - u @ v for v in W.T] for u in W.T])
        return np.vstack([by_W, by_C])

    def prox(self, P, step):
        W = shrink(P[: self.d], L2 * step[0, 0])
        return np.vstack([W, np.maximum(shrink(P[self.d :], L3 * step[-1, 0]), 0)])

    def penalty(self, P):
        return L2 * np.abs(P[: self.d]).sum() + L3 * np.abs(P[self.d :]).sum()


def released(X, Y, turns, lam4, lam=(L1, L2, L3), rho=RHO):
    """The loop of METHODS B5: C first, then W with the new C, one Lipschitz constant for both."""
    L1, L2, L3 = lam
    W = W_old = ridge(X, Y, rho)
    C = C_old = np.zeros((Y.shape[1], Y.shape[1]))
    b_old = b = 1.0
    for _ in range(turns):
        L = laplacian(C)
        norms = (X.T @ X, X.T @ Y, (L1 + 1) * Y.T @ Y, lam4 * (L + L.T))
        lip = np.sqrt(sum(2 * np.linalg.norm(A, 2) ** 2 for A in norms))
        far = (b_old - 1) / b
        W_k, C_k = W + far * (W - W_old), C + far * (C - C_old)
        by_C = (L1 + 1) * Y.T @ Y @ C_k - Y.T @ X @ W_k - L1 * Y.T @ Y
        C_old, C = C, np.maximum(shrink(C_k - by_C / lip, L3 / lip), 0)
        L = laplacian(C)
        by_W = X.T @ X @ W_k - X.T @ Y @ C + lam4 * W_k @ (L + L.T)
        W_old, W = W, shrink(W_k - by_W / lip, L2 / lip)
        b_old, b = b, (1 + np.sqrt(4 * b**2 + 1)) / 2
    return W, C


@pytest.mark.parametrize("turns", [1, 2, 10, 60])
@pytest.mark.parametrize("ones", [True, False])
def test_every_iteration_is_literal(holed, literal_fista, close, ones, turns):
    X, Y = prepared(holed[0], ones), np.nan_to_num(holed[1])
    it = Written(X, Y)
    stacked, values, counts = literal_fista(
        it.smooth, it.slope, it.prox, it.penalty, it.start, it.curvature, turns
    )
    model = LSML(**PARAMS, max_iter=turns, fit_intercept=ones).fit(*holed)
    close(model.W_, stacked[: it.d], 1e-9, "W")
    close(model.C_, stacked[it.d :], 1e-9, "C")
    close(model.objective_, values, 1e-9, "objective")
    assert (counts["restarts"] > 0) == (turns == 60)
    close(model.decision_function(holed[0]), X @ stacked[: it.d], 1e-9, "scores")
    if turns == 60:
        assert 0 < np.count_nonzero(model.C_ == 0) < model.C_.size


def test_the_released_loop_ends_at_the_same_point(holed, close):
    """With λ4 = 0 both have the same slopes and the problem is convex."""
    model = LSML(**PARAMS | {"lam4": 0.0}, max_iter=50_000).fit(*holed)
    W, C = released(prepared(holed[0]), np.nan_to_num(holed[1]), 3000, lam4=0.0)
    close(model.W_, W, 1e-4, "W")
    close(model.C_, C, 1e-4, "C")


def test_defaults_score_as_the_released_loop(real):
    """Yeast, 30 iterations of either, and more of ours score worse.

    Two fifths to learn from: with more rows going on does less harm (80 %: .754 against .755).
    """
    data = real("yeast")
    X, Y = np.asarray(data.X), data.Y.astype(float)
    scores = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(Y))
        train, test = order[: round(0.4 * len(Y))], order[round(0.4 * len(Y)) :]
        W, _ = released(prepared(X[train]), Y[train], 30, 1e-5, lam=(100.0, 1e-5, 1e-3), rho=1.0)
        ours, on = LSML().fit(X[train], Y[train]), LSML(max_iter=200, tol=1e-6)
        assert len(ours.objective_) == 31 and ours.stopped_ == "max_iter"
        each = [prepared(X[test]) @ W, ours.decision_function(X[test])]
        each.append(on.fit(X[train], Y[train]).decision_function(X[test]))
        scores.append([average_precision(Y[test], S) for S in each])
    theirs, ours, on = np.mean(scores, axis=0)
    assert abs(ours - theirs) < 0.001
    assert on < ours - 0.005


@pytest.mark.xfail(
    strict=True,
    reason="METHODS B5: C moves first and W follows with the new C, with one Lipschitz constant; "
    "LSML moves both at once, each with its own step, and restarts",
)
@pytest.mark.parametrize("turns", [1, 10])
def test_iterates_equal_those_of_the_released_loop(holed, close, turns):
    model = LSML(**PARAMS, max_iter=turns).fit(*holed)
    W, C = released(prepared(holed[0]), np.nan_to_num(holed[1]), turns, lam4=L4)
    close(model.W_, W, 1e-9, "W")
    close(model.C_, C, 1e-9, "C")
