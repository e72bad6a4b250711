"""The shared kernels against brute force and closed forms."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist, pdist

from mlfs import linalg

LAYOUTS = [np.asarray, sp.csr_matrix]


def brute_force(X, k, queries=None):
    """Sort all rows by (distance, index), one query at a time."""
    Q = X if queries is None else queries
    distance = np.round(cdist(Q, X, "sqeuclidean"), 9)
    if queries is None:
        np.fill_diagonal(distance, np.inf)
    order = np.array([sorted(range(len(X)), key=lambda j: (row[j], j))[:k] for row in distance])
    return order, np.take_along_axis(distance, order, axis=1)


def check(X, k, queries=None):
    expected, expected_squared = brute_force(X, k, queries)
    for layout in LAYOUTS:
        Q = None if queries is None else layout(queries)
        indices, squared = linalg.nearest_neighbors(layout(X), k, Q)
        np.testing.assert_array_equal(indices, expected)
        np.testing.assert_allclose(squared, expected_squared, atol=2e-9)


@st.composite
def tied_points(draw):
    """A handful of points, many of them the same, and a k that fits."""
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    values = st.sampled_from([0.0, 1.0, 0.1, 0.3])
    X = draw(arrays(float, (n, d), elements=values))
    queries = draw(arrays(float, (draw(st.integers(1, 5)), d), elements=values))
    return X, queries, draw(st.integers(1, n - 1))


@settings(max_examples=150, deadline=None)
@given(tied_points())
def test_neighbours_of_tied_points_are_exact(case):
    X, queries, k = case
    check(X, k)
    check(X, k, queries)


@pytest.mark.parametrize("k", [1, 10, 150, 299])
def test_neighbours_in_blocks_and_groups(k, monkeypatch):
    """Binary rows tie at nearly every boundary; small blocks do not change the answer."""
    rng = np.random.default_rng(0)
    X = (rng.random((300, 25)) < rng.choice([0.02, 0.6], 25)).astype(float)
    check(X, k)
    whole = linalg.nearest_neighbors(X, k)[0]
    monkeypatch.setattr(linalg, "_BLOCK_BYTES", 8 * 300 * 7)
    np.testing.assert_array_equal(linalg.nearest_neighbors(X, k)[0], whole)


def test_neighbours_of_real_rows(load_slice):
    X, _ = load_slice("emotions", 200)
    check(X, 10)
    check(X[:150], 10, X[150:])


def test_all_rows_equal():
    indices, squared = linalg.nearest_neighbors(np.full((6, 3), 0.1), 3)
    assert indices[0].tolist() == [1, 2, 3]
    assert indices[5].tolist() == [0, 1, 2]
    assert not squared.any()


@pytest.mark.parametrize("k, queries", [(0, None), (5, None), (6, np.zeros((2, 1)))])
def test_impossible_k_is_refused(k, queries):
    with pytest.raises(ValueError, match=r"k must lie in 1\.\."):
        linalg.nearest_neighbors(np.zeros((5, 1)), k, queries)


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


def test_heat_graph_is_the_union_of_neighbourhoods():
    X = np.random.default_rng(4).normal(size=(30, 2))
    neighbours, squared = brute_force(X, 4)
    expected = np.zeros((30, 30))
    for i in range(30):
        expected[i, neighbours[i]] = np.exp(-squared[i] / (2 * 0.7**2))
    expected = np.maximum(expected, expected.T)
    np.testing.assert_allclose(
        linalg.heat_graph(X, 4, width=0.7).toarray(), expected, rtol=1e-7, atol=1e-15
    )


def test_laplacian_is_the_sum_of_squared_differences():
    rng = np.random.default_rng(5)
    S = rng.random((8, 8))
    S = S + S.T
    f = rng.normal(size=8)
    expected = 0.5 * (S * (f[:, None] - f[None, :]) ** 2).sum()
    assert f @ (linalg.laplacian(S) @ f) == pytest.approx(expected)


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
