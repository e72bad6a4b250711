"""MDMR against a literal transcription of its criterion, and against D2F."""

import numpy as np
import pytest

from mlfs.selectors import D2F, MDMR


@pytest.mark.parametrize("missing", [False, True])
def test_order_and_gains_are_literal_on_twenty_sets(small_sets, counted, greedy, missing):
    for X, Y, bins in small_sets(missing):
        at = counted(X, Y, bins)

        def J(f, S, at=at):
            loss = [
                at.mutual(f, s) - sum(at.conditional(f, label, s) for label in at.labels) for s in S
            ]
            return at.relevance(f) - (sum(loss) / len(S) if S else 0)

        order, gains = greedy(at.features, J)
        model = MDMR(bins=bins).fit(X, Y)
        np.testing.assert_allclose(model.gains_, gains, rtol=0, atol=1e-10)
        assert model.ranking_.tolist() == order


def test_it_is_not_d2f(load_slice):
    """A public program computes the same for both; the criteria and their orders differ."""
    X, Y = load_slice("emotions", 300, 30)
    ours, other = MDMR().fit(X, Y), D2F().fit(X, Y)
    assert ours.ranking_[0] == other.ranking_[0]
    assert ours.ranking_[:10].tolist() != other.ranking_[:10].tolist()


def test_a_copy_loses_its_entropy_and_what_it_says_about_the_labels(load_slice):
    """With s a copy of f: I(f; s) = H(f) and I(f; l | s) = 0."""
    X, Y = load_slice("emotions", 300, 1)
    X = np.column_stack([X, X])
    model = MDMR().fit(X, Y)
    share = np.mean(X[:, 0] > np.sort(X[:, 0])[149])
    H = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert model.gains_[0] - model.gains_[1] == pytest.approx(H, abs=1e-10)
