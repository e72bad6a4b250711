"""D2F against a literal transcription of its criterion, and against PMU."""

import numpy as np
import pytest

from mlfs.selectors import D2F, PMU


@pytest.mark.parametrize("missing", [False, True])
def test_order_and_gains_are_literal_on_twenty_sets(small_sets, counted, greedy, missing):
    for X, Y, bins in small_sets(missing):
        at = counted(X, Y, bins)

        def J(f, S, at=at):
            return at.relevance(f) - sum(at.co(f, s, label) for s in S for label in at.labels)

        order, gains = greedy(at.features, J)
        model = D2F(bins=bins).fit(X, Y)
        np.testing.assert_allclose(model.gains_, gains, rtol=0, atol=1e-10)
        assert model.ranking_.tolist() == order


def test_with_one_label_it_is_pmu(load_slice):
    """Without pairs of labels the criteria are the same."""
    X, Y = load_slice("emotions", 300, 30)
    one, other = D2F().fit(X, Y[:, :1]), PMU().fit(X, Y[:, :1])
    assert np.array_equal(one.ranking_, other.ranking_)
    np.testing.assert_allclose(one.gains_, other.gains_, rtol=0, atol=1e-10)


def test_early_picks_are_not_subtracted_again(small_sets, counted, greedy):
    """A public program keeps its sum and adds all picks to it at every step: another order."""

    def differs(X, Y, bins):
        at = counted(X, Y, bins)

        def J(f, S):
            lost = [sum(at.co(f, s, label) for label in at.labels) for s in S]
            return at.relevance(f) - sum(sum(lost[: k + 1]) for k in range(len(S)))

        return greedy(at.features, J)[0] != D2F(bins=bins).fit(X, Y).ranking_.tolist()

    assert any(differs(*data) for data in small_sets())
