"""The long attack by kills: three runs share a folder, and one after another is killed."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from ..helpers import environment
from .common import records, run, start, write

_CONFIG = (
    "name: wild\nprotocol: planted\nmetrics: [relevant_found]\nrepeats: {repeats}\nnoise: 20\n"
)
_CELLS = ["fsnm", "Good", "Behaves", "WritesX"]
_REPEATS = 60
_ENDS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_SLOWEST = "seconds until the slowest stop"
_LAST = 1800.0  # seconds for a run that finishes all
_STOP = 600.0  # seconds in which a run that is asked to stop has ended, however busy the machine is


def attack_kills(seed: int, count: int) -> Counter:
    """Three runs on one folder, one of which is killed and begun again, at random moments."""
    rng, outcomes = random.Random(seed), Counter()
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        clean = run(Path(place) / "clean", _CELLS, repeats=_REPEATS, config=_CONFIG, seconds=_LAST)
        assert clean.code == 0 and not clean.said.count("Traceback"), clean.said
        pause = max(3.0, (time.monotonic() - began) / 20)  # a busy machine takes longer to start
        kills = 0
        while kills < count:  # a new folder whenever all cells are done
            outcomes["folders"] += 1
            folder = Path(place) / f"cut{outcomes['folders']}"
            kills += _disturb(folder, count - kills, pause, rng, outcomes)
            print(f"{kills} of {count} kills", file=sys.stderr, flush=True)
            _compare(clean.records, records(folder), outcomes)
    return outcomes


def _disturb(folder: Path, most: int, pause: float, rng: random.Random, outcomes: Counter) -> int:
    """Kill runs on a new folder until they have finished, and return how many were killed.

    There are `pause` seconds between two kills on average.
    """
    write(folder, _CELLS, _REPEATS, _CONFIG)
    runs = [_begin(folder) for _ in range(3)]
    done, kills = dict[str, str](), 0
    while kills < most and len(done) < len(_CELLS) * _REPEATS:
        time.sleep(rng.expovariate(1 / pause))
        i = rng.randrange(3)
        kills += _end(runs[i], rng.choice(_ENDS), outcomes)
        done = _still(folder, done, outcomes)
        runs[i] = _begin(folder)
    for process in runs:
        kills += _end(process, signal.SIGKILL, outcomes)
    last = _begin(folder)
    try:
        last.wait(_LAST)
    except subprocess.TimeoutExpired:
        _show_hang(last, outcomes)
    said = (folder / "said").read_text()
    early = said.count("init_import_site")  # Python itself had not begun, let alone mlfs
    outcomes["interrupted while Python started"] += early
    outcomes["tracebacks"] += said.count("Traceback (most recent") - early
    if outcomes["hangs"] or outcomes["tracebacks"]:
        print(said)
    _still(folder, done, outcomes)
    return kills


def _begin(folder: Path) -> subprocess.Popen:
    with (folder / "said").open("a") as said:
        return start(
            *(folder, "--workers", 1),
            stdout=subprocess.DEVNULL,
            stderr=said,
            env=environment(PYTHONFAULTHANDLER="1"),
        )


def _end(process: subprocess.Popen, how: signal.Signals, outcomes: Counter) -> bool:
    """Kill a run, or ask it to end; tell whether it was running."""
    if process.poll() is not None:
        return False
    os.kill(process.pid, how)
    outcomes[f"{how.name} sent"] += 1
    began = time.monotonic()
    try:
        process.wait(_STOP)
    except subprocess.TimeoutExpired:
        _show_hang(process, outcomes)
    took = round(time.monotonic() - began)
    outcomes[_SLOWEST] = max(outcomes[_SLOWEST], took)
    return True


def _show_hang(process: subprocess.Popen, outcomes: Counter) -> None:
    """Count a hang, and let Python write where each of its threads is into the folder's log."""
    outcomes["hangs"] += 1
    process.send_signal(signal.SIGABRT)
    process.wait()


def _still(folder: Path, before: dict[str, str], outcomes: Counter) -> dict[str, str]:
    """The scores of cells that are done, by file; all that were done before must still be so."""
    found = {}
    for path in (folder / "results/wild/cells").glob("*.json"):
        record = json.loads(path.read_text())
        if record["status"] == "done":
            found[path.name] = json.dumps(record["rows"])
    for name, rows in before.items():
        outcomes["lost cells"] += name not in found
        outcomes["wrong numbers"] += name in found and found[name] != rows
    return found


def _compare(clean, cut, outcomes: Counter) -> None:
    """Compare what the killed runs have stored with an undisturbed run."""
    for name, given in clean.items():
        mine = {one["cell"]["repeat"]: one for one in cut.get(name, [])}
        for record in given:
            other = mine.get(record["cell"]["repeat"])
            if other is None or other["status"] != "done":
                outcomes["lost cells"] += 1
            elif (other["rows"], other["features"]) != (record["rows"], record["features"]):
                outcomes["wrong numbers"] += 1
            else:
                outcomes["cells as undisturbed"] += 1
