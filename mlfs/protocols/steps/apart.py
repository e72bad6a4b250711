"""Run code that is not part of mlfs in a process of its own; its result comes back as plain data.

What such code changes (arrays, settings of libraries, functions of numpy) ends with its process, so
scores are computed by a process in which it has never run.
"""

from __future__ import annotations

import io
import os
import pickle
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

from ...errors import MethodFailed
from ...methods.user_code import told, trace

Result = TypeVar("Result")

_HEAD = 8  # bytes before a result that say how long it is
_FILES = 4096  # no open file of a worker has a larger number
_LOOK = 0.2  # seconds between two looks whether the process still lives
_PLAIN = ("builtins", "collections", "numpy", "scipy", "mlfs")  # packages of what may come back
_REFUSED = ("eval", "exec", "getattr", "setattr", "delattr", "open", "compile", "__import__")


_ready = False  # whether this process can be copied


def be_ready() -> None:
    """Say that this process can be copied: no library in it has begun to use several threads."""
    global _ready
    _ready = sys.platform == "linux"  # libraries of other systems do not survive the copy


def apart(function: Callable[[], Result], foreign: bool) -> Result:
    """Run a function and return its result.

    Parameters
    ----------
    function : callable
        Its result may consist of numbers, texts, arrays, and classes of mlfs.
    foreign : bool
        Whether it runs code that is not part of mlfs; then it runs in a copy of this process. If
        `be_ready` was not called, it runs here, and this process should not be used again.

    Returns
    -------
    object
        What the function returned.

    Raises
    ------
    MethodFailed
        If the function raised an error, or ended its process.
    """
    if not foreign or not _ready:
        return function()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _answer(writer, function)
    os.close(writer)
    try:
        content, code = _received(reader, child)
    finally:
        os.close(reader)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)  # what it has left behind
    if content is None:
        from ...system.processes import how_it_ended  # here: tables need no psutil

        raise MethodFailed(how_it_ended(code))
    result, failed = _loaded(content)
    if failed is not None:
        raise MethodFailed(*failed)
    return result  # type: ignore[no-any-return]


def _answer(writer: int, function: Callable[[], Any]) -> NoReturn:
    """Run a function in the new process, send its result or its error, and end."""
    me = os.getpid()
    with suppress(OSError):
        os.setpgid(0, 0)
    os.closerange(
        3, writer
    )  # nothing that it writes anywhere may look like an answer of its parent
    os.closerange(writer + 1, _FILES)
    try:
        content = pickle.dumps((function(), None))
    except BaseException as error:  # also what asks a process to end
        content = pickle.dumps((None, (told(error), trace())))
    if os.getpid() == me:  # otherwise it is a child that the function forked
        with suppress(OSError), open(writer, "wb") as stream:
            stream.write(len(content).to_bytes(_HEAD, "big") + content)
    os._exit(0)


def _received(reader: int, child: int) -> tuple[bytes | None, int | None]:
    """Return what a child sends, or else None and its exit code.

    A process that the child has started may hold the pipe open after the child's end.
    """
    content, code, ended = bytearray(), None, False
    while len(content) < _HEAD or len(content) < _whole(content):
        ready, _, _ = select.select([reader], [], [], 0 if ended else _LOOK)
        part = os.read(reader, 2**20) if ready else b""
        content += part
        if part:
            continue
        if ended:
            return None, code
        number, status = os.waitpid(child, 0 if ready else os.WNOHANG)
        if number:
            ended, code = True, os.waitstatus_to_exitcode(status)
    if not ended:
        os.waitpid(child, 0)
    return bytes(content[_HEAD : _whole(content)]), 0


def _whole(content: bytearray) -> int:
    return _HEAD + int.from_bytes(content[:_HEAD], "big")


def _loaded(content: bytes) -> Any:
    """Return a result; refuse objects of classes that belong to a method."""
    try:
        return _Plain(io.BytesIO(content)).load()
    except Exception as error:
        raise MethodFailed(f"it returned what cannot be read: {error}") from error


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        plain = module.partition(".")[0] in _PLAIN
        if not plain or (module == "builtins" and name in _REFUSED):
            raise pickle.UnpicklingError(f"an object of the class {module}.{name}")
        return super().find_class(module, name)
