"""A dataset reduced to its most frequent labels."""

import numpy as np
import pytest

from mlfs import config
from mlfs.errors import UserError
from mlfs.methods.labels import most_frequent
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.preparation import load_dataset
from mlfs.protocols.supervised import prepare

BASE = {
    "name": "p",
    "protocol": "selection",
    "datasets": ["emotions"],
    "methods": ["top_mi"],
    "sizes": [20],
    "metrics": ["average_precision"],
}


def planned(*datasets):
    return plan(config.parse(BASE | {"datasets": list(datasets)}, source="test"))


def test_the_most_frequent_labels_keep_their_order_and_ties_go_to_the_first():
    Y = np.array([[1, 0, 1, 1, 0], [1, 0, 1, 0, 1], [0, 0, 1, 0, 0]], dtype=np.uint8)
    assert most_frequent(Y, 1).tolist() == [2]
    assert most_frequent(Y, 2).tolist() == [0, 2]
    assert most_frequent(Y, 3).tolist() == [0, 2, 3]
    many = np.ones((300, 2), dtype=np.uint8)  # more than an unsigned byte counts to
    many[:250, 0] = 0
    assert most_frequent(many, 1).tolist() == [1]


@pytest.mark.usefixtures("benchmarks")
def test_a_cell_sees_the_most_frequent_labels_only_and_all_rows(real):
    [one] = planned({"name": "emotions", "frequent_labels": 3})
    data, whole = load_dataset(one.cell.data), real("emotions")
    kept = np.sort(np.argsort(-whole.Y.sum(axis=0), kind="stable")[:3])
    assert np.array_equal(data.Y, whole.Y[:, kept]) and np.array_equal(data.X, whole.X)
    assert data.label_names == [whole.label_names[j] for j in kept]
    assert prepare(one.cell).notes == ["emotions: only its 3 most frequent labels"]


def test_only_a_reduced_set_has_another_key():
    """Cells of whole sets that were stored before the key came are still found."""
    [whole], [reduced] = planned("emotions"), planned({"name": "emotions", "frequent_labels": 3})
    assert whole.key != reduced.key
    assert "frequent_labels" not in whole.cell.text and "frequent_labels" in reduced.cell.text


def test_the_plan_knows_how_many_labels_are_left():
    experiment = config.parse(
        BASE | {"datasets": [{"name": "emotions", "frequent_labels": 3}]}, source="test"
    )
    assert experiment.datasets[0].shape == (593, 72, 3)


@pytest.mark.parametrize(
    ("datasets", "words"),
    [
        ([{"name": "emotions", "frequent_labels": 7}], "has 6 labels"),
        ([{"name": "emotions", "frequent_labels": 0}], "greater than or equal to 1"),
        (["emotions", {"name": "emotions", "frequent_labels": 3}], "is listed twice"),
    ],
)
def test_a_number_of_labels_that_cannot_be_is_one_sentence(datasets, words):
    with pytest.raises(UserError, match=words):
        planned(*datasets)
