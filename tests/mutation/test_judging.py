"""A mutant is killed by a test that passes without it, at the same place among the same tests."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = "def double(x):\n    return 2 * x\n"
TESTS = """\
import os
import sys
import time

from mlfs.thing import double


def test_leaves_something_behind():
    sys.left_behind = True


def test_finds_what_was_left_behind():
    assert not hasattr(sys, "left_behind")


def test_of_the_value():
    assert double(3) == 6


def test_of_the_machine():
    assert "TOO_SLOW" not in os.environ
    time.sleep(float(os.environ.get("WAIT", 0)))


def test_of_another_value():
    assert double(0) == 0
"""
DRIVER = """\
import json, os, sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, sys.argv[1])
import hypothesis, pytest  # once, before the forks
import judging
from judging import each, mutated, unmutated

judging.MEASURING = float(os.environ.get("MEASURING", judging.MEASURING))
copy, (change, jobs) = Path.cwd(), json.loads(sys.argv[2])
mutant = SimpleNamespace(key="0", module="mlfs/thing.py", code=lambda text: text.replace(*change))
if change:
    groups = [[dict.fromkeys(group, 0.1) for group in job] for job in jobs]
    found = list(each([copy], mutated, [(mutant, job) for job in groups]))
else:
    found = list(each([copy], unmutated, jobs))
print(json.dumps([found, (copy / "mlfs/thing.py").read_text()]))
"""
FILE = "tests/test_thing.py"
LEAVES, FINDS, VALUE, MACHINE, OTHER = (
    f"{FILE}::test_{name}"
    for name in (
        *("leaves_something_behind", "finds_what_was_left_behind", "of_the_value"),
        *("of_the_machine", "of_another_value"),
    )
)


@pytest.fixture
def judge(tmp_path, monkeypatch):
    """Run jobs of the tool in a copy of a checkout with one module, in a process of their own."""
    pytest.importorskip("coverage")
    for path, text in (("mlfs/thing.py", SOURCE), (FILE, TESTS), ("mlfs/__init__.py", "")):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.delenv("TOO_SLOW", raising=False)

    def run(*jobs, change=None):
        done = subprocess.run(
            [sys.executable, "-c", DRIVER, str(Path(__file__).parent), json.dumps([change, jobs])],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        records, source = json.loads(done.stdout)
        assert source == SOURCE  # the copy is as it was
        return records

    return run


def outcomes(records):
    return [(record["outcome"], record["by"]) for record in records]


def test_a_test_that_fails_by_itself_kills_nothing_and_the_next_ones_may(judge):
    found = judge(
        [[LEAVES, FINDS, OTHER]],
        [[LEAVES, FINDS, OTHER], [VALUE]],
        [[LEAVES, FINDS, VALUE, OTHER]],
        [[FINDS, LEAVES, VALUE]],  # here nothing was left behind
        change=["2 * x", "3 * x"],
    )
    assert outcomes(found) == [("survived", ""), *[("killed", VALUE)] * 3]


def test_a_module_that_cannot_be_imported_is_killed_by_the_file_that_imports_it(judge):
    assert outcomes(judge([[OTHER]], change=["2 * x", "2 *"])) == [("killed", FILE)]


def test_tests_that_fail_without_a_mutant_are_not_measured(judge, monkeypatch):
    monkeypatch.setenv("TOO_SLOW", "1")
    [found] = judge(FILE)
    assert found["failed"] == [FINDS, MACHINE]
    assert found["tests"] == [LEAVES, VALUE, OTHER] and len(found["seconds"]) == 3
    assert found["lines"]["mlfs/thing.py"]["2"] == [1, 2]


def test_a_file_that_waits_for_ever_is_left_out_of_the_measuring(judge, monkeypatch):
    monkeypatch.setenv("WAIT", "600")
    monkeypatch.setenv("MEASURING", "2")
    [found] = judge(FILE)
    assert found["failed"] == [FILE]
    assert found["tests"] == [] and found["lines"] == {}
