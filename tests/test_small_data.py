"""Counts that exceed the rows or features there are shrink with a warning, and say so once."""

import warnings

import numpy as np
import pytest

from mlfs.classifiers import MLkNN
from mlfs.learners import GLOCAL, ML2, RMFL
from mlfs.methods.registry import methods
from mlfs.numerics.params import at_most, features_within, neighbors_within
from mlfs.selectors import CMFS, D2F, FIMF, FSASL, GMFS, MCFS, MFSEF, MIFS, MLMLFS, PMU, RFML

FITTED = list(methods(["selector", "learner", "classifier"]).values())


def data(n=8, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return X, np.column_stack([np.arange(n) % 2, X[:, 0] > np.median(X[:, 0])]).astype(float)


def outcome(method, X, Y):
    method.fit(X, Y)
    return method.ranking_ if hasattr(method, "ranking_") else method.decision_function(X)


def seeded(cls, **params):
    if "random_state" in cls().get_params():
        params["random_state"] = 0
    return cls(**params)


# a method, the parameter, a value too large for 8 rows and 6 features, the largest possible one
CASES = [
    (MLkNN, "k", 10, 7),
    (MLkNN, "k", 8, 7),
    (GMFS, "n_neighbors", 20, 7),
    (MIFS, "n_neighbors", 8, 7),
    (MLMLFS, "n_neighbors", 8, 7),
    (CMFS, "n_neighbors", 8, 7),
    (MCFS, "n_neighbors", 8, 7),
    (MCFS, "n_clusters", 7, 6),
    (FSASL, "n_neighbors", 7, 6),
    (FSASL, "n_clusters", 9, 8),
    (RMFL, "n_neighbors", 10, 7),
    (ML2, "n_neighbors", 10, 7),
    (GLOCAL, "n_groups", 9, 8),
    (MFSEF, "n_experts", 7, 6),
    (PMU, "n_ranked", 7, 6),
    (D2F, "n_ranked", 7, 6),
    (FIMF, "n_candidates", 7, 6),
    (RFML, "n_neighbors", 8, 7),
]


@pytest.mark.parametrize(("cls", "name", "asked", "possible"), CASES)
def test_too_large_a_count_is_the_largest_possible_one(cls, name, asked, possible, recwarn):
    X, Y = data()
    expected = outcome(seeded(cls, **{name: possible}), X, Y)
    assert not [one for one in recwarn if name in str(one.message)]
    with pytest.warns(UserWarning, match=f"^{name} = {asked} is too many for .*: {possible} used"):
        found = outcome(seeded(cls, **{name: asked}), X, Y)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("cls", FITTED)
@pytest.mark.parametrize("shape", [(3, 6), (8, 1), (3, 2)])
def test_defaults_fit_data_of_any_size(cls, shape):
    X, Y = data(*shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert np.isfinite(outcome(seeded(cls), X, Y)).all()


@pytest.mark.parametrize("cls", FITTED)
def test_data_that_are_large_enough_give_no_warning(cls, recwarn):
    outcome(seeded(cls), *data(60, 10))
    assert not [one for one in recwarn if "too many" in str(one.message)]


@pytest.mark.parametrize("cls", [MLkNN, GMFS, MIFS, MLMLFS, CMFS, MCFS, FSASL, RFML, RMFL, ML2])
def test_one_instance_has_no_neighbours(cls):
    X, Y = data(1)
    with pytest.raises(ValueError, match=r"1 sample|n_samples = 1"):
        seeded(cls).fit(X, Y)


@pytest.mark.parametrize("name", ["k", "n_neighbors", "n_experts"])
def test_a_value_that_is_plainly_wrong_is_still_refused(name):
    method = {"k": MLkNN(k=0), "n_neighbors": MIFS(n_neighbors=0), "n_experts": MFSEF(n_experts=-1)}
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        method[name].fit(*data())


def test_counts_beyond_the_data_shrink_with_a_sentence():
    with pytest.warns(UserWarning) as found:
        assert neighbors_within(10, 5) == 4
        assert neighbors_within(9, 2, "k") == 1
        assert features_within(4, 1, "n_experts") == 1
    assert [str(one.message) for one in found] == [
        "n_neighbors = 10 is too many for 5 samples: 4 used instead",
        "k = 9 is too many for 2 samples: 1 used instead",
        "n_experts = 4 is too many for 1 feature: 1 used instead",
    ]
    with pytest.raises(ValueError, match=r"^n_neighbors = 5 of 2 samples: use at least 3"):
        neighbors_within(5, 2, spare=2)


def test_what_fits_passes_untouched():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert neighbors_within(4, 5) == neighbors_within(4, 6, spare=2) == at_most(4, 4, "", "")
