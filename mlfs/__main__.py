"""Run the command line with ``python -m mlfs``."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # python -m looks for modules in the current folder first: a file yaml.py there would be taken
    # for the real one. Only the folder that mlfs itself comes from must stay.
    mine = Path(__file__).resolve().parents[1]
    if not sys.flags.safe_path and Path(sys.path[0]).resolve() != mine:
        del sys.path[0]

    from .cli import main

    main(prog_name="mlfs")
