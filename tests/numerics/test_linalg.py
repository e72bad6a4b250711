"""The shared kernels against brute force and closed forms."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel

from mlfs.numerics import linalg

LAYOUTS = [np.asarray, sp.csr_matrix]


def test_squared_distances_equal_scipy():
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(9, 30)), rng.normal(size=(7, 30))
    A[:, 3:25] *= rng.random((9, 22)) < 0.1
    B[:, 3:25] *= rng.random((7, 22)) < 0.1
    expected = cdist(A, B, "sqeuclidean")
    for left in (*LAYOUTS, sp.csc_matrix, sp.csr_array):
        for right in (*LAYOUTS, sp.csc_matrix, sp.csr_array):
            got = linalg.squared_distances(left(A), right(B))
            assert isinstance(got, np.ndarray)
            np.testing.assert_allclose(got, expected, atol=1e-12)


def test_norms_equal_numpy():
    X = np.random.default_rng(2).normal(size=(6, 4))
    expected = np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(linalg.squared_norms(X), expected**2)
    np.testing.assert_allclose(linalg.squared_norms(sp.csr_matrix(X)), expected**2)
    np.testing.assert_allclose(linalg.row_norms(X, eps=0.0), expected)
    assert np.isfinite(1 / linalg.row_norms(np.zeros((1, 3)))).all()


def test_mean_distance_counts_every_ordered_pair(monkeypatch):
    X = np.random.default_rng(3).normal(size=(20, 3))
    monkeypatch.setattr(linalg, "_BLOCK_BYTES", 8 * 20 * 3)
    assert linalg.mean_distance(X) == pytest.approx(2 * pdist(X).sum() / 20**2)


def test_conjugate_gradient_solves_and_never_rises():
    rng = np.random.default_rng(6)
    root = rng.normal(size=(12, 12))
    A = root @ root.T + np.eye(12)
    rhs = rng.normal(size=(12, 3))

    def quadratic(Z):
        return 0.5 * np.vdot(Z, A @ Z) - np.vdot(Z, rhs)

    start = rng.normal(size=(12, 3))
    steps = [
        linalg.conjugate_gradient(lambda Z: A @ Z, rhs, start, max_iter=i) for i in range(1, 60)
    ]
    values = [quadratic(start)] + [quadratic(Z) for Z in steps]
    assert np.all(np.diff(values) <= 1e-9)
    np.testing.assert_allclose(steps[-1], np.linalg.solve(A, rhs), atol=1e-7)


def test_row_grams_equal_the_written_out_sums():
    rng = np.random.default_rng(0)
    R, A = (rng.random((7, 5)) < 0.5).astype(float), rng.standard_normal((5, 3))
    expected = [(A * R[i][:, None]).T @ A for i in range(7)]
    np.testing.assert_allclose(linalg.row_grams(R, A), expected)


def test_add_to_diagonal_changes_one_matrix_or_a_stack_in_place():
    rng = np.random.default_rng(7)
    A, stack = rng.normal(size=(4, 4)), rng.normal(size=(3, 2, 2))
    expected = A + np.diag([1.0, 2.0, 3.0, 4.0])
    for layout in (np.array, np.asfortranarray):
        given = layout(A)
        assert linalg.add_to_diagonal(given, np.arange(1.0, 5.0)) is given
        np.testing.assert_array_equal(given, expected)
    ridge = np.array([0.5, 1.0, 2.0])
    expected = stack + ridge[:, None, None] * np.eye(2)
    np.testing.assert_array_equal(linalg.add_to_diagonal(stack, ridge[:, None]), expected)


def test_blocks_cover_every_row_once(monkeypatch):
    monkeypatch.setattr(linalg, "_BLOCK_BYTES", 8 * 10 * 3)
    parts = [np.arange(8)[rows].tolist() for rows in linalg.blocks(8, 10)]
    assert parts == [[0, 1, 2], [3, 4, 5], [6, 7]]


def test_kernel_and_cosines_equal_sklearn():
    rng = np.random.default_rng(8)
    A, B = rng.normal(size=(9, 4)), rng.normal(size=(7, 4))
    for layout in LAYOUTS:
        K = linalg.rbf_kernel(layout(A), layout(B), 0.3)
        np.testing.assert_allclose(K, rbf_kernel(A, B, gamma=0.3), atol=1e-12)
    A[:, 2] = 0.0
    np.testing.assert_allclose(linalg.cosines(A), cosine_similarity(A.T), atol=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_ridge_solution_equals_sklearn(layout):
    rng = np.random.default_rng(9)
    X, Y = rng.normal(size=(30, 5)), rng.normal(size=(30, 2))
    without = Ridge(alpha=0.7, fit_intercept=False).fit(X, Y)
    np.testing.assert_allclose(linalg.ridge_solution(layout(X), Y, 0.7), without.coef_.T)
    W = linalg.ridge_solution(linalg.with_ones(layout(X)), Y, 1e-9)
    np.testing.assert_allclose(W[-1], LinearRegression().fit(X, Y).intercept_, atol=1e-6)
    assert linalg.with_ones(X, False) is X
