"""The label contract, and masking schemes against the counts that define them."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from pydantic import TypeAdapter

from mlfs.methods.labels import check_labels, hidden_shares, observed, signed
from mlfs.protocols.experiment.masks import MASKS, AnyMask, asked


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


def test_drop_per_instance_with_replacement_drops_the_distinct_labels_of_its_draws(Y):
    """count draws of l labels hit l(1 − (1 − 1/l)^count) of them on average, none more often."""
    n, width = Y.shape
    for ratio, count in ((0.4, 5), (0.8, 11)):
        hidden = MASKS["drop_per_instance"](ratio, replace=True)(Y, rng())
        dropped = np.isnan(hidden)
        assert dropped.sum(axis=1).max() <= count
        assert dropped.sum(axis=1).min() < count
        expected = width * (1 - (1 - 1 / width) ** count)
        assert abs(dropped.sum(axis=1).mean() - expected) < 5 * np.sqrt(width / n)
        assert np.ptp(dropped.mean(axis=0)) < 0.07  # every label alike
        assert np.array_equal(hidden[~dropped], Y[~dropped])


def test_hide_positives_with_replacement_hides_the_distinct_ones_of_its_draws(Y):
    """count = .4 m draws of m positives leave m(1 − 1/m)^count of them, near m e^−.4."""
    hidden = MASKS["hide_positives"](0.4, replace=True)(Y, rng())
    assert np.all(hidden <= Y)
    assert abs(hidden.sum() / Y.sum() - np.exp(-0.4)) < 0.01


def test_an_instance_without_labels_gets_none():
    kept = MASKS["hide_positives"](0.9, keep_one=True)(np.eye(6)[:, :5], rng())
    assert kept.sum(axis=1).tolist() == [1, 1, 1, 1, 1, 0]


@pytest.mark.parametrize("kind", MASKS)
def test_options_that_are_off_are_not_written(kind):
    """So that the keys of cells stay as they were before an option came."""
    adapter = TypeAdapter(AnyMask)
    ratio = {"none": 0.0, "one_positive": 1.0}.get(kind, 0.3)
    assert adapter.dump_python(MASKS[kind](ratio), mode="json") == {"kind": kind, "ratio": ratio}
    if hasattr(MASKS[kind](ratio), "replace"):
        mask = MASKS[kind](ratio, replace=True)
        written = adapter.dump_python(mask, mode="json")
        assert written == {"kind": kind, "ratio": ratio, "replace": True}
        assert adapter.validate_python(written) == mask


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("hide_positives", {}, "40 % of the positive labels hidden"),
        (
            "hide_positives",
            {"replace": True},
            "40 % of the positive labels hidden, drawn with replacement",
        ),
        (
            "hide_positives",
            {"keep_one": True},
            "40 % of the positive labels hidden, but never the last one of an instance",
        ),
        (
            "hide_per_instance",
            {},
            "40 % of the positive labels of every instance hidden, rounded down",
        ),
        (
            "hide_per_instance",
            {"rows": 0.8},
            "40 % of the positive labels of 80 % of the instances hidden, rounded down",
        ),
        (
            "drop_per_instance",
            {"replace": True},
            "40 % of the labels of every instance dropped, drawn with replacement",
        ),
        ("drop_per_instance", {}, "40 % of the labels of every instance dropped, rounded down"),
        ("drop_entries", {}, "40 % of all labels dropped"),
        (
            "stratified_per_label",
            {},
            "40 % of the positives and of the negatives of every label dropped, rounded down",
        ),
        (
            "stratified_per_instance",
            {},
            "40 % of the positives and of the negatives of every instance dropped, rounded down",
        ),
    ],
)
def test_every_mask_says_what_it_does(kind, options, words):
    assert MASKS[kind](0.4, **options).words == words


def test_a_share_is_written_in_percent():
    assert [asked(ratio) for ratio in (0.4, 0.07, 0.125)] == [
        *("40 % to hide", "7 % to hide", "12.5 % to hide")
    ]
    assert MASKS["none"]().words == "no labels hidden"


def test_hidden_shares_count_what_differs(Y):
    """By hand on six labels, and by the definition of three masks on real ones."""
    truth = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    masked = np.array([[0.0, 1.0, np.nan], [np.nan, 0.0, 0.0]])
    assert hidden_shares(truth, masked) == {"labels": 3 / 6, "positives": 2 / 3}
    assert hidden_shares(truth, truth) == {"labels": 0.0, "positives": 0.0}
    assert hidden_shares(np.zeros((1, 2)), np.array([[np.nan, 0.0]])) == {
        **{"labels": 0.5, "positives": 0.0}
    }
    hidden = hidden_shares(Y, MASKS["hide_positives"](0.4)(Y, rng()))
    assert hidden["positives"] == pytest.approx(round(0.4 * Y.sum()) / Y.sum())
    assert hidden["labels"] == pytest.approx(round(0.4 * Y.sum()) / Y.size)
    assert hidden_shares(Y, MASKS["drop_per_instance"](0.4)(Y, rng()))["labels"] == 5 / 14
    # the share that the ratio names is the one that a mask is judged by
    for kind, mask in MASKS.items():
        positives = kind.startswith("hide") or kind == "one_positive"
        assert mask.hides == ("positives" if positives else "labels")
    # what was unknown before is neither hidden nor counted
    holes = np.array([[1.0, np.nan, 0.0, 1.0]])
    masked = np.array([[1.0, np.nan, np.nan, 0.0]])
    assert hidden_shares(holes, masked) == {"labels": 2 / 3, "positives": 1 / 2}
    assert hidden_shares(np.full((1, 2), np.nan), np.full((1, 2), np.nan))["labels"] == 0.0


@pytest.mark.parametrize("kind", sorted(set(MASKS) - {"none"}))
@pytest.mark.parametrize("options", [{}, {"replace": True}], ids=str)
def test_masks_hide_known_labels_only_and_in_proportion_to_them(Y, kind, options):
    """A row in which nothing is known stays as it is; the others lose a share of what is known."""
    cls = MASKS[kind]
    if options and not hasattr(cls, "replace"):
        return
    given = np.where(rng().random(Y.shape) < 0.3, np.nan, Y)
    given[:7] = np.nan
    ratio = 1.0 if kind == "one_positive" else 0.5
    masked = cls(ratio, **options)(given, rng())
    unknown = np.isnan(given)
    assert np.isnan(masked[unknown]).all()
    if kind == "one_positive":
        had = (given == 1).any(axis=1)
        assert np.array_equal((masked == 1).sum(axis=1), had.astype(int))
        assert not np.isnan(masked[~unknown]).any()
        return
    lost = (masked != given) & ~unknown
    if kind.startswith("hide"):
        assert (given[lost] == 1).all()
        share = lost.sum() / (given == 1).sum()
    else:
        assert np.isnan(masked[lost]).all()
        share = lost.sum() / (~unknown).sum()
    assert 0.25 < share < 0.501
    if kind == "drop_entries":
        assert lost.sum() == round(0.5 * (~unknown).sum())
    if kind == "drop_per_instance" and not options:
        assert np.array_equal(lost.sum(axis=1), (~unknown).sum(axis=1) // 2)


def test_one_positive_keeps_each_label_of_a_row_with_the_same_chance():
    Y = np.tile([1.0, 1.0, 0.0, 1.0], (3000, 1))
    kept = MASKS["one_positive"]()(Y, rng())
    assert not np.isnan(kept).any() and (kept.sum(axis=1) == 1).all()
    np.testing.assert_allclose(kept.mean(axis=0), [1 / 3, 1 / 3, 0, 1 / 3], atol=0.03)
    with pytest.raises(ValueError, match="leave its ratio out"):
        MASKS["one_positive"](0.4)


def test_drop_entries_drops_the_share_of_the_matrix(Y):
    hidden = MASKS["drop_entries"](0.25)(Y, rng())
    assert np.isnan(hidden).sum() == round(0.25 * Y.size)


def test_stratified_keeps_the_ceiling_of_both_kinds_for_every_label(Y):
    hidden = MASKS["stratified_per_label"](0.7)(Y, rng())
    for truth, kept in zip(Y.T, hidden.T):
        for value in (0, 1):
            assert (kept == value).sum() == np.ceil(0.3 * (truth == value).sum() - 1e-9)


def literal_hide_per_instance(Y, ratio, rows):
    """Return how many positives each row may lose: floor(ratio · positives), in exact numbers."""
    share = Fraction(str(ratio))
    return [math.floor(share * int(count)) for count in Y.sum(axis=1)], round(rows * len(Y))


@pytest.mark.parametrize("ratio", [0.2, 0.4, 0.5, 0.6, 0.8, 0.999])
@pytest.mark.parametrize("rows", [0.3, 0.8, 1.0])
def test_hide_per_instance_hides_the_floor_of_the_positives_of_the_chosen_rows(Y, ratio, rows):
    hidden = MASKS["hide_per_instance"](ratio, rows=rows)(Y, rng())
    assert observed(hidden).all() and np.all(hidden <= Y)
    counts, chosen = literal_hide_per_instance(Y, ratio, rows)
    lost = (Y - hidden).sum(axis=1)
    assert all(gone in (0, count) for gone, count in zip(lost, counts))
    could = np.array(counts) > 0
    assert (lost > 0).sum() <= chosen
    if rows == 1.0:
        assert lost.tolist() == counts
    else:  # the chosen rows are a random part of all: of those that can lose, about the share
        assert abs((lost > 0)[could].mean() - rows) < 0.05
    assert (hidden.sum(axis=1)[Y.sum(axis=1) > 0] >= 1).all()


def test_hide_per_instance_hides_in_exactly_the_share_of_the_rows():
    hidden = MASKS["hide_per_instance"](0.5, rows=0.8)(np.ones((30, 4)), rng())
    assert sorted(hidden.sum(axis=1).tolist()) == [2.0] * 24 + [4.0] * 6
    assert set(np.flatnonzero(hidden.sum(axis=1) == 4)) != set(range(24, 30))  # drawn, not the last


@pytest.mark.parametrize("ratio", [0.2, 0.4, 0.5, 0.6, 0.7, 0.8])
def test_stratified_per_instance_drops_the_floor_of_both_kinds_of_every_row(Y, ratio):
    hidden = MASKS["stratified_per_instance"](ratio)(Y, rng())
    share = Fraction(str(ratio))
    for truth, kept in zip(Y, hidden):
        for value in (0, 1):
            had = int((truth == value).sum())
            assert (kept == value).sum() == had - math.floor(share * had)
    known = observed(hidden)
    assert np.array_equal(hidden[known], Y[known])


@pytest.mark.parametrize("kind", ["hide_per_instance", "stratified_per_instance"])
def test_masks_per_instance_hit_every_label_alike(kind):
    """20 000 equal rows of four positives, of which each loses two: every column loses half."""
    Y = np.tile([1.0, 1.0, 1.0, 1.0, 0.0, 0.0], (20_000, 1))
    hidden = MASKS[kind](0.5)(Y, rng())
    lost = (hidden[:, :4] != 1).mean(axis=0)
    assert np.abs(lost - 0.5).max() < 0.015
    pairs = (hidden[:, 0] != 1) & (hidden[:, 1] != 1)  # 1 of the 6 pairs of four labels
    assert abs(pairs.mean() - 1 / 6) < 0.01


@pytest.mark.parametrize("ratio", [0.5, 0.9, 0.999])
@pytest.mark.parametrize("kind", ["hide_per_instance", "stratified_per_instance"])
def test_masks_per_instance_never_lose_a_single_positive(kind, ratio):
    Y = np.eye(50)
    hidden = MASKS[kind](ratio)(Y, rng())
    assert np.array_equal(hidden == 1, Y == 1)


@pytest.mark.parametrize("kind", ["hide_per_instance", "stratified_per_instance"])
def test_masks_per_instance_are_fast(kind):
    """As many rows and labels as the largest set has: a loop over the rows would take longer."""
    Y = (rng().random((13_766, 153)) < 0.1).astype(float)
    start = time.process_time()
    MASKS[kind](0.4)(Y, rng())
    assert time.process_time() - start < 1.0


def test_a_share_of_rows_outside_its_range_is_refused():
    for rows in (0.0, 1.01, -0.1):
        with pytest.raises(ValueError, match="not more than 0 and at most 1"):
            MASKS["hide_per_instance"](0.4, rows=rows)


def test_the_share_of_rows_is_written_unless_it_is_all():
    adapter = TypeAdapter(AnyMask)
    written = adapter.dump_python(MASKS["hide_per_instance"](0.4, rows=0.8), mode="json")
    assert written == {"kind": "hide_per_instance", "ratio": 0.4, "rows": 0.8}


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
    ratio = {"none": 0.0, "one_positive": 1.0}.get(kind, 0.3)
    before = Y.copy()
    first, again = MASKS[kind](ratio)(Y, rng()), MASKS[kind](ratio)(Y, rng())
    assert np.array_equal(Y, before)
    assert np.array_equal(first, again, equal_nan=True)


def test_a_ratio_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="for 40 %"):
        MASKS["drop_entries"](40)
    with pytest.raises(ValueError, match="needs a kind that says which labels to hide"):
        MASKS["none"](0.1)


def test_labels_outside_the_contract_are_refused():
    with pytest.raises(ValueError, match="must be 1"):
        check_labels(np.array([[2.0, 0.0]]), n=1, missing=True)
    with pytest.raises(ValueError, match="cannot use unobserved"):
        check_labels(np.array([[np.nan, 0.0]]), n=1, missing=False)
    with pytest.raises(ValueError, match="do not fit 3 instances"):
        check_labels(np.zeros((2, 2)), n=3, missing=True)


def test_labels_within_the_contract_are_returned_as_floats():
    Y = [[1, 0], [0, 1], [1, 1]]
    for given in (Y, np.array(Y, dtype=np.uint8), np.array(Y, dtype=bool), sp.csr_matrix(Y)):
        checked = check_labels(given, n=3, missing=False)
        assert checked.dtype == float and checked.tolist() == Y
    assert check_labels([1, 0, 1], n=3, missing=False).tolist() == [[1], [0], [1]]
    hidden = np.array([[np.nan, 0.0, 1.0]])
    np.testing.assert_array_equal(check_labels(hidden, n=1, missing=True), hidden)


def test_attributes_are_finite_numbers():
    given = np.array([[0.5, -2.0], [np.nan, 3.0]])
    np.testing.assert_array_equal(check_labels(given, n=2, missing=True, real=True), given)
    with pytest.raises(ValueError, match="finite"):
        check_labels(np.array([[np.inf, 0.0]]), n=1, missing=True, real=True)


@pytest.mark.parametrize("shape", [(2, 0), (2, 1, 1), (1, 2)])
def test_labels_of_another_shape_are_refused(shape):
    with pytest.raises(ValueError, match="do not fit 2 instances"):
        check_labels(np.zeros(shape), n=2, missing=True)


def test_ratios_from_0_to_just_below_1_are_taken():
    Y = np.ones((4, 5))
    for kind in set(MASKS) - {"none", "one_positive"}:
        assert MASKS[kind]().ratio == 0.0
        np.testing.assert_array_equal(MASKS[kind](0.0)(Y, rng()), Y)
        assert MASKS[kind](0.999).ratio == 0.999
        for ratio in (-0.001, 1.0):
            with pytest.raises(ValueError, match="not at least 0 and less than 1"):
                MASKS[kind](ratio)


def test_labels_become_plus_and_minus_one_and_zero_where_unobserved():
    Y, R = signed(np.array([[1.0, 0.0, np.nan]]))
    assert Y.tolist() == [[1.0, -1.0, 0.0]]
    assert R.tolist() == [[1.0, 1.0, 0.0]]
