"""Run the long attacks with a seed and a count, and print what was tried and what came of it.

``make attacks`` runs all of them; ``python -m tests.attacks.run --list`` names them. An attack is a
function ``attack_NAME(seed, count)`` in a module of this folder. It tries something `count` times,
the same for the same seed, and returns how often each outcome happened, by name. The outcomes in
`FAULTS` must not happen.
"""

import argparse
import inspect
import signal
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

# numbers that are wrong although their cell is done; cells that were done and are gone; what has
# not ended within its deadline; errors that are not one sentence
FAULTS = ("wrong numbers", "lost cells", "hangs", "tracebacks")
COUNTS = {"kills": 200, "mutations": 2000, "methods": 60, "flips": 1000}

Attack = Callable[[int, int], Mapping[str, int]]


def attacks() -> dict[str, Attack]:
    """All attacks by name."""
    found: dict[str, Attack] = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem in ("run", "__init__"):
            continue
        module = import_module(f"tests.attacks.{path.stem}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("attack_") and function.__module__ == module.__name__:
                found[name.removeprefix("attack_")] = function
    return found


def row(name: str, seed: int, count: int, outcomes: Mapping[str, int], seconds: float) -> str:
    """One line of the table that docs/security.md has."""
    fine = ", ".join(f"{n} {what}" for what, n in sorted(outcomes.items()) if what not in FAULTS)
    faults = ", ".join(f"{outcomes.get(what, 0)} {what}" for what in FAULTS)
    return f"| {name} | {seed} | {count} | {fine} | {faults} | {seconds:.0f} |"


def main(arguments: list[str]) -> int:
    """Run the attacks that are named, or all; return 1 if one found a fault."""
    # a shell lets its background jobs ignore SIGINT, and so would the runs that attacks stop by it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    known = attacks()
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.run", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="attacks (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="another seed tries other things")
    parser.add_argument("--count", type=int, help="how often (default: as often as is promised)")
    parser.add_argument("--list", action="store_true", help="name the attacks and stop")
    options = parser.parse_args(arguments)
    if options.list:
        for name, attack in known.items():
            print(f"{name:12} {(attack.__doc__ or '').splitlines()[0]}")
        return 0
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"no attack {unknown[0]} (known: {', '.join(known)})")
    print("| attack | seed | tried | outcomes | faults | seconds |")
    print("|---|---|---|---|---|---|", flush=True)
    bad = 0
    for name in options.names or known:
        count = options.count or COUNTS.get(name, 200)
        began = time.monotonic()
        outcomes = known[name](options.seed, count)
        print(row(name, options.seed, count, outcomes, time.monotonic() - began), flush=True)
        bad += sum(outcomes.get(what, 0) for what in FAULTS)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
