"""What the runner adds to a cell: planning, workers, storing, against a bare loop over cells."""

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from mlfs import config
from mlfs.engine.outcome import run_cell
from mlfs.engine.plan import plan

FEW, DEMO, MANY = 10, 70, 210  # as many cells as the demo has in the middle
CONFIG = """\
name: overhead
protocol: learning
datasets: [toy_gaussian]
split: {{kind: holdout, repeats: {repeats}}}
methods: [mlknn]
metrics: [average_precision]
"""


def run_all(repeats: int, folder: Path) -> float:
    """Wall seconds of `mlfs run` with one worker."""
    path = folder / f"{repeats}.yaml"
    path.write_text(CONFIG.format(repeats=repeats))
    command = [sys.executable, "-m", "mlfs", "run", str(path), "--workers", "1"]
    start = perf_counter()
    subprocess.run(
        [*command, "--results", str(folder / f"r{repeats}")], check=True, capture_output=True
    )
    return perf_counter() - start


def main() -> None:
    """Time runs of few and of many cells."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, demo, many = (run_all(repeats, folder) for repeats in (FEW, DEMO, MANY))
        cells = plan(config.load(folder / f"{MANY}.yaml"))
    run_cell(cells[0].cell)  # imports and the data are not the loop's to pay
    start = perf_counter()
    for cell in cells[FEW:]:
        run_cell(cell.cell)
    bare = (perf_counter() - start) / (MANY - FEW)
    through = (many - few) / (MANY - FEW)
    print("runner overhead per cell, wall clock, one worker")
    print(f"  mlfs run        {through * 1e3:8.2f} ms")
    print(f"  bare loop       {bare * 1e3:8.2f} ms")
    print(f"  overhead        {(through - bare) * 1e3:8.2f} ms  (start-up once: {few:.1f} s)")
    print(f"  {DEMO} cells, start to end: {demo:.2f} s")


if __name__ == "__main__":
    main()
