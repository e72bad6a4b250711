"""The exact support vector machines, against liblinear and against their own dual."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from mlfs.active import hinge
from mlfs.active.hinge import HingeMachines


def make(seed=0, n=60, d=7, n_labels=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    signs = np.where(
        X @ rng.standard_normal((d, n_labels)) + rng.standard_normal(n_labels) > 0, 1, -1
    )
    flipped = rng.random(signs.shape) < 0.2  # so that some errors remain
    return X, np.where(flipped, -signs, signs).astype(float)


def liblinear(X, rows, signs, C):
    """The scores of the whole pool, to nearly the last digit."""
    scores = np.empty((X.shape[0], signs.shape[1]))
    for j, y in enumerate(signs.T):
        scores[:, j] = y[0]
        if (y != y[0]).any():
            machine = LinearSVC(C=C, loss="hinge", tol=1e-10, max_iter=1_000_000, random_state=0)
            scores[:, j] = machine.fit(X[rows], y).decision_function(X)
    return scores


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_machines_equal_liblinear_while_points_are_added(C, layout):
    dense, signs = make()
    X, rows = layout(dense), np.arange(25)
    near = 1e-5 * max(1.0, C)
    machines = HingeMachines(X, rows, signs[rows], C)
    np.testing.assert_allclose(machines.scores, liblinear(X, rows, signs[rows], C), atol=near)
    for x in (40, 25, 59, 31, 32, 33):
        before = machines.scores.copy()
        grown = machines.with_row(x, signs[x])
        np.testing.assert_array_equal(machines.scores, before)
        rows = np.append(rows, x)
        np.testing.assert_allclose(grown.scores, liblinear(X, rows, signs[rows], C), atol=near)
        machines = grown


def test_rows_that_repeat_or_depend_on_others():
    X, signs = make(n=30, d=3)
    X = np.vstack([X, X, X[:20] + X[10:]])
    signs = np.vstack([signs, -signs, signs[:20]])
    rows = np.arange(70)
    machines = HingeMachines(X, rows, signs[rows], 1.0)
    for x in range(70, 80):
        machines = machines.with_row(x, signs[x])
    np.testing.assert_allclose(
        machines.scores, liblinear(X, np.arange(80), signs[:80], 1.0), atol=1e-5
    )


def test_a_label_of_one_sign_scores_that_sign_until_the_other_comes():
    X, signs = make()
    signs[:, 0], signs[:, 1] = -1.0, 1.0
    rows = np.arange(30)
    machines = HingeMachines(X, rows, signs[rows], 1.0)
    assert (machines.scores[:, 0] == -1.0).all() and (machines.scores[:, 1] == 1.0).all()
    machines = machines.with_row(30, signs[30])
    assert (machines.scores[:, :2] == [-1.0, 1.0]).all()
    signs[31] = [1.0, 1.0, -1.0, 1.0]
    machines = machines.with_row(31, signs[31])
    expected = liblinear(X, np.arange(32), signs[:32], 1.0)
    np.testing.assert_allclose(machines.scores, expected, atol=1e-5)


@settings(max_examples=120, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 5),
    st.sampled_from([0.05, 1.0, 4.0]),
    st.sampled_from([1.0, 1e-3, 1e3]),
)
@example(1819, 1, 4.0, 1e3)  # copies of a short row pass the margin beside rows that are long
def test_the_dual_has_the_value_of_the_primal(seed, d, C, scale):
    """Whole numbers tie often: weak duality says that no other machine is better."""
    rng = np.random.default_rng(seed)
    X = scale * rng.integers(-2, 3, (40, d)).astype(float)
    y = np.where(rng.random(40) < 0.4, 1.0, -1.0)
    machines = HingeMachines(X, np.arange(39), y[:39, None], C)
    machine, ridged = machines._machines[0], machines._gram
    exact = y[:39] * (ridged @ machine.weights) - 1.0
    np.testing.assert_array_equal(machine.gap, np.where(machine.margin, 0.0, exact))
    machines = machines.with_row(39, y[39:])
    machine, ridged = machines._machines[0], machines._gram
    gram = X @ X.T + 1.0
    np.testing.assert_allclose(ridged, gram + hinge.RIDGE * np.diag(np.diag(gram)), rtol=1e-13)
    assert (machine.alpha >= -1e-9 * C).all() and (machine.alpha <= C * (1 + 1e-9)).all()
    assert (machine.margin | (machine.alpha == 0.0) | (machine.alpha == C)).all()
    norm = machine.weights @ ridged @ machine.weights
    losses = np.maximum(0.0, 1.0 - y * (ridged @ machine.weights)).sum()
    primal, dual = norm / 2 + C * losses, machine.alpha.sum() - norm / 2
    assert primal == pytest.approx(dual, rel=1e-5)


def test_machines_of_some_rows_learn_only_the_others():
    X, signs = make()
    signs[21] = signs[30]
    some, rows = np.array([3, 4, 9, 20, 21, 30]), np.array([0, 3, 4, 9, 11, 20, 21, 30, 58])
    machines = HingeMachines(X, some, signs[some], 1.0)
    machines._machines[0].gap += 1e-7  # as if rounded in thousands of steps
    grown = machines.with_rows(rows, signs[rows])
    assert grown is not None and grown.rows.tolist() == [*some, 0, 11, 58]
    np.testing.assert_array_equal(grown.signs, signs[grown.rows])
    np.testing.assert_allclose(grown.scores, liblinear(X, rows, signs[rows], 1.0), atol=1e-5)
    anew = HingeMachines(X, grown.rows, grown.signs, 1.0)
    np.testing.assert_allclose(grown._gram, anew._gram, rtol=1e-12)
    for machine in grown._machines:
        exact = machine.y * (grown._gram @ machine.weights) - 1.0
        np.testing.assert_array_equal(machine.gap, np.where(machine.margin, 0.0, exact))
    assert machines.with_rows(rows[:-2], signs[rows[:-2]]) is None  # it has learnt row 30
    signs[9, 2] *= -1
    assert machines.with_rows(rows, signs[rows]) is None
