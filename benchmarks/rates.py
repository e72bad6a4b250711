"""Write what a step of each method takes in the reference results: `python -m benchmarks.rates`.

Estimates of runs without finished cells use these seconds (``mlfs/engine/costs.py``). Run it after
results were added to ``results/reference``.
"""

from __future__ import annotations

import json
from typing import Any

from mlfs.config import shipped
from mlfs.engine import costs
from mlfs.protocols.plan import plan
from mlfs.results.packing import find


def found() -> dict[str, float]:
    """Return the rates, sorted by name and rounded to two digits."""
    cells: list[Any] = []
    states: dict[str, Any] = {}
    for store in find(shipped.reference()):
        cells += plan(store.experiment())
        states |= store.states()
    rates = costs.rates(cells, states)
    return {name: float(f"{rates[name]:.1e}") for name in sorted(rates)}


if __name__ == "__main__":
    costs.RATES.write_text(json.dumps(found(), indent=1) + "\n", encoding="utf-8")
