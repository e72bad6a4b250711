"""What parameters may be, for every registered method: types, ranges, shares and seeds."""

import ast
import inspect
import re
from functools import partial

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from mlfs.active import BayesianCompressedSensing, Pool
from mlfs.classifiers import LibSVM, MLkNN
from mlfs.learners import GLOCAL, LEML, LSML, ML2, RMFL, FastTag
from mlfs.methods import registry
from mlfs.numerics.params import as_count, as_generator, count_within
from mlfs.numerics.sklearn_private import check_params
from mlfs.selectors import FSASL, FSNM, GMFS, MCFS, MDDM, MFSEF, PMU, SFUS, SemFS

STRATEGIES = registry.methods(["strategy"])
CLASSIFIERS = registry.methods(["classifier"])
LEARNERS = registry.methods(["learner"])
SELECTORS = registry.methods(["selector"])

FITTED = {
    **SELECTORS,
    **CLASSIFIERS,
    **LEARNERS,
    "bayesian_compressed_sensing": BayesianCompressedSensing,
}
ALL = {**FITTED, **{f"query_{name}": strategy for name, strategy in STRATEGIES.items()}}
PAIRS = [(name, key) for name, cls in ALL.items() for key in inspect.signature(cls).parameters]
SEEDED = [name for name, key in PAIRS if key == "random_state"]

# those that never make a sparse X dense, which large text sets depend on
SPARSE = {
    *("all", "fsnm", "gmfs", "mifs", "mlmlfs", "sfus", "random", "fsasl", "lasso", "mcfs"),
    *(
        "semfs",
        "wknn",
        "mddm",
        "rmfl",
        "fasttag",
        "leml",
        "br_logistic",
        "br_ridge",
        "mlknn",
        "libsvm",
    ),
    *("query_miml", "query_uncertainty", "query_random", "query_li_adaptive"),
    *("query_core_set", "query_k_means"),
    *("bayesian_compressed_sensing", "forest_importance", "l1_logistic"),
}


@pytest.mark.parametrize("name", ALL)
def test_sparse_data_stay_sparse_where_they_can(name):
    assert ALL[name].tags.supports_sparse == (name in SPARSE)


def small(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((40, 8))
    return X, (X[:, :3] + 0.3 * rng.standard_normal((40, 3)) > 0.5).astype(float)


def outcome(method):
    """What a method makes of small data: a ranking, scores, or picks."""
    X, Y = small()
    if hasattr(method, "query"):
        Y[20:] = np.nan
        model = BayesianCompressedSensing(gamma=1.0, sigma2=0.1, chi2=0.1, random_state=0)
        return method.query(Pool(X, Y), model.fit(X[:20], Y[:20]), 3)
    method.fit(X, Y)
    return method.ranking_ if hasattr(method, "ranking_") else method.decision_function(X)


@pytest.mark.parametrize("name", ALL)
def test_every_parameter_has_a_constraint_and_a_default_that_meets_it(name):
    cls = ALL[name]
    assert set(cls._parameter_constraints) == set(inspect.signature(cls).parameters)
    check_params(cls())


def documented(cls):
    """The defaults that a docstring tells: ``lam3, lam4 : float, default=1e-3, 1e-5``."""
    found = {}
    for names, text in re.findall(r"^(\w[\w, ]*) : .*?default=(.+)$", inspect.getdoc(cls), re.M):
        keys, values = names.split(", "), re.split(", | and ", text)
        if len(values) != len(keys):
            values = [text] * len(keys)
        found |= zip(keys, map(ast.literal_eval, values))
    return found


@pytest.mark.parametrize("name", ALL)
def test_defaults_are_those_that_the_docstring_tells(name):
    told = documented(ALL[name])
    for key, parameter in inspect.signature(ALL[name]).parameters.items():
        if key not in told:
            assert key == "n_features_to_select" or parameter.default is None, key
        elif isinstance(told[key], tuple) and ... in told[key]:  # (0, 0.1, ..., 1)
            first, second, _, last = told[key]
            count = round((last - first) / (second - first)) + 1
            np.testing.assert_allclose(parameter.default, np.linspace(first, last, count))
        else:
            assert parameter.default == told[key], key


@pytest.mark.parametrize(("name", "key"), PAIRS)
def test_a_value_of_a_wrong_type_is_refused_by_name_before_any_work(name, key):
    method = ALL[name](**{key: object()})
    words = f"^The '{key}' parameter of {type(method).__name__} must be .* Got <object .* instead.$"
    with pytest.raises(ValueError, match=words):
        check_params(method)
    with pytest.raises(ValueError, match=words):
        outcome(method)


@pytest.mark.parametrize("name", ALL)
def test_every_value_of_the_search_space_is_allowed(name):
    for key, values in ALL[name].tags.search_space.items():
        for value in values:
            check_params(ALL[name](**{key: value}))


@pytest.mark.parametrize(
    "method",
    [
        MLkNN(k=0),
        MLkNN(k=2.5),
        MLkNN(s=-0.1),
        LibSVM(gamma=0.0),
        LibSVM(gamma="scale"),
        LibSVM(n_jobs=0),
        FSNM(gamma="high"),
        FSNM(gamma=0.0),
        FSNM(gamma=float("nan")),
        FSNM(max_iter=0),
        FSNM(tol=-1e-9),
        FSNM(n_features_to_select=0),
        FSNM(n_features_to_select=1.5),
        SFUS(n_factors=0.0),
        GMFS(s=0.5),
        GMFS(n_neighbors=-1),
        GMFS(prior="horseshoe"),
        MDDM(kind="x"),
        MDDM(mu=1.0),
        MFSEF(experts="best"),
        PMU(bins=1),
        SemFS(gamma=0),
        MCFS(n_features=0),
        FSASL(ratio=0),
        FastTag(drop=1.0),
        FastTag(fit_intercept="yes"),
        LSML(lam4=-1.0),
        RMFL(lam3=0),
        RMFL(kernel="cubic"),
        LEML(n_cg=0),
        GLOCAL(n_groups=0),
        ML2(eps=-0.1),
        BayesianCompressedSensing(n_factors=0),
        BayesianCompressedSensing(random_state=-1),
        LogisticRegression(C=-1.0),
    ],
)
def test_values_outside_their_range_are_refused(method):
    with pytest.raises(ValueError, match=f"parameter of {type(method).__name__} must be"):
        check_params(method)


def test_a_bad_parameter_is_refused_in_one_sentence():
    with pytest.raises(ValueError) as error:
        check_params(MLkNN(k=0))
    expected = "The 'k' parameter of MLkNN must be an int in the range [1, inf). Got 0 instead."
    assert str(error.value) == expected


def test_an_estimator_without_constraints_passes():
    class Free(BaseEstimator):
        def __init__(self, anything=object):
            self.anything = anything

    check_params(Free())


def test_batches_and_single_sizes_are_checked_too():
    """The two ways into a selector that do not pass through ``fit``."""
    X, Y = small()
    with pytest.raises(ValueError, match="'alpha' parameter of SemFS"):
        SemFS(alpha=-1.0).fit_batches([(X, Y)])
    with pytest.raises(ValueError, match="'mu' parameter of L20ALM"):
        SELECTORS["l20alm"](mu=0.0).subsets(X, Y, [2])


@pytest.mark.parametrize("name", SEEDED)
def test_random_state_means_the_same_everywhere(name):
    """Default None; an int repeats; a RandomState is drawn from, so that it moves on."""
    known = inspect.signature(ALL[name]).parameters
    assert known["random_state"].default is None
    few = {"max_samples": 20, "n_trees": 10}
    cls = partial(ALL[name], **{key: most for key, most in few.items() if key in known})
    outcome(cls())
    one, again = outcome(cls(random_state=3)), outcome(cls(random_state=3))
    assert np.array_equal(one, again)
    first, second = (outcome(cls(random_state=np.random.RandomState(3))) for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize("name", ["random", "query_random", "leml", "rmfl"])
def test_random_states_and_none_are_drawn_from(name):
    cls, state = ALL[name], np.random.RandomState(0)
    for given in (state, None):
        found = [outcome(cls(random_state=given)).tolist() for _ in range(4)]
        assert any(other != found[0] for other in found[1:])


def test_a_generator_of_an_int_is_numpys():
    for seed in (0, 7, 2**31 - 1):
        expected = np.random.default_rng(seed).random(3)
        assert np.array_equal(as_generator(seed).random(3), expected)
        assert np.array_equal(as_generator(np.int64(seed)).random(3), expected)
    assert as_generator(1, 5).random() == np.random.default_rng([1, 5]).random()


@pytest.mark.parametrize(
    ("asked", "total", "count"), [(3, 10, 3), (0.5, 10, 5), (1.0, 7, 7), (1, 7, 1), (0.01, 7, 1)]
)
def test_counts_stay_and_shares_become_counts(asked, total, count):
    assert as_count(asked, total) == count == count_within(asked, total, "n")


def test_a_share_is_rounded_as_asked_and_a_count_beyond_is_refused():
    assert (as_count(0.5, 5), as_count(0.5, 5, half_up=True)) == (2, 3)
    assert as_count(np.float32(0.5), 8) == 4
    assert as_count(9, 5) == 9
    with pytest.raises(ValueError, match=r"^n_factors = 9 of 5: choose 1\.\.5, or a share$"):
        count_within(9, 5, "n_factors")


@pytest.mark.parametrize("d", [1, 10, 101])
def test_only_some_methods_say_how_many_features_they_keep(d):
    """MFSEF and MFSLS keep the published count, AllFeatures everything, nobody else decides."""
    part = -(-d // 3)
    kept = sum(-(-tenths * part // 10) for tenths in (6, 3, 1))
    expected = {"mfsef": min(d, 4 + kept), "mfsls": min(d, kept), "all": d}
    assert {name: SELECTORS[name].n_output(d) for name in SELECTORS} == {
        name: expected.get(name) for name in SELECTORS
    }
    for name, cls in SELECTORS.items():
        assert cls().sizes([1, 3], d) == ([d] if name == "all" else [1, 3])


def test_gmfs_judges_hidden_labels():
    X, Y = small()
    model = GMFS(n_neighbors=5, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.hidden_probability_, 1 - model.gamma_)
    assert not model.hidden_probability_[Y == 1].any()
    assert (model.hidden_probability_[Y == 0] > 0).all()
