"""Our forms against what people would use instead."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import mutual_info_classif
from sklearn.linear_model import Lasso as OneLasso
from sklearn.linear_model import MultiTaskLasso
from sklearn.metrics import label_ranking_average_precision_score, label_ranking_loss
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.svm import SVC, LinearSVC
from skmultilearn.adapt import MLkNN as TheirMLkNN

from mlfs.active.hinge import HingeMachines
from mlfs.active.li_adaptive import hinge_loss
from mlfs.active.machines import Machines
from mlfs.classifiers import LibSVM, MLkNN
from mlfs.datasets import load
from mlfs.learners.proximal import accelerated_proximal
from mlfs.metrics import average_precision, ranking_loss
from mlfs.numerics.graphs import nearest_neighbors
from mlfs.numerics.information import binary, discretise, mutual_information
from mlfs.numerics.linalg import mean_distance
from mlfs.selectors import Lasso
from mlfs.types import Array

from .comparison import Pair, compared
from .data import made, real


@compared("LibSVM", "OneVsRestClassifier(SVC)", "500 x 300, 10 labels")
def libsvm(large: bool = False) -> Pair:
    X, Y = made(4000, 500, 20) if large else made(500, 300, 10)
    train, test = slice(0, 3 * len(X) // 4), slice(3 * len(X) // 4, None)

    def run(model: LibSVM | OneVsRestClassifier) -> Array:
        return np.asarray(model.fit(X[train], Y[train]).decision_function(X[test]))

    return Pair(
        lambda: run(LibSVM(C=1.0, gamma="auto")),
        lambda: run(OneVsRestClassifier(SVC(C=1.0, gamma="auto"))),
        tol=1e-2,  # where either stops
    )


@compared("MLkNN", "scikit-multilearn's MLkNN", "500 x 100, 20 labels")
def mlknn(large: bool = False) -> Pair:
    if large:
        data = load("bibtex")
        X, Y, queries = data.X[data.train], data.Y[data.train], data.X[data.test]
    else:
        whole, labels = made(750, 100, 20)
        X, Y, queries = whole[:500], labels[:500], whole[500:]
    theirs = sp.csr_matrix(np.asarray(Y, dtype=int))  # it indexes with sums of labels
    return Pair(
        lambda: MLkNN(k=10).fit(X, Y).decision_function(queries),
        lambda: TheirMLkNN(k=10).fit(sp.csr_matrix(X), theirs).predict_proba(queries).toarray(),
        tol=None,  # there, an instance is its own nearest neighbour while training
    )


@compared("nearest neighbours", "scikit-learn's NearestNeighbors", "2000 x 100, 10 neighbours")
def neighbours(large: bool = False) -> Pair:
    X, _ = made(6000 if large else 2000, 100, 2)
    return Pair(
        lambda: nearest_neighbors(X, 10)[0],
        lambda: NearestNeighbors(n_neighbors=10, algorithm="brute").fit(X).kneighbors()[1],
        tol=0.0,
    )


@compared("mean distance", "scipy's pdist", "2000 x 50")
def distances(large: bool = False) -> Pair:
    X, _ = made(6000 if large else 2000, 50, 2)
    return Pair(lambda: mean_distance(X), lambda: 2 * pdist(X).sum() / len(X) ** 2)


@compared("mutual information of all pairs", "mutual_info_classif", "1000 x 40, 6 labels")
def information(large: bool = False) -> Pair:
    X, Y = made(3000, 300, 14) if large else made(1000, 40, 6)
    codes = discretise(X)

    def theirs() -> Array:
        columns = [mutual_info_classif(codes.values, y, discrete_features=True) for y in Y.T]
        return np.maximum(np.array(columns).T, 0.0)

    return Pair(lambda: np.maximum(mutual_information(codes, binary(Y)), 0.0), theirs)


@compared(
    "Lasso: one Gram matrix for all labels", "a Lasso for each label", "1000 x 100, 20 labels"
)
def lasso(large: bool = False) -> Pair:
    X, Y = made(4000, 300, 50) if large else made(1000, 100, 20)

    def each() -> Array:
        models = [OneLasso(alpha=0.01, max_iter=10_000, tol=1e-6).fit(X, y) for y in Y.T]
        return np.array([model.coef_ for model in models]).T

    return Pair(lambda: Lasso(alpha=0.01).fit(X, Y).coef_, each, tol=1e-2)


@compared(
    "FISTA for the l2,1 norm", "MultiTaskLasso, to the same objective", "300 x 200, 10 labels"
)
def fista(large: bool = False) -> Pair:
    X, Y = made(2000, 500, 20) if large else made(300, 200, 10)
    n, alpha = len(X), 0.05
    G, B, constant = X.T @ X / n, X.T @ Y / n, 0.5 * float(np.sum(Y**2)) / n
    curvature = float(np.linalg.norm(G, 2))

    def smooth(W: Array) -> tuple[float, Array]:
        GW = G @ W
        return constant + float(np.vdot(W, 0.5 * GW - B)), GW - B

    def shrink(W: Array, step: Array | float) -> Array:
        sizes = np.linalg.norm(W, axis=1, keepdims=True)
        return np.asarray(W * np.maximum(1 - alpha * step / np.maximum(sizes, 1e-300), 0.0))

    def penalty(W: Array) -> float:
        return alpha * float(np.linalg.norm(W, axis=1).sum())

    def ours() -> float:
        start = np.zeros_like(B)
        return accelerated_proximal(
            smooth, shrink, penalty, start, curvature, max_iter=5000, tol=1e-9
        )[1][-1]

    def theirs() -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MultiTaskLasso(alpha=alpha, fit_intercept=False, tol=1e-6, max_iter=5000)
            W = model.fit(X, Y).coef_.T
        return smooth(W)[0] + penalty(W)

    return Pair(ours, theirs, tol=1e-4)


@compared("average precision", "scikit-learn's", "2000 instances, 50 labels")
def precision(large: bool = False) -> Pair:
    S, Y = made(2000, 50, 50)
    return Pair(
        lambda: average_precision(Y, S), lambda: label_ranking_average_precision_score(Y, S)
    )


@compared("ranking loss", "scikit-learn's", "2000 instances, 50 labels")
def ranking(large: bool = False) -> Pair:
    S, Y = made(2000, 50, 50)
    return Pair(lambda: ranking_loss(Y, S), lambda: label_ranking_loss(Y, S))


@compared("Li-Adaptive: machines follow a point", "LinearSVC trained anew", "400 x 60, 8 labels")
def following(large: bool = False) -> Pair:
    X, Y = real("mediamill") if large else made(400, 60, 8)
    rows, nominees = np.arange(200), range(200, 210)
    X, signs = normalize(X[:2000]), np.where(Y[:2000] > 0, 1.0, -1.0)
    ours = HingeMachines(X, rows, signs[rows], 1.0)
    theirs = Machines(X, rows, signs[rows], LinearSVC(loss="hinge", tol=1e-3, random_state=0))

    def losses(machines: HingeMachines | Machines) -> Array:
        return np.array([hinge_loss(machines.scores_with(x, signs[x])) for x in nominees])

    return Pair(lambda: losses(ours), lambda: losses(theirs), tol=0.05)  # where theirs stops
