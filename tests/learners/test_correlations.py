"""Descent over factors with rows of length one."""

import numpy as np

from mlfs.learners.correlations import descend_unit_rows, unit_factor


def test_steps_keep_rows_of_length_one_and_never_go_uphill():
    rng = np.random.default_rng(0)
    V, Z = rng.standard_normal((9, 4)), unit_factor(rng, (9, 4))
    M = V @ V.T
    values = [np.trace(Z.T @ M @ Z)]
    for _ in range(50):
        Z = descend_unit_rows(M, Z)
        np.testing.assert_allclose(np.linalg.norm(Z, axis=1), 1.0)
        values.append(np.trace(Z.T @ M @ Z))
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    assert values[-1] < 0.5 * values[0]
