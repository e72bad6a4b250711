"""Run tests in forks of an interpreter that has imported the libraries: a fork imports mlfs."""

from __future__ import annotations

import gc
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
LIBRARIES = (
    *("numpy", "pandas", "scipy.sparse", "scipy.stats", "scipy.optimize", "scipy.spatial"),
    *("sklearn.base", "sklearn.model_selection", "sklearn.neighbors", "sklearn.svm"),
    *("sklearn.linear_model", "sklearn.ensemble", "sklearn.multioutput", "matplotlib.pyplot"),
    *("scipy.io", "sklearn.cluster", "sklearn.feature_selection", "pydantic.type_adapter"),
    *("pydantic.main", "pydantic.types", "pydantic.dataclasses", "statistics", "html.parser"),
    *("pytest", "_pytest.assertion.rewrite", "hypothesis", "click.testing", "yaml", "jinja2"),
    *("zstandard", "psutil", "platformdirs", "threadpoolctl", "tqdm", "coverage"),
)
UNUSED = ("xdist", "xdist.looponfail", "anyio", "pytest_cov")  # plugins that take time to load
SOME_FAILED, NO_TESTS = 1, 5  # exit codes of pytest


def warm_up() -> None:
    """Import what tests need besides mlfs; not mlfs, since a fork imports the mutated one."""
    os.environ.update(dict.fromkeys(THREADS, "1"), PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="agg")
    for name in LIBRARIES:
        with suppress(ImportError):  # those of extras may be missing
            import_module(name)
    gc.freeze()  # a fork need not look through these objects, and copies fewer of them
    assert not any(name.split(".")[0] == "mlfs" for name in sys.modules)


@dataclass
class Fork:
    """A process that runs tests in a copy of the checkout.

    Attributes
    ----------
    copy : Path
        The copy. What the tests print is in its file ``log.txt``.
    work : callable
        What the process does there; it returns an exit code.
    processor, clock : float, optional
        Seconds of the processor and of the clock after which it is ended.
    """

    copy: Path
    work: Callable[[], int]
    processor: float | None = None
    clock: float | None = None
    pid: int = 0
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.pid = os.fork()
        if not self.pid:
            self._run()

    def _run(self) -> None:
        code = 1
        try:
            os.setpgid(0, 0)  # so that its children end with it, and Ctrl-C kills no mutant
            log = os.open(self.copy / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            nothing = os.open(os.devnull, os.O_RDONLY)
            for source, target in ((nothing, 0), (log, 1), (log, 2)):
                os.dup2(source, target)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            if self.processor is not None:
                limit = int(self.processor) + 1
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            os.chdir(self.copy)
            os.environ["PYTHONPATH"] = str(self.copy)
            sys.path[0] = str(self.copy)
            sys.modules["__main__"] = ModuleType("__main__")  # worker processes import it again
            sys.dont_write_bytecode = True
            code = self.work()
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def ended(self) -> int | str | None:
        """Return the exit code; "timed out" if it took too long; None while it runs."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            self._end_group()
            code = os.waitstatus_to_exitcode(status)
            return "timed out" if code in (-signal.SIGXCPU, -signal.SIGKILL) else code
        if self.clock is not None and time.monotonic() - self.started > self.clock:
            self.end()
            return "timed out"
        return None

    def end(self) -> None:
        """End it, with all its children."""
        self._end_group()
        os.waitpid(self.pid, 0)

    def _end_group(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


def run_pytest(copy: Path, files: list[str], *plugins: Any, failures: int = 1) -> int:
    """Run the tests of files in this process, up to so many that fail; 0 stands for all."""
    import pytest

    temporary = copy / "temporary"
    shutil.rmtree(temporary, ignore_errors=True)
    options = ["-q", f"--maxfail={failures}", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
    options += [f"--basetemp={temporary}", f"--rootdir={copy}"]
    options += [option for name in UNUSED for option in ("-p", f"no:{name}")]
    return int(pytest.main([*options, *files], plugins=list(plugins)))
