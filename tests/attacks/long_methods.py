"""The long attack by misbehaving methods: drawn at random, in random order, beside good ones."""

import random
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from .common import run, sleepers
from .misbehaving import BADLY, BODIES, GREEDY, HANGING, RANKS, SCORES, WELL

_AT_ONCE = 15  # methods in one run
_DEADLINE = 900.0  # seconds of one run
_SELECTION = (
    "name: wild\nprotocol: selection\ndatasets: [planted]\nsizes: [5]\n"
    "metrics: [average_precision]\nsplit: {{kind: holdout, repeats: {repeats}}}\n"
)
_PLANTED = "name: wild\nprotocol: planted\nmetrics: [relevant_found]\nrepeats: {repeats}\n"
_OWN = [f"Own{name}" for name in BODIES if name != "RaisesWithoutEnd"]


def attack_methods(seed: int, count: int) -> Counter:
    """Methods that misbehave, each twice, beside methods that behave, in two protocols."""
    rng, outcomes = random.Random(seed), Counter()
    every = [*BODIES, *SCORES, *RANKS, *HANGING, *GREEDY]
    rng.shuffle(every)
    rng.shuffle(_OWN)
    names = [*every, *_OWN][:count]
    with tempfile.TemporaryDirectory() as place:
        clean = {
            config: run(Path(place) / f"clean{i}", ["fsnm", "Good", "Behaves"], config=config)
            for i, config in enumerate((_PLANTED, _SELECTION))
        }
        for i in range(0, len(names), _AT_ONCE):
            config = (_PLANTED, _SELECTION)[i // _AT_ONCE % 2]
            some = names[i : i + _AT_ONCE]
            _try(Path(place) / str(i), some, config, clean[config], rng, outcomes)
    return outcomes


def _try(folder, names, config, clean, rng, outcomes) -> None:
    """Run some of them, twice, and count what came of it."""
    before = set(sleepers())
    mixed = [*names, "fsnm", "Good", "Behaves"]
    rng.shuffle(mixed)
    options = ("--workers", 2, "--timeout", 40, "--memory", "3GB")
    try:
        found = run(folder, mixed, *options, config=config, seconds=_DEADLINE)
    except subprocess.TimeoutExpired:
        outcomes["hangs"] += 1
        return
    outcomes["tracebacks"] += found.said.count("Traceback (most recent")
    outcomes["processes left behind"] += len(set(sleepers()) - before)
    good = clean.rows("Good")
    for name in ("fsnm", "Good", "Behaves"):
        right = name in found.records and found.rows(name) == clean.rows(name)
        if not right and name in found.records and found.errors(name) != [""]:
            outcomes["good ones that failed"] += 1
        elif not right:
            outcomes["wrong numbers"] += 1
    for name in names:
        if name not in found.records:
            outcomes["lost cells"] += 1
        elif found.errors(name) != [""]:
            outcomes["failed with a sentence"] += 1
            outcomes["wrong numbers"] += name in WELL
        elif found.rows(name) != good or name in BADLY:
            outcomes["wrong numbers"] += 1
        else:
            outcomes["done with the right number"] += 1
