"""Processes by number: living, ended and not asked after, another one of the same number."""

import os
import subprocess
import time

import psutil
import pytest

from mlfs.system import processes
from mlfs.system.processes import alive, end_tree

from ..helpers import LONG, start_python, wait_until

PARENT = """\
import subprocess, sys, time
from mlfs.system.processes import lead_group
lead_group()
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(906)"])
print("ready", flush=True)
time.sleep(906)
"""


def test_a_process_lives_until_it_ends():
    process = start_python("-c", "input()", stdin=subprocess.PIPE)
    seen = psutil.Process(process.pid)
    began = seen.create_time()
    assert alive(process.pid) and alive(process.pid, began)
    assert not alive(process.pid, began - 1000), "the number is another process's now"
    process.stdin.close()
    wait_until(lambda: seen.status() == psutil.STATUS_ZOMBIE, "the process has ended")
    assert not alive(process.pid), "it has ended, though nobody has asked after it"
    process.wait(LONG)
    assert not alive(process.pid)


@pytest.mark.parametrize("groups", [True, False], ids=["groups", "as on Windows"])
def test_a_process_ends_with_what_it_started_and_nothing_else(groups, monkeypatch):
    if not groups:
        monkeypatch.delattr(os, "killpg")
    process = start_python("-c", PARENT, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children()]
    assert len(family) == 2
    if not groups:
        end_tree(process.pid, time.time() + 1000)  # one that began later has this number
        assert all(alive(one.pid) for one in family)
    end_tree(process.pid, time.time())
    process.wait(LONG)
    wait_until(lambda: not any(alive(one.pid) for one in family), "what it started has ended")


def test_a_process_that_ends_while_it_is_ended_is_no_error(monkeypatch):
    """It was there at one look, and gone at the next: the thread that ended it died of this."""
    process = start_python("-c", "")
    process.wait(LONG)
    monkeypatch.setattr(processes, "alive", lambda *_: True)
    end_tree(process.pid, time.time())
