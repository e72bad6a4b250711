"""Run the command line with ``python -m mlfs``."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # python -m looks for modules in the current folder first: a file yaml.py there would be
    # imported instead of the real one. So the folder is removed, unless mlfs itself is in it.
    mine = Path(__file__).resolve().parents[1]
    if not sys.flags.safe_path and Path(sys.path[0]).resolve() != mine:
        del sys.path[0]

    try:
        from .cli import main
    except KeyboardInterrupt:  # Ctrl-C before anything has begun
        sys.exit(130)
    main(prog_name="mlfs")
