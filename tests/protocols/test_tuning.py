"""Tuning finds the best candidate of a known score, within its budget."""

import numpy as np
import pytest

from mlfs.protocols.tuning import Tune, tune

SPACE = {"a": [1, 2, 3, 4], "b": [0.1, 1.0, 10.0]}


def search(**settings):
    calls = []

    def trial(params, fit, score):
        assert not set(fit) & set(score)
        calls.append((dict(params), len(fit) + len(score)))
        return -((params["a"] - 3) ** 2) - abs(np.log10(params["b"]))

    result = tune(trial, SPACE, Tune(**settings), 120, np.random.default_rng(0))
    return result, calls


def test_a_grid_finds_the_best_of_all():
    result, calls = search(strategy="grid", budget=100)
    assert result["chosen"] == {"a": 3, "b": 1.0}
    assert len(result["tried"]) == 12 and len(calls) == 36


def test_a_grid_beyond_its_budget_is_drawn_from_all_of_it():
    """The first points would hold a = 1 throughout."""
    result, _ = search(strategy="grid", budget=6)
    tried = [tuple(item["params"].values()) for item in result["tried"]]
    assert len(set(tried)) == 6
    assert len({a for a, _ in tried}) > 2 and len({b for _, b in tried}) > 1


def test_without_a_budget_a_grid_is_whole_and_a_random_search_has_16():
    big = {"a": list(range(10)), "b": list(range(10))}
    counts = []
    for strategy in ("grid", "random"):
        settings = Tune(strategy=strategy, folds=2)
        found = tune(lambda *_: 0.0, big, settings, 8, np.random.default_rng(0))
        counts.append(len(found["tried"]))
    assert counts == [100, 16]


def test_random_tries_as_many_different_candidates_as_the_budget_allows():
    result, _ = search(strategy="random", budget=5)
    tried = [tuple(item["params"].values()) for item in result["tried"]]
    assert len(tried) == len(set(tried)) == 5
    assert result["score"] == max(item["score"] for item in result["tried"])


def test_halving_spends_rows_on_the_better_third():
    result, calls = search(strategy="halving", budget=9)
    shares = [item["share"] for item in result["tried"]]
    assert [shares.count(share) for share in (0.25, 0.5, 1.0)] == [9, 3, 1]
    assert {rows for _, rows in calls} == {30, 60, 120}
    assert result["score"] == max(item["score"] for item in result["tried"])


def test_a_loss_is_minimised_and_nan_never_wins():
    def trial(params, fit, score):
        return np.nan if params["a"] == 1 else float(params["a"])

    result = tune(
        trial,
        {"a": [1, 2, 3]},
        Tune(strategy="grid", metric="hamming_loss"),
        60,
        np.random.default_rng(0),
    )
    assert result["chosen"] == {"a": 2}


def test_the_same_generator_gives_the_same_search():
    assert search(strategy="random", budget=4)[0] == search(strategy="random", budget=4)[0]
    with pytest.raises(ValueError):
        Tune(strategy="guess")
