"""GMFS: feature selection that infers which zeros of the label matrix are unobserved labels.

Xu, Wang and Wei, "To Avoid the Pitfall of Missing Labels in Feature Selection: A Generative Model
Gives the Answer", AAAI 2020. Numbers in brackets are the paper's equations.
"""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.special import xlog1py, xlogy
from sklearn.utils import check_random_state

from ..methods.labels import observed
from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.linalg import squared_norms, weighted_ridge
from ..numerics.params import (
    COUNT,
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    ZERO_OR_COUNT,
    Seed,
    count_within,
)
from ..numerics.sklearn_private import Interval, StrOptions
from ..types import Array, Matrix
from .design import Design, regress
from .observability import expectations, log_likelihood, neighbor_graph, observability

_SMOOTH = 1e-12  # inside the square root that replaces |w| under the Laplace prior


class GMFS(Ranker):
    """Rank features by a model that infers which zeros of Y are unobserved labels.

    A zero in Y is either a negative label or an unobserved one. An indicator for each entry, with
    posterior ``gamma_``, says which. Labels factorise as s(V Bᵀ) over the observed entries only,
    V is regressed on X with weights W, and a spike-and-slab prior shrinks some rows of W. EM finds
    the maximum a posteriori estimate, and the score of feature f is ‖w_f‖. A nan label is not
    used: its ``gamma_`` is 0.

    Parameters
    ----------
    n_factors : int or float, default=0.5
        Number c of latent factors; a float is a share of the number of labels.
    n_neighbors : int, default=20
        Number of neighbours that help to estimate an instance's unobserved labels; may be 0.
    s : float, default=5.0
        Weight of the neighbours in (18), at least 1.
    sigma0, sigma1 : float, default=1e-4 and 1.0
        Variances of the spike and of the slab, sigma0 < sigma1.
    lam_v, lam_b : float, default=1e-3
        Precisions of V around XW and of B around 0.
    alpha, beta : float, default=0.5
        Parameters of the Beta prior of the observation probabilities ``theta_``.
    prior : {"spike_slab", "laplace"}, default="spike_slab"
        Prior of W; "laplace" is the l1 penalty of the paper's figure 3.
    lam_w : float, default=1.0
        Weight of the l1 penalty; only the prior "laplace" uses it.
    threshold : {"paper", "exact"}, default="paper"
        Rule for a row to be in the slab: ‖w_f‖ ≥ ξ as printed, or ‖w_f‖² ≥ c ξ², which maximises
        the posterior of a row of c entries.
    standardize : bool, default=False
        Regress V on features of mean 0 and variance 1, which also decide the neighbours.
    fit_intercept : bool, default=False
        Regress V on a column of ones, too; it is not penalised and not ranked.
    n_cg : int, default=5
        Conjugate gradient steps for W in each iteration.
    max_iter : int, default=50
        Largest number of EM iterations.
    tol : float, default=1e-4
        Stop when the marginal log posterior changes by less than this share of itself.
    random_state : int, RandomState or None, default=None
        Decides the start of V and B, drawn from N(0, 0.1²).
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        Norms of the rows of W.
    W_ : ndarray of shape (n_features, c)
        Regression weights, for the standardised features if those are used.
    b_ : ndarray of shape (c,)
        The intercept; 0 without one.
    V_ : ndarray of shape (n_instances, c)
        Latent factors of the instances.
    B_ : ndarray of shape (n_labels, c)
        Latent factors of the labels.
    tau_ : ndarray of shape (n_features,)
        1 for features of the slab, 0 for those of the spike (absent under the Laplace prior).
    theta_ : ndarray of shape (n_instances, n_labels)
        Prior probability that a label is observed.
    gamma_ : ndarray of shape (n_instances, n_labels)
        Posterior probability that a label is observed.
    hidden_probability_ : ndarray of shape (n_instances, n_labels)
        1 - ``gamma_``: the probability that a zero is a hidden positive.
    objective_ : list of float
        Marginal log posterior after each iteration, up to a constant. With ``threshold="exact"``
        and no neighbours it never falls; otherwise (18) and ξ do not maximise it.
    n_iter_ : int
        Number of iterations made.

    Notes
    -----
    A fit costs O(n² d + n d c + n l c²) time and O(n l + n c² + d c) memory, with c factors.

    References
    ----------
    Xu, Wang and Wei, "To avoid the pitfall of missing labels in feature selection: a generative
    model gives the answer", AAAI 2020. Numbers in brackets are its equations.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import GMFS
    >>> selector = GMFS(n_factors=2, random_state=0).fit(X, Y)
    >>> sorted(selector.ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Xu et al., AAAI 2020",
        handles_missing=True,
        supports_sparse=True,
        search_space={
            "n_factors": [2, 0.25, 0.5, 0.75, 1.0],
            "sigma0": [1e-6, 1e-5, 1e-4, 1e-3],
            "sigma1": [1.0, 2.0, 3.0, 4.0, 5.0],
        },
        note="The paper does not state the start (V, B ~ N(0, 0.1²), theta its prior mean here) "
        "and the stopping rule (max_iter, tol). On unscaled data the prior of W has no effect: "
        "on science every feature is in the slab, and the ranking is the order of their means "
        "(Spearman .9995). There, 22 % are in the slab with fit_intercept, and the order differs "
        "(.28) with standardize. On yeast no variant beats all features, even with known labels.",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "n_factors": [COUNT, SHARE],
        "n_neighbors": [ZERO_OR_COUNT],
        "s": [Interval(Real, 1, None, closed="left")],
        "sigma0": [POSITIVE],
        "sigma1": [POSITIVE],
        "lam_v": [POSITIVE],
        "lam_b": [POSITIVE],
        "alpha": [POSITIVE],
        "beta": [POSITIVE],
        "prior": [StrOptions({"spike_slab", "laplace"})],
        "lam_w": [POSITIVE],
        "threshold": [StrOptions({"paper", "exact"})],
        "standardize": ["boolean"],
        "fit_intercept": ["boolean"],
        "n_cg": [COUNT],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_factors: int | float = 0.5,
        n_neighbors: int = 20,
        s: float = 5.0,
        sigma0: float = 1e-4,
        sigma1: float = 1.0,
        lam_v: float = 1e-3,
        lam_b: float = 1e-3,
        alpha: float = 0.5,
        beta: float = 0.5,
        prior: str = "spike_slab",
        lam_w: float = 1.0,
        threshold: str = "paper",
        standardize: bool = False,
        fit_intercept: bool = False,
        n_cg: int = 5,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: Seed = None,
        n_features_to_select: int | float | None = None,
    ):
        self.n_factors = n_factors
        self.n_neighbors = n_neighbors
        self.s = s
        self.sigma0 = sigma0
        self.sigma1 = sigma1
        self.lam_v = lam_v
        self.lam_b = lam_b
        self.alpha = alpha
        self.beta = beta
        self.prior = prior
        self.lam_w = lam_w
        self.threshold = threshold
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.n_cg = n_cg
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        (n, n_labels), d = Y.shape, X.shape[1]
        c = count_within(self.n_factors, n_labels, "n_factors")
        self._check_parameters()
        known = observed(Y).sum(axis=0)
        kappa = np.nan_to_num(Y - 0.5)
        design = Design(X, standardize=self.standardize, fit_intercept=self.fit_intercept)
        neighbors = neighbor_graph(design.X, self.n_neighbors)
        rng = check_random_state(self.random_state)
        V, B = 0.1 * rng.standard_normal((n, c)), 0.1 * rng.standard_normal((n_labels, c))
        W, precision = np.zeros((len(design.squared), c)), np.full((d, 1), 1 / self.sigma1)
        theta, psi = np.full((1, n_labels), self.alpha / (self.alpha + self.beta)), V @ B.T
        self.objective_: list[float] = []
        for iteration in range(self.max_iter):
            gamma, zeta = expectations(psi, Y, theta)
            zeta *= gamma
            pull = gamma * kappa
            V = weighted_ridge(
                zeta, B, pull @ B + self.lam_v * design.apply(W), self.lam_v, V
            )  # (15)
            B = weighted_ridge(zeta.T, V, pull.T @ V, self.lam_b, B)  # (16)
            if iteration > 0:  # at first W = 0, and every feature would stay in the spike
                precision = self._precision(W[:d])
            W = regress(design, V, precision, self.lam_v, W, self.n_cg)  # (17)
            theta = observability(gamma, known, neighbors, self.s, self.alpha, self.beta)  # (18)
            psi = V @ B.T
            error = V - design.apply(W)
            prior = self._log_prior(error, B, W[:d], theta, precision)
            self.objective_.append(log_likelihood(psi, Y, theta) + prior)
            if self._converged(self.tol):
                break
        self.b_ = W[-1] if self.fit_intercept else np.zeros(c)
        self.W_, self.V_, self.B_, self.n_iter_ = W[:d], V, B, len(self.objective_)
        self.theta_ = np.broadcast_to(theta, Y.shape)
        self.gamma_ = expectations(psi, Y, theta)[0]
        self.hidden_probability_ = 1 - self.gamma_
        if self.prior == "spike_slab":
            self.tau_ = (precision[:, 0] == 1 / self.sigma1).astype(float)
        return np.sqrt(squared_norms(self.W_))

    def _precision(self, W: Array) -> Array:
        """Return the diagonal A of (17): per feature, or per entry under the Laplace prior."""
        if self.prior == "laplace":  # |w| ≤ ½(w²/|w₀| + |w₀|), equal at w = w₀
            return np.asarray(self.lam_w / np.sqrt(W**2 + _SMOOTH))
        spread = self.sigma1 / self.sigma0
        xi_squared = self.sigma1 / (spread - 1) * np.log(spread)
        if self.threshold == "exact":
            xi_squared *= W.shape[1]
        slab = squared_norms(W)[:, None] >= xi_squared
        return np.where(slab, 1 / self.sigma1, 1 / self.sigma0)

    def _log_prior(self, error: Array, B: Array, W: Array, theta: Array, precision: Array) -> float:
        """Add the log densities of V (from its error V − XW), B, W and theta in (14)."""
        value = -0.5 * self.lam_v * np.sum(error**2) - 0.5 * self.lam_b * np.sum(B**2)
        if self.prior == "laplace":
            value -= self.lam_w * np.sqrt(W**2 + _SMOOTH).sum()
        else:
            value += 0.5 * np.sum(np.log(precision) - precision * W**2)
        # one Beta prior per label, averaged over instances if neighbours make them differ
        prior = xlogy(self.alpha - 1, theta) + xlog1py(self.beta - 1, -theta)
        return float(value + prior.mean(axis=0).sum())

    def _check_parameters(self) -> None:
        if self.sigma0 >= self.sigma1:
            asked = f"sigma0 = {self.sigma0}, sigma1 = {self.sigma1}"
            raise ValueError(f"{asked}: the spike must be narrower: 0 < sigma0 < sigma1")
