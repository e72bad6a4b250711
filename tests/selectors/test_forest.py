"""Forest importance against the nodes of the trees, one by one, and scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from mlfs.selectors import ForestImportance

FORESTS = {"extra_trees": ExtraTreesClassifier, "random_forest": RandomForestClassifier}


def gini(Y):
    """The Gini impurity, mean over the labels."""
    return np.mean([1 - np.mean(y) ** 2 - (1 - np.mean(y)) ** 2 for y in Y.T])


def importance(tree, X, Y):
    """Σ over nodes of (n_node / n) · decrease, counted by sending the rows down the tree."""
    found = np.zeros(X.shape[1])

    def visit(node, rows):
        f = tree.feature[node]
        if f < 0:
            return
        left = X[rows, f].astype(np.float32) <= tree.threshold[node]
        parts = rows[left], rows[~left]
        after = sum(len(part) * gini(Y[part]) for part in parts)
        found[f] += (len(rows) * gini(Y[rows]) - after) / len(X)
        visit(tree.children_left[node], parts[0])
        visit(tree.children_right[node], parts[1])

    visit(0, np.arange(len(X)))
    return found / found.sum() if found.sum() else found


def test_scores_are_literal_on_twenty_sets(small_sets):
    """The extra trees that scikit-learn grows on all rows, read node by node."""
    for X, Y, _ in small_sets():
        y = Y[:, 0] if Y.shape[1] == 1 else Y
        forest = ExtraTreesClassifier(10, random_state=3).fit(X, y)
        expected = np.mean([importance(one.tree_, X, Y) for one in forest.estimators_], axis=0)
        model = ForestImportance(n_trees=10, random_state=3).fit(X, Y)
        np.testing.assert_allclose(model.scores_, expected, rtol=0, atol=1e-10)
        assert model.n_forests_ == 1


@pytest.mark.parametrize("kind", FORESTS)
def test_complete_labels_give_exactly_the_importances_of_one_forest(load_slice, kind):
    X, Y = load_slice("emotions", 200, 20)
    expected = FORESTS[kind](30, random_state=5).fit(X, Y).feature_importances_
    model = ForestImportance(kind, n_trees=30, random_state=5).fit(X, Y)
    assert np.array_equal(model.scores_, expected)
    sparse = ForestImportance(kind, n_trees=30, random_state=5).fit(sp.csr_matrix(X), Y)
    assert np.array_equal(sparse.scores_, expected)


def test_labels_known_for_the_same_rows_share_a_forest(load_slice):
    """Labels 0, 1 and 3 are known everywhere, 2 and 4 in the same half, and 5 nowhere."""
    X, Y = load_slice("emotions", 200, 20)
    full, half = Y[:, [0, 1, 3]], Y[:100][:, [2, 4]]
    Y[100:, [2, 4]] = np.nan
    Y[:, 5] = np.nan
    first = ExtraTreesClassifier(20, random_state=0).fit(X, full).feature_importances_
    second = ExtraTreesClassifier(20, random_state=0).fit(X[:100], half).feature_importances_
    model = ForestImportance(n_trees=20, random_state=0).fit(X, Y)
    assert model.n_forests_ == 2
    np.testing.assert_allclose(model.scores_, (3 * first + 2 * second) / 5, rtol=0, atol=1e-12)


def test_one_tree_of_one_split_has_one_important_feature():
    X = np.arange(20.0)[:, None] * [0, 1, 0]
    Y = (X[:, [1]] > 9).astype(float)
    assert ForestImportance(n_trees=5, random_state=0).fit(X, Y).scores_.tolist() == [0, 1, 0]
    assert DecisionTreeClassifier().fit(X, Y).feature_importances_.tolist() == [0, 1, 0]
