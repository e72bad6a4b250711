"""LibSVM against scikit-learn's SVC, one label at a time."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from mlfs.classifiers import LibSVM, svm
from mlfs.classifiers.svm import fit_sigmoid
from mlfs.numerics import linalg
from mlfs.numerics.linalg import rbf_kernel


def one_by_one(X, Y, queries, **parameters):
    """A kernel SVC per label, nothing shared."""
    parameters = {"C": 1.0, "gamma": "auto"} | parameters
    return np.column_stack(
        [SVC(kernel="rbf", **parameters).fit(X, y).decision_function(queries) for y in Y.T]
    )


@pytest.fixture(scope="module")
def yeast(yeast_slice):
    X, Y = yeast_slice(400)
    varying = (Y[:300].min(axis=0) == 0) & (Y[:300].max(axis=0) == 1)
    return X[:300], Y[:300, varying], X[300:], Y[300:, varying]


@pytest.mark.parametrize("parameters", [{}, {"C": 10.0}, {"gamma": 0.05}])
def test_decision_values_equal_one_svc_per_label(yeast, parameters):
    X, Y, queries, _ = yeast
    ours = LibSVM(**parameters).fit(X, Y)
    expected = one_by_one(X, Y, queries, **parameters)
    np.testing.assert_allclose(ours.decision_function(queries), expected, atol=1e-8)
    np.testing.assert_array_equal(ours.predict(queries), expected > 0)


@pytest.mark.parametrize("scale, scaler", [("standard", StandardScaler), ("minmax", MinMaxScaler)])
def test_scale_is_learnt_from_the_training_part(yeast, scale, scaler):
    X, Y, queries, _ = yeast
    X, queries = X * 3 + 5, queries * 3 + 5
    X[:, 0] = 2.0  # constant in training, not in the queries
    fitted = scaler().fit(X)
    expected = one_by_one(fitted.transform(X), Y, fitted.transform(queries))
    ours = LibSVM(scale=scale).fit(X, Y).decision_function(queries)
    np.testing.assert_allclose(ours, expected, atol=1e-8)


@pytest.mark.parametrize("scale", ["none", "standard", "minmax"])
def test_sparse_features_give_the_same_values(scale):
    rng = np.random.default_rng(0)
    X = sp.random(160, 60, density=0.1, random_state=0, format="csr")
    Y = (rng.random((120, 4)) < 0.3).astype(float)
    dense = LibSVM(scale=scale).fit(X[:120].toarray(), Y).decision_function(X[120:].toarray())
    sparse = LibSVM(scale=scale).fit(X[:120], Y)
    assert sp.issparse(sparse.support_vectors_)
    np.testing.assert_allclose(sparse.decision_function(X[120:]), dense, atol=1e-8)


def test_a_constant_label_has_a_constant_score(yeast):
    X, Y, queries, _ = yeast
    Y = np.column_stack([np.ones(len(Y)), Y[:, :2], np.zeros(len(Y))])
    scores = LibSVM().fit(X, Y).decision_function(queries)
    assert (scores[:, 0] == 1).all() and (scores[:, 3] == -1).all()
    np.testing.assert_allclose(scores[:, 1:3], one_by_one(X, Y[:, 1:3], queries), atol=1e-8)
    only = LibSVM().fit(X, Y[:, [0, 3]])
    assert only.predict(queries).tolist() == [[1, 0]] * len(queries)


def test_blocks_and_threads_change_nothing(yeast, monkeypatch):
    X, Y, queries, _ = yeast
    expected = LibSVM().fit(X, Y).decision_function(queries)
    monkeypatch.setattr(linalg, "_BLOCK_BYTES", 8 * len(X) * 7)
    got = LibSVM(n_jobs=2).fit(X, Y).decision_function(queries)
    np.testing.assert_allclose(got, expected, atol=1e-10)


@pytest.mark.parametrize("megabytes", [0.01, 200])  # eight columns of the Gram matrix, and all
def test_the_size_of_the_cache_changes_no_bit(yeast, monkeypatch, megabytes):
    X, Y, queries, _ = yeast
    expected = LibSVM(C=10.0).fit(X, Y).decision_function(queries)
    used = []

    def counted(**parameters):
        used.append(parameters["cache_size"])
        return SVC(**parameters)

    monkeypatch.setattr(svm, "_CACHE", megabytes)
    monkeypatch.setattr(svm, "SVC", counted)
    assert np.array_equal(LibSVM(C=10.0).fit(X, Y).decision_function(queries), expected)
    assert used == [megabytes] * Y.shape[1]


def test_shifting_the_features_changes_nothing(yeast):
    X, Y, queries, _ = yeast
    expected = LibSVM().fit(X, Y).decision_function(queries)
    # so far that squares of the features would hold no digit of their distances
    shifted = LibSVM().fit(X + 1e7, Y).decision_function(queries + 1e7)
    np.testing.assert_allclose(shifted, expected, atol=1e-5)


def test_parameters_survive_cloning_and_fitting(yeast):
    X, Y, _, _ = yeast
    model = LibSVM(C=2.0, gamma=0.1, scale="minmax", n_jobs=2)
    assert clone(model).get_params() == model.fit(X, Y).get_params()


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"gamma": "scale"}, "'gamma' parameter of LibSVM .* Got 'scale'"),
        ({"gamma": 0.0}, "'gamma' parameter of LibSVM .* Got 0.0"),
        ({"scale": "robust"}, "'scale' parameter of LibSVM .* Got 'robust'"),
        ({"C": -1.0}, "'C' parameter of LibSVM .* Got -1.0"),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    X, Y = np.arange(8.0).reshape(4, 2), np.array([[0], [1], [0], [1]])
    with pytest.raises(ValueError, match=words):
        LibSVM(**parameters).fit(X, Y)


def test_unobserved_labels_are_refused():
    with pytest.raises(ValueError, match="cannot use unobserved labels"):
        LibSVM().fit(np.zeros((3, 2)), [[1.0], [0.0], [np.nan]])


def platt(values, y):
    """Slope and intercept by weighted logistic regression: every row is positive and negative."""
    ups, downs = (y == 1).sum(), (y == 0).sum()
    target = np.where(y == 1, (ups + 1) / (ups + 2), 1 / (downs + 2))
    both = np.concatenate([values, values])[:, None]
    classes = np.repeat([1, 0], len(y))
    model = LogisticRegression(C=1e12, tol=1e-10, max_iter=10_000)
    model.fit(both, classes, sample_weight=np.concatenate([target, 1 - target]))
    return model.coef_[0, 0], model.intercept_[0]


@pytest.mark.parametrize("share", [0.5, 0.03, 1.0])
def test_the_sigmoid_is_the_logistic_regression_on_platts_targets(share):
    rng = np.random.default_rng(1)
    values = rng.standard_normal(300)
    y = (rng.random(300) < share).astype(float) * (values > -0.5)
    assert fit_sigmoid(values, y) == pytest.approx(platt(values, y), rel=1e-3, abs=1e-3)


def test_log_odds_are_those_of_a_literal_five_fold_calibration(yeast):
    X, Y, queries, _ = yeast
    Y = Y[:, :3]
    got = LibSVM(C=10.0, scores="probability", random_state=4).fit(X, Y)
    order = np.random.default_rng([4]).permutation(len(X))
    expected = one_by_one(X, Y, queries, C=10.0)
    for j, y in enumerate(Y.T):
        values = np.empty(len(X))
        for k in range(5):
            held = order[k * len(X) // 5 : (k + 1) * len(X) // 5]
            fit = np.setdiff1d(np.arange(len(X)), held)
            machine = SVC(C=10.0, gamma="auto").fit(X[fit], y[fit])
            values[held] = machine.decision_function(X[held])
        slope, shift = platt(values, y)
        expected[:, j] = slope * expected[:, j] + shift
    np.testing.assert_allclose(got.decision_function(queries), expected, atol=5e-3)
    np.testing.assert_array_equal(got.predict(queries), got.decision_function(queries) >= 0)


def test_folds_are_decided_by_the_seed_and_decision_values_are_not(yeast):
    X, Y, queries, _ = yeast
    first, again, other = (
        LibSVM(scores="probability", random_state=seed).fit(X, Y).decision_function(queries)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    same = [LibSVM(random_state=seed).fit(X, Y).decision_function(queries) for seed in (0, 1)]
    np.testing.assert_array_equal(*same)


def test_a_constant_label_has_the_log_odds_of_platts_target(yeast):
    X, Y, queries, _ = yeast
    Y = np.column_stack([np.ones(len(Y)), Y[:, 0], np.zeros(len(Y))])
    scores = LibSVM(scores="probability", random_state=0).fit(X, Y).decision_function(queries)
    target = (len(Y) + 1) / (len(Y) + 2)
    np.testing.assert_allclose(scores[:, 0], np.log(target / (1 - target)))
    np.testing.assert_allclose(scores[:, 2], -scores[:, 0])


def test_a_label_with_one_positive_has_a_fold_with_one_class(yeast):
    X, Y, queries, _ = yeast
    y = np.zeros((len(Y), 1))
    y[7] = 1
    order = np.random.default_rng([0]).permutation(len(X))
    values = LibSVM(random_state=0)._held_out_values(rbf_kernel(X, X, 0.1), y)
    held = next(part for part in np.array_split(order, 5) if 7 in part)
    assert (values[held] == -1).all() and not (values == -1).all()
    scores = LibSVM(scores="probability", random_state=0).fit(X, y).decision_function(queries)
    assert np.isfinite(scores).all() and (scores < 0).all()
    few = LibSVM(scores="probability", random_state=0).fit(X[:2], Y[:2])
    assert np.isfinite(few.decision_function(queries)).all()
