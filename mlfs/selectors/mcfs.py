"""MCFS: unsupervised feature selection for multi-cluster data, Cai, Zhang and He, KDD 2010."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.linear_model import lars_path_gram
from sklearn.utils import check_random_state

from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.graphs import heat_graph
from ..numerics.linalg import add_to_diagonal, gram, mean_distance
from ..numerics.params import COUNT, Seed, at_most
from ..types import Array, Matrix

_WIDTH_SAMPLE = 3000  # most instances that are used to find the width of the heat kernel
_RIDGE = 1e-3  # added to the Gram matrix: the lasso becomes an elastic net, as the authors do


class MCFS(Ranker):
    """Rank features by how well they explain a spectral embedding of the instances.

    The embedding consists of the leading eigenvectors of the normalised neighbour graph, without
    the trivial one. Each eigenvector is regressed on X by the lasso path, up to `n_features`
    coefficients. The score of a feature is its largest coefficient over the embedding; features
    outside all paths score 0. Labels are not used; X is not centred and not scaled.
    ``subsets`` finds every size on the same paths, at the points with that many features.

    Parameters
    ----------
    n_clusters : int, default=5
        Number of eigenvectors.
    n_neighbors : int, default=5
        Neighbours of each instance in the graph.
    n_features : int or None, default=None
        Number of non-zero coefficients per eigenvector. None means as many as are selected:
        `n_features_to_select`, or each of the sizes of ``subsets``.
    random_state : int, RandomState or None, default=None
        Decides the start of the eigensolver, and which 3,000 instances decide the kernel's width
        if there are more.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        Largest coefficient of each feature.
    embedding_ : ndarray of shape (n_samples, at most n_clusters)
        Solves S y = λ D y, where S is the graph and D its degrees.
    eigenvalues_ : ndarray
        The eigenvalues λ that belong to the embedding.
    coef_ : ndarray of shape (n_features, at most n_clusters)
        Coefficients on the path, before they are scaled to unit length.
    graph_ : sparse matrix of shape (n_samples, n_samples)
        The neighbour graph S.

    Notes
    -----
    A fit costs O(n² d + n d² + d³) time and O(n + d²) memory.

    References
    ----------
    Cai, Zhang and He, "Unsupervised feature selection for multi-cluster data", KDD 2010,
    https://doi.org/10.1145/1835804.1835848

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.selectors import MCFS
    >>> X = np.random.default_rng(0).standard_normal((40, 4))
    >>> X[:20, 2] += 10  # two groups that differ in the third feature
    >>> int(MCFS(n_clusters=1, n_features=1, random_state=0).fit(X).ranking_[0])
    2
    """

    tags = Tags(
        paper="Cai, Zhang and He, KDD 2010",
        provenance="author code",
        handles_missing=True,
        real_targets=True,
        supports_sparse=True,
        note="unsupervised; n_features is the number selected unless given",
    )
    uses_labels = False
    version = 2

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "n_clusters": [COUNT],
        "n_neighbors": [COUNT],
        "n_features": [COUNT, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 5,
        n_neighbors: int = 5,
        n_features: int | None = None,
        random_state: Seed = None,
        n_features_to_select: int | float | None = None,
    ):
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.n_features = n_features
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def subsets(self, X: Matrix, Y: Array | None, sizes: Sequence[int]) -> list[Array]:
        """Choose a set for every size; if `n_features` is given, the first features of one ranking.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_instances, n_features)
            The features.
        Y : array of shape (n_instances, n_labels) or None
            Not used.
        sizes : sequence of int
            Numbers of features to keep.

        Returns
        -------
        list of ndarray
            Indices of the features, one array for each size.
        """
        if self.n_features is not None:
            return super().subsets(X, Y, sizes)
        X, _ = self._check_inputs(X, Y)
        paths = self._paths(X, max(sizes))
        scores = [_scores(_points(paths, size)) for size in sizes]
        return [np.argsort(-given, kind="stable")[:size] for given, size in zip(scores, sizes)]

    def _rank(self, X: Matrix, Y: Array) -> Array:
        count = self._n_to_select() if self.n_features is None else self.n_features
        self.coef_ = _points(self._paths(X, count), count)
        return _scores(self.coef_)

    def _paths(self, X: Matrix, count: int) -> list[Array]:
        """Compute one lasso path per eigenvector, long enough for `count` features."""
        rng = check_random_state(self.random_state)
        n = X.shape[0]
        if n < 3:
            raise ValueError(f"n_samples = {n}: a neighbour graph needs at least 3")
        sample = X if n <= _WIDTH_SAMPLE else X[rng.choice(n, _WIDTH_SAMPLE, replace=False)]
        self.graph_ = heat_graph(X, self.n_neighbors, mean_distance(sample))
        self.eigenvalues_, self.embedding_ = _embed(self.graph_, self.n_clusters, rng)
        G = add_to_diagonal(gram(X), _RIDGE)
        targets = X.T @ self.embedding_
        return [
            lars_path_gram(
                target, G, n_samples=n, max_iter=_steps(count), method="lasso", copy_Gram=True
            )[2]
            for target in targets.T
        ]


def _embed(S: sp.csr_matrix, count: int, rng: np.random.RandomState) -> tuple[Array, Array]:
    """Find the leading eigenvectors of D^-½SD^-½, in the coordinates of S y = λ D y.

    The trivial vector D^½1 is removed by deflation and not dropped afterwards, because in a graph
    of several components the solver returns an arbitrary mixture instead of it.
    """
    n = S.shape[0]
    root = np.sqrt(np.asarray(S.sum(axis=1)).ravel())
    normalised = sp.diags(1 / root) @ S @ sp.diags(1 / root)
    trivial = root / np.linalg.norm(root)

    def apply(v: Array) -> Array:
        return normalised @ v - trivial * (trivial @ v)

    operator = LinearOperator((n, n), matvec=apply, dtype=float)
    count = at_most(count, n - 2, "n_clusters", f"{n} samples")
    values, vectors = eigsh(
        operator, count, which="LA", v0=rng.standard_normal(n), ncv=min(n, 4 * count + 20)
    )
    order = np.argsort(-values, kind="stable")
    # the authors drop vectors that are not clusters; keep at least one for the regression
    kept = [i for rank, i in enumerate(order) if rank == 0 or values[i] >= 1e-6]
    return values[kept], vectors[:, kept] / root[:, None]


def _steps(count: int) -> int:
    """Return the steps of a path to `count` features: twice as many, since some may leave it."""
    return 2 * count


def _points(paths: list[Array], count: int) -> Array:
    """Find the coefficients at the last point of every path with at most `count` non-zeros.

    A path made for a larger count is cut first, so that the point does not depend on it.
    """
    points = []
    for path in (path[:, : _steps(count) + 1] for path in paths):
        sizes = np.count_nonzero(path, axis=0)
        reached = np.flatnonzero(sizes <= count)
        points.append(path[:, reached[sizes[reached] == sizes[reached].max()][-1]])
    return np.column_stack(points)


def _scores(coef: Array) -> Array:
    """Find the largest coefficient of every feature, each eigenvector's scaled to unit length."""
    length = np.linalg.norm(coef, axis=0)
    return np.asarray(np.abs(coef / np.where(length > 0, length, 1)).max(axis=1))
