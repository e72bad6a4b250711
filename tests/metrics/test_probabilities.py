"""The Brier score and the calibration error against explicit loops and scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics as sk

from mlfs.metrics import brier_score, expected_calibration_error

CASES = range(200)


def draw(seed, holes=True):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 8, 2))
    P = rng.choice([0.0, 0.1, 0.3, 0.5, 0.7, 0.95, 1.0, rng.random()], shape)
    Y = rng.integers(0, 2, shape).astype(float)
    if holes:
        Y[rng.random(shape) < 0.3] = np.nan
    return Y, P


def slow_error(Y, P, bins):
    """Mean over known labels of |mean probability - share of ones| of their bin."""
    entries = [(y, p) for y, p in zip(Y.ravel(), P.ravel()) if y == y]
    total = 0.0
    for b in range(bins):
        last = b == bins - 1
        inside = [(y, p) for y, p in entries if b <= p * bins and (p * bins < b + 1 or last)]
        if inside:
            share = sum(y for y, _ in inside) / len(inside)
            mean = sum(p for _, p in inside) / len(inside)
            total += len(inside) * abs(share - mean)
    return total / len(entries)


def test_both_agree_with_explicit_loops_over_the_known_labels():
    for seed in CASES:
        Y, P = draw(seed)
        if not np.isnan(Y).all():
            squares = [(p - y) ** 2 for y, p in zip(Y.ravel(), P.ravel()) if y == y]
            assert abs(brier_score(Y, P) - sum(squares) / len(squares)) < 1e-12
            for bins in (1, 7, 10):
                error = expected_calibration_error(Y, P, bins)
                assert abs(error - slow_error(Y, P, bins)) < 1e-12


def test_the_brier_score_is_that_of_scikit_learn():
    for seed in CASES:
        Y, P = draw(seed, holes=False)
        expected = sk.brier_score_loss(Y.ravel(), P.ravel(), pos_label=1)
        assert abs(brier_score(Y, P) - expected) < 1e-12


def test_without_a_known_label_both_are_nan():
    unknown = np.full((2, 2), np.nan)
    assert np.isnan(brier_score(unknown, np.zeros((2, 2))))
    assert np.isnan(expected_calibration_error(unknown, np.zeros((2, 2))))


@pytest.mark.parametrize("score", [brier_score, expected_calibration_error])
def test_bad_labels_and_probabilities_are_refused(score):
    with pytest.raises(ValueError, match="do not match"):
        score([[1, 0]], [[0.5]])
    with pytest.raises(ValueError, match="labels must be 1, 0, or nan"):
        score([2], [0.5])
    for wrong in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            score([1], [wrong])
    assert score([np.nan, 1], [np.nan, 1.0]) == 0  # what stands at an unknown label does not matter


def test_bins_must_be_positive():
    with pytest.raises(ValueError, match="bins = 0"):
        expected_calibration_error([1], [1.0], bins=0)
