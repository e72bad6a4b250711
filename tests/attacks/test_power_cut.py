"""Power cuts: what a run calls finished is on the disk, even if the disk drops all unsynced writes.

`power_cut.c` is preloaded into the process that writes. It records the content of a file or folder
whenever that is synced, and nothing else reaches this disk. From the record the tests make the
folder as it would be after a power cut at any moment.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mlfs.protocols.plan import plan
from mlfs.results.checking import check
from mlfs.results.packing import SUFFIX, Packed
from mlfs.results.store import Store

from ..helpers import LONG, start_python
from .stored import experiment

HERE = Path(__file__).parent
CODE = """
import os, stat, sys
from pathlib import Path
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results.packing import SUFFIX, Packed, pack, unpack
from mlfs.results.store import Store
from tests.attacks.stored import experiment

root, log, sync = Path(sys.argv[1]), Path(sys.argv[2]), os.fsync


def finished(what):
    with (root / "finished").open("a") as file:
        print(len(list(log.iterdir())), what, file=file, flush=True)


def store_in(name, cells=3):
    store = Store(root / name / "deep" / "small")
    store.sync = True
    store.open(experiment())
    for i, cell in enumerate(plan(experiment())[:cells]):
        store.write(cell, Record(rows=[{"average_precision": i / 7, "one_error": 0.5}]))
        finished(f"{name} {cell.key}")
    return store


store = store_in("sound")
file = root / "packed" / "here" / f"small{SUFFIX}"
pack(store, file)
finished("packed -")
unpack(Packed(file), root / "unpacked" / "small")
finished("unpacked -")
os.fsync = lambda number: stat.S_ISDIR(os.fstat(number).st_mode) and sync(number)
store_in("no file is synced")
os.fsync = lambda number: stat.S_ISDIR(os.fstat(number).st_mode) or sync(number)
store_in("no folder is synced")
"""


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    """The folder with what was written, the record of what was synced, and what was finished."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs Linux and a C compiler")
    place = tmp_path_factory.mktemp("disk")
    shim, root, log = place / "power_cut.so", place / "root", place / "log"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", shim, HERE / "power_cut.c", "-lpthread"], check=True
    )
    root.mkdir()
    log.mkdir()
    given = {"LD_PRELOAD": str(shim), "CUT_ROOT": str(root), "CUT_LOG": str(log)}
    python = start_python("-c", CODE, root, log, env=os.environ | given, cwd=HERE.parents[1])
    assert python.wait(LONG) == 0
    return root, log


def after_cut(disk, syncs, target, *, names="synced"):
    """Make the folder as it is when the power fails after some of the syncs.

    Names that were never synced are lost, or, where `names` is "all", got to the disk by chance.
    The content of files that were never synced is always lost.
    """
    root, log = disk
    files, folders = dict[int, bytes](), dict[int, list[str]]()
    for path in sorted(log.iterdir())[:syncs]:
        _, kind, inode = path.name.split(".")
        if kind == "file":
            files[int(inode)] = path.read_bytes()
        else:
            folders[int(inode)] = path.read_text().splitlines()

    def entries(folder):
        if names == "all":
            return [f"{path.stat().st_ino} {path.name}" for path in folder.iterdir()]
        return folders.get(folder.stat().st_ino, [])

    def make(live, made):
        made.mkdir(parents=True)
        for entry in entries(live):
            inode, _, name = entry.partition(" ")
            if (live / name).is_dir():
                make(live / name, made / name)
            else:
                (made / name).write_bytes(files.get(int(inode), b""))

    make(root, target)
    return target


def finished(disk):
    """How many syncs there were when something was called finished; what; and the cell's key."""
    for line in (disk[0] / "finished").read_text().splitlines():
        syncs, _, what = line.partition(" ")
        name, _, key = what.rpartition(" ")
        yield int(syncs), name, key


def readable(place, key):
    [cell] = [cell for cell in plan(experiment()) if cell.key == key]
    return Store(place).get(cell) is not None


@pytest.mark.parametrize("names", ["synced", "all"])
def test_a_finished_cell_outlives_a_power_cut(disk, tmp_path, names):
    cells = [(syncs, key) for syncs, name, key in finished(disk) if name == "sound"]
    assert len(cells) == 3
    for i, (syncs, _) in enumerate(cells):
        place = after_cut(disk, syncs, tmp_path / str(i), names=names) / "sound/deep/small"
        assert all(readable(place, key) for _, key in cells[: i + 1])
        assert Store(place).experiment() == experiment()


def test_no_moment_leaves_a_damaged_cell(disk, tmp_path):
    """Neither before nor between the syncs: a name appears only when its content is there."""
    most = max(syncs for syncs, name, _ in finished(disk) if name == "sound")
    for syncs in range(most + 1):
        place = after_cut(disk, syncs, tmp_path / str(syncs)) / "sound/deep/small"
        if (place / "experiment.yaml").is_file():
            assert not check(Store(place)).damage


def test_packed_and_unpacked_results_outlive_a_power_cut(disk, tmp_path):
    ends = {name: syncs for syncs, name, key in finished(disk) if key == "-"}
    place = after_cut(disk, ends["packed"], tmp_path / "p")
    found = check(Packed(place / "packed" / "here" / f"small{SUFFIX}"))
    assert (found.done, found.damage) == (3, [])
    place = after_cut(disk, ends["unpacked"], tmp_path / "u")
    found = check(Store(place / "unpacked" / "small"))
    assert (found.done, found.damage) == (3, [])


@pytest.mark.parametrize("what", ["no file is synced", "no folder is synced"])
def test_without_a_sync_cells_are_lost(disk, tmp_path, what):
    """So the tests above notice if one is left out."""
    cells = [(syncs, key) for syncs, name, key in finished(disk) if name == what]
    assert len(cells) == 3
    place = after_cut(disk, cells[-1][0], tmp_path / "cut") / what / "deep" / "small"
    assert not any(readable(place, key) for _, key in cells)
