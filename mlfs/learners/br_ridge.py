"""Binary relevance with ridge regression on the observed labels."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh

from ..methods.classifier import MultiLabelClassifier
from ..methods.labels import observed
from ..methods.tags import Tags
from ..numerics.linalg import add_to_diagonal, factor_spd, gram, products
from ..numerics.params import POSITIVE
from ..types import Array, Matrix

_STEPS = 100  # of conjugate gradients; a label that needs more is solved directly
_PRECISION = 1e-11  # of conjugate gradients: residual relative to the right-hand side


class BRRidge(MultiLabelClassifier):
    """Fit one ridge regression per label, on the instances whose label is observed.

    For every label it minimises Σ (wᵀx_i + b − y_i)² + α‖w‖² over the instances where the label is
    observed, with y coded 0 and 1; b is not penalised. Labels that are observed in the same
    instances share one factorisation. Otherwise conjugate gradients solve all labels at once; a
    system that has the same Gram matrix for all labels is the preconditioner. The score of a label
    of which nothing is observed is 0.

    Parameters
    ----------
    alpha : float, default=1.0
        α, the weight of the size of w.

    Attributes
    ----------
    W_ : ndarray of shape (d, l)
        The weights.
    intercept_ : ndarray of shape (l,)
        The intercepts.

    Notes
    -----
    A fit costs O(n d² + d³ + n d l + d² l) time and O(n d + d² + n l + d l) memory. If d > n and
    not all labels are observed, it costs O(n² d + n³ l) time and O(n² + n d) memory.

    References
    ----------
    Hoerl and Kennard, "Ridge regression: biased estimation for nonorthogonal problems",
    Technometrics 12(1), 1970, https://doi.org/10.1080/00401706.1970.10488634

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import BRRidge
    >>> Y[:20, 0] = np.nan  # unobserved labels
    >>> BRRidge().fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    name = "br_ridge"
    tags = Tags(
        paper="Hoerl and Kennard, Technometrics 1970",
        provenance="paper",
        handles_missing=True,
        by_label=True,
        supports_sparse=True,
        search_space={"alpha": [10.0**e for e in range(-3, 4)]},
        note="the grid is ours",
    )

    _parameter_constraints = {"alpha": [POSITIVE]}

    def __init__(self, alpha: float = 1.0):
        self.alpha = alpha

    def _fit(self, X: Matrix, Y: Array) -> None:
        shift = np.zeros(X.shape[1]) if sp.issparse(X) else X.mean(axis=0)
        X = X if sp.issparse(X) else X - shift  # centred features lose fewer digits
        known = observed(Y)
        counts = np.maximum(known.sum(axis=0), 1)
        share = np.nansum(Y, axis=0) / counts
        error = np.where(known, Y - share, 0.0)
        means = X.T @ known.astype(float) / counts  # of the features, where a label is observed

        masks: dict[bytes, list[int]] = {}
        for j, rows in enumerate(known.T):
            masks.setdefault(rows.tobytes(), []).append(j)
        W = np.zeros((X.shape[1], Y.shape[1]))
        groups = list(masks.values())
        if len(groups) > 1 and X.shape[1] <= X.shape[0]:
            W, solved = self._solve_all(X, error, known, means)
            groups = [[int(j)] for j in np.flatnonzero(~solved)]
        for group in groups:
            rows = known[:, group[0]]
            if rows.any():
                W[:, group] = self._solve_one(X[rows], error[rows][:, group])
        self.W_ = W
        self.intercept_ = share - np.einsum("dl,dl->l", means, W) - shift @ W

    def _scores(self, X: Matrix) -> Array:
        return np.asarray(X @ self.W_ + self.intercept_)

    def _solve_one(self, X: Matrix, error: Array) -> Array:
        """Solve labels that are all observed, by the smaller of Gram matrix and kernel matrix."""
        n, d = X.shape
        mean = np.asarray(X.mean(axis=0)).ravel()
        if d <= n:
            G = gram(X) - n * np.outer(mean, mean) if sp.issparse(X) else gram(X - mean)
            return factor_spd(add_to_diagonal(G, self.alpha))(X.T @ error)
        if not sp.issparse(X):
            X = X - mean
        K = products(X, X)
        K -= K.mean(axis=0)
        K -= K.mean(axis=1, keepdims=True)
        # the columns of `error` sum to 0, and so do the solutions: X need not be centred
        return np.asarray(X.T @ factor_spd(add_to_diagonal(K, self.alpha))(error))

    def _solve_all(
        self, X: Matrix, error: Array, known: Array, means: Array
    ) -> tuple[Array, Array]:
        """Solve (Xⱼᵀ Xⱼ + αI) wⱼ = Xⱼᵀ yⱼ for all labels j by conjugate gradients.

        Xⱼ has the rows where label j is observed, centred. Returns the weights, and for which
        labels they have the wanted precision.
        """
        mean = np.asarray(X.mean(axis=0)).ravel()
        values, Q = eigh(gram(X) - X.shape[0] * np.outer(mean, mean))
        scale = np.outer(np.maximum(values, 0.0), known.mean(axis=0)) + self.alpha
        tiny = np.finfo(float).tiny

        W = np.zeros_like(means)
        R = X.T @ error
        goal = _PRECISION * np.linalg.norm(R, axis=0)
        P = S = Q @ ((Q.T @ R) / scale)
        rho = np.einsum("dl,dl->l", R, S)
        for _ in range(_STEPS):
            open_ = np.linalg.norm(R, axis=0) > goal
            if not open_.any():
                break
            Z = np.where(known, X @ P - np.einsum("dl,dl->l", means, P), 0.0)
            AP = X.T @ Z - means * Z.sum(axis=0) + self.alpha * P
            step = np.where(open_, rho / np.maximum(np.einsum("dl,dl->l", P, AP), tiny), 0.0)
            W += step * P
            R = R - step * AP
            S = Q @ ((Q.T @ R) / scale)
            rho, previous = np.einsum("dl,dl->l", R, S), rho
            P = S + rho / np.maximum(previous, tiny) * P
        return W, np.linalg.norm(R, axis=0) <= goal
