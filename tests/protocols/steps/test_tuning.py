"""Tuning finds the best candidate of a known score, within its budget."""

import numpy as np
import pytest

from mlfs.protocols.steps.tuning import Tune, _neighbors, tune

SPACE = {"a": [1, 2, 3, 4], "b": [0.1, 1.0, 10.0]}


DEFAULT = {"a": 1, "b": 0.1}


def search(space=SPACE, default=DEFAULT, **settings):
    calls = []

    def trial(params, fit, score):
        assert not set(fit) & set(score)
        calls.append((dict(params), len(fit) + len(score)))
        return -((params["a"] - 3) ** 2) - abs(np.log10(params["b"]))  # best at a = 3, b = 1

    result = tune(trial, space, default, Tune(**settings), 120, np.random.default_rng(0))
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
        found = tune(lambda *_: 0.0, big, {"a": 0, "b": 0}, settings, 8, np.random.default_rng(0))
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
        {"a": 1},
        Tune(strategy="grid", metric="hamming_loss"),
        60,
        np.random.default_rng(0),
    )
    assert result["chosen"] == {"a": 2}


def test_the_same_generator_gives_the_same_search():
    assert search(strategy="random", budget=4)[0] == search(strategy="random", budget=4)[0]
    with pytest.raises(ValueError):
        Tune(strategy="guess")


@pytest.mark.parametrize("strategy", ["grid", "random", "halving"])
@pytest.mark.parametrize("default", [DEFAULT, {"a": 9, "b": 0.3}], ids=["on", "off the grid"])
def test_the_default_is_always_a_candidate_and_wins_among_equals(strategy, default):
    settings = Tune(strategy=strategy, budget=4, folds=2)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        found = tune(lambda *_: 0.5, SPACE, default, settings, 40, rng)
        tried = [item["params"] for item in found["tried"] if item["share"] == 1.0]
        assert found["chosen"] == default and tried.count(default) == 1
        assert len({str(item["params"]) for item in found["tried"]}) == 4


def test_refining_climbs_a_step_at_a_time_within_the_budget():
    """On a grid of 900 points the best of 20 draws is far from the top."""
    fine = {"a": list(range(30)), "b": [10.0**k for k in range(-15, 15)]}
    start = {"a": 15, "b": 1e-5}
    settings = {"strategy": "random", "budget": 40, "folds": 2}
    plain, _ = search(fine, start, **settings)
    refined, _ = search(fine, start, **settings, refine=True)
    assert refined["score"] > plain["score"] and len(refined["tried"]) <= 40
    tried = [(item["params"]["a"], item["params"]["b"]) for item in refined["tried"]]
    assert len(set(tried)) == len(tried)
    for point in tried[20:]:  # each differs from an earlier one in one step of one parameter
        earlier = tried[: tried.index(point)]
        steps = [abs(point[0] - a) + abs(round(np.log10(point[1] / b))) for a, b in earlier]
        assert min(steps) == 1


def test_refining_stops_at_the_top():
    top = {"a": 3, "b": 1.0}
    result, _ = search(SPACE, top, strategy="random", budget=12, refine=True)
    assert result["chosen"] == top
    with pytest.raises(ValueError, match="'refine' needs"):
        Tune(strategy="grid", refine=True)


def test_a_default_between_two_points_has_both_as_neighbours():
    assert _neighbors({"a": 2.5, "b": 1.0}, SPACE) == [
        {"a": 2, "b": 1.0},
        {"a": 3, "b": 1.0},
        {"a": 2.5, "b": 0.1},
        {"a": 2.5, "b": 10.0},
    ]
    assert _neighbors({"a": None, "b": 10.0}, SPACE) == [{"a": None, "b": 1.0}]


def test_tuning_on_some_rows_uses_no_others():
    _, calls = search(strategy="random", budget=3, rows=30)
    assert {rows for _, rows in calls} == {30}
    _, halved = search(strategy="halving", budget=9, rows=60)
    assert {rows for _, rows in halved} == {15, 30, 60}


GIVEN = [{"a": 9, "b": 7.0}, {"a": 2, "b": 10.0}]


def tried_by(**settings):
    result = tune(
        lambda params, *_: -((params["a"] - 3) ** 2) - abs(np.log10(params["b"])),
        SPACE,
        DEFAULT,
        Tune(folds=2, **settings),
        120,
        np.random.default_rng(0),
        starts=GIVEN,
    )
    return result, [item["params"] for item in result["tried"]]


@pytest.mark.parametrize("strategy", ["grid", "random"])
@pytest.mark.parametrize("budget", [3, 5, 12, 13])
def test_given_points_come_after_the_default_and_count_in_the_budget(strategy, budget):
    _, tried = tried_by(strategy=strategy, budget=budget)
    assert tried[:3] == [DEFAULT, *GIVEN]
    assert len(tried) == len({str(params) for params in tried}) == min(budget, 12)


def test_a_whole_grid_is_tried_besides_the_given_points():
    result, tried = tried_by(strategy="grid")
    assert tried[:3] == [DEFAULT, *GIVEN] and len(tried) == 13  # one of them is not on the grid
    assert len({str(params) for params in tried}) == 13
    assert result["chosen"] == {"a": 3, "b": 1.0}


def test_halving_begins_with_the_given_points():
    result, tried = tried_by(strategy="halving", budget=9)
    assert tried[:3] == [DEFAULT, *GIVEN]
    assert [item["share"] for item in result["tried"]].count(0.25) == 9


@pytest.mark.parametrize("budget", [4, 6, 10])
def test_refining_goes_on_with_what_the_given_points_leave(budget):
    """With a budget of 4, half of it is less than the default and the given points."""
    _, tried = tried_by(strategy="random", budget=budget, refine=True)
    assert tried[:3] == [DEFAULT, *GIVEN]
    assert max(3, budget // 2) < len(tried) <= budget


def test_a_given_point_wins_if_it_is_best():
    best = {"a": 3, "b": 1.0}
    trial = lambda params, *_: float(params == best)  # noqa: E731
    settings = Tune(strategy="random", budget=2, folds=2)
    for starts in ([best], [DEFAULT, best]):  # the default again takes no room
        rng = np.random.default_rng(1)
        found = tune(trial, SPACE, DEFAULT, settings, 40, rng, starts=starts)
        assert found["chosen"] == best and len(found["tried"]) == 2


def test_how_often_to_tune_is_a_word_for_each_dataset():
    by_dataset = Tune(per={"default": "dataset", "yeast": "repeat"})
    assert by_dataset.on("yeast") == Tune() and by_dataset.on("scene") == Tune(per="dataset")
    assert Tune(per={"yeast": "dataset"}).on("scene") == Tune()
    assert by_dataset.names == ["yeast"] and Tune(per="dataset").names == []
    for wrong in ("never", {"yeast": "never"}, 3):
        with pytest.raises(ValueError, match="write repeat or dataset"):
            Tune(per=wrong)
