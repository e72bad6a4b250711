"""Real data for the tests: slices of benchmark sets from the mirror, or a skip with a reason."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

MIRROR = Path(__file__).resolve().parents[2] / "shared" / "datasets"


@pytest.fixture(scope="session", autouse=True)
def data_home(tmp_path_factory):
    """A cache of the session's own, and the local mirror when there is one."""
    with pytest.MonkeyPatch.context() as patch:
        if "MLFS_DATA" not in os.environ:
            home = tmp_path_factory.getbasetemp().parent / "mlfs-data"
            home.mkdir(exist_ok=True)
            patch.setenv("MLFS_DATA", str(home))
        if "MLFS_MIRROR" not in os.environ and MIRROR.is_dir():
            patch.setenv("MLFS_MIRROR", str(MIRROR))
        yield


@pytest.fixture(scope="session", autouse=True)
def one_blas_thread():
    """As in a run's workers; small matrices take many times longer with two."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The directory of benchmark files; tests that need it are skipped without it."""
    given = os.environ.get("MLFS_MIRROR")
    if not given or not Path(given).is_dir():
        pytest.skip("no mirror of the benchmark files (set MLFS_MIRROR)")
    return Path(given)


@pytest.fixture(scope="session")
def real(mirror) -> Callable:
    """Load a whole benchmark set by name."""
    from mlfs.datasets import load

    return load


@pytest.fixture(scope="session")
def load_slice(real) -> Callable:
    """``load_slice(name, rows, columns=None)``: a slice of real data drawn with a fixed seed.

    X is dense and standardised, without constant columns; Y is float and has no constant label.
    """

    def take(name: str, rows: int, columns: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        data = real(name)
        rng = np.random.default_rng(0)
        chosen = np.sort(rng.choice(len(data.Y), min(rows, len(data.Y)), replace=False))
        X = data.X[chosen]
        X = X.toarray() if hasattr(X, "toarray") else np.array(X)
        Y = data.Y[chosen].astype(float)
        X = X[:, X.std(axis=0) > 0]
        if columns is not None:
            X = X[:, :columns]
        Y = Y[:, (Y.sum(axis=0) > 0) & (Y.sum(axis=0) < len(Y))]
        return (X - X.mean(axis=0)) / X.std(axis=0), Y

    return take


@pytest.fixture(scope="session")
def yeast_slice(load_slice) -> Callable:
    """``yeast_slice(rows)``: standardised yeast."""
    return lambda rows: load_slice("yeast", rows)


@pytest.fixture(scope="session")
def close() -> Callable:
    """``close(ours, literal, rel, what)``: equal to `rel` of the largest entry, entry by entry."""

    def compare(ours, literal, rel: float = 1e-9, what: str = "") -> None:
        literal = np.asarray(literal, dtype=float)
        scale = np.abs(literal).max()
        np.testing.assert_allclose(ours, literal, rtol=0, atol=rel * scale, err_msg=what)

    return compare
