"""FIMF against a literal transcription of its score, its candidates and its labels."""

import numpy as np
import pytest

from mlfs.selectors import FIMF, TopMutualInformation


def by_entropy(at, names):
    return sorted(names, key=lambda name: (-round(at.H(name), 10), names.index(name)))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(("n_labels", "n_candidates"), [(10, None), (2, 4), (3, 0.5)])
def test_order_and_scores_are_literal_on_twenty_sets(
    small_sets, counted, missing, n_labels, n_candidates
):
    for X, Y, bins in small_sets(missing):
        at = counted(X, Y, bins)
        d = len(at.features)
        p = {None: d, 4: 4, 0.5: max(1, round(d / 2))}[n_candidates]
        Q = sorted(by_entropy(at, at.labels)[:n_labels])
        J = {}
        for f in by_entropy(at, at.features)[:p]:
            J[f] = at.relevance(f)
            for a in Q:
                for b in Q:
                    if a < b:
                        J[f] -= at.co(f, a, b)
        order = sorted(J, key=lambda f: (-round(J[f], 10), f))
        order += by_entropy(at, at.features)[p:]
        model = FIMF(n_labels=n_labels, n_candidates=n_candidates, bins=bins).fit(X, Y)
        expected = [J.get(f, np.nan) for f in at.features]
        np.testing.assert_allclose(model.gains_, expected, rtol=0, atol=1e-10)
        assert [("f", f) for f in model.ranking_] == order
        assert [("l", j) for j in model.labels_] == Q


@pytest.mark.parametrize("n_labels", [0, 1])
def test_without_pairs_it_is_mutual_information(load_slice, n_labels):
    X, Y = load_slice("emotions", 300, 30)
    expected = TopMutualInformation().fit(X, Y)
    model = FIMF(n_labels=n_labels).fit(X, Y)
    assert np.array_equal(model.ranking_, expected.ranking_)
    np.testing.assert_allclose(model.gains_, expected.scores_, rtol=0, atol=1e-9)
