"""The features that are chosen of own data, and how sure they are."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mlfs.datasets import UserData
from mlfs.errors import UserError
from mlfs.own.choosing import agreement, reduced, select
from mlfs.selectors import FSNM
from mlfs.stats import jaccard, stability


def standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def test_ranks_scores_shares_and_stability_are_those_of_the_method_itself(drawn):
    table = drawn(n=41)
    found = select(table, "fsnm", 3, subsamples=6)
    whole = FSNM().fit(standard(table.X), table.Y)
    assert found.columns == whole.ranking_[:3].tolist()
    assert [one.name for one in found.features] == [f"f{j}" for j in found.columns]
    assert [one.score for one in found.features] == whole.scores_[found.columns].tolist()
    assert [one.rank for one in found.features] == [1, 2, 3]
    rng, halves = np.random.default_rng(0), []
    for _ in range(6):
        rows = np.sort(rng.choice(41, 20, replace=False))
        fitted = FSNM().fit(standard(table.X[rows]), table.Y[rows])
        halves.append(fitted.ranking_[:3].tolist())
    for one in found.features:
        assert one.share == sum(one.column in half for half in halves) / 6
    assert found.stability == stability(halves, 8)


def test_the_features_that_decide_the_labels_are_found_and_are_sure(drawn):
    found = select(drawn(n=300), "fsnm", 3, subsamples=10)
    assert sorted(found.columns) == [0, 1, 2]
    assert all(one.share == 1 for one in found.features) and found.stability.index == 1
    assert found.notes == []


def test_the_answer_does_not_depend_on_chance(drawn):
    table = drawn()
    assert select(table, "random", 3, subsamples=2) == select(table, "random", 3, subsamples=2)


def test_a_method_without_scores_has_ranks_only(drawn):
    found = select(drawn(), "random", 3, subsamples=3)
    assert [one.score for one in found.features] == [None] * 3


def test_scaling_is_part_of_every_fit(drawn):
    table = drawn()
    stretched = replace(table, X=table.X * np.logspace(-6, 6, 8))
    usual = select(table, "fsnm", 3, subsamples=3)
    assert select(stretched, "fsnm", 3, subsamples=3).columns == usual.columns
    unscaled = select(stretched, "fsnm", 3, subsamples=3, scale="none")
    assert unscaled.columns != usual.columns


def test_the_reduced_table_has_the_values_of_the_file_in_its_order(drawn):
    table = drawn(ids=True, unknown=0.2)
    given = table.X.copy()
    given[0, 0] = np.nan
    table = replace(table, given=given)
    found = select(table, "fsnm", 3, subsamples=2)
    frame = reduced(table, found)
    kept = sorted(found.columns)
    assert list(frame) == ["name", *(f"f{j}" for j in kept)]
    assert frame["name"].tolist() == table.ids
    np.testing.assert_array_equal(frame.iloc[:, 1:].to_numpy(), given[:, kept])
    inside = replace(table, own=UserData(path="all.csv", labels=["y0", "y1", "y2"], id="name"))
    with_labels = reduced(inside, found)
    assert list(with_labels)[-3:] == ["y0", "y1", "y2"]
    assert with_labels["y0"].isna().sum() == np.isnan(table.Y[:, 0]).sum() > 0
    assert set(with_labels["y0"].dropna()) == {0, 1}
    assert pd.api.types.is_integer_dtype(with_labels["y0"])


def test_agreement_compares_the_chosen_features_of_each_pair(drawn):
    table = drawn()
    found = [select(table, name, 4, subsamples=2) for name in ("fsnm", "random", "all")]
    pairs = agreement(found)
    assert [(pair["first"], pair["second"]) for pair in pairs] == [
        ("fsnm", "random"),
        ("fsnm", "all"),
        ("random", "all"),
    ]
    for pair, (a, b) in zip(pairs, [(0, 1), (0, 2), (1, 2)]):
        assert pair["jaccard"] == jaccard(found[a].columns, found[b].columns)
        assert pair["common"] == len(set(found[a].columns) & set(found[b].columns))


@pytest.mark.parametrize("n", [0, 9])
def test_no_more_features_than_there_are(drawn, n):
    with pytest.raises(UserError, match=f"{n} features asked for, but there are 8"):
        select(drawn(), "fsnm", n)


def test_labels_that_are_all_unknown_and_a_few_rows_are_refused(drawn):
    with pytest.raises(UserError, match=r"Y\.csv has no known label"):
        select(drawn(unknown=1.0), "fsnm", 2)
    with pytest.raises(UserError, match=r"X\.csv has 3 rows, too few"):
        select(drawn(n=3), "fsnm", 2)


def test_an_error_of_a_method_is_one_sentence(drawn):
    with pytest.raises(UserError, match=r"SelectFromModel' cannot be made: TypeError"):
        select(drawn(), "sklearn.feature_selection:SelectFromModel", 2)
    empty = replace(drawn(), X=np.full((120, 8), np.nan))
    with pytest.raises(UserError, match=r"'fsnm' failed on these data: ValueError: .*NaN"):
        select(empty, "fsnm", 2, scale="none")
