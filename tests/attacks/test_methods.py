"""Methods that end, raise, start or return what they should not: a cell fails, the run goes on."""

import pytest

from ..helpers import wait_until
from .common import run, sleepers
from .misbehaving import BADLY, WELL


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """One run of nearly all of them, each between cells of methods that behave."""
    before = set(sleepers())
    folder = tmp_path_factory.mktemp("methods")
    found = run(folder, ["Good", "fsnm", *WELL, *BADLY, "Behaves"], "--workers", 2)
    wait_until(lambda: set(sleepers()) <= before, "what methods have started ends with the run")
    return found


def test_the_run_ends_with_its_own_words(ran):
    assert ran.code == 1, ran.said
    assert f"{len(WELL) + 3} done, {len(BADLY)} failed" in ran.out, ran.said
    assert "NOISE" not in ran.out + ran.said and "Traceback" not in ran.out + ran.said
    assert ran.said.count("failed: ") == len(BADLY)


@pytest.mark.parametrize("name", WELL)
def test_a_number_is_that_of_a_method_that_behaves(ran, name):
    assert ran.rows(name) == ran.rows("Good") == ran.rows("Behaves"), ran.errors(name)


WORDS = {
    "ExitsWell": "its process died (exit code 0); its code has ended it",
    "ExitsInC": "its process died (exit code 0); its code has ended it",
    "ExitsBadly": "its process died (exit code 9); out of memory?",
    "Segfaults": "its process died (exit code -11); out of memory?",
    "SysExits": "it called sys.exit(0)",
    "TextExits": "E: its text cannot be shown",
    "TextInterrupts": "E: its text cannot be shown",
    "ExitsUnspeakably": "it called sys.exit",
    "ComplexScores": "ValueError: scores_ of ComplexScores has the type complex128: compute real",
    "NanScores": "ValueError: all scores of NanScores are nan or infinite",
    "InfiniteScores": "ValueError: all scores of InfiniteScores are nan or infinite",
    "OneNan": "ValueError: some scores of OneNan are nan or infinite",
    "TooFewScores": "ValueError: TooFewScores has scores of shape (59,) for 60 features",
    "ComplexRanks": "ValueError: ComplexRanks has scores of type complex128: return real numbers",
    "NanRanks": "ValueError: all scores of NanRanks are nan or infinite: return a number",
    "ShortRanks": "ValueError: ShortRanks has scores of shape (59,) for 60 features",
    "RepeatedRanks": "ValueError: RepeatedRanks returned integers that are no order",
}


@pytest.mark.parametrize("name", BADLY)
def test_the_cell_fails_and_says_why(ran, name):
    [record] = ran.records[name]
    assert record["status"] == "failed" and not record["rows"]
    assert record["error"].startswith(WORDS.get(name, "")) and record["error"]
