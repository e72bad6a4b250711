"""Run the command line: ``mlfs`` and ``python -m mlfs`` begin here.

This module imports little: until Ctrl-C is ours to handle, Python answers it with a traceback.
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """Import the command line, and run it; Ctrl-C in the meantime ends the process at once."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # or it is ignored
    if ours:
        # not an exception, which an import may swallow; nothing has begun that must be ended
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from .cli import main as command

    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command(prog_name="mlfs")


if __name__ == "__main__":
    # python -m looks for modules in the current folder first: a file yaml.py there would be
    # imported instead of the real one. So the folder is removed, unless mlfs itself is in it.
    here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120
    if not sys.flags.safe_path and os.path.realpath(sys.path[0]) != here:
        del sys.path[0]
    main()
