"""End a command by Ctrl-C or SIGTERM, even if the exception of the signal is lost.

Python raises it wherever the program is. While a module is imported or an object is deleted, it may
be swallowed, and then the command would go on. So whoever works for long asks again.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Terminated(BaseException):
    """Tell that the process received SIGTERM."""


_ERRORS = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}
_received = list[signal.Signals]()


def _stop(number: int, _: object) -> None:
    _received.append(signal.Signals(number))
    raise _ERRORS[_received[-1]]


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise KeyboardInterrupt at Ctrl-C, and Terminated at SIGTERM.

    Where Ctrl-C is ignored, it stays so: a shell starts the background jobs of a script like that.
    """
    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, _stop)}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, _stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _received.clear()


def raise_if_stopped() -> None:
    """Raise the exception of a signal that was received before, since it must have been lost."""
    if _received:
        raise _ERRORS[_received[-1]]


def stopped_by_openblas() -> bool:
    """Tell whether a KeyboardInterrupt is not the user's.

    OpenBLAS, the library of linear algebra under numpy, raises SIGINT if it cannot start its
    threads.
    """
    try:
        threading.Thread(target=int, daemon=True).start()
    except RuntimeError:
        return True
    return False
