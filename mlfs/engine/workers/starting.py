"""Start worker processes that ignore the current folder and do not run the user's script."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import Any

import psutil

from ...system.processes import MARK, alive, end_tree, family, mark
from ...system.streams import redirect
from .leftovers import OWNER
from .worker import SAFE, work

HASHES = "PYTHONHASHSEED"  # if it is 0, texts have the same hashes in every process
_PRELOADED = f"{__package__}.preloaded"
_ONE_BY_ONE = threading.RLock()
_ours = False  # whether the fork server of this process was started here
_living: set[int] = set()  # the workers that this process has started and not ended


class Worker:
    """A process that runs `work`, and the channel to it.

    Its environment is clean: it is forked from a server that has imported what cells need and has
    never run any, so it starts fast. Where the system cannot fork, or where another part of this
    program has started the server, which is then not known to be clean, it is a new interpreter.

    Parameters
    ----------
    given : mapping
        The environment variables of the run.
    """

    def __init__(self, given: dict[str, str]):
        self.channel, theirs = multiprocessing.Pipe()
        runner = os.getpid(), psutil.Process().create_time()
        about = given | {MARK: mark(), HASHES: "0"}
        try:
            with _ONE_BY_ONE, _clean_environment():
                context = multiprocessing.get_context(_start_method())
                process: Any = context.Process(  # type: ignore[attr-defined]
                    target=work, args=(theirs, about, runner), daemon=True
                )
                _launch(process)
                _living.add(process.pid)
        except BaseException:
            self.channel.close()
            raise
        finally:
            theirs.close()
        self.process: BaseProcess = process
        self.pid: int = process.pid
        self.began = time.time()
        with suppress(psutil.Error):  # it may have ended already
            self.began = psutil.Process(self.pid).create_time()

    def end(self) -> None:
        """End the process and all that it has started."""
        self.kill()
        with _ONE_BY_ONE:
            self.process.join(1)
            _living.discard(self.pid)
            _end_adopted()
        with suppress(OSError):
            self.channel.close()

    def kill(self) -> None:
        """End the process and all that it has started, from any thread."""
        end_tree(self.pid, self.began)

    @property
    def exit_code(self) -> int | None:
        """The exit code of the process; None if it is not known."""
        with _ONE_BY_ONE:  # the server tells it once, and another thread may ask, too
            self.process.join(1)
            return self.process.exitcode


def _start_method() -> str:
    """Return how processes are started here: by the fork server, which is started if need be."""
    global _ours
    if "forkserver" not in multiprocessing.get_all_start_methods():  # for example on Windows
        return "spawn"
    if not _ours and _server() is not None:
        return "spawn"
    if not _ours or not alive(_server() or 0):
        _start_server()
        _ours = True
    return "forkserver" if _reachable() else "spawn"


def _start_server() -> None:
    """Start the process that workers are forked from.

    Its error output is hidden: it would print the traceback of a worker that is still starting
    when the run ends.
    """
    from multiprocessing import forkserver

    multiprocessing.get_context("forkserver").set_forkserver_preload([_PRELOADED])
    stderr = os.dup(2)
    redirect(2)
    try:
        forkserver.ensure_running()
        with suppress(OSError):  # says whose the folder is, for `sweep`
            (Path(get_temp_dir()) / f"{OWNER}{mark()}").touch()
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def _server() -> int | None:
    """Return the number of the process that workers are forked from; None if it does not run."""
    from multiprocessing import forkserver

    pid: int | None = getattr(forkserver._forkserver, "_forkserver_pid", None)
    return pid


def _reachable() -> bool:
    """Tell whether the fork server's socket is still there: cleaners remove temporary files."""
    from multiprocessing import forkserver

    address = getattr(forkserver._forkserver, "_forkserver_address", None)
    return not isinstance(address, str) or not address.startswith("/") or Path(address).exists()


def _end_adopted() -> None:
    """End what the fork server has adopted: processes that workers started before they died."""
    server = _server() if _ours else None
    if server is None:
        return
    workers = {one.pid for one in multiprocessing.active_children()} | _living
    for process in family(server):
        with suppress(psutil.Error):
            if process.ppid() == server and process.pid not in workers:
                end_tree(process.pid, process.create_time(), group=False)


def _launch(process: Any) -> None:
    """Start a process while the name of this process's script is hidden from it.

    Usually every new process runs the script again, which fails if the script does not have
    ``if __name__ == "__main__":``. Cells do not need the script.
    """
    script = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {}
    for name in ("__file__", "__spec__"):
        if name in script:
            hidden[name] = script.pop(name)
    script["__spec__"] = None
    try:
        process.start()
    finally:
        del script["__spec__"]
        script.update(hidden)


@contextmanager
def _clean_environment() -> Iterator[None]:
    """Set the variables with which new Python processes start.

    They ignore modules in the current folder: they are started by ``python -c``, which would
    import a file yaml.py or a folder mlfs there instead of the real ones. And they order sets of
    texts in the same way every time.
    """
    wanted = {SAFE: "1", HASHES: "0", MARK: mark()}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
