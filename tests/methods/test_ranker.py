"""How many features a selector keeps when it is asked for a count, a share or nothing."""

import numpy as np
import pytest

from mlfs.selectors import FSNM, RandomSelector


@pytest.mark.parametrize(
    ("d", "asked", "kept"),
    [(1, None, 1), (2, None, 1), (3, None, 1), (7, None, 3), (7, 1, 1), (7, 1.0, 7), (7, 0.3, 2)],
)
def test_a_selector_keeps_half_of_the_features_or_what_is_asked(d, asked, kept):
    model = RandomSelector(random_state=0, n_features_to_select=asked).fit(np.eye(9)[:, :d])
    assert np.flatnonzero(model.get_support()).tolist() == sorted(model.ranking_[:kept])


def test_more_than_there_are_is_refused():
    with pytest.raises(ValueError, match="n_features_to_select = 8 of 7: choose"):
        RandomSelector(n_features_to_select=8).fit(np.eye(9)[:, :7]).get_support()


def test_labels_need_a_row_for_every_instance():
    X, Y = np.random.default_rng(0).random((9, 7)), np.eye(9)[:, :2]
    assert len(FSNM().fit(X, Y).ranking_) == 7
    with pytest.raises(ValueError, match="7"):
        FSNM().fit(X, Y[:7])


@pytest.mark.parametrize(
    ("values", "over"),
    [
        ([1.0], False),
        ([1.0, 1.0005], True),
        ([100.0, 1.0, 1.05], False),  # against the last value but one, not an earlier one
        ([1.0, 100.0, 100.05], True),
        ([-100.0, -100.05], True),
        ([0.0, 0.0], True),
        ([0.0, 1e-9], False),
    ],
)
def test_iterations_end_when_the_objective_hardly_changes(values, over):
    model = FSNM()
    model.objective_ = values
    assert bool(model._converged(1e-3)) == over
