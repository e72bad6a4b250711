"""RMFL: regularized matrix factorization for multi-label learning with missing labels.

Feng, Huang, Shu and An, IEEE Transactions on Cybernetics 2022, equations (1) to (21).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from ..methods.classifier import MultiLabelClassifier
from ..methods.labels import signed
from ..methods.tags import Tags
from ..numerics.graphs import lle_weights
from ..numerics.linalg import (
    add_to_diagonal,
    apply_rows,
    conjugate_gradient,
    gram,
    mean_distance,
    rbf_kernel,
    row_grams,
    squared_norms,
)
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE, Seed, as_generator
from ..numerics.sklearn_private import StrOptions
from ..types import Array, Matrix
from .correlations import descend_unit_rows, unit_factor

_N_CG = 50  # each step lowers (8), so stopping a subproblem early is safe


class RMFL(MultiLabelClassifier):
    """Factorise the observed labels, Y ≈ UVᵀ, with U predicted from the features.

    It minimises (8), the sum of five terms: the loss on observed labels; the error of rebuilding U
    from its neighbours as X is rebuilt (weight λ1); the variation of V over learnt label
    correlations ZZᵀ (λ2); the distance of U from a kernel or linear model of X (λ3); and the size
    of that model's weights (λ4). V and U are solved by conjugate gradients, the model in closed
    form, and Z by a projected gradient step. A label without any observed value depends on the
    others only through ZZᵀ.

    Parameters
    ----------
    lam1, lam2 : float, default=1e-3
        λ1 and λ2, the weights of the structure of instances and of labels; 0 switches one off.
    lam3, lam4 : float, default=1.0
        λ3 and λ4, the weights of the model's fit to U and of its size; both must be
        positive, since (16) divides by them.
    n_factors : int, default=20
        Number k of columns of U, V and Z.
    n_neighbors : int, default=10
        Neighbours from which an instance is rebuilt.
    kernel : {"gaussian", "linear"}, default="gaussian"
        Kernel of the model; the Gaussian one is as wide as the mean distance between instances.
    max_iter : int, default=15
        Number of iterations.
    random_state : int, RandomState or None, default=None
        Decides the start of U and Z.

    Attributes
    ----------
    U_, V_, Z_ : ndarrays of shape (n, k), (l, k), (l, k)
        Factors of instances, of labels, and of the label correlations.
    objective_ : list of float
        (8) after every iteration; it never rises.
    change_ : list of float
        ‖U - previous U‖_F per iteration, as figure 5 plots it.
    n_iter_ : int
        Number of iterations made.

    Notes
    -----
    A fit costs O(n³ + n² d + n l + l³) time and O(n² + n l + l²) memory.

    References
    ----------
    Feng, Huang, Shu and An, "Regularized matrix factorization for multilabel learning with missing
    labels", IEEE Transactions on Cybernetics 52(5), 2022,
    https://doi.org/10.1109/TCYB.2020.3016897. Numbers in brackets are its equations.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import RMFL
    >>> Y[:20, 0] = np.nan  # unobserved labels
    >>> RMFL(n_factors=2, random_state=0).fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Feng et al., IEEE Transactions on Cybernetics 52(5), 2022",
        provenance="paper",
        handles_missing=True,
        supports_sparse=True,
        search_space={
            "lam1": [10.0**e for e in range(-5, 6)],
            "lam2": [10.0**e for e in range(-5, 6)],
            "lam3": [1.0, 2.0],
            "lam4": [4.0**e for e in range(-7, 3)],
        },
        note="the paper does not state start and number of iterations: ours are N(0, 1) and 15",
    )
    usual_threshold = np.finfo(
        float
    ).tiny  # the paper predicts the sign, and a zero is not positive

    _parameter_constraints = {
        "lam1": [NOT_NEGATIVE],
        "lam2": [NOT_NEGATIVE],
        "lam3": [POSITIVE],
        "lam4": [POSITIVE],
        "n_factors": [COUNT],
        "n_neighbors": [COUNT],
        "kernel": [StrOptions({"gaussian", "linear"})],
        "max_iter": [COUNT],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        lam1: float = 1e-3,
        lam2: float = 1e-3,
        lam3: float = 1.0,
        lam4: float = 1.0,
        n_factors: int = 20,
        n_neighbors: int = 10,
        kernel: str = "gaussian",
        max_iter: int = 15,
        random_state: Seed = None,
    ):
        self.lam1 = lam1
        self.lam2 = lam2
        self.lam3 = lam3
        self.lam4 = lam4
        self.n_factors = n_factors
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, X: Matrix, Y: Array) -> None:
        rng = as_generator(self.random_state)
        Y, R = signed(Y)
        U = rng.standard_normal((len(Y), self.n_factors))
        Z = unit_factor(rng, (Y.shape[1], self.n_factors))
        V = np.zeros_like(Z)
        S = lle_weights(X, self.n_neighbors)  # (2)
        B = (sp.eye_array(len(Y)) - S).tocsr()  # ‖U - SU‖ = ‖BU‖
        self.model_ = _MODELS[self.kernel](X, self.lam4 / self.lam3)
        self.objective_: list[float] = []
        self.change_: list[float] = []
        for _ in range(self.max_iter):
            V = self._solve_V(Y, R, U, V, Z)
            T = self.model_.fit(U)
            previous, U = U, self._solve_U(Y, R, U, V, T, B)
            Z = descend_unit_rows(V @ V.T, Z)  # (20), (21)
            self.objective_.append(self._objective(Y, R, U, V, Z, T, B))
            self.change_.append(float(np.linalg.norm(U - previous)))
        self.U_, self.V_, self.Z_, self.n_iter_ = U, V, Z, len(self.objective_)

    def _scores(self, X: Matrix) -> Array:
        return self.model_.latent(X) @ self.V_.T

    def _objective(
        self, Y: Array, R: Array, U: Array, V: Array, Z: Array, T: Array, B: Matrix
    ) -> float:
        """Compute (8), with the model given by its values T on the training set."""
        terms = (
            np.sum((R * (Y - U @ V.T)) ** 2),
            self.lam1 * np.sum((B @ U) ** 2),
            self.lam2 * np.sum((Z.T @ V) ** 2),
            self.lam3 * np.sum((U - T) ** 2),
            self.lam4 * self.model_.size,
        )
        return 0.5 * float(sum(terms))

    def _solve_V(self, Y: Array, R: Array, U: Array, V: Array, Z: Array) -> Array:
        """Solve (10) = 0 for V: k unknowns for each label, coupled through ZZᵀ."""
        G = row_grams(R.T, U)
        # diag(ZZᵀ) = 1; the jitter keeps the blocks of unobserved labels regular when λ2 = 0
        blocks = np.linalg.inv(add_to_diagonal(G.copy(), _jitter(G, self.lam2)))
        return conjugate_gradient(
            lambda P: apply_rows(G, P) + self.lam2 * (Z @ (Z.T @ P)),
            Y.T @ U,
            V,
            max_iter=_N_CG,
            precondition=lambda P: apply_rows(blocks, P),
        )

    def _solve_U(self, Y: Array, R: Array, U: Array, V: Array, T: Array, B: Matrix) -> Array:
        """Solve (18) = 0 for U: k unknowns for each instance, coupled through (I - S)ᵀ(I - S)."""
        Bt = B.T.tocsr()
        G = add_to_diagonal(row_grams(R, V), self.lam3)
        blocks = np.linalg.inv(add_to_diagonal(G.copy(), self.lam1 * squared_norms(Bt)[:, None]))
        return conjugate_gradient(
            lambda P: apply_rows(G, P) + self.lam1 * (Bt @ (B @ P)),
            Y @ V + self.lam3 * T,
            U,
            max_iter=_N_CG,
            precondition=lambda P: apply_rows(blocks, P),
        )


def _jitter(G: Array, ridge: float) -> Array:
    """Return for every block `ridge`, or a tiny share of its own size if that is larger."""
    size = np.trace(G, axis1=1, axis2=2) / G.shape[1]
    return np.maximum(ridge, 1e-10 * np.where(size > 0, size, 1.0))[:, None]


class KernelModel:
    """Fit Gaussian kernel ridge regression with an intercept, (14) to (16), factorised once.

    With H = I - 11ᵀ/m, (16) reduces to A = (HKH + λ̂I)⁻¹HU. Then 1ᵀA = 0, the values on the
    training set are T = U - λ̂A, and K itself is not needed again.

    Parameters
    ----------
    X : array or sparse matrix of shape (m, n)
        The features.
    ridge : float
        λ̂ = λ4 / λ3.
    """

    def __init__(self, X: Matrix, ridge: float):
        self.X, self.ridge = X, ridge
        self.width = mean_distance(X) or 1.0
        K = rbf_kernel(X, X, 0.5 / self.width**2)
        self.column_means = K.mean(axis=0)
        K -= self.column_means
        K -= K.mean(axis=1, keepdims=True)
        add_to_diagonal(K, ridge)
        # the transpose of a C array is in LAPACK's order, so the factor overwrites K
        self._factor = cho_factor(K.T, lower=True, overwrite_a=True, check_finite=False)

    def fit(self, U: Array) -> Array:
        """Fit the latent labels U; return the values T on the training set."""
        mean = U.mean(axis=0)
        self.A = cho_solve(self._factor, U - mean, check_finite=False)  # (16)
        self.b = mean - self.column_means @ self.A
        T = U - self.ridge * self.A
        self.size = float(np.vdot(self.A, T))  # ‖W‖² = tr(AᵀKA)
        return T

    def latent(self, X: Matrix) -> Array:
        """Predict the latent labels û of new instances."""
        return rbf_kernel(X, self.X, 0.5 / self.width**2) @ self.A + self.b


class LinearModel:
    """Fit linear ridge regression with an intercept, (13), factorised once.

    Parameters
    ----------
    X : array or sparse matrix of shape (m, n)
        The features.
    ridge : float
        λ̂ = λ4 / λ3.
    """

    def __init__(self, X: Matrix, ridge: float):
        self.X = X
        self.mean = np.asarray(X.mean(axis=0)).ravel()
        G = gram(X) - X.shape[0] * np.outer(self.mean, self.mean)
        add_to_diagonal(G, ridge)
        self._factor = cho_factor(G, lower=True)

    def fit(self, U: Array) -> Array:
        """Fit the latent labels U; return the values T on the training set."""
        mean = U.mean(axis=0)
        self.W = cho_solve(self._factor, self.X.T @ (U - mean))  # (13)
        self.b = mean - self.mean @ self.W
        self.size = float(np.sum(self.W**2))
        return self.latent(self.X)

    def latent(self, X: Matrix) -> Array:
        """Predict the latent labels û of new instances."""
        return X @ self.W + self.b


_MODELS: dict[str, type[KernelModel] | type[LinearModel]] = {
    "gaussian": KernelModel,
    "linear": LinearModel,
}
