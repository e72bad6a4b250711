"""Datasets without files: the MIML paper's Gaussian toy data, and data with planted features.

The toy data are from section 6.2 of Vasisht, Damianou, Varma and Kapoor, "Active learning for
sparse Bayesian multilabel classification", KDD 2014, https://doi.org/10.1145/2623330.2623759
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...types import Array
from ..catalogue import find
from ..dataset import Dataset, numbered


class Planted(NamedTuple):
    """Hold a dataset for which it is known which features matter.

    Parameters
    ----------
    data : Dataset
        The dataset.
    relevant : ndarray of int
        Columns that decide the labels.
    redundant : ndarray of int
        Columns that are noisy copies of relevant ones.
    noise : ndarray of int
        Columns that carry no information.
    """

    data: Dataset
    relevant: Array
    redundant: Array
    noise: Array


def gaussian_toy(seed: int = 0, n: int = 1000, l: int = 35, cardinality: float = 7.0) -> Dataset:  # noqa: E741
    """Draw points from `l` overlapping Gaussians in the plane; labels are the Gaussians nearby.

    A point has label j if it is within C standard deviations of the mean of Gaussian j. As in the
    paper, C is chosen such that a point has `cardinality` labels on average.

    Parameters
    ----------
    seed : int, default=0
        Seed of the random numbers.
    n : int, default=1000
        Number of points; they belong to the Gaussians in turn.
    l : int, default=35
        Number of Gaussians, which is also the number of labels.
    cardinality : float, default=7.0
        Mean number of labels of a point.

    Returns
    -------
    Dataset
        The points and their labels.
    """
    rng = np.random.default_rng(seed)
    # the paper reports no intervals: with these, neighbouring Gaussians overlap
    means = rng.uniform(0.0, 10.0, size=(l, 2))
    deviations = rng.uniform(0.5, 1.5, size=l)
    origin = np.arange(n) % l
    X = means[origin] + deviations[origin, None] * rng.standard_normal((n, 2))
    distances = np.linalg.norm(X[:, None] - means, axis=2) / deviations
    C = np.quantile(distances, cardinality / l)
    label_names = numbered("gaussian", l)
    return _dataset("toy_gaussian", X, distances <= C, ["x", "y"], label_names)


def planted(
    n: int = 500,
    d_relevant: int = 10,
    d_redundant: int = 10,
    d_noise: int = 40,
    l: int = 8,  # noqa: E741
    seed: int = 0,
) -> Planted:
    """Draw a dataset for which it is known which features matter.

    Relevant features are independent and normal. Every label is drawn from a logistic model of a
    few relevant features, and each of these affects at least one label. A redundant feature is a
    noisy copy of a relevant one. Noise features have no information. The columns are shuffled.

    Parameters
    ----------
    n : int, default=500
        Number of instances.
    d_relevant, d_redundant, d_noise : int
        Number of features of each kind.
    l : int, default=8
        Number of labels.
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    Planted
        The dataset and the columns of each kind.

    Examples
    --------
    >>> from mlfs.datasets import planted
    >>> made = planted(n=50)
    >>> len(made.relevant), made.data.X.shape
    (10, (50, 60))
    """
    rng = np.random.default_rng(seed)
    relevant = rng.standard_normal((n, d_relevant))
    copied = np.arange(d_redundant) % d_relevant
    redundant = relevant[:, copied] + 0.3 * rng.standard_normal((n, d_redundant))
    noise = rng.standard_normal((n, d_noise))
    weights = np.zeros((d_relevant, l))
    for feature in range(d_relevant):
        # each feature affects one label for certain, and some others by chance
        serves = rng.random(l) < 0.2
        serves[feature % l] = True
        weights[feature, serves] = rng.choice([-1, 1], serves.sum()) * rng.uniform(2, 4)
    probability = 1 / (1 + np.exp(-(relevant @ weights) + 1.0))  # + 1.0 makes labels less frequent
    Y = rng.random((n, l)) < probability
    order = rng.permutation(d_relevant + d_redundant + d_noise)
    X = np.hstack([relevant, redundant, noise])[:, order]
    place = np.argsort(order)
    data = _dataset("planted", X, Y, numbered("Att", X.shape[1]), numbered("Class", l))
    bounds = [d_relevant, d_relevant + d_redundant]
    return Planted(data, *(np.sort(part) for part in np.split(place, bounds)))


def _dataset(
    name: str, X: Array, Y: Array, feature_names: list[str], label_names: list[str]
) -> Dataset:
    Y = Y.astype(np.uint8)
    content = hashlib.sha256(X.tobytes() + Y.tobytes()).hexdigest()
    notes = list(find(name).notes)
    return Dataset(name, X, Y, feature_names, label_names, None, None, content, notes)


BUILT_IN: dict[str, Callable[[int], Dataset]] = {
    "toy_gaussian": gaussian_toy,
    "planted": lambda seed: planted(seed=seed).data,
}


def draw(name: str, seed: int = 0) -> Dataset:
    """Draw a dataset that needs no file.

    Parameters
    ----------
    name : str
        "toy_gaussian" or "planted".
    seed : int, default=0
        Seed of the random numbers.

    Returns
    -------
    Dataset
        The dataset.
    """
    return BUILT_IN[name](seed)
