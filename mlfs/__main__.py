"""Run the command line with ``python -m mlfs``."""

from .cli import main

if __name__ == "__main__":
    main(prog_name="mlfs")
