"""scikit-learn's scorers, cross-validation and grid search with our classifiers and selectors."""

import numpy as np
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import label_ranking_average_precision_score, make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mlfs.active import BayesianCompressedSensing
from mlfs.classifiers import MLkNN
from mlfs.methods.registry import methods
from mlfs.metrics import average_precision
from mlfs.selectors import FSNM, PMU

LEARNING = {
    **methods(["learner"]),
    **methods(["classifier"]),
    "bayesian_compressed_sensing": BayesianCompressedSensing,
}
SCORERS = {
    "f1_micro": "f1_micro",
    "accuracy": "accuracy",
    "average_precision": "average_precision",
    "roc_auc": "roc_auc",
    "lrap": make_scorer(
        label_ranking_average_precision_score,
        response_method=("decision_function", "predict_proba"),
    ),
}


def data(l=4, n=90):  # noqa: E741
    return make_multilabel_classification(
        n_samples=n, n_features=8, n_classes=l, n_labels=2, random_state=3
    )


def made(name):
    """The classifier with a seed where it takes one, behind a scaler."""
    model = LEARNING[name]()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    if name == "bayesian_compressed_sensing":
        model.set_params(n_factors=1.0)  # half of a few labels tells too little of them
    return make_pipeline(StandardScaler(), model)


@pytest.mark.parametrize("name", LEARNING)
def test_every_score_is_a_number(name):
    """Also with two labels, whose (n, 2) scores must not be read as those of two classes."""
    for n_labels in (4, 2):
        X, Y = data(n_labels)
        found = cross_validate(made(name), X, Y, scoring=SCORERS, cv=3, error_score="raise")
        for scorer in SCORERS:
            values = found[f"test_{scorer}"]
            assert np.isfinite(values).all() and (values > 0).all(), scorer
        assert found["test_roc_auc"].mean() > 0.6


@pytest.mark.parametrize("name", LEARNING)
def test_one_label_is_scored_as_scikit_learn_scores_its_own(name):
    X, Y = data()
    words = np.where(Y[:, 0] == 1, "yes", "a no")
    for scoring in ("roc_auc", "accuracy"):
        assert (cross_val_score(made(name), X, words, scoring=scoring, cv=3) > 0.5).all()


@pytest.mark.parametrize("name", LEARNING)
def test_scores_are_those_of_the_predictions_made_by_hand(name):
    """Fold by fold, without scikit-learn's scorers; and gathered over all folds."""
    X, Y = data()
    folds = list(KFold(3).split(X))
    scores = np.empty(Y.shape)
    by_hand = []
    for train, test in folds:
        model = made(name).fit(X[train], Y[train])
        scores[test] = model.decision_function(X[test])
        by_hand.append(roc_auc_score(Y[test], scores[test]))
    np.testing.assert_allclose(
        cross_val_score(made(name), X, Y, scoring="roc_auc", cv=folds), by_hand
    )
    gathered = cross_val_predict(made(name), X, Y, cv=folds, method="decision_function")
    np.testing.assert_allclose(gathered, scores)


@pytest.mark.parametrize("n_labels", [2, 4])
def test_probabilities_are_scored(n_labels):
    X, Y = data(n_labels)
    scorer = make_scorer(roc_auc_score, response_method="predict_proba")
    by_scores = cross_val_score(made("mlknn"), X, Y, scoring="roc_auc", cv=3)
    by_proba = cross_val_score(made("mlknn"), X, Y, scoring=scorer, cv=3, error_score="raise")
    np.testing.assert_allclose(by_proba, by_scores)
    assert cross_val_predict(made("mlknn"), X, Y, cv=3, method="predict_proba").shape == Y.shape


def test_a_grid_search_over_a_pipeline_picks_the_best():
    """The best mean score wins, and is what the pipeline scores when it is run alone."""
    X, Y = data(n=150)
    X = np.hstack([X, np.random.default_rng(0).poisson(6, (len(X), 40))])  # features of no use
    pipeline = make_pipeline(StandardScaler(), FSNM(), MLkNN())
    grid = {
        "fsnm__n_features_to_select": [1, 8, 1.0],
        "mlknn__k": [1, 10],
    }
    search = GridSearchCV(pipeline, grid, scoring="average_precision", cv=3).fit(X, Y)
    means = search.cv_results_["mean_test_score"]
    assert np.isfinite(means).all()
    assert search.best_score_ == means.max() > means.min() + 0.05
    assert search.best_params_ == search.cv_results_["params"][np.argmax(means)]
    assert search.best_params_ != search.cv_results_["params"][np.argmin(means)]
    assert search.best_params_["fsnm__n_features_to_select"] == 8
    alone = pipeline.set_params(**search.best_params_)
    scores = cross_val_score(alone, X, Y, scoring="average_precision", cv=3)
    assert scores.mean() == pytest.approx(search.best_score_)
    assert search.decision_function(X).shape == Y.shape


def test_a_grid_search_by_our_own_metric_finds_the_better_size():
    X, Y = data()
    scorer = make_scorer(average_precision, response_method="decision_function")
    search = GridSearchCV(
        make_pipeline(PMU(), MLkNN()), {"pmu__n_features_to_select": [1, 6]}, scoring=scorer, cv=3
    ).fit(X, Y)
    assert search.best_params_ == {"pmu__n_features_to_select": 6}
