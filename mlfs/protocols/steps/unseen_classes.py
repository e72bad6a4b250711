"""The parts of a zero-shot experiment: a split by class, its targets, and the clustering.

Features are ranked on the instances of seen classes. They are judged on the instances of unseen
classes, by K-means on the top features (Wang, Ye and Wang, 2019, section 6.1).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ...errors import UserError
from ...metrics import acc, nmi
from ...types import Array, Matrix

if TYPE_CHECKING:  # scikit-learn is imported where it is used: a table of results does not need it
    from ...numerics.params import Seed


@dataclass(frozen=True)
class ClassSplit:
    """Hold a split of the classes, and the split of the instances that follows from it.

    Parameters
    ----------
    seen, unseen : ndarray of int
        Class indices, sorted.
    train, test : ndarray of int
        Instances of seen and of unseen classes.
    """

    seen: Array
    unseen: Array
    train: Array
    test: Array


def split_by_class(
    classes: Array, attributes: Array, seen: Iterable[int], unseen: Iterable[int] | None = None
) -> ClassSplit:
    """Split instances by class; raise a UserError if this makes no zero-shot experiment.

    Parameters
    ----------
    classes : ndarray of int of shape (n,)
        Class index of every instance.
    attributes : ndarray of shape (n_classes, m)
        One row for each class; nan where an attribute is unknown.
    seen : iterable of int
        The seen classes.
    unseen : iterable of int, optional
        By default every class that is not seen.

    Returns
    -------
    ClassSplit
        The classes and instances of both parts.
    """
    every = np.unique(classes)
    beyond = every[every >= len(attributes)]
    if beyond.size:
        raise UserError(
            f"class {beyond[0]} has no attributes: there are {len(attributes)} rows of attributes, "
            "add one for every class."
        )
    shown = np.unique(np.fromiter(seen, dtype=int))
    other = np.setdiff1d(every, shown) if unseen is None else np.unique(np.fromiter(unseen, int))
    both = np.intersect1d(shown, other)
    if both.size:
        raise UserError(
            f"class {both[0]} is both seen and unseen: keep it in one of the two lists."
        )
    for name, chosen in (("seen", shown), ("unseen", other)):
        absent = np.setdiff1d(chosen, every)
        if absent.size:
            raise UserError(f"{name} class {absent[0]} has no instances: remove it from the list.")
    if not shown.size:
        raise UserError("no class is seen: name at least one seen class.")
    if len(other) < 2:
        raise UserError(
            f"{len(other)} unseen classes cannot be clustered: leave at least two classes unseen."
        )
    unknown = shown[~np.isfinite(attributes[shown]).all(axis=1)]
    if unknown.size:
        raise UserError(f"class {unknown[0]} has no attributes: fill its row, or leave it out.")
    train, test = (np.flatnonzero(np.isin(classes, part)) for part in (shown, other))
    return ClassSplit(shown, other, train, test)


def check_training_part(classes: Array, split: ClassSplit) -> None:
    """Refuse training instances of a class that is not seen."""
    stray = np.setdiff1d(classes, split.seen)
    if stray.size:
        raise UserError(
            f"the training part has instances of class {stray[0]}, which is not seen: "
            "remove them, or add the class to the seen ones."
        )


def seen_choices(n_classes: int, n_seen: int) -> list[tuple[int, ...]]:
    """List all choices of `n_seen` classes; there are 45 choices of 2 out of 10 classes."""
    return list(combinations(range(n_classes), n_seen))


def targets(classes: Array, attributes: Array, supervision: str) -> Array:
    """Return the targets that the ranking learns from: attributes or 0/1 labels of the classes.

    Parameters
    ----------
    classes : ndarray of int of shape (n,)
        Classes of the training instances.
    attributes : ndarray of shape (n_classes, m)
        The attributes of every class.
    supervision : {"attributes", "labels"}
        Which targets to use.

    Returns
    -------
    ndarray of shape (n, m) or (n, number of classes)
        The targets.
    """
    present, place = np.unique(classes, return_inverse=True)
    if supervision == "labels":
        return np.eye(len(present))[place]
    if supervision != "attributes":
        raise UserError(f"unknown supervision '{supervision}' (known: attributes, labels)")
    rows = attributes[present]
    if (rows == rows[0]).all():
        raise UserError(
            "all seen classes have equal attributes, which cannot guide a selection: "
            "choose other classes, or supervise by labels."
        )
    return rows[place]


def cluster_scores(
    X: Matrix,
    classes: Array,
    subsets: Iterable[Array],
    *,
    n_starts: int = 20,
    random_state: Seed = None,
) -> Iterator[dict[str, float]]:
    """Cluster the unseen instances by each set of features.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        All features of the unseen instances.
    classes : ndarray of shape (n,)
        Their classes; K-means looks for as many clusters.
    subsets : iterable of ndarray of int
        The features to keep.
    n_starts : int, default=20
        K-means runs, each from one random start.
    random_state : int, RandomState or None, default=None
        Decides the starting instances, which are the same for all subsets.

    Yields
    ------
    dict
        ``size``, ``acc``, ``nmi`` (means over the starts), ``acc_std`` and ``nmi_std``.
    """
    k = len(np.unique(classes))
    if X.shape[0] <= k:
        raise UserError(
            f"{X.shape[0]} unseen instances cannot form {k} clusters: use more instances."
        )
    from sklearn.utils import check_random_state

    seeds = check_random_state(random_state).randint(2**31 - 1, size=n_starts)
    for columns in subsets:
        Z = X[:, columns]
        clusterings = [_kmeans(Z, k, int(seed)) for seed in seeds]
        scores = np.array(
            [(acc(classes, clusters), nmi(classes, clusters)) for clusters in clusterings]
        )
        mean, deviation = scores.mean(axis=0), scores.std(axis=0)
        yield {
            "size": float(len(columns)),
            "acc": float(mean[0]),
            "nmi": float(mean[1]),
            "acc_std": float(deviation[0]),
            "nmi_std": float(deviation[1]),
        }


def _kmeans(Z: Matrix, k: int, seed: int) -> Array:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        # with few features many instances can be equal, and there may be fewer than k points
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(k, init="random", n_init=1, random_state=seed).fit_predict(Z)
