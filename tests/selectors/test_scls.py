"""SCLS against a literal transcription of its criterion, and what its product means."""

import numpy as np
import pytest

from mlfs.selectors import SCLS, TopMutualInformation


@pytest.mark.parametrize("missing", [False, True])
def test_order_and_gains_are_literal_on_twenty_sets(small_sets, counted, greedy, missing):
    for X, Y, bins in small_sets(missing):
        at = counted(X, Y, bins)

        def J(f, S, at=at):
            H = at.H(f)
            return at.relevance(f) * (1 - sum(at.mutual(f, s) / H for s in S)) if H else 0.0

        order, gains = greedy(at.features, J)
        model = SCLS(bins=bins).fit(X, Y)
        np.testing.assert_allclose(model.gains_, gains, rtol=0, atol=1e-10)
        assert model.ranking_.tolist() == order


def test_the_first_pick_is_the_most_relevant_and_its_copy_loses_everything(load_slice):
    X, Y = load_slice("emotions", 300, 20)
    first = TopMutualInformation().fit(X, Y).ranking_[0]
    model = SCLS(n_ranked=1).fit(np.column_stack([X, X[:, first]]), Y)
    assert model.ranking_[0] == first
    assert model.gains_[20] == pytest.approx(0, abs=1e-10)  # I(f; f) / H(f) = 1


def test_fewer_picks_are_the_beginning_of_all_picks(load_slice):
    X, Y = load_slice("emotions", 300)
    everything, some = SCLS().fit(X, Y), SCLS(n_ranked=15).fit(X, Y)
    assert np.array_equal(some.ranking_[:15], everything.ranking_[:15])
    assert np.all(np.diff(some.gains_[some.ranking_[15:]]) <= 1e-9)
