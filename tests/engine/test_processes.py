"""Processes by number: living, ended and not asked after, another one of the same number."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from mlfs.engine.processes import alive, end_group

PARENT = """\
import subprocess, sys, time
from mlfs.engine.processes import lead_group
lead_group()
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(306)"])
print("ready", flush=True)
time.sleep(306)
"""


def test_a_process_lives_until_it_ends():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    began = psutil.Process(process.pid).create_time()
    assert alive(process.pid) and alive(process.pid, began)
    assert not alive(process.pid, began - 1000), "the number is another process's now"
    process.stdin.close()
    while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    assert not alive(process.pid), "it has ended, though nobody has asked after it"
    process.wait()
    assert not alive(process.pid)


@pytest.mark.parametrize("groups", [True, False], ids=["groups", "as on Windows"])
def test_a_process_ends_with_what_it_started_and_nothing_else(groups, monkeypatch):
    if not groups:
        monkeypatch.delattr(os, "killpg")
    process = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children()]
    assert len(family) == 2
    if not groups:
        end_group(process.pid, time.time() + 1000)  # one that began later has this number
        assert all(alive(one.pid) for one in family)
    end_group(process.pid, time.time())
    process.wait()
    psutil.wait_procs(family, timeout=10)
    assert not any(alive(one.pid) for one in family)
