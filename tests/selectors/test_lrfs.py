"""LRFS against a literal transcription of its criterion, and a label that explains another."""

import numpy as np
import pytest

from mlfs.selectors import LRFS


@pytest.mark.parametrize("missing", [False, True])
def test_order_and_gains_are_literal_on_twenty_sets(small_sets, counted, greedy, missing):
    for X, Y, bins in small_sets(missing):
        at = counted(X, Y, bins)
        relevance = {
            f: sum(at.conditional(f, b, a) for a in at.labels for b in at.labels if a != b)
            if len(at.labels) > 1
            else at.mutual(f, at.labels[0])
            for f in at.features
        }

        def J(f, S, at=at, relevance=relevance):
            return relevance[f] - (sum(at.mutual(f, s) for s in S) / len(S) if S else 0)

        order, gains = greedy(at.features, J)
        model = LRFS(bins=bins).fit(X, Y)
        np.testing.assert_allclose(model.relevance_, list(relevance.values()), rtol=0, atol=1e-10)
        np.testing.assert_allclose(model.gains_, gains, rtol=0, atol=1e-10)
        assert model.ranking_.tolist() == order


def test_what_another_label_says_already_is_not_relevant(load_slice):
    """Two equal labels: each is known given the other, so no feature says more."""
    X, Y = load_slice("emotions", 200, 10)
    model = LRFS().fit(X, Y[:, [0, 0]])
    np.testing.assert_allclose(model.relevance_, 0, atol=1e-10)
