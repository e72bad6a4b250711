"""A command that takes longer than a second shows how far it is."""

import sys

import pytest

from mlfs import steps_shown
from mlfs.steps_shown import Steps


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    now = [100.0]
    monkeypatch.setattr(steps_shown.time, "monotonic", lambda: now[0])
    return now


def test_a_quick_command_says_nothing(clock, capsys):
    with Steps(3, "reading") as steps:
        for _ in steps.over("abc", "abc"):
            clock[0] += 0.3
    assert capsys.readouterr().err == ""
    assert steps.done == 3


def test_a_slow_one_writes_a_line_into_a_pipe_every_ten_seconds(clock, capsys):
    with Steps(30, "reading") as steps:
        for _ in steps.over(range(30), [f"e{i}" for i in range(30)]):
            clock[0] += 1
    assert capsys.readouterr().err.splitlines() == [
        "reading: 1 of 30 done; now e1",
        "reading: 11 of 30 done; now e11",
        "reading: 21 of 30 done; now e21",
    ]


def test_a_terminal_gets_a_bar_that_goes_away(clock, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Steps(4, "reading") as steps:
        for _ in steps.over("abcd", ["one", "two", "three", "four"]):
            clock[0] += 0.6
    shown = capsys.readouterr().err
    assert "reading" in shown and "2/4" in shown and "three" in shown and "one" not in shown


def test_what_fails_is_raised_and_the_bar_is_closed(clock):
    with pytest.raises(KeyError), Steps(2, "reading") as steps:
        steps.now("one")
        raise KeyError
