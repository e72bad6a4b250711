"""RMFL as a whole against Algorithm 1, every update solved as one dense system."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.learners import RMFL

L1, L2, L3, L4, RANK, K = 0.3, 0.6, 1.5, 0.4, 3, 6
WEIGHTS = {"lam1": L1, "lam2": L2, "lam3": L3, "lam4": L4}
PARAMS = {**WEIGHTS, "n_factors": RANK, "n_neighbors": K, "random_state": 0}


@pytest.fixture(scope="module")
def holed(incomplete):
    X, Y = incomplete(70)
    return X[:, :12] + 0.7, Y  # not centred


def distance(a, b):
    return np.sqrt(np.sum((a - b) ** 2))


def structure(X):
    """S of (2): each row the minimiser of (3), by its bordered system."""
    S = np.zeros((len(X), len(X)))
    for i, x in enumerate(X):
        others = [j for j in range(len(X)) if j != i]
        near = sorted(others, key=lambda j: distance(x, X[j]))[:K]
        G = np.array([[(x - X[a]) @ (x - X[b]) for b in near] for a in near])
        if X.shape[1] < K:
            G += 1e-3 * np.trace(G) * np.eye(K)
        border = np.block([[G, np.ones((K, 1))], [np.ones((1, K)), np.zeros((1, 1))]])
        S[i, near] = np.linalg.solve(border, np.r_[np.zeros(K), 1.0])[:K]
    return S


def gaussian(A, B, width):
    """(14)."""
    return np.array([[np.exp(-(distance(a, b) ** 2) / (2 * width**2)) for b in B] for a in A])


def kernel_model(K, U):
    """A and b where both slopes of (15) vanish: KA + λ̂A + 1bᵀ = U and 1ᵀA = 0; then T and ‖W‖²."""
    m = len(K)
    one = np.ones((m, 1))
    border = np.block([[K + L4 / L3 * np.eye(m), one], [one.T, np.zeros((1, 1))]])
    solution = np.linalg.solve(border, np.vstack([U, np.zeros((1, RANK))]))
    A, b = solution[:-1], solution[-1]
    return A, b, K @ A + b, np.trace(A.T @ K @ A)


def linear_model(X, U):
    """(13) word for word."""
    m, one = len(X), np.ones((len(X), 1))
    left = X.T @ X + L4 / L3 * np.eye(X.shape[1]) - X.T @ one @ one.T @ X / m
    W = np.linalg.inv(left) @ (X.T @ U - X.T @ one @ one.T @ U / m)
    b = ((U.T - W.T @ X.T) @ one / m)[:, 0]
    return W, b, X @ W + b, np.sum(W**2)


def solve_V(Y, R, U, Z):
    """(10) = 0 as one system in all entries of V."""
    labels = Y.shape[1]
    A = L2 * np.kron(Z @ Z.T, np.eye(RANK))
    for j in range(labels):
        rows = slice(j * RANK, (j + 1) * RANK)
        A[rows, rows] += sum(R[i, j] * np.outer(U[i], U[i]) for i in range(len(Y)))
    return np.linalg.solve(A, (Y.T @ U).ravel()).reshape(labels, RANK)


def solve_U(Y, R, V, T, S):
    """(18) = 0 as one system in all entries of U."""
    m = len(Y)
    A = np.kron(L1 * (np.eye(m) + S.T @ S - S.T - S) + L3 * np.eye(m), np.eye(RANK))
    for i in range(m):
        rows = slice(i * RANK, (i + 1) * RANK)
        A[rows, rows] += sum(R[i, j] * np.outer(V[j], V[j]) for j in range(Y.shape[1]))
    return np.linalg.solve(A, (Y @ V + L3 * T).ravel()).reshape(m, RANK)


def move_Z(V, Z):
    """(20) and (21), a step of the inverse curvature, halved while tr(VᵀZZᵀV) would rise."""
    step = 1 / np.linalg.eigvalsh(V @ V.T)[-1]
    while True:
        moved = Z - step * V @ V.T @ Z
        moved = np.array([z / np.linalg.norm(z) for z in moved])
        if np.trace(V.T @ moved @ moved.T @ V) <= np.trace(V.T @ Z @ Z.T @ V):
            return moved
        step /= 2


def literal(X, Y, U, Z, turns, kernel):
    R = (~np.isnan(Y)).astype(float)
    Y = np.where(R > 0, 2 * np.nan_to_num(Y) - 1, 0.0)
    width = np.mean([distance(a, b) for a in X for b in X])
    S, G = structure(X), gaussian(X, X, width)
    values, changes = [], []
    for _ in range(turns):
        V = solve_V(Y, R, U, Z)
        model = kernel_model(G, U) if kernel == "gaussian" else linear_model(X, U)
        weights, b, T, size = model
        before, U = U, solve_U(Y, R, V, T, S)
        Z = move_Z(V, Z)
        terms = [
            np.sum((R * (Y - U @ V.T)) ** 2),
            L1 * np.sum((U - S @ U) ** 2),
            L2 * np.trace(V.T @ Z @ Z.T @ V),
            L3 * np.sum((U - T) ** 2),
            L4 * size,
        ]
        values.append(sum(terms) / 2)  # (8)
        changes.append(np.linalg.norm(U - before))
    state = {"U": U, "V": V, "Z": Z, "objective": values, "change": changes}
    new = X[:10] + 0.1
    latent = (gaussian(new, X, width) if kernel == "gaussian" else new) @ weights + b
    return state, new, latent @ V.T


@pytest.mark.parametrize("turns", [1, 2, 10])
@pytest.mark.parametrize("case", ["gaussian", "linear", "few features", "sparse", "full"])
def test_every_iteration_is_literal(holed, yeast_slice, close, begun, case, turns):
    X, Y = holed
    if case == "full":
        Y = yeast_slice(70)[1]
    elif case == "few features":
        X = X[:, :4]
    kernel = "linear" if case == "linear" else "gaussian"
    given = sp.csr_matrix(X) if case == "sparse" else X
    start = begun(RMFL(**PARAMS, kernel=kernel, max_iter=0), given, Y)
    state, new, scores = literal(X, Y, start.U_, start.Z_, turns, kernel)
    model = RMFL(**PARAMS, kernel=kernel, max_iter=turns).fit(given, Y)
    for name, expected in state.items():
        close(getattr(model, name + "_"), expected, 1e-8, name)
    close(model.decision_function(new), scores, 1e-8, "scores")


def test_the_start_is_normal_U_and_unit_rows_of_Z_by_the_seed(holed, begun):
    """U is standard normal and rows of Z have length one; both follow the seed."""
    X, Y = holed
    more = {"n_factors": 50, "max_iter": 0}
    model = begun(RMFL(**PARAMS | more), X, Y)
    assert abs(model.U_.mean()) < 0.1 and abs(model.U_.std() - 1) < 0.05
    np.testing.assert_allclose(np.linalg.norm(model.Z_, axis=1), 1.0)
    assert abs(model.Z_.mean()) < 0.02
    other = begun(RMFL(**PARAMS | more | {"random_state": 1}), X, Y)
    assert not np.allclose(other.U_, model.U_)


def test_the_end_is_stationary(holed):
    """(10) and (18) vanish, and (20) has no part along the spheres on which rows of Z move."""
    X, Y = holed[0][:30], holed[1][:30, :4]
    model = RMFL(**PARAMS, max_iter=600).fit(X, Y)
    U, V, Z, S = model.U_, model.V_, model.Z_, structure(X)
    R = (~np.isnan(Y)).astype(float)
    Y = np.where(R > 0, 2 * np.nan_to_num(Y) - 1, 0.0)
    width = np.mean([distance(a, b) for a in X for b in X])
    T = kernel_model(gaussian(X, X, width), U)[2]
    by_V = (R.T * (V @ U.T - Y.T)) @ U + L2 * Z @ Z.T @ V
    by_U = (R * (U @ V.T - Y)) @ V + L1 * (U + S.T @ S @ U - S.T @ U - S @ U) + L3 * (U - T)
    by_Z = V @ V.T @ Z
    by_Z = by_Z - np.sum(by_Z * Z, axis=1, keepdims=True) * Z
    for name, slope in {"V": by_V, "U": by_U, "Z": by_Z}.items():
        assert np.abs(slope).max() < 2e-3, name
