"""Find nearest neighbours and build graphs from them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..types import Array, Matrix
from .linalg import (
    add_to_diagonal,
    blocks,
    by_column,
    dense,
    mean_distance,
    solve_rows,
    squared_distances,
    summed_squares,
)
from .params import neighbors_within


def nearest_neighbors(
    X: Matrix, n_neighbors: int, queries: Matrix | None = None, distances: str = "rounded"
) -> tuple[Array, Array]:
    """Find the nearest rows of X, exactly; ties go to the lowest index.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The rows to choose from.
    n_neighbors : int
        The number k of neighbours: less than n if `queries` is None, at most n otherwise.
    queries : array or sparse matrix of shape (m, d), optional
        The rows whose neighbours are found. By default the rows of X; a row is then not its own
        neighbour.
    distances : {"rounded", "summed"}, default="rounded"
        Which distances are equal. "rounded": squared distances are rounded to 9 decimals, because
        a matrix product may add the terms of equal distances in different orders. "summed": the
        squared differences are added in the order of the columns, and the roots are compared to
        the last bit, as a plain loop does. Rows may then differ by rounding errors alone.

    Returns
    -------
    indices : ndarray of shape (m, k)
        Neighbours from near to far.
    squared : ndarray of shape (m, k)
        Their squared distances.
    """
    own = queries is None
    Q = X if queries is None else queries
    n, k = X.shape[0], n_neighbors
    if not 0 < k <= n - own:
        raise ValueError(f"n_neighbors = {k} of {n} instances: choose 1..{n - own}")
    indices = np.empty((Q.shape[0], k), dtype=np.intp)
    squared = np.empty((Q.shape[0], k))
    summed = by_column(X) if distances == "summed" else None
    for rows in blocks(Q.shape[0], n):
        if summed is None:
            block = squared_distances(Q[rows], X)
        else:
            block = np.sqrt(summed_squares(by_column(Q[rows]), summed))
        if own:
            inside = np.arange(len(block))
            block[inside, rows.start + inside] = np.inf
        if summed is None:
            indices[rows], squared[rows] = smallest(block, k)
        else:
            indices[rows], roots = smallest(block, k, decimals=None)
            squared[rows] = roots**2
    return indices, squared


def smallest(block: Array, k: int, decimals: int | None = 9) -> tuple[Array, Array]:
    """Find columns and values of the k smallest entries of each row, by value, then column.

    If `decimals` is given, values that are equal after rounding are equal.

    The columns are divided into k or more groups. The k-th smallest of the group minima is an
    upper bound of the k-th smallest entry, so one cheap pass excludes nearly all entries.
    """
    m, n = block.shape
    size = max(1, min(16, n // (4 * k)))
    groups = n // size
    minima = block[:, : size * groups].reshape(m, size, groups).min(axis=1)
    bound = np.partition(minima, k - 1, axis=1)[:, k - 1]
    bound += 2e-9 + 1e-15 * bound  # entries slightly above it may be equal after rounding
    row, column = np.divmod(np.flatnonzero(block <= bound[:, None]), n)
    value = block[row, column]
    if decimals is not None:
        value = np.round(value, decimals)
    order = np.lexsort((value, row))  # stable: equal values stay in the order of their columns
    picked = order[np.searchsorted(row, np.arange(m))[:, None] + np.arange(k)]
    return column[picked], value[picked]


def neighbor_matrix(indices: Array, weights: Array, n: int) -> sp.csr_matrix:
    """Build the sparse matrix of n columns whose row i has weights[i] at indices[i]."""
    m, k = indices.shape
    rows = np.arange(0, m * k + 1, k)
    return sp.csr_matrix((weights.ravel(), indices.ravel(), rows), shape=(m, n))


def heat_graph(X: Matrix, n_neighbors: int = 5, width: float | None = None) -> sp.csr_matrix:
    """Build the neighbour graph of weights exp(-‖x - y‖² / 2t²), symmetrised by the larger one.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The instances.
    n_neighbors : int, default=5
        Neighbours of each instance.
    width : float, optional
        The width t. By default the mean pairwise distance, because t = 1 gives weights of 0 on
        unscaled data.

    Returns
    -------
    csr_matrix of shape (n, n)
        The graph.
    """
    indices, squared = nearest_neighbors(X, neighbors_within(n_neighbors, X.shape[0]))
    t = mean_distance(X) if width is None else width
    weights = np.exp(-squared / (2 * t * t)) if t > 0 else np.ones_like(squared)
    S = neighbor_matrix(indices, weights, X.shape[0]).sorted_indices()
    return S.maximum(S.T).tocsr()


def laplacian(S: Matrix) -> sp.csr_matrix:
    """Compute the unnormalised Laplacian L = D - S of a symmetric graph."""
    S = sp.csr_matrix(S)
    return (sp.diags(np.asarray(S.sum(axis=1)).ravel()) - S).tocsr()


def lle_weights(X: Matrix, n_neighbors: int) -> sp.csr_matrix:
    """Compute the weights that best reconstruct each row from its neighbours; each row sums to 1.

    If a local Gram matrix G is singular (more neighbours than features, or duplicates),
    1e-3 · trace(G) is added to its diagonal, as in locally linear embedding.
    """
    n, k = X.shape[0], neighbors_within(n_neighbors, X.shape[0])
    indices, _ = nearest_neighbors(X, k)
    weights = np.empty((n, k))
    for rows in blocks(n, k * X.shape[1]):
        near = indices[rows]
        around = dense(X[near.ravel()]).reshape(len(near), k, -1)
        gap = dense(X[rows])[:, None, :] - around
        G = gap @ gap.transpose(0, 2, 1)
        trace = np.trace(G, axis1=1, axis2=2)
        singular = np.linalg.eigvalsh(G)[:, 0] <= 1e-10 * trace
        # if every neighbour is a duplicate, any weights are right: the ridge makes them equal
        ridge = np.where(singular, np.where(trace > 0, 1e-3 * trace, 1.0), 0.0)
        solution = solve_rows(add_to_diagonal(G, ridge[:, None]), np.ones((len(near), k)))
        weights[rows] = solution / solution.sum(axis=1, keepdims=True)
    return neighbor_matrix(indices, weights, n).sorted_indices()
