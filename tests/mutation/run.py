"""Run a fixed sample of mutants against the tests that run their lines: `make mutants`.

The work is done on copies of the checkout. Every outcome is kept in .mutants/session.jsonl, so an
interrupted run goes on where it was; a mutant is run again when its module or its tests change. At
its end a run writes the outcomes to outcomes.jsonl, from which another checkout goes on.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from covering import MEASURED, Covering, measure
from forked import NO_TESTS, Fork, run_pytest, warm_up
from mutants import Mutant, sample
from rule import INNER, OUTER, room_of, tests_of
from summary import write_summary

ROOT = Path(__file__).resolve().parents[2]
SESSION = ROOT / ".mutants" / "session.jsonl"
OUTCOMES = Path(__file__).with_name("outcomes.jsonl")  # of the last run, for other checkouts
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "site")
SAMPLE = 300
MEMORY = 8 * 2**30  # bytes of address space: a mutant may ask for a matrix of any size
PAUSE = 0.02  # seconds between two looks at the forks
_TIMES = itertools.count(1)

Record = dict[str, Any]
Suite = tuple[list[str], str | None]  # as tests_of gives it
Steps = Generator[Fork, int | str, Record]  # forks that run in turn, and what they found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--first", type=int, default=2 * SAMPLE, help="run only the first of the sample"
    )
    parser.add_argument(
        "--rooms", nargs="+", default=[*INNER, *OUTER], help="run only the mutants of these rooms"
    )
    parser.add_argument("--jobs", type=int, default=2, help="tests that run at the same time")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="processor time of the tests that each meets"
    )
    parser.add_argument("--nice", type=int, default=19, help="how much others come first")
    args = parser.parse_args()
    os.nice(args.nice)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    chosen = sample(ROOT, SAMPLE)
    suites = {mutant.module: tests_of(ROOT, mutant.module) for mutant in chosen}
    known = _known({mutant.key: suites[mutant.module][0] for mutant in chosen})
    mine = [mutant for mutant in chosen if room_of(mutant.module) in args.rooms][: args.first]
    todo = [mutant for mutant in mine if not _is_sure(known.get(mutant.key), args.seconds)]
    wanted = {(mutant.module, file) for mutant in todo for file in suites[mutant.module][0]}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [_copy(Path(folder) / str(i)) for i in range(args.jobs if todo else 0)]
        covering = Covering(copies[0] if todo else ROOT, SESSION.parent / "covering")
        warm_up()
        for file in _each(copies, _unmutated, covering.missing(wanted)):
            print(f"{_taken(file)} without mutants: {file['file']}", flush=True)
            covering.add(file)
        jobs = [
            (mutant, _met(covering, mutant, suites[mutant.module], args.seconds)) for mutant in todo
        ]
        for done, record in enumerate(_each(copies, _mutated, jobs), 1):
            record["seconds"] = args.seconds
            known[record["key"]] = _keep(record, suites[record["module"]][0])
            print(
                f"{done:3d}/{len(todo)} {_taken(record)}  {record['outcome']:9} "
                f"{record['key']} {record['module']} {record['by']}",
                flush=True,
            )
    _write_outcomes(known)
    write_summary(ROOT, chosen, known)


def _taken(record: Record) -> str:
    return f"{record['taken']:6.1f} s"


def _is_sure(record: Record | None, seconds: float) -> bool:
    """Say whether an outcome is known: a survivor may yet die in tests that take longer."""
    return record is not None and (
        record["outcome"] != "survived" or (record.get("seconds") or 0.0) >= seconds
    )


def _met(
    covering: Covering, mutant: Mutant, suite: Suite, seconds: float
) -> list[dict[str, float]]:
    """The tests that a mutant meets, in groups."""
    files, word = suite
    found = []
    for group in covering.groups(mutant.module, mutant.line, files, seconds):
        kept = {test: s for test, s in group.items() if word is None or word in test}
        found += [kept] if kept else []  # without a file, pytest would run all tests
    return found


def _state(record: Record, files: list[str]) -> str:
    """Changes when the module or what judged it does: the test that killed it, or all tests."""
    judges = _files([record["by"]]) if record["by"] else files
    paths = [ROOT / file for file in (record["module"], *judges)]
    if not all(path.exists() for path in paths):
        return "gone"
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _known(suites: dict[str, list[str]]) -> dict[str, Record]:
    """What earlier runs found of mutants, and still holds; `suites` has the tests of each."""
    files = [file for file in (OUTCOMES, SESSION) if file.exists()]
    records = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    mine = [record for record in records if record["key"] in suites]
    held = [one for one in mine if one["state"] == _state(one, suites[one["key"]])]
    return {record["key"]: record for record in held}


def _write_outcomes(known: dict[str, Record]) -> None:
    """Write what is known of mutants beside the summary, where a fresh checkout finds it."""
    fields = ("key", "module", "outcome", "by", "seconds", "state")
    some = [{name: one.get(name) for name in fields} for _, one in sorted(known.items())]
    OUTCOMES.write_text("".join(json.dumps(one) + "\n" for one in some), encoding="utf-8")


def _keep(record: Record, files: list[str]) -> Record:
    record["state"] = _state(record, files)
    SESSION.parent.mkdir(exist_ok=True)
    with SESSION.open("a") as file:
        file.write(json.dumps(record) + "\n")
    return record


def _copy(folder: Path) -> Path:
    shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
    return folder


def _each(
    copies: list[Path], work: Callable[[Path, Any], Steps], items: Iterable[Any]
) -> Iterator[Record]:
    """Work on the items, as many at a time as there are copies; one thread does it, as it forks."""
    waiting, running = list(items)[::-1], dict[Path, tuple[Steps, Fork, float]]()
    try:
        while waiting or running:
            for copy in copies:
                if copy not in running and waiting:
                    steps = work(copy, waiting.pop())
                    running[copy] = steps, next(steps), time.monotonic()
            time.sleep(PAUSE)
            for copy, (steps, fork, start) in list(running.items()):
                if (outcome := fork.ended()) is not None:
                    del running[copy]
                    try:
                        running[copy] = steps, steps.send(outcome), start
                    except StopIteration as end:
                        yield {**end.value, "taken": time.monotonic() - start}
    finally:  # nothing is left unless the run is interrupted
        for steps, fork, _ in running.values():
            fork.end()
            steps.close()


def _unmutated(copy: Path, file: str) -> Steps:
    """Which lines the tests of a file run, and how long they take."""
    code = yield Fork(copy, partial(measure, copy, file))
    if code not in (0, NO_TESTS):
        log = (copy / "log.txt").read_text(errors="replace")
        raise SystemExit(f"{log}\nthese tests fail without a mutant, mend them first: {file}")
    return json.loads((copy / MEASURED).read_text())


def _mutated(copy: Path, job: tuple[Mutant, list[dict[str, float]]]) -> Steps:
    """Whether the tests of its module notice a mutant."""
    mutant, groups = job
    target = copy / mutant.module
    source = target.read_text(encoding="utf-8")
    outcome, by = "survived", ""
    try:
        _put(target, mutant.code(source))
        for group in groups:
            seconds = 20 + 5 * sum(group.values())
            work = partial(run_pytest, copy, _files(group), _Chosen(list(group)))
            code = yield Fork(copy, work, processor=seconds, clock=60 + 10 * seconds)
            if code not in (0, NO_TESTS):
                outcome = "timed out" if code == "timed out" else "killed"
                by = _first_failure(copy)
                break
    finally:
        _put(target, source)
    return {"key": mutant.key, "module": mutant.module, "outcome": outcome, "by": by}


def _put(target: Path, source: str) -> None:
    """Write a module, with a time that no other version of it has.

    Python takes bytecode for that of a file of the same length and time in whole seconds.
    """
    target.write_text(source, encoding="utf-8")
    os.utime(target, (next(_TIMES),) * 2)


def _files(tests: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(test.split("::")[0] for test in tests))


def _first_failure(copy: Path) -> str:
    """The test that noticed a mutant, as pytest's summary names it."""
    lines = (copy / "log.txt").read_text(errors="replace").splitlines()
    found = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return found[0].split(" ")[1] if found else ""


class _Chosen:
    """A plugin of pytest: runs some tests alone, in a given order."""

    def __init__(self, tests: list[str]) -> None:
        self.place = {test: i for i, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        mine = [item for item in items if item.nodeid in self.place]
        items[:] = sorted(mine, key=lambda item: self.place[item.nodeid])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("interrupted: the next run goes on from here") from None
