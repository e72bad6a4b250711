"""Which tests run which lines: a mutant meets only tests that run its line, or could see it.

Every test file is measured alone, in a fork. It is measured again when it has changed, or a mutated
module of which it ran a line; a change elsewhere seldom alters which lines of that module it runs.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from coverage import Coverage
from forked import run_pytest

MEASURED = "measured.json"
_ALL = ""  # what runs while a file is imported, and in fixtures that tests share
_BESIDE = 0.25  # share of the time for tests that do not run a mutant's line, if others do

Record = dict[str, Any]


class _Watch:
    """A plugin of pytest: tells coverage which test runs, takes its time, and notes what fails."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        start = sum(os.times()[:4])
        self.coverage.switch_context(item.nodeid)
        result = yield
        self.coverage.switch_context(_ALL)
        self.seconds[item.nodeid] = sum(os.times()[:4]) - start
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[Any]:
        if fixturedef.scope == "function":
            return (yield)
        self.coverage.switch_context(_ALL)
        result = yield
        self.coverage.switch_context(request._pyfuncitem.nodeid)
        return result


def measure(copy: Path, file: str) -> int:
    """Run a test file and write into the copy which of its tests ran which lines.

    Tests that fail are not among them: they could not tell a mutant from none.
    """
    coverage = Coverage(data_file=None, config_file=False, include=[f"{copy}/mlfs/*"])
    watch = _Watch(coverage)
    coverage.start()
    code = run_pytest(copy, [file], watch, failures=0)
    coverage.stop()
    data = coverage.get_data()
    took = {test: s for test, s in watch.seconds.items() if test not in watch.failed}
    tests = list(took)
    number = {test: i for i, test in enumerate(tests)}
    lines = {}
    for name in data.measured_files():
        ran = data.contexts_by_lineno(name)
        lines[Path(name).relative_to(copy).as_posix()] = {
            line: sorted(number.get(test, -1) for test in ran[line]) for line in ran
        }
    found = {"file": file, "tests": tests, "seconds": list(took.values()), "lines": lines}
    (copy / MEASURED).write_text(json.dumps({**found, "failed": sorted(watch.failed)}))
    return code


class Covering:
    """What was measured of test files, in a folder with one JSON file for each."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root, folder
        self.known: dict[str, Record] = {}

    def missing(self, wanted: Iterable[tuple[str, str]]) -> list[str]:
        """Return the test files to measure, given pairs of a mutated module and a test file."""
        return sorted({file for module, file in wanted if not self._holds(file, module)})

    def _path(self, file: str) -> Path:
        return self.folder / (file.replace("/", "-") + ".json")

    def _digest(self, file: str) -> str:
        path = self.root / file
        return sha256(path.read_bytes()).hexdigest() if path.exists() else "gone"

    def _holds(self, file: str, module: str) -> bool:
        """Say whether what is known of a test file holds for a module; read it if need be."""
        if file not in self.known and self._path(file).exists():
            self.known[file] = json.loads(self._path(file).read_text())
        digests = self.known.get(file, {}).get("digests", {})
        return digests.get(file) == self._digest(file) and (
            module not in digests or digests[module] == self._digest(module)
        )

    def add(self, record: Record) -> None:
        """Keep what `measure` found."""
        names = (record["file"], *record["lines"])
        record["digests"] = {name: self._digest(name) for name in names}
        self.folder.mkdir(parents=True, exist_ok=True)
        self._path(record["file"]).write_text(json.dumps(record))
        self.known[record["file"]] = record

    def groups(
        self, module: str, line: int, files: list[str], seconds: float
    ) -> list[dict[str, float]]:
        """Return the tests that a mutant meets, with their seconds, in groups that run in turn.

        First come tests that run its line, those of one file before the others; then those that run
        its module, and the others of their files, because a value may be kept from an earlier test
        or made while modules are imported. If no test runs the module in its own process, processes
        that tests start may run it, and all tests are met. Together they may take `seconds` of the
        processor.
        """
        statement = _statement((self.root / module).read_text(encoding="utf-8"), line)
        direct: dict[str, dict[str, float]] = {}
        near: dict[str, float] = {}
        far: dict[str, float] = {}
        every: dict[str, float] = {}
        for file in files:
            record = self.known[file]
            took = dict(zip(record["tests"], record["seconds"]))
            every |= took
            ran = {int(key): tests for key, tests in record["lines"].get(module, {}).items()}
            on_line = {test for at in statement for test in ran.get(at, [])}
            in_module = {test for tests in ran.values() for test in tests}
            names = record["tests"]
            if mine := {names[i]: took[names[i]] for i in on_line if i >= 0}:
                direct[file] = mine
            near |= {names[i]: took[names[i]] for i in in_module - on_line if i >= 0}
            if _ran_in_a_function(self.root / module, ran):
                far |= took
        named = [file for file in direct if Path(module).stem in Path(file).stem]
        first = min(named or direct, key=lambda file: min(direct[file].values()), default=None)
        rest = {test: s for file in direct if file != first for test, s in direct[file].items()}
        groups, seen = [], set[str]()
        for group in (direct.get(first or "", {}), rest, near, far, {} if far else every):
            new = {test: s for test, s in group.items() if test not in seen}
            seen |= new.keys()
            groups.append(new)
        fastest = min((s for group in groups[:2] for s in group.values()), default=0.0)
        on_it, beside = list(_shortest(groups[:2], max(seconds, fastest))), groups[2:]
        return on_it + list(_shortest(beside, _BESIDE * seconds if on_it else seconds))


def _shortest(groups: list[dict[str, float]], left: float) -> Iterator[dict[str, float]]:
    """Sort the tests of groups by their time, and leave out the last ones if all take too long."""
    for group in groups:
        kept = {}
        for test, seconds in sorted(group.items(), key=lambda item: item[1]):
            if seconds > left:
                break
            left -= seconds
            kept[test] = seconds
        if kept:
            yield kept


def _statement(source: str, line: int) -> range:
    """Return the lines of the innermost statement at a line; of a compound one, of its head."""
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body else node.end_lineno or line
            found = range(node.lineno, max(end, node.lineno, line) + 1)
    return found


def _ran_in_a_function(module: Path, ran: dict[int, list[int]]) -> bool:
    """Say whether more of a module ran than what its import runs."""
    inside: set[int] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside |= set(range(node.body[0].lineno, (node.end_lineno or 0) + 1))
    return any(line in inside for line in ran)
