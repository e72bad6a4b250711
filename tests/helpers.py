"""What tests of processes share: commands in a process of their own, and waits that end."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[1]
LONG = 300.0  # seconds; a machine with much else to do needs less, and no test waits for longer


def environment(**more: str) -> dict[str, str]:
    """The variables of the test, for a process that imports the package of this checkout."""
    return os.environ | {"PYTHONPATH": str(ROOT)} | more


def python(*args, **options) -> subprocess.CompletedProcess:
    """``python ARGS`` when it has ended, with what it wrote as text."""
    usual = {"env": environment(), "capture_output": True, "text": True, "timeout": LONG}
    return subprocess.run([sys.executable, *map(str, args)], **usual | options)


def start_python(*args, **options) -> subprocess.Popen:
    """``python ARGS`` that has begun."""
    return subprocess.Popen([sys.executable, *map(str, args)], **{"env": environment()} | options)


def wait_until(true: Callable[[], object], what: str) -> None:
    """Look again and again whether it is true; fail when it does not become so."""
    deadline = time.monotonic() + LONG
    while not true():
        if time.monotonic() > deadline:
            pytest.fail(f"waited for {LONG:.0f} s, and not yet: {what}")
        time.sleep(0.01)


def members(session: int) -> list[int]:
    """Numbers of the living processes of a session that a test has started."""
    there = []
    for number in psutil.pids():
        with suppress(ProcessLookupError, PermissionError, psutil.NoSuchProcess):
            ended = psutil.Process(number).status() == psutil.STATUS_ZOMBIE
            if os.getsid(number) == session and not ended:
                there.append(number)
    return there
