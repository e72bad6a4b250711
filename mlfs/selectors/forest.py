"""Forest importance: how much splits on a feature lower the impurity of all labels.

Petković, Džeroski and Kocev, Machine Learning 109, 2020, compare such rankings.
"""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from ..methods.labels import observed
from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.params import COUNT, Seed
from ..numerics.sklearn_private import StrOptions
from ..types import Array, Matrix

_FORESTS = {"extra_trees": ExtraTreesClassifier, "random_forest": RandomForestClassifier}


class ForestImportance(Ranker):
    """Rank features by their importance in a forest that predicts all labels at once.

    The importance of a feature in a tree is the sum of (n_node / n) · (decrease of the Gini
    impurity, mean over labels) over the nodes that split on it, divided by the sum over all
    features; the score is its mean over the trees. Unknown labels: labels that are known for the
    same instances share a forest on these; the score is the mean over the forests, weighted by
    their numbers of labels.

    Parameters
    ----------
    kind : {"extra_trees", "random_forest"}, default="extra_trees"
        The forest: trees with random thresholds on all instances, or trees with the best
        thresholds on bootstrap samples.
    n_trees : int, default=100
        Number of trees.
    random_state : int, RandomState or None, default=None
        Decides the trees.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        The importances; they add up to 1, unless no tree has a split.
    n_forests_ : int
        Number of forests: 1 if all labels are known.

    Notes
    -----
    A fit of t trees costs O(t n d l) time and O(n d + t n l) memory.

    References
    ----------
    Petković, Džeroski and Kocev, "Multi-label feature ranking with ensemble methods", Machine
    Learning 109, 2020, https://doi.org/10.1007/s10994-020-05908-1

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import ForestImportance
    >>> sorted(ForestImportance(random_state=0).fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    name = "forest_importance"
    tags = Tags(
        paper="Petković, Džeroski and Kocev, Machine Learning 2020",
        handles_missing=True,
        by_label=True,
        supports_sparse=True,
        note="scikit-learn's forests and their feature_importances_, with √d features a split",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "kind": [StrOptions(set(_FORESTS))],
        "n_trees": [COUNT],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kind: str = "extra_trees",
        n_trees: int = 100,
        random_state: Seed = None,
        n_features_to_select: int | float | None = None,
    ):
        self.kind = kind
        self.n_trees = n_trees
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        known = observed(Y)
        patterns, group = np.unique(known, axis=1, return_inverse=True)
        group = group.reshape(-1)
        order = [g for g in dict.fromkeys(group.tolist()) if patterns[:, g].any()]
        self.n_forests_ = len(order)
        scores = np.zeros(X.shape[1])
        for g in order:  # in the order of the first label of each group
            rows, labels = patterns[:, g], group == g
            share = labels.sum() / known.any(axis=0).sum()
            scores += share * self._importances(X[rows], Y[rows][:, labels])
        return scores

    def _importances(self, X: Matrix, Y: Array) -> Array:
        forest = _FORESTS[self.kind](n_estimators=self.n_trees, random_state=self.random_state)
        y = Y[:, 0] if Y.shape[1] == 1 else Y
        return forest.fit(X, y).feature_importances_
