"""The surroundings of a run: closed streams, full disks, cleaners, limits, odd files and names."""

import ctypes
import mmap
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import psutil
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

from mlfs import config
from mlfs.cli import main
from mlfs.datasets.user import user_data
from mlfs.engine import runner
from mlfs.engine.workers import dask_cluster, leftovers
from mlfs.engine.workers.beside import ClusterRun
from mlfs.engine.workers.handed_over import HandedOver, within
from mlfs.engine.workers.watch import OutOfTime, Watch
from mlfs.errors import UserError
from mlfs.results.packing import SUFFIX, Packed, find, pack
from mlfs.system import processes
from mlfs.system.memory import used
from mlfs.system.processes import MARK, alive, left_behind, mark
from mlfs.system.streams import lose

from ..helpers import LONG, environment, python, start_python, wait_until
from .common import records, run, sleepers, write
from .stored import everything, stored

resource = pytest.importorskip("resource") if sys.platform != "win32" else None

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="as Linux does it")
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


def in_shell(folder, after, names=("fsnm",)):
    """Run a config with a shell's redirections; ``mlfs`` stands for the command."""
    write(folder, names)
    command = f'"{sys.executable}" -m mlfs run config.yaml --workers 1 {after}'
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=LONG,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize(
    "after",
    [
        ">&- 2>&- <&-",
        pytest.param(">/dev/full 2>/dev/full", marks=needs_full),
    ],
)
def test_a_log_that_cannot_be_written_does_not_end_the_work(tmp_path, after):
    ran = in_shell(tmp_path, after)
    [[record]] = records(tmp_path).values()
    assert record["status"] == "done" and ran.returncode == 0
    assert "Traceback" not in ran.stderr


@needs_full
def test_a_stream_that_is_full_is_given_up_and_one_that_works_is_kept(tmp_path):
    with Path("/dev/full").open("w") as full:
        full.write("lost")
        lose(full)
        full.write("lost, too")
        full.flush()
    with (tmp_path / "kept").open("w") as good:
        good.write("kept")
        lose(good)
        good.write(", too")
    assert (tmp_path / "kept").read_text() == "kept, too"


class Process:
    """Stands for a worker."""

    pid = os.getpid()

    def __init__(self):
        self.killed = threading.Event()

    def kill(self):
        self.killed.set()


def test_time_in_which_the_job_is_suspended_does_not_count():
    """The clock goes on by an hour between two looks, as after SIGSTOP and SIGCONT."""
    ticks = iter([0.0] + [3600.0 * i for i in range(1, 4)] + [3 * 3600.0] * 10**6)
    suspended, slow = Process(), Process()
    with Watch(clock=lambda: next(ticks)) as watch:
        watch.begin(suspended, 1e15, 100.0)
        assert not suspended.killed.wait(1.0)
        assert watch.end(suspended) is None
    with Watch() as watch:
        watch.begin(slow, 1e15, 0.3)
        assert slow.killed.wait(LONG)
        assert isinstance(watch.end(slow), OutOfTime)


CLEANING = """\
import os
import shutil
import tempfile
from sklearn.base import BaseEstimator


class Cleans(BaseEstimator):
    def fit(self, X, Y):
        self.scores_ = X.std(axis=0)
        for name in os.listdir(tempfile.gettempdir()):
            shutil.rmtree(os.path.join(tempfile.gettempdir(), name))
"""


@needs_linux
def test_a_cleaner_that_removes_temporary_folders_fails_no_cell(tmp_path):
    (tmp_path / "t").mkdir()
    (tmp_path / "mine.py").write_text(CLEANING)
    (tmp_path / "config.yaml").write_text(
        "name: wild\nprotocol: planted\nmetrics: [relevant_found]\nrepeats: 2\n"
        "methods: [mine:Cleans]\n"
    )
    given = environment(TMPDIR=str(tmp_path / "t"))
    ran = python("-m", "mlfs", "run", "config.yaml", "--workers", 1, cwd=tmp_path, env=given)
    assert ran.returncode == 0 and "2 done, 0 failed" in ran.stdout, ran.stderr


_BOUNDS, _ADMIN, _RESOURCE = 24, 21, 24  # numbers in Linux's prctl.h and capability.h


def limit(kind, most):
    """Set a limit of this process before another program takes its place.

    Root has no limit of processes, so root becomes another user, who may still read everything.
    """
    which = getattr(resource, kind)
    resource.setrlimit(which, (most, most))
    if kind == "RLIMIT_NPROC" and os.getuid() == 0:
        for right in (_ADMIN, _RESOURCE):
            ctypes.CDLL(None).prctl(_BOUNDS, right, 0, 0, 0)
        os.setresuid(65534, 0, 0)


@needs_linux
@pytest.mark.parametrize(
    ("kind", "most"), [("RLIMIT_NOFILE", 14), ("RLIMIT_NPROC", 1), ("RLIMIT_NPROC", 5)]
)
def test_too_few_open_files_or_processes_are_one_sentence(kind, most):
    """As ``ulimit -n`` and ``ulimit -u`` set them; of one process OpenBLAS complains, too."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # for the other user
        write(Path(folder), ["fsnm"])
        ran = python(
            *("-m", "mlfs", "run", "config.yaml", "--workers", 1),
            cwd=folder,
            preexec_fn=lambda: limit(kind, most),
        )
        assert not records(Path(folder))
    assert ran.returncode == 3 and "Traceback" not in ran.stderr, ran.stderr
    last = ran.stderr.splitlines()[-1]
    assert last.startswith("mlfs: ") and "allow more processes" in last and "run again" in last
    assert ran.stderr.count("mlfs: ") == 1


SHARED = """\
import mmap, time
kept = mmap.mmap(-1, 200_000_000)
for i in range(0, 200_000_000, 4096):
    kept[i] = 1
print("ready", flush=True)
time.sleep(900)
"""


@needs_linux
def test_shared_memory_counts():
    process = start_python("-c", SHARED, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"ready\n"
        assert used(psutil.Process(process.pid)) > 190e6
    finally:
        process.kill()
        process.wait()


@needs_linux
def test_mapped_files_do_not_count(tmp_path):
    (tmp_path / "large").write_bytes(bytes(100_000_000))
    before = used(psutil.Process())
    with (
        (tmp_path / "large").open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        assert sum(mapped[:: 4096 * 8]) == 0
        assert used(psutil.Process()) - before < 50e6


def dead_mark():
    """The mark of a runner that has ended."""
    code = "from mlfs.system.processes import mark; print(mark())"
    process = start_python("-c", code, stdout=subprocess.PIPE, text=True)
    told, _ = process.communicate(timeout=LONG)
    return told.strip()


@needs_linux
def test_what_killed_runs_leave_behind_is_swept(tmp_path, monkeypatch):
    dead = dead_mark()
    assert left_behind(dead) and not left_behind(mark())
    other = dead.rpartition("-")[0] + "-77"
    assert not left_behind(other), "a container has numbers of its own"
    # as in that container, so that no other run of this machine sweeps what is left here
    monkeypatch.setattr(processes, "_numbering", lambda: "77")
    dead = other
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(leftovers, "_SHARED", tmp_path / "shm")
    gone, living = tmp_path / "pymp-a", tmp_path / "pymp-b"
    for folder, owner in ((gone, dead), (living, mark()), (tmp_path / "pymp-c", None)):
        folder.mkdir()
        if owner:
            (folder / f"mlfs-{owner}").touch()
    (tmp_path / "results/cells").mkdir(parents=True)
    (tmp_path / "shm").mkdir()
    number = dead.partition("-")[0]
    old = [
        tmp_path / "results/cells/.part-1",
        tmp_path / f"shm/sem.loky-{number}-x",
        tmp_path / f"joblib_memmapping_folder_{number}_1_2",
    ]
    new = [tmp_path / "results/cells/.part-2", tmp_path / f"shm/sem.loky-{os.getpid()}-x"]
    new.append(tmp_path / "shm/sem.other")
    for path in (*old, *new):
        path.touch()
        if path.name != ".part-2":
            os.utime(path, (1, 1))
    orphan = start_python("-c", "input()", stdin=subprocess.PIPE, env=environment(**{MARK: dead}))
    mine = start_python("-c", "input()", stdin=subprocess.PIPE, env=environment(**{MARK: mark()}))
    wait_until(lambda: psutil.Process(orphan.pid).environ().get(MARK) == dead, "it has begun")
    leftovers.sweep([tmp_path / "results"])
    orphan.wait(LONG)
    assert alive(mine.pid)
    mine.kill()
    mine.wait()
    assert not gone.exists() and living.exists() and (tmp_path / "pymp-c").exists()
    assert not any(path.exists() for path in old) and all(path.exists() for path in new)


def test_a_run_sweeps_before_its_first_cell(tmp_path, monkeypatch):
    class Swept(Exception):
        pass

    def sweep(folders):
        raise Swept(*folders)

    monkeypatch.setattr(runner, "sweep", sweep)
    work = runner.gather([write(tmp_path, ["fsnm"])], tmp_path / "r")
    with pytest.raises(Swept) as caught:
        next(runner.run(work, runner.Options(workers=1)))
    assert caught.value.args == (tmp_path / "r" / "wild",)


class Hung:
    """A cluster that never answers."""

    status = "running"

    def run(self, *_, **__):
        threading.Event().wait()

    close = run


def test_a_cluster_that_hangs_does_not_block_stopping(monkeypatch):
    monkeypatch.setattr(dask_cluster, "_ANSWER", 0.1)
    run = ClusterRun(None, None, {})
    dask_cluster._leave(Hung(), run, HandedOver(Hung(), run))
    dask_cluster._close(Hung())
    with pytest.raises(TimeoutError):
        within(0.1, time.sleep, 900)
    assert within(LONG, sorted, [2, 1], reverse=True) == [2, 1]


def test_a_folder_of_no_user_is_one_sentence():
    for name in ("MLFS_DATA", "MLFS_MIRROR", "MLFS_CATALOG"):
        given = environment(**{name: "~nouser/x"})
        ran = python("-m", "mlfs", "data", "list", env=given)
        assert ran.returncode == 2 and "Traceback" not in ran.stderr, ran.stderr
        assert f"${name} is ~nouser/x" in ran.stderr


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (f"0x{'f' * 9000}", "a number is too long"),
        ("9" * 5000, "a number is too long"),
        ("1:30", "repeats"),
        ("190:20:30.15", "repeats"),
        (f"0b{'1' * 300}", "a number is too long"),
    ],
)
def test_odd_numbers_of_yaml_are_one_sentence(tmp_path, number, said):
    (tmp_path / "c.yaml").write_text(
        "name: c\nprotocol: planted\nmethods: [all]\nmetrics: [relevant_found]\n"
        f"repeats: {number}\n"
    )
    with pytest.raises(UserError, match=said) as error:
        config.load(tmp_path / "c.yaml")
    assert "line 5" in str(error.value) and len(str(error.value)) < 300


def test_members_of_an_archive_that_are_no_arrays_are_one_sentence(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, X=np.eye(4))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("Y", b"not an array")
    with pytest.raises(UserError, match=r"is damaged and cannot be read: save it again"):
        user_data.read(path, 1)


def test_a_csv_of_many_columns_is_read_in_linear_time(tmp_path):
    """40,000 columns, as genomes have, took 37 seconds."""
    spent = []
    for d in (2_000, 2_000, 20_000):  # the first time, much is imported
        path, rows = tmp_path / f"{d}.csv", [[i % 2, *range(d)] for i in range(4)]
        names = ["y", *(f"gene {i}" for i in range(d))]
        path.write_text("\n".join(",".join(map(str, row)) for row in (names, *rows)))
        began = time.process_time()
        assert user_data.read(path, ["y"]).X.shape == (4, d)
        spent.append(time.process_time() - began)
    # ten times the columns; it was a hundred times the seconds, about nine
    assert spent[2] < 50 * spent[1] + 1


@pytest.mark.slow  # test_methods.py has them among others
def test_methods_that_start_sessions_of_their_own_leave_nothing(tmp_path):
    before = set(sleepers())
    found = run(tmp_path, ["StartsASession", "StartsADaemon", "OwnStartsASession"], "--workers", 1)
    assert found.code == 0, found.said
    wait_until(lambda: set(sleepers()) <= before, "they end with their cells")


@pytest.mark.parametrize("command", ["report", "scorecard", "table", "plot"])
def test_a_subfolder_that_may_not_be_read_is_one_sentence(tmp_path, monkeypatch, command):
    """The page of such a folder had no experiments, and all seemed well."""
    (tmp_path / "r/sub").mkdir(parents=True)
    stat = Path.stat

    def refuse(path, **options):
        if path.parent.name == "sub":
            raise PermissionError(13, "Permission denied")
        return stat(path, **options)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "stat", refuse)
    ran = CliRunner().invoke(main, [command, "r"])
    assert ran.exit_code == 2
    assert ran.stderr.startswith(f"mlfs: cannot read {Path('r/sub')} (Permission denied)")


def test_packed_results_that_may_not_be_written_are_one_sentence(tmp_path):
    """Not even root can write below a file."""
    store, packed = stored(tmp_path)
    place = tmp_path / "file"
    place.write_text("")
    before = everything(tmp_path)
    for command, what in (("pack", store), ("unpack", packed)):
        ran = CliRunner().invoke(main, ["results", command, str(what.folder), "-o", str(place)])
        assert ran.exit_code == 2 and ran.stderr.startswith(f"mlfs: cannot write to {place}")
        assert ran.stderr.endswith("choose another --output folder\n")
    assert everything(tmp_path) == before


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("where", ["folder", "figure"])
def test_figures_that_may_not_be_written_are_one_sentence(tmp_path, monkeypatch, where, count):
    """Root may write everywhere, so the functions that write refuse as a read-only disk does."""
    store, _ = stored(tmp_path)
    shutil.copytree(store.folder, tmp_path / "small2")
    (tmp_path / f"packed{SUFFIX}").unlink()

    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    if where == "folder":
        monkeypatch.setattr(Path, "mkdir", refuse)
    else:
        monkeypatch.setattr(Figure, "savefig", refuse)
    place = tmp_path if count == 2 else store.folder
    ran = CliRunner().invoke(main, ["plot", str(place), "--against", "seconds"])
    assert ran.exit_code == 2 and "Traceback" not in ran.output
    folder = store.figures
    said = f"mlfs: cannot write to {folder} (Read-only file system): choose another folder"
    assert said in ran.stderr


def test_results_that_may_not_be_read_are_one_sentence(tmp_path, monkeypatch):
    """Root may read everything, so the functions that read refuse."""
    store, packed = stored(tmp_path)

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    for where, name, read in [
        (os, "scandir", store.states),
        (os, "scandir", store.keys),
        (os, "scandir", store.strangers),
        (os, "scandir", lambda: pack(store, tmp_path / "p")),
        (Path, "open", Packed(packed.folder).experiment),
        (Path, "iterdir", lambda: find(tmp_path)),
    ]:
        with monkeypatch.context() as patch, pytest.raises(UserError) as caught:
            patch.setattr(where, name, refuse)
            read()
        assert str(caught.value).startswith(f"cannot read {tmp_path}")
    monkeypatch.setattr(os, "scandir", refuse)
    ran = CliRunner().invoke(main, ["results", "check", str(store.folder)])
    assert ran.exit_code == 2 and ran.output.startswith("mlfs: cannot read")
