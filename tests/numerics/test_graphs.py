"""Neighbours and graphs against brute force and closed forms."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from mlfs.numerics import graphs, linalg
from mlfs.numerics.graphs import lle_weights

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
        indices, squared = graphs.nearest_neighbors(layout(X), k, Q)
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
def test_neighbours_do_not_depend_on_the_size_of_blocks(k, monkeypatch):
    """Binary rows tie at nearly every boundary; small blocks do not change the answer."""
    rng = np.random.default_rng(0)
    X = (rng.random((300, 25)) < rng.choice([0.02, 0.6], 25)).astype(float)
    check(X, k)
    whole = graphs.nearest_neighbors(X, k)[0]
    monkeypatch.setattr(linalg, "_BLOCK_BYTES", 8 * 300 * 7)
    np.testing.assert_array_equal(graphs.nearest_neighbors(X, k)[0], whole)


def test_neighbours_of_real_rows_equal_brute_force(load_slice):
    X, _ = load_slice("emotions", 200)
    check(X, 10)
    check(X[:150], 10, X[150:])


def test_equal_rows_have_the_lowest_indices_as_neighbours():
    indices, squared = graphs.nearest_neighbors(np.full((6, 3), 0.1), 3)
    assert indices[0].tolist() == [1, 2, 3]
    assert indices[5].tolist() == [0, 1, 2]
    assert not squared.any()


def by_a_plain_loop(X, k, queries=None):
    """Add the squares of one column after another, take roots, and sort by (root, index)."""
    Q = X if queries is None else queries
    order, squared = [], []
    for i, q in enumerate(Q.tolist()):
        roots = []
        for j, x in enumerate(X.tolist()):
            total = 0.0
            for a, b in zip(q, x):
                total += (a - b) * (a - b)
            roots.append(math.inf if queries is None and i == j else math.sqrt(total))
        order.append(sorted(range(len(X)), key=lambda j: (roots[j], j))[:k])
        squared.append([roots[j] * roots[j] for j in order[-1]])
    return np.array(order), np.array(squared)


def sparse_and_full_columns(n, d):
    """Values with rounding errors; some columns are full, some sparse, one is empty."""
    rng = np.random.default_rng(5)
    X = rng.choice([0.1, 0.2, 0.3, 0.7, -0.6], (n, d)) * (rng.random((n, d)) < rng.random(d) ** 2)
    X[:, 2] = 0.0
    return X


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rows", [7, 1000])
def test_summed_distances_are_those_of_a_plain_loop_to_the_last_bit(layout, rows, monkeypatch):
    X, Q = np.split(sparse_and_full_columns(150, 30), [110])
    monkeypatch.setattr(linalg, "_BLOCK_BYTES", 8 * 110 * rows)
    for k in (3, 60):
        for queries in (None, Q):
            given = None if queries is None else layout(queries)
            found = graphs.nearest_neighbors(layout(X), k, given, distances="summed")
            for ours, theirs in zip(found, by_a_plain_loop(X, k, queries)):
                np.testing.assert_array_equal(ours, theirs)
    assert not np.array_equal(found[0], graphs.nearest_neighbors(X, k, Q)[0])


def test_the_order_of_columns_decides_ties_of_summed_distances():
    """The root of .1² + .2² + .5² is smaller in this order than in the opposite one."""
    X, q = np.array([[0.5, 0.2, 0.1], [0.1, 0.2, 0.5]]), np.zeros((1, 3))
    for columns, nearer in ([0, 1, 2], 1), ([2, 1, 0], 0):
        assert graphs.nearest_neighbors(X[:, columns], 2, q)[0].tolist() == [[0, 1]]
        summed = graphs.nearest_neighbors(X[:, columns], 1, q, distances="summed")
        assert summed[0].tolist() == [[nearer]]


def test_entries_that_are_given_twice_count_once_as_their_sum():
    twice = sp.csr_matrix(([1.0, 2.0, 4.0], ([0, 0, 1], [0, 0, 0])), shape=(3, 1))
    _, squared = graphs.nearest_neighbors(twice, 2, distances="summed")
    assert squared.tolist() == [[1, 9], [1, 16], [9, 16]]


@pytest.mark.parametrize("k, queries", [(0, None), (5, None), (6, np.zeros((2, 1)))])
def test_impossible_k_is_refused(k, queries):
    with pytest.raises(ValueError, match=r"choose 1\.\."):
        graphs.nearest_neighbors(np.zeros((5, 1)), k, queries)


def test_heat_graph_is_the_union_of_neighbourhoods():
    X = np.random.default_rng(4).normal(size=(30, 2))
    neighbours, squared = brute_force(X, 4)
    expected = np.zeros((30, 30))
    for i in range(30):
        expected[i, neighbours[i]] = np.exp(-squared[i] / (2 * 0.7**2))
    expected = np.maximum(expected, expected.T)
    np.testing.assert_allclose(
        graphs.heat_graph(X, 4, width=0.7).toarray(), expected, rtol=1e-7, atol=1e-15
    )


def test_laplacian_is_the_sum_of_squared_differences():
    rng = np.random.default_rng(5)
    S = rng.random((8, 8))
    S = S + S.T
    f = rng.normal(size=8)
    expected = 0.5 * (S * (f[:, None] - f[None, :]) ** 2).sum()
    assert f @ (graphs.laplacian(S) @ f) == pytest.approx(expected)


def test_lle_weights_rebuild_best_under_their_constraint(yeast_slice):
    """The multiplier conditions of (3), solved as a bordered system for every instance."""
    X, _ = yeast_slice(60)
    S = lle_weights(X, 5).toarray()
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    for i in range(60):
        near = np.argsort(squared[i])[:5]
        gap = X[i] - X[near]
        bordered = np.block(
            [[2 * gap @ gap.T, np.ones((5, 1))], [np.ones((1, 5)), np.zeros((1, 1))]]
        )
        expected = np.linalg.solve(bordered, np.r_[np.zeros(5), 1.0])[:5]
        np.testing.assert_allclose(S[i, near], expected, atol=1e-9)
        assert np.count_nonzero(S[i]) <= 5


def test_lle_weights_stay_finite_with_duplicates_and_many_neighbours(yeast_slice):
    X = yeast_slice(40)[0][:, :3]
    X = np.vstack([X, np.repeat(X[:1], 8, axis=0)])
    S = lle_weights(X, 6)
    assert np.isfinite(S.data).all()
    np.testing.assert_allclose(S.sum(axis=1), 1.0)
    np.testing.assert_allclose(lle_weights(sp.csr_matrix(X), 6).toarray(), S.toarray(), atol=1e-9)
