"""Start worker processes that ignore the current folder and do not run the user's script."""

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
SAFE = "PYTHONSAFEPATH"  # if set, Python does not look for modules in the current folder
_ONE_BY_ONE = threading.Lock()


@contextmanager
def context() -> Iterator[Any]:
    """Provide the multiprocessing context of this system: forkserver, or else spawn.

    The fork server has already imported what cells need, so workers start fast.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():  # for example on Windows
        with _ignore_current_folder():
            yield _Context("spawn")
        return
    forked = _Context("forkserver")
    forked.set_forkserver_preload([NEEDED])
    _start_server()
    yield forked


class _Context:
    """Wrap a context of multiprocessing so that its processes do not run the user's script.

    Usually every new process runs the script again, which fails if the script does not have
    ``if __name__ == "__main__":``. Cells do not need the script.
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
    """Start a process while the name of this process's script is hidden from it."""
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
def _ignore_current_folder() -> Iterator[None]:
    """Make new Python processes ignore modules in the current folder.

    They are started by ``python -c``, which would import a file yaml.py or a folder mlfs there
    instead of the real ones.
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
    """Start the process that workers are forked from; it ignores the current folder.

    Its error output is hidden. It would print the traceback of a worker that is still starting
    when the run ends.
    """
    from multiprocessing import forkserver  # not every system has it

    stderr = os.dup(2)
    redirect(2)
    try:
        with _ignore_current_folder():
            forkserver.ensure_running()
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def redirect(*streams: int) -> None:
    """Discard what is written to these streams."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream)
    os.close(nowhere)
