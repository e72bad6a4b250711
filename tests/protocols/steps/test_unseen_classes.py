"""The pieces of a zero-shot experiment: splits and their errors, targets, clustering."""

from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import normalized_mutual_info_score

from mlfs.datasets.images.digits import digits
from mlfs.errors import UserError
from mlfs.metrics import acc, nmi
from mlfs.protocols.steps.unseen_classes import (
    check_training_part,
    cluster_scores,
    seen_choices,
    split_by_class,
    targets,
)

CLASSES = np.array([0, 0, 1, 1, 2, 2, 3, 3])
ATTRIBUTES = np.array([[0.0, 1], [1, 0], [1, 1], [0.5, 2]])


def test_split_takes_whole_classes():
    split = split_by_class(CLASSES, ATTRIBUTES, seen=[2, 0])
    assert split.seen.tolist() == [0, 2] and split.unseen.tolist() == [1, 3]
    assert split.train.tolist() == [0, 1, 4, 5] and split.test.tolist() == [2, 3, 6, 7]
    check_training_part(CLASSES[split.train], split)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attributes": ATTRIBUTES[:3]}, "class 3 has no attributes"),
        (
            {"attributes": np.where(np.arange(4)[:, None] == 1, np.nan, ATTRIBUTES)},
            "class 1 has no",
        ),
        ({"unseen": [1, 2]}, "class 1 is both seen and unseen"),
        ({"unseen": [2, 9]}, "unseen class 9 has no instances"),
        ({"seen": [0, 1, 2]}, "at least two classes unseen"),
        ({"seen": []}, "no class is seen"),
    ],
)
def test_impossible_splits_are_refused(change, message):
    given = {"attributes": ATTRIBUTES, "seen": [0, 1]} | change
    with pytest.raises(UserError, match=message):
        split_by_class(CLASSES, **given)


def test_unseen_class_in_the_training_part_is_refused():
    split = split_by_class(CLASSES, ATTRIBUTES, seen=[0, 1])
    with pytest.raises(UserError, match="class 3, which is not seen"):
        check_training_part(np.array([0, 1, 3]), split)


def test_targets_are_the_attributes_or_the_labels_of_classes():
    classes = np.array([2, 0, 2])
    assert targets(classes, ATTRIBUTES, "attributes").tolist() == [[1, 1], [0, 1], [1, 1]]
    assert targets(classes, ATTRIBUTES, "labels").tolist() == [[0, 1], [1, 0], [0, 1]]
    with pytest.raises(UserError, match="equal attributes"):
        targets(classes, np.ones((4, 2)), "attributes")
    with pytest.raises(UserError, match="unknown supervision"):
        targets(classes, ATTRIBUTES, "names")


def test_ten_classes_have_forty_five_pairs():
    pairs = seen_choices(10, 2)
    assert len(set(pairs)) == 45 and all(a < b for a, b in pairs)


def test_accuracy_is_the_best_matching_and_nmi_is_scikit_learns():
    rng = np.random.default_rng(0)
    for _ in range(5):
        classes, clusters = rng.integers(5, size=(2, 60))
        best = max(np.mean(np.array(p)[clusters] == classes) for p in permutations(range(5)))
        assert acc(classes, clusters) == pytest.approx(best)
        assert nmi(classes, clusters) == normalized_mutual_info_score(classes, clusters)


def test_separated_classes_are_found_by_the_right_features_only():
    rng = np.random.default_rng(0)
    classes = np.repeat([4, 7], 40)
    X = rng.normal(size=(80, 10))
    X[:, [3, 6]] += 20 * (classes == 7)[:, None]
    good = np.r_[3, 6, np.setdiff1d(np.arange(10), [3, 6])]
    for given in (X, sp.csr_matrix(X)):
        rows = list(
            cluster_scores(given, classes, [good[:1], good[:2]], n_starts=5, random_state=0)
        )
        assert [row["size"] for row in rows] == [1, 2]
        assert all(row["acc"] == row["nmi"] == 1 and row["acc_std"] == 0 for row in rows)
    (row,) = cluster_scores(X, classes, [good[5:]], n_starts=5, random_state=0)
    assert row["acc"] < 0.8
    assert list(cluster_scores(X, classes, [good[5:]], n_starts=5, random_state=0)) == [row]


def test_too_few_instances_are_refused():
    with pytest.raises(UserError, match="3 unseen instances cannot form 3 clusters"):
        list(cluster_scores(np.eye(3), np.arange(3), [np.array([0])]))


def test_digits_have_the_segments_of_a_display():
    data = digits()
    assert data.X.shape == (1797, 64) and data.attributes.shape == (10, 7)
    assert data.attributes.sum(axis=1).tolist() == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]
    assert len(np.unique(data.attributes, axis=0)) == 10
    # 8 lights everything; 7 lacks of 3 the middle and the bottom; 6 and 5 differ in one
    assert (data.attributes[8] == 1).all()
    assert np.abs(data.attributes[3] - data.attributes[7]).sum() == 2
    assert np.abs(data.attributes[5] - data.attributes[6]).sum() == 1
    assert set(data.classes[data.test]) == {7, 8, 9}
    assert len(data.train) + len(data.test) == 1797
