"""Show in a table how long runs will take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from ...engine.costs import Costs, Estimate, estimate, learn
from ...engine.runner import Work
from ..tables.texts import columns, duration


def as_text(work: list[Work], workers: int, configs: Sequence[Path]) -> str:
    """Return a table with a line for every experiment, and their sum; and what to type next."""
    states, costs = [item.store.states() for item in work], Costs()
    for item, state in zip(work, states):
        costs.add(learn(item.every or item.cells, state))  # what one has taken tells of the others
    estimates = [estimate(item.cells, one, costs) for item, one in zip(work, states)]
    rows = [[item.experiment.name, *_entries(one, workers)] for item, one in zip(work, estimates)]
    if len(estimates) > 1:
        rows.append(["all", *_entries(_sum(estimates), workers)])
    head = ["experiment", "cells", "done", "processor time left", f"time on {workers}"]
    head += ["memory of a cell", "off"]
    following = f"mlfs run {' '.join(str(config) for config in configs)}"
    if all(one.done == one.cells for one in estimates):
        following = f"mlfs table {work[0].store.folder}"
    return f"{columns([head, *rows])}\n\nNext: {following}"


def _entries(one: Estimate, workers: int) -> list[str]:
    off = "-" if math.isnan(one.off) else f"{one.off:.2f}"
    memory = f"{one.memory / 1e9:.1f} GB" if one.memory >= 5e7 else f"{one.memory / 1e6:.0f} MB"
    if one.done == one.cells:
        return [str(one.cells), str(one.done), "-", "-", "-", off]
    left, wall = one.seconds, 3600 * one.hours(workers)
    return [str(one.cells), str(one.done), duration(left), duration(wall), memory, off]


def _sum(estimates: list[Estimate]) -> Estimate:
    return Estimate(
        cells=sum(one.cells for one in estimates),
        done=sum(one.done for one in estimates),
        seconds=sum(one.seconds for one in estimates),
        dearest=max(one.dearest for one in estimates),
        memory=max(one.memory for one in estimates),
        off=math.nan,
    )
