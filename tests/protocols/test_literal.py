"""One cell of every protocol, recomputed step by step from public functions alone."""

import itertools
import zlib

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from mlfs import config
from mlfs.active import MIML, BayesianCompressedSensing, Pool
from mlfs.classifiers import LibSVM
from mlfs.datasets import load, load_zero_shot, planted
from mlfs.engine.workers.run_cell import run_cell
from mlfs.learners import LEML
from mlfs.metrics import METRICS, evaluate, precision_at_k
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.unseen_classes import cluster_scores
from mlfs.selectors import FSNM, GMFS, Lasso


def stream(dataset, repeat, purpose, seed=0):
    key = [seed, zlib.crc32(dataset.encode()), repeat, zlib.crc32(purpose.encode())]
    return np.random.default_rng(np.random.SeedSequence(key))


def whole(dataset, repeat, purpose, seed=0):
    return int(stream(dataset, repeat, purpose, seed).integers(2**31))


def last_cell(**content):
    """The record of the last cell of a config, which is that of its last repeat."""
    experiment = config.parse({"name": "literal", **content}, source="test")
    record = run_cell(plan(experiment)[-1].cell)
    assert record.status == "done", record.traceback
    return record


def standardised(train, test):
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    return (train - mean) / deviation, (test - mean) / deviation


def halves(rng, n, folds=2):
    """Rows of the folds of tuning, as sorted pairs of rows to fit on and rows to score."""
    parts = np.array_split(rng.permutation(n), folds)
    for i in range(folds):
        rest = np.concatenate([part for j, part in enumerate(parts) if j != i])
        yield np.sort(rest), np.sort(parts[i])


@pytest.mark.usefixtures("benchmarks")
def test_a_tuned_selection_cell_equals_its_steps_by_hand():
    grid, sizes, repeat = [0.01, 1.0, 100.0], [5, 12, 40], 1
    record = last_cell(
        protocol="selection",
        datasets=["emotions"],
        seed=7,
        split={"kind": "holdout", "train": 0.6, "repeats": 2},
        mask={"kind": "hide_positives", "ratio": 0.3},
        scale="standard",
        methods=[{"fsnm": {"max_iter": 20}, "search": {"gamma": grid}}],
        sizes=sizes,
        classifier={"libsvm": {"C": 2.0}},
        tune={"strategy": "grid", "folds": 2, "metric": "ranking_loss"},
        metrics=["average_precision"],
    )
    data = load("emotions")
    order = stream("emotions", repeat, "split", 7).permutation(593)
    cut = round(0.6 * 593)
    train, test = np.sort(order[:cut]), np.sort(order[cut:])
    Y = data.Y[train].astype(float)
    positive = np.flatnonzero(Y)
    rng = stream("emotions", repeat, "mask", 7)
    Y.flat[rng.choice(positive, round(0.3 * len(positive)), replace=False)] = 0
    X, X_test = standardised(data.X[train], data.X[test])

    def scored(gamma, X, Y, X_test, Y_test, size):
        best = np.sort(FSNM(gamma=gamma, max_iter=20).fit(X, Y).ranking_[:size])
        model = LibSVM(C=2.0).fit(X[:, best], Y)
        scores = model.decision_function(X_test[:, best])
        return evaluate(Y_test, scores, (scores >= 0).astype(int), METRICS)

    folds = list(halves(stream("emotions", repeat, "tune", 7), cut))
    candidates = [1.0, 0.01, 100.0]  # the default first
    losses = [
        np.mean([scored(g, X[a], Y[a], X[b], Y[b], sizes[1])["ranking_loss"] for a, b in folds])
        for g in candidates
    ]
    assert [item["score"] for item in record.tuned["tried"]] == pytest.approx(losses, abs=1e-12)
    chosen = candidates[int(np.argmin(losses))]
    assert record.tuned["chosen"] == {"gamma": chosen}
    for row, size in zip(record.rows, sizes):
        expected = scored(chosen, X, Y, X_test, data.Y[test], size)
        assert row == pytest.approx({"n_features": size, **expected}, abs=1e-12)
    ranking = FSNM(gamma=chosen, max_iter=20).fit(X, Y).ranking_
    assert record.features == [ranking[:40].tolist()] and record.n_features == 72


@pytest.mark.usefixtures("benchmarks")
def test_a_learning_cell_with_unobserved_labels_equals_its_steps_by_hand():
    record = last_cell(
        protocol="learning",
        datasets=["emotions"],
        split={"kind": "kfold", "folds": 3, "repeats": 2},
        mask={"kind": "drop_per_instance", "ratio": 0.5},
        scale="minmax",
        methods=["leml"],
        metrics=["hamming_loss"],
    )
    repeat = 5  # the last fold of the second round
    data = load("emotions")
    parts = np.array_split(stream("emotions", 1, "split").permutation(593), 3)
    test, train = np.sort(parts[2]), np.sort(np.concatenate(parts[:2]))
    Y = data.Y[train].astype(float)
    draws = stream("emotions", repeat, "mask").random(Y.shape)
    for row, numbers in zip(Y, draws):
        row[np.argsort(numbers)[:3]] = np.nan
    low, high = data.X[train].min(axis=0), data.X[train].max(axis=0)
    X, X_test = (data.X[train] - low) / (high - low), (data.X[test] - low) / (high - low)
    model = LEML(random_state=whole("emotions", repeat, "method")).fit(X, Y)
    scores = model.decision_function(X_test)
    expected = evaluate(data.Y[test], scores, scores >= model.threshold_, METRICS)
    assert record.rows == [pytest.approx(expected, abs=1e-12)]


@pytest.mark.usefixtures("benchmarks")
def test_an_active_cell_equals_its_steps_by_hand():
    record = last_cell(
        protocol="active",
        datasets=["emotions"],
        repeats=2,
        methods=["miml"],
        scale="unit",
        pool=300,
        test=100,
        start=40,
        budget=6,
        step=3,
        model={"n_factors": 1.0, "kernel": "linear"},
        metrics=["precision"],
    )
    data = load("emotions")
    order = stream("emotions", 1, "split").permutation(593)
    test, pool = order[:100], order[100:400]
    X = data.X / np.linalg.norm(data.X, axis=1, keepdims=True)
    seed = whole("emotions", 1, "method")
    model = BayesianCompressedSensing(n_factors=1.0, kernel="linear", random_state=seed)
    known = np.full((300, 6), np.nan)
    known[:40] = data.Y[pool[:40]]
    model.fit(X[pool[:40]], known[:40])
    bought = MIML().query(Pool(X[pool], known), model, 6)
    for i, count in enumerate([0, 3, 6]):
        known[bought[:count]] = data.Y[pool[bought[:count]]]
        rows = np.flatnonzero(~np.isnan(known).all(axis=1))
        scores = model.condition(X[pool[rows]], known[rows]).decision_function(X[test])
        at = [precision_at_k(data.Y[test], scores, k) for k in (1, 2, 3)]
        row = record.rows[i]
        assert row["n_bought"] == count
        assert [row[f"precision_at_{k}"] for k in (1, 2, 3)] == pytest.approx(at, abs=1e-9)
        assert row["precision"] == pytest.approx(np.mean(at), abs=1e-9)


def test_a_tuned_zero_shot_cell_equals_its_steps_by_hand():
    grid = [0.001, 0.1]
    record = last_cell(
        protocol="zeroshot",
        datasets=["digits"],
        repeats=3,
        scale="standard",
        n_seen=2,
        labelled=0.5,
        test_rows=200,
        methods=[{"lasso": None, "search": {"alpha": grid}}],
        sizes=[5, 20],
        n_starts=2,
        best_of_grid=True,
        metrics=["acc"],
    )
    choices = list(itertools.combinations(range(10), 2))
    seen = choices[stream("digits", 0, "seen").permutation(len(choices))[2]]
    data = load_zero_shot("digits", seen=seen)
    train = np.flatnonzero(np.isin(data.classes, seen))
    rng, kept = stream("digits", 2, "rows"), []
    for name in sorted(seen):
        rows = train[data.classes[train] == name]
        kept += rng.permutation(rows)[: round(0.5 * len(rows))].tolist()
    train = np.sort(kept)
    test = np.flatnonzero(~np.isin(data.classes, seen))
    test = np.sort(stream("digits", 2, "test").choice(test, 200, replace=False))
    mean, deviation = data.X[train].mean(axis=0), data.X[train].std(axis=0)
    deviation[deviation == 0] = 1.0
    X, X_test = (data.X[train] - mean) / deviation, (data.X[test] - mean) / deviation
    Y = data.attributes[data.classes[train]]
    found = []
    for alpha in grid:
        ranking = Lasso(alpha=alpha).fit(X, Y).ranking_
        scores = cluster_scores(
            X_test,
            data.classes[test],
            [ranking[:5], ranking[:20]],
            n_starts=2,
            random_state=whole("digits", 2, "kmeans"),
        )
        found.append([row["acc"] for row in scores])
    best = max(found, key=np.mean)
    assert [row["acc"] for row in record.rows] == best
    assert record.info["params"] == {"alpha": grid[found.index(best)]}
    assert any("TEST part" in note for note in record.notes)


def test_a_planted_cell_equals_its_steps_by_hand():
    record = last_cell(
        protocol="planted",
        repeats=2,
        mask={"kind": "hide_positives", "ratio": 0.4},
        methods=[{"gmfs": {"n_factors": 1.0, "max_iter": 5}}],
        relevant=6,
        redundant=4,
        noise=20,
        metrics=["relevant_found"],
    )
    made = planted(d_relevant=6, d_redundant=4, d_noise=20, seed=whole("planted", 1, "toy"))
    truth = made.data.Y.astype(float)
    Y, positive = truth.copy(), np.flatnonzero(truth)
    rng = stream("planted", 1, "mask")
    Y.flat[rng.choice(positive, round(0.4 * len(positive)), replace=False)] = 0
    model = GMFS(n_factors=1.0, max_iter=5, random_state=whole("planted", 1, "method"))
    top = model.fit(made.data.X, Y).ranking_[:6]
    zero = Y == 0
    assert record.rows == [
        pytest.approx(
            {
                "relevant_found": len(set(top) & set(made.relevant)) / 6,
                "informative_found": len(set(top) - set(made.noise)) / 6,
                "hidden_auc": roc_auc_score(truth[zero], 1 - model.gamma_[zero]),
            }
        )
    ]
    assert record.features == [top.tolist()] and record.n_features == 30
