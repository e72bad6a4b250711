"""What a worker process does: it runs one function after another, and sends their results."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from threadpoolctl import threadpool_limits

from ...errors import UserError
from ...methods.user_code import brief
from ...protocols.steps.apart import be_ready
from ...system.processes import adopt_orphans, alive, end_family, lead_group
from ...system.streams import ask_nobody, redirect

SAFE = "PYTHONSAFEPATH"  # if set, Python does not look for modules in the current folder
NEEDED = "mlfs.protocols.selection"  # what nearly every cell imports
READY = b"ready"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_PRELOADED = f"{__package__}.preloaded"


def work(channel: Connection, given: Mapping[str, str], runner: tuple[int, float]) -> None:
    """Run the functions that are sent until the other end of the channel is closed.

    Parameters
    ----------
    channel : Connection
        Gets pairs of a function and its arguments. Sends `READY` when this process has begun, and
        for every pair `READY` when its function begins and what `_answer` returns.
    given : mapping
        Environment variables to set.
    runner : (int, float)
        Number of the process that this worker ends with, and when it began.
    """
    me = os.getpid()
    _prepare(given, runner)
    channel.send_bytes(READY)
    while True:
        try:
            function, args = pickle.loads(channel.recv_bytes())
        except (EOFError, OSError):
            return
        channel.send_bytes(READY)  # importing what a new interpreter needs is no part of the call
        answer = _answer(function, args)
        if os.getpid() != me:  # a child that the function forked must not answer, too
            os._exit(0)
        channel.send_bytes(answer)


def _prepare(given: Mapping[str, str], runner: tuple[int, float]) -> None:
    multiprocessing.current_process().daemon = False  # a method may start processes of its own
    lead_group()  # so that all processes it starts can be ended with it
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the runner's to handle
    os.environ.pop(SAFE, None)
    os.environ.update(given)  # the fork server may have started before the last change of it
    ask_nobody()
    redirect(1, 2)  # output of a method, from Python or C, would spoil the progress bar
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # for libraries that are loaded later
    if _PRELOADED not in sys.modules:
        import_module(NEEDED)
        threadpool_limits(1)
    be_ready()
    threading.Thread(target=_end_with_runner, args=runner, daemon=True).start()


def _end_with_runner(number: int, began: float) -> None:
    """End this worker and what it started when the process that started it is gone."""
    while alive(number, began):
        time.sleep(1)
    end_family(os.getpid())
    os.kill(os.getpid(), signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)


def _answer(function: Callable[..., Any], args: tuple[Any, ...]) -> bytes:
    """Return the pickled result of a function, or its error as one of mlfs's own or as a text."""
    try:
        return pickle.dumps((function(*args), None))
    except UserError as error:
        return pickle.dumps((None, error))
    except BaseException as error:  # also what asks a process to end
        return pickle.dumps((None, RuntimeError(brief(error))))
