"""The part of GMFS that estimates which zeros of the label matrix are unobserved labels.

Numbers in brackets are the equations of Xu, Wang and Wei, AAAI 2020.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ..methods.labels import observed
from ..numerics.graphs import nearest_neighbors, neighbor_matrix
from ..numerics.params import neighbors_within
from ..types import Array, Matrix

_EDGE = 1e-6  # theta stays this far from 0 and 1, where its Beta prior is infinite


def neighbor_graph(X: Matrix, n_neighbors: int) -> Matrix | None:
    """Mark in row i the nearest neighbours of instance i; None if neighbours are not used."""
    if n_neighbors == 0:
        return None
    indices, _ = nearest_neighbors(X, neighbors_within(n_neighbors, X.shape[0]))
    return neighbor_matrix(indices, np.ones(indices.shape), X.shape[0])


def expectations(psi: Array, Y: Array, theta: Array) -> tuple[Array, Array]:
    """Make the E step: gamma of (13), 1 for positives and 0 for nan, and zeta of (12)."""
    gamma = expit(-psi)
    gamma *= theta
    gamma /= gamma + (1 - theta)
    gamma[Y == 1] = 1.0
    gamma[~observed(Y)] = 0.0
    zeta = np.full_like(psi, 0.25)  # the limit at psi = 0
    np.divide(np.tanh(0.5 * psi), 2 * psi, out=zeta, where=np.abs(psi) > 1e-8)
    return gamma, zeta


def observability(
    gamma: Array, known: Array, neighbors: Matrix | None, s: float, alpha: float, beta: float
) -> Array:
    """Compute theta of (18): one row for each instance, or one for all without neighbours."""
    near = 0.0 if neighbors is None else (s - 1) * (neighbors @ gamma)
    top = alpha - 1 + gamma.sum(axis=0, keepdims=True) + near
    return np.clip(top / np.maximum(alpha + beta + known - 2 + near, _EDGE), _EDGE, 1 - _EDGE)


def log_likelihood(psi: Array, Y: Array, theta: Array) -> float:
    """Compute log p(Y | V, B, theta) with the indicators summed out, without nan entries."""
    positive = Y == 1
    theta = np.broadcast_to(theta, Y.shape)
    value = np.log(theta[positive]).sum() - np.logaddexp(0, -psi[positive]).sum()
    return float(value + np.log1p(-theta * expit(psi)).sum(where=Y == 0))
