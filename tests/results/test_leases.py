"""Leases: one run at a time has a cell; what the dead had leased goes to one heir."""

import json
import os
import subprocess
import threading
from contextlib import ExitStack

import pytest

from mlfs.results import leases
from mlfs.results.leases import Leases

from ..helpers import LONG, start_python, wait_until

HOLD = """\
import sys
from pathlib import Path
from mlfs.results.leases import Leases
with Leases(Path(sys.argv[1])) as mine:
    taken = [mine.take(key) for key in sys.argv[2:]]
    print(taken, flush=True)
    input()
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "results/.claims"


def hold(folder, *keys):
    """Another process that leases some cells and keeps them."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = start_python("-c", HOLD, folder, *keys, **pipes)
    assert process.stdout.readline().decode().strip() == str([True] * len(keys))
    return process


def kill(process):
    process.kill()
    process.wait(LONG)


def test_one_has_a_cell_until_it_gives_it_back(folder):
    with Leases(folder) as one, Leases(folder) as other:
        assert one.take("a") and not other.take("a")
        assert other.take("b") and not one.take("b")
        one.release("a")
        assert other.take("a") and not one.take("a")
    assert not folder.exists(), "nothing stays when all have gone"


def test_one_that_leaves_gives_back_all_that_it_had(folder):
    with Leases(folder) as one:
        with Leases(folder) as other:
            assert other.take("a")
        assert one.take("a")


def test_a_killed_process_of_this_machine_is_inherited_from_at_once(folder):
    process = hold(folder, "a", "b")
    with Leases(folder) as one, Leases(folder) as other:
        assert not one.take("a")
        process.kill()  # and not waited for: nobody has asked after it yet
        wait_until(lambda: not leases.alive(process.pid), "the killed process has ended")
        assert one.take("a") and not other.take("a")
        assert other.take("b") and not one.take("b")
        one.release("a")
        assert other.take("a")
        process.wait(LONG)
    assert not folder.exists()


def test_the_heir_may_die_and_its_heir_too(folder):
    for _ in range(3):
        kill(hold(folder, "a"))
    with Leases(folder) as one, Leases(folder) as other:
        assert one.take("a") and not other.take("a")
        one.release("a")
        assert other.take("a") and not one.take("a")


@pytest.mark.parametrize("seconds", [20, 40])
def test_a_run_of_another_machine_lapses_by_age(folder, seconds, monkeypatch):
    """Its process cannot be looked at; and this machine's clock is not asked."""
    with Leases(folder) as one:
        assert one.take("a")
        path = folder / f"run-{one.owner}"
        about = json.loads(path.read_text())
        path.write_text(json.dumps(about | {"machine": "elsewhere", "process": 2**22 + 1}))
        with Leases(folder) as other:
            now = (folder / f"run-{other.owner}").stat().st_mtime
            os.utime(path, (now - seconds, now - seconds))
            monkeypatch.setattr("time.time", lambda: now + 1e6)
            assert other.take("a") == (seconds == 40)


def test_a_run_that_was_taken_for_dead_does_not_take_its_heirs_lease_away(folder):
    with Leases(folder) as one, Leases(folder) as other, Leases(folder) as third:
        assert one.take("a")
        path = folder / f"run-{one.owner}"
        kept = path.read_text()
        path.unlink()
        assert other.take("a")
        path.write_text(kept)
        one.release("a")
        assert not third.take("a")


def test_a_running_process_keeps_its_lease_fresh(folder, monkeypatch):
    monkeypatch.setattr(leases, "_BEAT", 0.05)
    with Leases(folder) as one:
        path = folder / f"run-{one.owner}"
        for _ in range(2):
            os.utime(path, (0, 0))
            wait_until(lambda: path.stat().st_mtime > 0, "the lease is fresh again")
        path.unlink()  # tidied away while this machine slept
        wait_until(path.exists, "the lease is there again")


def test_a_lease_is_given_to_one_of_many_that_want_it_at_once(folder):
    """Fresh ones and those of a dead run."""
    keys = [f"{i}" for i in range(40)]
    kill(hold(folder, *keys[:20]))
    won, at_once = [], threading.Barrier(4)

    def compete(one):
        at_once.wait(LONG)
        won.extend(key for key in keys if one.take(key))

    with ExitStack() as stack:
        several = [stack.enter_context(Leases(folder)) for _ in range(4)]
        threads = [threading.Thread(target=compete, args=(one,)) for one in several]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
    assert sorted(won) == sorted(keys)


def test_what_was_given_back_meanwhile_is_not_inherited(folder, monkeypatch):
    """A run reads a dead one's lease, is slow, and the heir gives the cell back meanwhile."""
    kill(hold(folder, "a"))
    with Leases(folder) as slow, Leases(folder) as quick, Leases(folder) as third:
        look = slow._lives

        def slowly(owner, path):
            monkeypatch.setattr(slow, "_lives", look)
            assert quick.take("a")
            quick.release("a")
            assert third.take("a")
            return False

        monkeypatch.setattr(slow, "_lives", slowly)
        assert not slow.take("a")
        assert not quick.take("a") and not slow.take("a")
        third.release("a")
        assert slow.take("a")
