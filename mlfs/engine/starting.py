"""How worker processes are started: silent, blind to the current folder, without the script."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any

NEEDED = "mlfs.protocols.selection"  # what nearly every cell imports
SAFE = "PYTHONSAFEPATH"  # set, Python does not look for modules in the current folder
_ONE_BY_ONE = threading.Lock()


@contextmanager
def context() -> Iterator[Any]:
    """How processes are started here: forked by a server that imported all, or spawned."""
    if "forkserver" not in multiprocessing.get_all_start_methods():  # such as on Windows
        with _blind():
            yield _Context("spawn")
        return
    forked = _Context("forkserver")
    forked.set_forkserver_preload([NEEDED])
    _start_server()
    yield forked


class _Context:
    """A context of multiprocessing whose processes do not run the user's script.

    Others run it once more in every process, which a script without ``if __name__ == "__main__":``
    does not survive. Cells need nothing of it.
    """

    def __init__(self, method: str):
        self._real = multiprocessing.get_context(method)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def Process(self, *args: Any, **kwargs: Any) -> BaseProcess:
        process: Any = self._real.Process(*args, **kwargs)  # type: ignore[attr-defined]
        process._Popen = _launch
        return process  # type: ignore[no-any-return]


def _launch(process: Any) -> Any:
    """Start a process while nobody can tell which script this one runs."""
    script = vars(sys.modules["__main__"])
    with _ONE_BY_ONE:
        hidden: dict[str, Any] = {}
        for name in ("__file__", "__spec__"):
            if name in script:
                hidden[name] = script.pop(name)
        script["__spec__"] = None
        try:
            return type(process)._Popen(process)
        finally:
            del script["__spec__"]
            script.update(hidden)


@contextmanager
def _blind() -> Iterator[None]:
    """Let Python processes that start now not look for modules in the current folder.

    They are started by ``python -c``, which would take a file yaml.py or a folder mlfs there for
    the real ones.
    """
    before = os.environ.get(SAFE)
    os.environ[SAFE] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SAFE, None)
        else:
            os.environ[SAFE] = before


def _start_server() -> None:
    """Start the process that workers are forked from, silent and blind to the current folder.

    It would print the traceback of a worker that was still starting when the run ended.
    """
    from multiprocessing import forkserver  # not every system has it

    stderr = os.dup(2)
    redirect(2)
    try:
        with _blind():
            forkserver.ensure_running()
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def redirect(*streams: int) -> None:
    """Let what is written to a stream go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream)
    os.close(nowhere)
