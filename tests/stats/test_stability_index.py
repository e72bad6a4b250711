"""The quick index is that of the whole test."""

import math

import numpy as np
import pytest

from mlfs.stats import stability, stability_index


@pytest.mark.parametrize("seed", range(20))
def test_the_index_is_that_of_stability(seed):
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(4, 12)), int(rng.integers(2, 6))
    choices = [rng.permutation(d)[: rng.integers(1, d)].tolist() for _ in range(n)]
    assert stability_index(choices, d) == pytest.approx(stability(choices, d).index, abs=1e-12)


@pytest.mark.parametrize("choices", [[], [[0]], [[], []], [[0, 1, 2], [0, 1, 2]]])
def test_where_it_is_undefined_it_is_nan(choices):
    assert math.isnan(stability_index(choices, 3))
