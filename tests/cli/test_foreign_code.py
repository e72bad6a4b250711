"""Code of anyone's in a run: it may raise, print, exit or fork; the other cells finish."""

import json
import subprocess

import pytest

from ..helpers import LONG, members, python, start_python, wait_until

MODULE = '''\
import os
import signal
import subprocess
import sys
import time
from sklearn.base import BaseEstimator


class Good(BaseEstimator):
    """Ranks by spread."""

    def fit(self, X, Y):
        self.scores_ = X.std(axis=0)


class Raises(Good):
    def fit(self, X, Y):
        raise RuntimeError("lone \\ud800 " + "and long\\n" * 700_000)


class Unspeakable(Good):
    def fit(self, X, Y):
        class Mute(Exception):
            def __str__(self):
                raise RuntimeError

        raise Mute


class Prints(Good):
    def fit(self, X, Y):
        for _ in range(100):
            print("NOISE" * 20_000)
            sys.stderr.write("NOISE" * 20_000)
            os.write(1, b"NOISE" * 20_000)
        super().fit(X, Y)


class Exits(Good):
    def fit(self, X, Y):
        sys.exit("enough")


class Interrupts(Good):
    def fit(self, X, Y):
        raise KeyboardInterrupt


class Closes(Good):
    def fit(self, X, Y):
        raise GeneratorExit


class Dies(Good):
    def fit(self, X, Y):
        os.kill(os.getpid(), signal.SIGKILL)


class Asks(Good):
    def fit(self, X, Y):
        input("really?")


class Forks(Good):
    """The child goes on as if it were the worker."""

    def fit(self, X, Y):
        os.fork()
        super().fit(X, Y)


class Lingers(Good):
    """Children and grandchildren that would live for minutes, and a cell that does, too."""

    def fit(self, X, Y):
        subprocess.Popen(["sh", "-c", "sleep 901 & sleep 901"])
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(900)


class Leaves(Good):
    """A child that is left alone."""

    def fit(self, X, Y):
        subprocess.Popen(["sleep", "902"])
        super().fit(X, Y)
'''
FAILING = {
    "Raises": "RuntimeError: lone ? and long and long",
    "Unspeakable": "Mute: its text cannot be shown",
    "Exits": "it called sys.exit('enough')",
    "Interrupts": "KeyboardInterrupt",
    "Closes": "GeneratorExit",
    "Dies": "its process died",
    "Asks": "EOFError",
    "Lingers": "exceeded the time limit of 12 s",
}
WORKING = ["Good", "Prints", "Forks", "Leaves"]


def test_nothing_that_a_method_does_stops_the_others(tmp_path):
    (tmp_path / "mine.py").write_text(MODULE)
    names = [*FAILING, *WORKING]
    (tmp_path / "config.yaml").write_text(
        "name: wild\nprotocol: planted\nmetrics: [relevant_found]\n"
        f"methods: [{', '.join(f'mine:{name}' for name in names)}]\n"
    )
    process = start_python(
        *("-m", "mlfs", "run", "config.yaml", "--workers", 2, "--timeout", 12),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    out, said = process.communicate(timeout=LONG)
    assert process.returncode == 1, said
    assert f"{len(WORKING)} done, {len(FAILING)} failed" in out
    assert "NOISE" not in out + said and "Traceback" not in said
    assert len(said.splitlines()) == 1 + len(FAILING)
    # what the methods start would live for a quarter of an hour
    wait_until(lambda: not members(process.pid), "nothing that a method started outlives the run")
    records = [json.loads(p.read_text()) for p in (tmp_path / "results/wild/cells").iterdir()]
    assert len(records) == len(names)
    for record in records:
        name = record["cell"]["method"]["name"].partition(":")[2]
        assert record["error"].startswith(FAILING.get(name, "")), name
        assert (record["status"] == "done") == (name in WORKING), name
        assert len(record["error"]) <= 1100 and len(record["traceback"]) <= 20_100


AS_ON_WINDOWS = """\
import sys
del sys.path[0]
import multiprocessing
multiprocessing.get_all_start_methods = lambda: ["spawn"]
from mlfs.cli import main
main(prog_name="mlfs")
"""


@pytest.mark.parametrize("start", [["-m", "mlfs"], ["-c", AS_ON_WINDOWS]], ids=["fork", "spawn"])
def test_a_stray_file_in_the_current_folder_is_not_imported(tmp_path, start):
    """Neither by ``python -m mlfs`` nor by its workers; test_installed.py tries more of it."""
    for name in ("yaml.py", "numpy.py", "click.py", "pickle.py"):
        (tmp_path / name).write_text("raise SystemExit('hijacked')\n")
    (tmp_path / "config.yaml").write_text(
        "name: safe\nprotocol: planted\nmethods: [all]\nmetrics: [relevant_found]\n"
    )
    ran = python(*start, "run", "config.yaml", "--workers", 1, cwd=tmp_path)
    assert ran.returncode == 0 and "1 done, 0 failed" in ran.stdout, ran.stderr
    assert ran.stderr == "safe: 1 cell, 1 worker\n"
