"""``mlfs.testing.check_method`` lets good classes of anyone's pass, and names what is broken."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from mlfs.active import QueryStrategy
from mlfs.classifiers import MLkNN
from mlfs.methods.tags import Tags
from mlfs.selectors import FSNM, Ranker
from mlfs.testing import check_method, checks

TAGS = Tags(paper="none")


class Spread(Ranker):
    """Rank features by their spread."""

    tags = TAGS
    _parameter_constraints = {**Ranker._parameter_constraints, "power": [float]}

    def __init__(self, power=1.0, n_features_to_select=None):
        self.power = power
        self.n_features_to_select = n_features_to_select

    def _rank(self, X, Y):
        return X.std(axis=0) ** self.power


class Plain(BaseEstimator):
    """A ranker that knows nothing of mlfs."""

    def fit(self, X, Y):
        self.scores_ = np.abs(X.T @ (Y - Y.mean(axis=0))).sum(axis=1)
        return self


class First(QueryStrategy):
    """Buy the first points of the pool."""

    tags = TAGS

    def _query(self, pool, model, n):
        return np.arange(n), np.full(n, np.nan)


@pytest.mark.parametrize(
    ("cls", "kind"),
    [
        (Spread, None),
        (Plain, None),
        (First, None),
        (SelectKBest, None),
        (LogisticRegression, None),
        (DecisionTreeClassifier, "selector"),
        (DecisionTreeClassifier, None),
    ],
)
def test_good_classes_pass(cls, kind):
    check_method(cls, kind)


class Undocumented(Spread):
    tags = TAGS


Undocumented.__doc__ = None


class NoPaper(Spread):
    """It has tags that tell nothing."""

    tags = Tags(paper="")


class Madeup(Spread):
    """Its provenance is no word of ours."""

    tags = Tags(paper="none", provenance="hearsay")


class Forgetful(Spread):
    """A parameter is changed where it is given."""

    tags = TAGS

    def __init__(self, power=1.0, n_features_to_select=None):
        self.power = power * 2
        self.n_features_to_select = n_features_to_select


class Elsewhere(Spread):
    """Its search space names what is no parameter."""

    tags = Tags(paper="none", search_space={"strength": [1.0]})


class OutOfRange(Spread):
    """Its search space holds a value that it refuses."""

    tags = Tags(paper="none", search_space={"power": [1.0, "high"]})


class Moody(Spread):
    """Other numbers every time."""

    tags = TAGS

    def _rank(self, X, Y):
        return np.random.default_rng().random(X.shape[1])


class Hoarder(Spread):
    """A second fit goes on from the first."""

    tags = TAGS

    def _rank(self, X, Y):
        self.seen_ = getattr(self, "seen_", 0) + 1
        return X.std(axis=0) * (-1) ** self.seen_


class Scribbler(Spread):
    """It centres its input in place."""

    tags = TAGS

    def _rank(self, X, Y):
        spread = X.std(axis=0)
        X -= X.mean(axis=0)
        return spread


class Born(Spread):
    """It is fitted before fit."""

    tags = TAGS

    def __init__(self, power=1.0, n_features_to_select=None):
        super().__init__(power, n_features_to_select)
        self.steps_ = []


class DenseOnly(Spread):
    """It says that it takes sparse features, and gives another order for them."""

    tags = Tags(paper="none", supports_sparse=True)

    def _rank(self, X, Y):
        return np.arange(X.shape[1])[:: -1 if hasattr(X, "tocsr") else 1]


class Relative(Spread):
    """A constant feature gives nan."""

    tags = TAGS

    def _rank(self, X, Y):
        return np.argsort(X.std(axis=0)) if X.std(axis=0).all() else np.full(X.shape[1], 1 // 0)


class Short(Spread):
    """It ranks some features only."""

    tags = TAGS

    def _rank(self, X, Y):
        return np.arange(X.shape[1] // 2)


class Twice(Spread):
    """One feature stands twice in its order."""

    tags = TAGS

    def _rank(self, X, Y):
        return np.r_[0, np.arange(X.shape[1] - 1)]


class Upside(Spread):
    """Its ranking goes up with its scores."""

    tags = TAGS

    def fit(self, X, Y=None):
        super().fit(X, Y)
        self.ranking_ = self.ranking_[::-1]
        return self


class Cornered(Spread):
    """The largest value of its grid is too much for it."""

    tags = Tags(paper="none", search_space={"power": [1.0, 2.0]})

    def _rank(self, X, Y):
        if self.power > 1:
            raise ZeroDivisionError("too large")
        return super()._rank(X, Y)


class Trusting(Spread):
    """It looks at no input."""

    tags = TAGS

    def fit(self, X, Y=None):
        self.n_features_in_ = X.shape[1]
        self.ranking_ = np.arange(X.shape[1])
        return self


class Peeping(Spread):
    """The sign bit of an unobserved label shows."""

    tags = Tags(paper="none", handles_missing=True)

    def _rank(self, X, Y):
        return X.std(axis=0) * (-1.0 if np.signbit(Y[np.isnan(Y)]).any() else 1.0)


class Strict(MLkNN):
    """Predicts above the threshold only."""

    tags = TAGS
    threshold = 0.25

    def predict(self, X):
        return (self.decision_function(X) > 0.5).astype(int)


class Backwards(MLkNN):
    """Scores that fall with relevance."""

    tags = TAGS

    def _scores(self, X):
        return 1 - super()._scores(X)


class Crowd(MLkNN):
    """Scores that depend on who else is scored."""

    tags = TAGS

    def _scores(self, X):
        scores = super()._scores(X)
        return scores + scores.mean(axis=0)


class OneColumn(MLkNN):
    """Scores of the first label alone."""

    tags = TAGS

    def _scores(self, X):
        return super()._scores(X)[:, :1]


class Labelled(First):
    """Buys what is bought already."""

    tags = TAGS

    def query(self, pool, model, n):
        super().query(pool, model, n)
        return pool.labelled[:n]


class Doubled(First):
    """Buys one point twice."""

    tags = TAGS

    def _query(self, pool, model, n):
        return np.zeros(n, dtype=int), np.full(n, np.nan)


class Spender(First):
    """Writes into the pool."""

    tags = TAGS

    def _query(self, pool, model, n):
        pool.Y[pool.unlabelled[0]] = 0.0
        return np.arange(n), np.full(n, np.nan)


class Gambler(First):
    """Other points every time."""

    tags = TAGS

    def _query(self, pool, model, n):
        return np.random.default_rng().permutation(len(pool.unlabelled))[:n], np.zeros(n)


class Generous(First):
    """Gives what there is when more is asked."""

    tags = TAGS

    def query(self, pool, model, n):
        self.gains_ = np.zeros(n)
        return pool.unlabelled[:n]


class Boaster(First):
    """Says that it chooses labels."""

    tags = TAGS
    chooses_labels = True


class Modest(First):
    """Does not say that it chooses labels."""

    tags = TAGS

    def _choose_labels(self, model, mu, v, n, rng):
        return np.arange(n), np.zeros(n)


BROKEN = {
    "is_documented_and_tagged": [Undocumented, NoPaper, Madeup],
    "has_parameters_as_scikit_learn_wants": [Forgetful],
    "has_a_search_space_of_allowed_values": [Elsewhere, OutOfRange],
    "repeats_itself_and_leaves_its_input_alone": [Moody, Hoarder, Scribbler, Born],
    "takes_float32_and_sparse_features": [DenseOnly],
    "takes_awkward_data": [Relative, Short, OneColumn],
    "takes_the_corners_of_its_search_space": [Cornered],
    "refuses_bad_input": [Trusting],
    "uses_or_refuses_missing_labels": [Trusting, Peeping],
    "gives_a_complete_ranking": [Twice, Upside],
    "scores_and_predicts": [Strict, Backwards, Crowd],
    "picks_unlabelled_points_in_order": [Labelled, Doubled, Spender, Gambler],
    "refuses_too_large_a_budget": [Generous],
    "chooses_labels_as_it_says": [Boaster, Modest],
}


@pytest.mark.parametrize(("name", "cls"), [(n, c) for n, some in BROKEN.items() for c in some])
def test_a_broken_class_is_refused_by_the_check_of_what_is_broken(name, cls):
    [check] = [check for check in checks(cls) if check.name == name]
    with pytest.raises(AssertionError, match=f"^{cls.__name__}, {name}: "):
        check()
    with pytest.raises(AssertionError, match=cls.__name__):
        check_method(cls)


def test_every_check_has_a_broken_class():
    everything = {check.name for cls in (FSNM, MLkNN, First) for check in checks(cls)}
    assert everything == set(BROKEN)


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (type("NoFit", (BaseEstimator,), {}), "'NoFit' has no method 'fit'"),
        (type("Bare", (), {"fit": lambda self, X, Y: self}), "derive it from sklearn.base"),
        (type("Query", (), {"query": None}), "derive it from mlfs.active.QueryStrategy"),
        (type("Tagless", (Ranker,), {"_rank": None}), "'Tagless' has no tags"),
    ],
)
def test_what_is_no_method_at_all_fails_the_check(cls, words):
    with pytest.raises(AssertionError, match=words):
        check_method(cls)
