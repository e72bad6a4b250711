"""How many features a selector keeps when it is asked for a count, a share or nothing."""

import numpy as np
import pytest

from mlfs.selectors import RandomSelector


@pytest.mark.parametrize(
    ("d", "asked", "kept"),
    [(1, None, 1), (2, None, 1), (3, None, 1), (7, None, 3), (7, 1, 1), (7, 1.0, 7), (7, 0.3, 2)],
)
def test_half_of_the_features_or_what_is_asked(d, asked, kept):
    model = RandomSelector(random_state=0, n_features_to_select=asked).fit(np.eye(9)[:, :d])
    assert np.flatnonzero(model.get_support()).tolist() == sorted(model.ranking_[:kept])


def test_more_than_there_are_is_refused():
    with pytest.raises(ValueError, match="n_features_to_select = 8 of 7: choose"):
        RandomSelector(n_features_to_select=8).fit(np.eye(9)[:, :7]).get_support()
