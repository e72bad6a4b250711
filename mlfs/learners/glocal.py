"""GLOCAL: multi-label learning with global and local label correlation.

Zhu, Kwok and Zhou, IEEE TKDE 2018.
"""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from ..methods.classifier import MultiLabelClassifier
from ..methods.tags import Tags
from ..numerics.linalg import with_ones
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE, Seed, as_generator, at_most
from ..numerics.sklearn_private import StrOptions
from ..types import Array
from .correlations import descend_unit_rows, unit_factor
from .glocal_problem import Problem


class GLOCAL(MultiLabelClassifier):
    """Predict low-rank labels that are smooth over label correlations learnt for each group.

    It minimises ½‖J∘(Y − VUᵀ)‖² + (λ/2)‖V − XW‖² + (λ2/2)(‖V‖² + ‖U‖² + ‖W‖²)
    + ½ Σ_m [λ3 (n_m/n) ‖XWUᵀZ_m‖² + λ4 ‖X_m W Uᵀ Z_m‖²] over groups m of instances. k-means finds
    the groups, J marks the observed labels, rows of Z_m have length one, and Z_m Z_mᵀ is the
    Laplacian of the labels in group m. V, U and W are solved exactly, and Z_m by a projected
    gradient step.

    ``solver="descent"`` goes down as the authors' release does: in every iteration U, V and W in
    turn get at most 60 steps of steepest descent. On features of unlike sizes it ends far from the
    minimum, and the release's scores are those of that point.

    Parameters
    ----------
    lam : float, default=1.0
        λ, the weight of the link between latent labels and features.
    lam2 : float, default=0.125
        λ2, the weight of the size of V, U and W.
    lam3, lam4 : float, default=1e-3, 1e-5
        λ3 and λ4, the weights of the global and of the local correlations. As in the authors' code,
        each weight is divided by the size of its term and multiplied by the number of observed
        labels.
    n_factors : int, default=20
        Number k of latent labels.
    n_groups : int, default=4
        Number of groups for k-means.
    max_iter : int, default=15
        Number of iterations of the warm start without correlations, and also of the main loop.
    fit_intercept : bool, default=True
        Append a column of ones to X.
    random_state : int, RandomState or None, default=None
        Decides the groups and the start.
    solver : {"exact", "descent"}, default="exact"
        How V, U and W are found: by exact solves, or by the release's steepest descent. With
        "descent" and ``lam3=0, lam4=0`` there are no groups.
    threshold : {"fixed", "half_range"}, default="fixed"
        Where a label is predicted: above 0, or, as in the release, above half of the range of all
        scores that are predicted together. The second often predicts nothing.

    Attributes
    ----------
    U_, W_ : ndarrays of shape (l, k), (d, k)
        Factors of the labels, and weights of the features.
    Z_ : list of ndarrays of shape (l, k)
        Factors of the label correlations, one for each group.
    objective_ : list of float
        One value per iteration of the main loop; it never rises.
    n_iter_ : int
        Number of iterations of the main loop.

    Notes
    -----
    A fit costs O(n d² + d³ + n l + l³) time and O(n d + d² + n l + l²) memory.

    Steps, line search, stops, order, start and threshold of the descent were read in the public
    release. The release's costs of U and W have a spectral norm in place of the Frobenius norm,
    which its gradients belong to; here costs and gradients belong together. The printed values of
    RMFL's paper have chosen this, ``lam3=0, lam4=0`` and features that are not scaled.

    References
    ----------
    Zhu, Kwok and Zhou, "Multi-label learning with global and local label correlation", IEEE
    Transactions on Knowledge and Data Engineering 30(6), 2018,
    https://doi.org/10.1109/TKDE.2017.2785795

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import GLOCAL
    >>> Y[:20, 0] = np.nan  # unobserved labels
    >>> model = GLOCAL(n_factors=2, n_groups=2, random_state=0).fit(X, Y)
    >>> model.predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Zhu, Kwok and Zhou, IEEE TKDE 30(6), 2018",
        provenance="author code",
        handles_missing=True,
        search_space={
            "lam3": [10.0**e for e in range(-6, 1)],
            "lam4": [10.0**e for e in range(-6, 1)],
            "n_groups": [4, 8, 16, 32],
        },
        note=(
            "exact solves and a threshold of 0; the authors' code has steepest descent, half the "
            "scores' range as threshold, and no intercept: use solver='descent', "
            "threshold='half_range', fit_intercept=False"
        ),
    )
    usual_threshold = np.finfo(float).tiny  # labels are ±1, and a zero is not positive

    _parameter_constraints = {
        "lam": [POSITIVE],
        "lam2": [POSITIVE],
        "lam3": [NOT_NEGATIVE],
        "lam4": [NOT_NEGATIVE],
        "n_factors": [COUNT],
        "n_groups": [COUNT],
        "max_iter": [COUNT],
        "fit_intercept": ["boolean"],
        "random_state": ["random_state"],
        "solver": [StrOptions({"exact", "descent"})],
        "threshold": [StrOptions({"fixed", "half_range"})],
    }

    def __init__(
        self,
        lam: float = 1.0,
        lam2: float = 0.125,
        lam3: float = 1e-3,
        lam4: float = 1e-5,
        n_factors: int = 20,
        n_groups: int = 4,
        max_iter: int = 15,
        fit_intercept: bool = True,
        random_state: Seed = None,
        solver: str = "exact",
        threshold: str = "fixed",
    ):
        self.lam = lam
        self.lam2 = lam2
        self.lam3 = lam3
        self.lam4 = lam4
        self.n_factors = n_factors
        self.n_groups = n_groups
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.solver = solver
        self.threshold = threshold

    def _fit(self, X: Array, Y: Array) -> None:
        rng = as_generator(self.random_state)
        # without correlations there is nothing to learn about groups
        apart = self.solver == "exact" or self.lam3 > 0 or self.lam4 > 0
        groups = _group(X, self.n_groups, self.random_state) if apart else []
        problem = Problem.of(self, with_ones(X, self.fit_intercept), Y, groups)
        (n, n_labels), k = Y.shape, self.n_factors
        U, W = rng.random((n_labels, k)), np.zeros((problem.X.shape[1], k))
        Z = [unit_factor(rng, (n_labels, k)) for _ in groups]
        turn = problem.solve_all
        V = np.empty((0, k))  # an exact solve needs no start
        if self.solver == "descent":
            turn, V = problem.descend_all, rng.random((n, k))
        for _ in range(self.max_iter):  # warm start, without correlations
            V, U, W = turn(V, U, W, [])
        self.objective_: list[float] = []
        for _ in range(self.max_iter):
            Z = [descend_unit_rows(U @ C @ U.T, old) for C, old in zip(problem.energies(W), Z)]
            V, U, W = turn(V, U, W, Z)
            self.objective_.append(problem.value(V, U, W, Z))
        self.U_, self.W_, self.Z_, self.n_iter_ = U, W, Z, len(self.objective_)

    def _scores(self, X: Array) -> Array:
        return with_ones(X, self.fit_intercept) @ self.W_ @ self.U_.T


def _group(X: Array, count: int, random_state: Seed) -> list[Array]:
    """List the rows of the k-means clusters that are not empty."""
    distinct = len(np.unique(X, axis=0))
    count = at_most(count, distinct, "n_groups", f"{distinct} different instances")
    labels = KMeans(count, n_init=1, random_state=random_state).fit_predict(X)
    return [rows for m in range(count) if len(rows := np.flatnonzero(labels == m))]
