"""Judge mutants in copies of the checkout: a mutant is killed by a test that passes without it."""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from covering import MEASURED, measure
from forked import NO_TESTS, SOME_FAILED, Fork, run_pytest

if TYPE_CHECKING:
    from mutants import Mutant  # needs cosmic-ray, which is not needed to judge

PAUSE = 0.02  # seconds between two looks at the forks
FAILED = "failed.txt"  # in a copy: what failed first
MEASURING = 900.0  # seconds of the clock that the tests of a file may take without a mutant
_TIMES = itertools.count(1)
_SOUND: set[tuple[str, ...]] = set()  # tests that pass in this order without a mutant

Record = dict[str, Any]
Steps = Generator[Fork, int | str, Record]  # forks that run in turn, and what they found


def each(
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


def unmutated(copy: Path, file: str) -> Steps:
    """Measure which lines the tests of a file run, and how long they take.

    Of a file that takes too long, such as one that waits for ever in a fork, no test is met.
    """
    code = yield Fork(copy, partial(measure, copy, file), clock=MEASURING)
    if code == "timed out":
        return {"file": file, "tests": [], "seconds": [], "lines": {}, "failed": [file]}
    if code not in (0, SOME_FAILED, NO_TESTS):
        log = (copy / "log.txt").read_text(errors="replace")
        raise SystemExit(f"{log}\nthese tests cannot be run without a mutant: {file}")
    return json.loads((copy / MEASURED).read_text())


def mutated(copy: Path, job: tuple[Mutant, list[dict[str, float]]]) -> Steps:
    """Judge a mutant by groups of tests; a test that fails in its place by itself is left out."""
    mutant, groups = job
    target = copy / mutant.module
    source = target.read_text(encoding="utf-8")
    changed = mutant.code(source)
    record = {"key": mutant.key, "module": mutant.module, "outcome": "survived", "by": ""}
    try:
        for group in groups:
            left = dict(group)
            while left:
                _put(target, changed)
                code = yield _tests(copy, left)
                if code in (0, NO_TESTS):
                    break
                first = _first_failure(copy)
                ran = _up_to(left, first)
                if tuple(ran) not in _SOUND:
                    _put(target, source)
                    if (yield _tests(copy, ran)) not in (0, NO_TESTS):
                        left = _without(left, _first_failure(copy))
                        continue
                    _SOUND.add(tuple(ran))
                outcome = "timed out" if code == "timed out" else "killed"
                return {**record, "outcome": outcome, "by": first}
    finally:
        _put(target, source)
    return record


def _put(target: Path, source: str) -> None:
    """Write a module, with a time that no other version of it has.

    Python takes bytecode for that of a file of the same length and time in whole seconds.
    """
    target.write_text(source, encoding="utf-8")
    os.utime(target, (next(_TIMES),) * 2)


def _tests(copy: Path, tests: dict[str, float]) -> Fork:
    """Run tests, given with the seconds that each took, in their order."""
    (copy / FAILED).unlink(missing_ok=True)
    seconds = 20 + 5 * sum(tests.values())
    work = partial(run_pytest, copy, files_of(tests), _Chosen(list(tests), copy / FAILED))
    return Fork(copy, work, processor=seconds, clock=60 + 10 * seconds)


def _first_failure(copy: Path) -> str:
    """Return the test that failed, or the file that cannot be imported; "" if nothing says it."""
    return (copy / FAILED).read_text() if (copy / FAILED).exists() else ""


def _up_to(tests: dict[str, float], last: str) -> dict[str, float]:
    """Return the tests that had run when one failed: all of them, if it was not one of them."""
    names = list(tests)
    end = names.index(last) + 1 if last in tests else len(names)
    return {name: tests[name] for name in names[:end]}


def _without(tests: dict[str, float], failed: str) -> dict[str, float]:
    """Leave out a test, or a file of tests, or all of them if it is not known which one failed."""
    return {
        name: seconds
        for name, seconds in tests.items()
        if failed and failed not in (name, name.split("::")[0])
    }


def files_of(tests: Iterable[str]) -> list[str]:
    """Return the files of tests."""
    return list(dict.fromkeys(test.split("::")[0] for test in tests))


class _Chosen:
    """A plugin of pytest: runs some tests alone, in a given order, and notes what fails first."""

    def __init__(self, tests: list[str], failed: Path) -> None:
        self.place = {test: i for i, test in enumerate(tests)}
        self.failed = failed

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        mine = [item for item in items if item.nodeid in self.place]
        items[:] = sorted(mine, key=lambda item: self.place[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed and not self.failed.exists():
            self.failed.write_text(report.nodeid)
