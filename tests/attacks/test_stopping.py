"""Stopping: a run ends at the first signal, wherever the program is at that moment."""

import os
import signal
import subprocess
import tomllib

import pytest

from mlfs.engine.execute import Running
from mlfs.methods import user_code
from mlfs.progress import show
from mlfs.system.stopping import Terminated, raise_if_stopped, stoppable

from ..helpers import ROOT, python
from .common import start, write


class Deleted:
    """An object whose deletion meets a signal: Python then only prints the exception."""

    def __init__(self, number):
        self.number = number

    def __del__(self):
        signal.raise_signal(self.number)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("number", "error"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)]
)
def test_a_signal_whose_exception_is_lost_still_ends_the_run(number, error, tmp_path):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    seen = []

    def events():
        for i in range(10):
            if i == 3:
                Deleted(number)
            seen.append(i)
            yield Running([])

    try:
        with stoppable(), pytest.raises(error):
            show(events(), tmp_path)
        assert seen == [0, 1, 2, 3]
        raise_if_stopped()  # the next command begins anew
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_signal_while_own_code_is_imported_is_no_fault_of_that_code():
    with stoppable(), pytest.raises(Terminated):
        user_code._guarded("mine.py", lambda: signal.raise_signal(signal.SIGTERM))


def test_a_background_job_ignores_ctrl_c_and_ends_at_sigterm(tmp_path):
    """A shell starts the background jobs of a script with SIGINT ignored."""
    write(tmp_path, ["Sleeps"])
    said = tmp_path / "said"
    with said.open("w") as file:
        run = start(
            tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=file,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        )
    try:
        while not list(tmp_path.glob("results/wild/.claims/*")):
            assert run.poll() is None, said.read_text()
            with pytest.raises(subprocess.TimeoutExpired):
                run.wait(0.1)
        os.kill(run.pid, signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            run.wait(1.0)
        os.kill(run.pid, signal.SIGTERM)
        assert run.wait(300) == 143 and "Traceback" not in said.read_text()
    finally:
        run.kill()


# a signal meets the import of a module, and the exception that Python would raise is swallowed
MEETS = """\
import signal
import sys

signal.signal(signal.SIGINT, signal.{at_first})


class Meets:
    def find_spec(self, name, *_):
        if name == "mlfs.cli.options":
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                pass


sys.meta_path.insert(0, Meets())
from mlfs.__main__ import main

sys.exit(main())
"""


@pytest.mark.parametrize(
    ("at_first", "code", "out"), [("default_int_handler", 130, ""), ("SIG_IGN", 0, "mlfs, version")]
)
def test_ctrl_c_before_the_command_has_begun_ends_it_without_a_traceback(at_first, code, out):
    """As the installed script begins; where Ctrl-C is ignored, it stays so."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert about["project"]["scripts"] == {"mlfs": "mlfs.__main__:main"}
    ran = python("-c", MEETS.format(at_first=at_first), "--version")
    assert (ran.returncode, ran.stderr) == (code, "") and ran.stdout.startswith(out)
