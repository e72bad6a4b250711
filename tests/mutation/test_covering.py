"""A mutant meets the tests that run its line first, and then those that could see it."""

import sys
from pathlib import Path

import pytest

SOURCE = '''"""A module."""

LIMIT = 3


def check(value):
    if (
        value
        > LIMIT
    ):
        return (
            value - 1
        )
    return value
'''
ONE, TWO = "tests/test_one.py", "tests/test_check.py"


@pytest.fixture
def covering(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    import covering

    (tmp_path / "check.py").write_text(SOURCE)
    made = covering.Covering(tmp_path, tmp_path / "kept")
    for file, ran in (
        (ONE, {"1": [-1], "3": [-1], "6": [-1], "7": [0, 2], "11": [2], "14": [0]}),
        (TWO, {"1": [-1], "3": [-1], "7": [1], "8": [1], "14": [1]}),
    ):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(file)
        tests = [f"{file}::{name}" for name in "abc"]
        record = {"file": file, "tests": tests, "seconds": [3.0, 2.0, 1.0]}
        made.add({**record, "lines": {"check.py": ran}})
    yield made
    for name in ("covering", "forked"):
        sys.modules.pop(name, None)


def names(groups):
    return [[test.removeprefix("tests/test_") for test in group] for group in groups]


def test_tests_of_the_line_come_first_and_those_of_the_named_file_before_the_others(covering):
    found = names(covering.groups("check.py", 9, [ONE, TWO], 60.0))  # a part of the condition
    assert found == [
        ["check.py::b"],
        ["one.py::c", "one.py::a"],
        ["check.py::c", "one.py::b", "check.py::a"],
    ]
    found = names(covering.groups("check.py", 12, [ONE, TWO], 60.0))  # a part of the first return
    assert found[0] == ["one.py::c"] and sum(map(len, found)) == 6
    assert found[1] == ["check.py::b", "one.py::a"]


def test_a_line_of_the_import_is_met_by_the_tests_of_its_module(covering):
    found = names(covering.groups("check.py", 3, [ONE, TWO], 60.0))
    assert found[0] == ["one.py::c", "check.py::b", "one.py::a"]


def test_tests_that_take_too_long_together_are_left_out(covering):
    found = names(covering.groups("check.py", 9, [ONE, TWO], 16.0))  # a quarter for the others
    assert found == [["check.py::b"], ["one.py::c", "one.py::a"], ["check.py::c", "one.py::b"]]
    found = names(covering.groups("check.py", 9, [ONE, TWO], 3.5))
    assert found == [["check.py::b"], ["one.py::c"]]
    found = names(covering.groups("check.py", 9, [ONE, TWO], 0.5))  # the fastest is always met
    assert found == [["one.py::c"]]


def test_a_file_is_measured_again_if_it_or_the_module_of_a_mutant_has_changed(covering):
    def missing(module="check.py", files=(ONE, TWO)):
        again = type(covering)(covering.root, covering.folder)
        return again.missing([(module, file) for file in files])

    assert missing() == [] and missing(files=[ONE, "tests/test_new.py"]) == ["tests/test_new.py"]
    (covering.root / ONE).write_text("changed")
    assert missing() == [ONE]
    (covering.root / "check.py").write_text(SOURCE + "\n")
    assert missing() == [TWO, ONE]
    assert missing("other.py") == [ONE]  # no line of it was run
