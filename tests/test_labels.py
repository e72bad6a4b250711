"""The label contract, and masking schemes against the counts that define them."""

import numpy as np
import pytest

from mlfs.labels import MASKS, check_labels, observed, signed


@pytest.fixture(scope="module")
def Y(real):
    return real("yeast").Y


def rng():
    return np.random.default_rng(7)


def test_hide_positives_turns_the_share_of_all_positives_into_zeros(Y):
    hidden = MASKS["hide_positives"](0.4)(Y, rng())
    assert hidden.sum() == Y.sum() - round(0.4 * Y.sum())
    assert np.all(hidden <= Y) and observed(hidden).all()


@pytest.mark.parametrize(("ratio", "dropped"), [(0.4, 5), (0.6, 8), (0.8, 11)])
def test_drop_per_instance_drops_the_floor_of_every_row(Y, ratio, dropped):
    hidden = MASKS["drop_per_instance"](ratio)(Y, rng())
    assert np.all((~observed(hidden)).sum(axis=1) == dropped)
    known = observed(hidden)
    assert np.array_equal(hidden[known], Y[known])


def test_drop_per_instance_is_not_fooled_by_binary_fractions():
    """.6 · 5 is 3 labels although the float product may fall below it."""
    hidden = MASKS["drop_per_instance"](0.6)(np.zeros((4, 5)), rng())
    assert np.all(np.isnan(hidden).sum(axis=1) == 3)


def test_drop_per_instance_hits_positives_and_negatives_alike(Y):
    hidden = np.isnan(MASKS["drop_per_instance"](0.5)(Y, rng()))
    assert abs(hidden[Y == 1].mean() - hidden[Y == 0].mean()) < 0.02


def test_drop_entries_drops_the_share_of_the_matrix(Y):
    hidden = MASKS["drop_entries"](0.25)(Y, rng())
    assert np.isnan(hidden).sum() == round(0.25 * Y.size)


def test_stratified_keeps_the_ceiling_of_both_kinds_for_every_label(Y):
    hidden = MASKS["stratified_per_label"](0.7)(Y, rng())
    for truth, kept in zip(Y.T, hidden.T):
        for value in (0, 1):
            assert (kept == value).sum() == np.ceil(0.3 * (truth == value).sum() - 1e-9)


def test_labels_dropped_with_replacement_are_fewer_and_as_many_as_expected():
    """Of l labels, l (1 - (1 - 1/l)^k) different ones fall among k draws."""
    l, n = 10, 4000  # noqa: E741
    hidden = np.isnan(MASKS["drop_per_instance"](0.6, replace=True)(np.zeros((n, l)), rng()))
    counts = hidden.sum(axis=1)
    assert counts.max() <= 6 and counts.min() >= 1
    assert counts.mean() == pytest.approx(l * (1 - (1 - 1 / l) ** 6), abs=0.05)
    assert hidden.mean(axis=0) == pytest.approx(np.full(l, counts.mean() / l), abs=0.03)


def test_positives_hidden_with_replacement_are_fewer(Y):
    large = np.tile(Y, (400, 1)).astype(float)
    count = int(large.sum())
    hidden = MASKS["hide_positives"](0.4, replace=True)(large, rng())
    gone = count - int(hidden.sum())
    assert gone == pytest.approx(count * (1 - np.exp(-0.4)), rel=0.05)
    assert (hidden <= large).all()


def test_a_mask_may_leave_every_instance_its_last_label(Y):
    keeping = MASKS["hide_positives"](0.5, keep_one=True)
    hidden = keeping(Y, rng())
    had = Y.sum(axis=1) > 0
    assert (hidden.sum(axis=1)[had] >= 1).all() and (hidden <= Y).all()
    spare = int(np.maximum(Y.sum(axis=1) - 1, 0).sum())
    assert int(Y.sum() - hidden.sum()) == min(round(0.5 * Y.sum()), spare)
    alone = np.eye(4)
    assert np.array_equal(keeping(alone, rng()), alone)  # every label is its instance's last
    with pytest.raises(ValueError, match="either"):
        MASKS["hide_positives"](0.5, replace=True, keep_one=True)


@pytest.mark.parametrize("kind", MASKS)
def test_the_input_is_untouched_and_the_seed_decides(Y, kind):
    ratio = 0.0 if kind == "none" else 0.3
    before = Y.copy()
    first, again = MASKS[kind](ratio)(Y, rng()), MASKS[kind](ratio)(Y, rng())
    assert np.array_equal(Y, before)
    assert np.array_equal(first, again, equal_nan=True)


def test_a_ratio_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="for 40 %"):
        MASKS["drop_entries"](40)
    with pytest.raises(ValueError, match="hides nothing"):
        MASKS["none"](0.1)


def test_labels_outside_the_contract_are_refused():
    with pytest.raises(ValueError, match="must be 1"):
        check_labels(np.array([[2.0, 0.0]]), n=1, missing=True)
    with pytest.raises(ValueError, match="cannot use unobserved"):
        check_labels(np.array([[np.nan, 0.0]]), n=1, missing=False)
    with pytest.raises(ValueError, match="do not fit 3 instances"):
        check_labels(np.zeros((2, 2)), n=3, missing=True)


def test_signed():
    Y, R = signed(np.array([[1.0, 0.0, np.nan]]))
    assert Y.tolist() == [[1.0, -1.0, 0.0]]
    assert R.tolist() == [[1.0, 1.0, 0.0]]
