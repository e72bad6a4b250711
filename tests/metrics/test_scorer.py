"""The scorer in scikit-learn's tools, with labels that are not known."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from mlfs import metrics
from mlfs.classifiers import MLkNN
from mlfs.errors import UserError
from mlfs.learners import RMFL
from mlfs.metrics import METRICS, scorer
from mlfs.selectors import TopMutualInformation

FOLDS = KFold(3, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    full = (X @ rng.normal(size=(5, 4)) + 0.3 * rng.normal(size=(60, 4)) > 0).astype(float)
    Y = full.copy()
    Y[rng.random(Y.shape) < 0.3] = np.nan
    return X, full, Y


MODELS = {}  # those that were fitted by hand, by what they were fitted to


def fitted_by_hand(model, X, Y):
    key = (repr(model), X.tobytes(), Y.tobytes())
    if key not in MODELS:
        MODELS[key] = clone(model).fit(X, Y)
    return MODELS[key]


def by_hand(model, X, Y, metric):
    values = []
    for train, test in FOLDS.split(X):
        fitted = fitted_by_hand(model, X[train], Y[train])
        known = METRICS[metric]
        given = fitted.decision_function if known.needs == "scores" else fitted.predict
        value = known.function(Y[test], given(X[test]))
        values.append(value if known.larger_is_better else -value)
    return values


@pytest.mark.parametrize("metric", METRICS)
def test_cross_val_score_is_the_metric_of_every_fold(data, metric):
    X, _, Y = data
    found = cross_val_score(
        RMFL(max_iter=3, random_state=0), X, Y, cv=FOLDS, scoring=scorer(metric)
    )
    assert found == pytest.approx(by_hand(RMFL(max_iter=3, random_state=0), X, Y, metric), abs=0)
    assert np.isfinite(found).all()


def test_cross_validate_takes_several_metrics_and_tables(data):
    X, _, Y = data
    scoring = {name: scorer(name) for name in ("average_precision", "hamming_loss")}
    table = pd.DataFrame(Y).astype("Int64")
    found = cross_validate(
        RMFL(max_iter=3, random_state=0),
        X,
        table.to_numpy(float, na_value=np.nan),
        cv=FOLDS,
        scoring=scoring,
    )
    for name in scoring:
        assert found[f"test_{name}"] == pytest.approx(
            by_hand(RMFL(max_iter=3, random_state=0), X, Y, name), abs=0
        )


def test_grid_search_chooses_by_known_labels(data):
    X, _, Y = data
    grid = {"lam1": [1e-3, 1e3]}
    search = GridSearchCV(
        RMFL(max_iter=3, random_state=0), grid, cv=FOLDS, scoring=scorer("ranking_loss"), refit=True
    )
    search.fit(X, Y)
    means = [
        np.mean(by_hand(RMFL(lam1=lam1, max_iter=3, random_state=0), X, Y, "ranking_loss"))
        for lam1 in grid["lam1"]
    ]
    assert search.cv_results_["mean_test_score"] == pytest.approx(means, abs=0)
    assert search.best_params_["lam1"] == grid["lam1"][int(np.argmax(means))]
    assert search.best_estimator_.decision_function(X).shape == Y.shape


def test_estimators_of_other_shapes_are_scored_alike(data):
    """Lists of class probabilities, matrices of them, pipelines, and one label."""
    X, full, Y = data
    forest = RandomForestClassifier(5, random_state=0).fit(X, full)
    probabilities = np.column_stack([part[:, 1] for part in forest.predict_proba(X)])
    assert scorer("macro_auc")(forest, X, Y) == metrics.macro_auc(Y, probabilities)
    assert scorer("macro_f1")(forest, X, Y) == metrics.macro_f1(Y, forest.predict(X))
    each = OneVsRestClassifier(LogisticRegression()).fit(X, full)
    assert scorer("micro_auc")(each, X, Y) == metrics.micro_auc(Y, each.predict_proba(X))
    piped = make_pipeline(TopMutualInformation(n_features_to_select=2), MLkNN()).fit(X, full)
    expected = metrics.coverage(Y, piped.decision_function(X))
    assert scorer("coverage")(piped, X, Y) == -expected
    one = LogisticRegression().fit(X, full[:, 0])
    expected = metrics.macro_auc(Y[:, [0]], one.predict_proba(X)[:, [1]])
    assert scorer("macro_auc")(one, X, Y[:, 0]) == expected
    assert scorer("exact_match")(one, X, Y[:, 0]) == metrics.exact_match(
        Y[:, [0]], one.predict(X)[:, None]
    )


def test_scorers_travel_and_name_what_is_wrong(data):
    X, _, Y = data
    model = RMFL(max_iter=3, random_state=0).fit(X, Y)
    ours = scorer("average_precision")
    assert pickle.loads(pickle.dumps(ours))(model, X, Y) == ours(model, X, Y)
    with pytest.raises(UserError, match="did you mean 'macro_auc'"):
        scorer("macro_auk")

    class Silent(BaseEstimator):
        pass

    with pytest.raises(TypeError, match="neither predict_proba nor decision_function"):
        ours(Silent(), X, Y)
