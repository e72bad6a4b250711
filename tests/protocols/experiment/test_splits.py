"""Splits: disjoint, complete, as large as asked, and stratified where they say so."""

import numpy as np
import pytest

from mlfs.datasets import load
from mlfs.errors import UserError
from mlfs.protocols.experiment.splits import Holdout, KFold, Official, Stratified


def rounds(turn):
    return np.random.default_rng([3, turn])


@pytest.fixture(scope="module")
def whole(real):
    return real("emotions")


@pytest.mark.parametrize(
    "split",
    [Holdout(train=0.7, repeats=2), KFold(kind="kfold", folds=4), Stratified(kind="stratified")],
)
def test_parts_are_disjoint_complete_and_repeatable(whole, split):
    for repeat in range(split.count):
        train, test = split.indices(whole, repeat, rounds)
        assert np.array_equal(np.sort(np.r_[train, test]), np.arange(593))
        again, _ = split.indices(whole, repeat, rounds)
        assert np.array_equal(train, again)


def test_holdout_takes_its_share_and_differs_between_repeats(whole):
    split = Holdout(train=0.8, repeats=2)
    (first, _), (second, _) = (split.indices(whole, r, rounds) for r in (0, 1))
    assert len(first) == len(second) == round(0.8 * 593)
    assert not np.array_equal(first, second)


def test_folds_test_every_row_once(whole):
    split = KFold(kind="kfold", folds=5, repeats=2)
    assert split.count == 10
    tested = np.concatenate([split.indices(whole, r, rounds)[1] for r in range(5)])
    assert np.array_equal(np.sort(tested), np.arange(593))


def test_official_is_the_published_one(whole):
    train, test = Official(kind="official").indices(whole, 0, rounds)
    assert (len(train), len(test)) == (391, 202)
    with pytest.raises(UserError, match="no official split"):
        Official(kind="official").indices(load("planted"), 0, rounds)


def test_stratified_keeps_label_shares_closer_than_chance(whole):
    """Iterative stratification balances labels better than a random cut does on average."""

    def imbalance(split, repeat):
        train, test = split.indices(whole, repeat, rounds)
        return np.abs(whole.Y[train].mean(axis=0) - whole.Y[test].mean(axis=0)).mean()

    random = np.mean([imbalance(Holdout(train=0.8, repeats=5), r) for r in range(5)])
    stratified = np.mean([imbalance(Stratified(kind="stratified", repeats=5), r) for r in range(5)])
    train, _ = Stratified(kind="stratified").indices(whole, 0, rounds)
    assert stratified < random
    assert abs(len(train) - 0.8 * 593) < 15


def test_stratified_leaves_the_global_generator_alone(whole):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    Stratified(kind="stratified").indices(whole, 0, rounds)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_shares_folds_and_repeats_have_limits(whole):
    for kind in (Holdout, Stratified):
        name = kind.__name__.lower()
        default = kind(kind=name)
        assert (default.train if name == "holdout" else default.share) == 0.8
        assert (kind(kind=name, train=0.01).train, kind(kind=name, train=0.99).train) == (
            0.01,
            0.99,
        )
        for share in (0, 1):
            with pytest.raises(ValueError, match="train"):
                kind(kind=name, train=share)
    assert KFold(kind="kfold").folds == 5 and KFold(kind="kfold", folds=2).count == 2
    with pytest.raises(ValueError, match="folds"):
        KFold(kind="kfold", folds=1)
    for split in (Holdout(), KFold(kind="kfold"), Official(kind="official")):
        assert split.repeats == 1 == split.model_copy(update={"repeats": 9}).once().repeats
        with pytest.raises(ValueError, match="repeats"):
            type(split)(kind=split.kind, repeats=0)


def test_a_second_turn_of_folds_is_shuffled_anew_and_whole(whole):
    split = KFold(kind="kfold", folds=3, repeats=2)
    parts = [split.indices(whole, r, rounds)[1] for r in range(6)]
    order = rounds(1).permutation(593)
    for part, expected in zip(parts[3:], np.array_split(order, 3)):
        assert np.array_equal(part, np.sort(expected))
    assert not np.array_equal(parts[0], parts[3])
