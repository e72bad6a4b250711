"""Fast forms against the formulas as printed."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_sylvester

from mlfs.active import MIML, BayesianCompressedSensing, Pool
from mlfs.learners import ML2, ml2
from mlfs.learners.reweighting import Systems
from mlfs.learners.rmfl import KernelModel
from mlfs.methods.labels import signed
from mlfs.numerics.graphs import heat_graph, laplacian, lle_weights, nearest_neighbors
from mlfs.numerics.information import discretise
from mlfs.numerics.linalg import mean_distance, products, rbf_kernel, weighted_ridge
from mlfs.selectors import L20ALM, MCFS, MDDM, PMU, SemFS, fsnm, l20alm, mifs, wknn
from mlfs.selectors.gmfs import expectations, neighbor_graph, observability
from mlfs.types import Array

from . import literal
from .comparison import Pair, compared
from .data import made, real

_QUICK = 500  # iterations of ML2's first stage, whose end is not measured here


@compared("GMFS: one EM iteration", "plain loops", "150 x 20, 10 labels, c = 5")
def gmfs(large: bool = False) -> Pair:
    lam, s = 1e-3, 5.0
    X, Y = real("yeast", 0.5) if large else made(150, 20, 10)
    rng, c = np.random.default_rng(0), Y.shape[1] // 2
    V, B, W = (rng.standard_normal((m, c)) for m in (len(X), Y.shape[1], X.shape[1]))
    theta, graph = np.full(Y.shape, 0.5), neighbor_graph(X, 20)
    assert graph is not None
    near = [row.indices for row in graph]

    def fast() -> tuple[Array, Array, Array]:
        gamma, zeta = expectations(V @ B.T, Y, theta)
        weight, pull = gamma * zeta, gamma * (Y - 0.5)
        newV = weighted_ridge(weight, B, pull @ B + lam * (X @ W), lam, V)
        newB = weighted_ridge(weight.T, newV, pull.T @ newV, lam, B)
        counts = np.full(Y.shape[1], len(Y))
        return newV, newB, observability(gamma, counts, graph, s, 0.5, 0.5)

    return Pair(fast, lambda: literal.em_iteration(X, Y, V, B, W, theta, near, lam, s))


@compared("weighted ridge, many factors: by CG", "c x c systems", "400 rows, 200 labels, c = 100")
def many_factors(large: bool = False) -> Pair:
    rng, c = np.random.default_rng(0), 100
    n, l = (2000, 200) if large else (400, 200)  # noqa: E741
    weight, F = 0.2 + 0.05 * rng.random((n, l)), rng.standard_normal((l, c))
    rhs = rng.standard_normal((n, c))

    def direct() -> Array:
        with patch("mlfs.numerics.linalg._DIRECT_COLUMNS", c):
            return weighted_ridge(weight, F, rhs, 0.1, np.zeros_like(rhs))

    return Pair(lambda: weighted_ridge(weight, F, rhs, 0.1, np.zeros_like(rhs)), direct)


@compared("FSNM: an n x n system where n < d", "the d x d one", "100 x 800, 5 labels")
def few_instances(large: bool = False) -> Pair:
    X, Y = made(200, 3000, 5) if large else made(100, 800, 5)
    weights = np.random.default_rng(0).random(sum(X.shape)) + 0.5
    about = (X, Y, weights[: len(X)], weights[len(X) :], 1.0)
    return Pair(lambda: fsnm._by_instances(*about), lambda: fsnm._by_features(*about))


@compared("MIFS: latent labels by CG", "scipy's Sylvester solver", "400 x 20, 6 latent labels")
def sylvester(large: bool = False) -> Pair:
    X, rhs = made(2000 if large else 400, 20, 6)
    L, C = laplacian(heat_graph(X, 5)), np.diag(np.arange(1.0, 7.0))
    A = np.eye(len(X)) + 0.1 * L.toarray()
    return Pair(
        lambda: mifs.latent(L, C, rhs, 0.1, np.zeros_like(rhs)), lambda: solve_sylvester(A, C, rhs)
    )


@compared("PMU: contingency by GEMM", "entropy by entropy", "300 x 16, 5 labels, 6 picks")
def pmu(large: bool = False) -> Pair:
    X, Y = made(*((600, 72, 6) if large else (300, 16, 5)))
    count, codes = (20 if large else 6), discretise(X).values
    return Pair(
        lambda: PMU(n_ranked=count).fit(X, Y).ranking_[:count],
        lambda: literal.picks_by_entropies(codes, Y.astype(int), count),
        tol=0.0,
    )


@compared("MDDM: shares by one solve", "all eigenvectors", "400 x 200, 10 labels")
def mddm(large: bool = False) -> Pair:
    X, Y = made(2000, 1000, 20) if large else made(400, 200, 10)
    return Pair(
        lambda: MDDM(kind="spc", mu=0.5).fit(X, Y).scores_,
        lambda: literal.projection_shares(X, Y, 0.5),
    )


@compared("SemFS: moments added up once", "(8) and (10) from the data", "2000 x 150, 10 attributes")
def semfs(large: bool = False) -> Pair:
    n, d, m = (12_000, 1024, 50) if large else (2000, 150, 10)
    rng = np.random.default_rng(0)
    classes, attributes = rng.integers(2, size=n), rng.normal(size=(2, m))
    X = rng.normal(size=(n, d)) + rng.normal(size=(2, d))[classes]
    means = np.array([X[classes == c].mean(axis=0) for c in range(2)])[classes]
    Y = attributes[classes]
    return Pair(
        lambda: SemFS(max_iter=20).fit(X, Y, classes=classes).scores_,
        lambda: literal.semantic_weights(X, means, Y, 20),
    )


@compared("WkNN: error and gradient by GEMM", "the error, all differences written out", "150 x 40")
def neighbours_error(large: bool = False) -> Pair:
    X, Y = made(600, 100, 10) if large else made(150, 40, 5)
    w = np.full(X.shape[1], 1 / X.shape[1])
    return Pair(
        lambda: wknn.objective(w, X, Y, 0.0, 0.0, 0.0)[0], lambda: literal.leave_one_out(w, X, Y)
    )


@compared("L20ALM: runs side by side", "one after the other", "150 x 40, 4 labels, 8 sizes")
def side_by_side(large: bool = False) -> Pair:
    X, Y = made(600, 120, 4) if large else made(150, 40, 4)
    sizes = list(range(4, 20, 2))

    def chosen() -> tuple[Array, ...]:
        model = L20ALM(max_iter=200, n_restarts=2, random_state=0)
        return tuple(np.sort(picked) for picked in model.subsets(X, Y, sizes))

    def one_by_one() -> tuple[Array, ...]:
        with patch.object(l20alm, "COLUMNS", 1):
            return chosen()

    return Pair(chosen, one_by_one, tol=0.0)


@compared("MCFS: all sizes off one path", "a path for every size", "400 x 60, 10 sizes")
def one_path(large: bool = False) -> Pair:
    X, Y = made(1000, 200, 4) if large else made(400, 60, 4)
    sizes = list(range(5, 55, 5))

    def anew() -> tuple[Array, ...]:
        return tuple(MCFS(random_state=0).subsets(X, Y, [size])[0] for size in sizes)

    return Pair(lambda: tuple(MCFS(random_state=0).subsets(X, Y, sizes)), anew, tol=0.0)


@compared("neighbours' weights, all at once", "a row at a time", "1000 x 30, 10 neighbours")
def lle(large: bool = False) -> Pair:
    X, _ = made(4000 if large else 1000, 30, 2)
    near, _ = nearest_neighbors(X, 10)

    def fast() -> Array:
        W = lle_weights(X, 10)
        return np.take_along_axis(W.toarray(), near, axis=1)

    def slow() -> Array:
        return literal.lle_rows(X, nearest_neighbors(X, 10)[0])

    return Pair(fast, slow)


@compared("RMFL: (16) by a kept factor", "(16) as printed", "500 x 20, 20 factors")
def kernel_model(large: bool = False) -> Pair:
    X, _ = real("science") if large else made(500, 20, 5)
    distinct = np.sort(np.unique(X, axis=0, return_index=True)[1])  # else K is singular
    X = X[distinct]
    U, model = np.random.default_rng(0).standard_normal((len(X), 20)), KernelModel(X, ridge=1.0)
    K = rbf_kernel(X, X, 0.5 / model.width**2)
    return Pair(lambda: model.fit(U), lambda: literal.kernel_values(K, U, 1.0), tol=1e-4)


class _Anew(Systems):
    """A factor of its own for every system."""

    def _serves(self, weights: Array) -> bool:
        return False


@compared("ML2: stage 2 with a kept factor", "a Cholesky factor a step", "700 x 30, 6 labels")
def kept_factor(large: bool = False) -> Pair:
    X, Y = real("education") if large else made(700, 30, 6)
    Y, _ = signed(Y)
    model = ML2()
    S = lle_weights(X, model.n_neighbors)
    model.mu_, *_ = ml2.numerical_labels(S, Y, model.lam, max_iter=_QUICK, tol=model.tol)
    K = rbf_kernel(X, X, 0.5 / mean_distance(X) ** 2)

    def regress() -> float:
        model._regress(K, Y)
        return model.objective_[-1]

    def anew() -> float:
        with patch.object(ml2, "Systems", _Anew):
            return regress()

    return Pair(regress, anew)


@compared("MIML: pivoted Cholesky factors", "algorithm 1 as printed", "100 points, 5 picks")
def miml(large: bool = False) -> Pair:
    n = 400 if large else 100
    X, Y = made(n, 30, 10)
    pool = Pool(X, np.where(np.arange(n)[:, None] < 20, Y, np.nan))
    model = BayesianCompressedSensing(gamma=0.05, sigma2=0.1, chi2=0.1, random_state=0)
    model.fit(X[:20], Y[:20])
    return Pair(
        lambda: MIML().query(pool, model, 5),
        lambda: literal.algorithm_1(model.covariance(X), list(range(20)), list(range(20, n)), 5),
        tol=0.0,
    )


@compared("labels of a point by Woodbury", "inverting l x l", "5 points, 200 labels, k = 40")
def posterior(large: bool = False) -> Pair:
    n, l = (10, 980) if large else (5, 200)  # noqa: E741
    X, Y = made(100 + n, 30, l)
    model = BayesianCompressedSensing(
        n_factors=l // 5, gamma=0.05, sigma2=0.1, chi2=0.1, tol=0.0, random_state=0
    ).fit(X[:100], Y[:100])

    def plain() -> Array:
        (mu, v), Phi = model.compressed(X[100:]), model.Phi_
        gram, means = Phi.T @ Phi, []
        for i in range(n):
            alpha = np.ones(l)
            for _ in range(model.max_iter):
                covariance = np.linalg.inv(np.diag(alpha) + gram / v[i])
                mean = covariance @ (Phi.T @ mu[i]) / v[i]
                alpha = model._prior().precision(mean, np.diag(covariance))
            means.append(mean)
        return np.array(means)

    return Pair(lambda: model.posterior(X[100:]).mean, plain, tol=1e-5)


@compared("products of sparse rows", "the sparse product alone", "1000 x 2000, few common words")
def sparse_products(large: bool = False) -> Pair:
    n, d = (4000, 5000) if large else (1000, 2000)
    rng = np.random.default_rng(0)
    often = np.minimum(1.0, 8.0 / np.arange(1, d + 1))  # as words in texts
    A = sp.csr_matrix((rng.random((n, d)) < often) * rng.random((n, d)))
    return Pair(lambda: products(A, A), lambda: (A @ A.T).toarray())
