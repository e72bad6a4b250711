"""Leases of cells: none that cannot be read, or is older or newer than possible, blocks a run."""

import json
import os

import pytest

from mlfs.results import leases
from mlfs.results.leases import Leases

OWNER = "0123456789abcdef" * 2
HERE = leases._machine()
MINE = {"machine": HERE, "process": os.getpid(), "began": 0.0}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / ".claims").mkdir()
    return tmp_path / ".claims"


def age(path, run, seconds):
    """Make a file older than a run's own by some seconds, or newer."""
    now = (path.parent / f"run-{run.owner}").stat().st_mtime - seconds
    os.utime(path, (now, now))


@pytest.mark.parametrize("seconds", [40, -40, -1e9])
@pytest.mark.parametrize(
    "content", [b"", b"\0" * 32, b"\xff\xfe", b"../../x", b"x" * 10**6, OWNER.encode() + b"\n"]
)
def test_a_claim_that_cannot_be_read_lapses(folder, content, seconds):
    (folder / "a").write_bytes(content)
    with Leases(folder) as run:
        age(folder / "a", run, 1)
        assert not run.take("a"), "its run may just be writing it"
        age(folder / "a", run, seconds)
        assert run.take("a")
        with Leases(folder) as other:
            assert not other.take("a")
            run.release("a")
            assert other.take("a")
    assert not folder.exists()


@pytest.mark.parametrize("seconds", [40, -40, -1e9])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0\0\0",
        b"\xff",
        b"[]",
        b"null",
        b"[" * 100_000,
        b"1" * 5000,
        b"{}",
        json.dumps({"machine": HERE}).encode(),
        json.dumps(MINE | {"process": "me"}).encode(),
        json.dumps(MINE | {"process": -1}).encode(),
        json.dumps(MINE | {"process": 10**30}).encode(),
        json.dumps(MINE | {"began": []}).encode(),
        json.dumps(MINE | {"machine": "elsewhere"}).encode(),
    ],
    ids=range(14),
)
def test_the_claims_of_a_run_whose_file_cannot_be_read_lapse(folder, content, seconds):
    (folder / "a").write_text(OWNER)
    (folder / f"run-{OWNER}").write_bytes(content)
    with Leases(folder) as run:
        age(folder / f"run-{OWNER}", run, 1)
        early = run.take("a")  # perhaps its run is just writing it, unless no process is like that
        assert not early or b"process" in content
        age(folder / f"run-{OWNER}", run, seconds)
        assert early or run.take("a")
    assert not folder.exists()


def test_a_run_that_is_alive_keeps_its_claim_until_its_time_is_impossible(folder):
    with Leases(folder) as one, Leases(folder) as other:
        assert one.take("a")
        for seconds, taken in [(20, False), (-20, False), (-40, True)]:
            age(folder / f"run-{one.owner}", other, seconds)
            assert other.take("a") == taken


@pytest.mark.parametrize("chain", [["", ""], ["", "", ""], [OWNER, OWNER]])
def test_leases_that_name_each_other_end(folder, chain):
    """Runs that died before they could write, one after the other."""
    name = "a"
    for i, owner in enumerate(chain):
        (folder / name).write_text(owner)
        os.utime(folder / name, (0, 0))
        name = f"a.{owner or 'nobody'}" + (f".{i + 1}" if i else "")
    with Leases(folder) as run, Leases(folder) as other:
        assert run.take("a") and not other.take("a")
        run.release("a")
        assert other.take("a")
    assert not folder.exists()


def test_a_folder_in_place_of_a_claim_lapses(folder):
    (folder / "a").mkdir()
    os.utime(folder / "a", (0, 0))
    with Leases(folder) as run:
        assert run.take("a")
        run.release("a")
        assert run.take("a")


def test_a_run_whose_own_file_is_removed_does_not_take_the_leases_of_others(folder):
    with Leases(folder) as one, Leases(folder) as other:
        assert one.take("a")
        (folder / f"run-{other.owner}").unlink()
        assert not other.take("a")
