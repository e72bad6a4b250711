"""Run a fixed sample of mutants, each against the tests of its module, and sum up: `make mutants`.

The work is done on copies of the checkout. Every outcome is kept in .mutants/session.jsonl, so an
interrupted run goes on where it was; a mutant is run again when its module or its tests change.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import py_compile
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from queue import Queue
from typing import Any
from xml.etree import ElementTree

from mutants import Mutant, sample
from rule import INNER, OUTER, room_of, tests_of
from summary import write_summary

ROOT = Path(__file__).resolve().parents[2]
SESSION = ROOT / ".mutants" / "session.jsonl"
COPIED = ("mlfs", "tests", "configs", "results/reference", "pyproject.toml")
SAMPLE = 300
MEMORY = 8 * 2**30  # bytes of address space: a mutant may ask for a matrix of any size
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Record = dict[str, Any]
Suite = tuple[list[str], str | None]  # as tests_of gives it
RUNNING: set[subprocess.Popen[bytes]] = set()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--first", type=int, default=2 * SAMPLE, help="run only the first of the sample"
    )
    parser.add_argument(
        "--rooms", nargs="+", default=[*INNER, *OUTER], help="run only the mutants of these rooms"
    )
    parser.add_argument("--jobs", type=int, default=2, help="tests that run at the same time")
    args = parser.parse_args()
    os.nice(19)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    chosen = sample(ROOT, SAMPLE)
    suites = {mutant.module: tests_of(ROOT, mutant.module) for mutant in chosen}
    states = {_name(suite): _state(suite[0]) for suite in suites.values()}
    states |= {mutant.key: _state([mutant.module, *suites[mutant.module][0]]) for mutant in chosen}
    known = _known(states)
    mine = [mutant for mutant in chosen if room_of(mutant.module) in args.rooms][: args.first]
    todo = [mutant for mutant in mine if mutant.key not in known]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: Queue[Path] = Queue()
        for i in range(args.jobs if todo else 0):
            copies.put(_copy(Path(folder) / str(i)))
        wanted = {_name(suite): suite for suite in (suites[mutant.module] for mutant in todo)}
        pending = [suite for name, suite in wanted.items() if name not in known]
        for record in _each(copies, _unmutated, pending):
            known[record["key"]] = _keep(record, states)
            print(f"{record['seconds']:6.1f} s without mutants: {record['key']}", flush=True)
        jobs = [(mutant, known[_name(suites[mutant.module])]) for mutant in todo]
        for done, record in enumerate(_each(copies, _mutated, jobs), 1):
            known[record["key"]] = _keep(record, states)
            print(
                f"{done:3d}/{len(todo)} {record['seconds']:6.1f} s  {record['outcome']:9} "
                f"{record['key']} {record['module']}",
                flush=True,
            )
    write_summary(ROOT, chosen, known)


def _name(suite: Suite) -> str:
    files, word = suite
    return " ".join([*files, *(["-k", word] if word else [])])


def _state(files: list[str]) -> str:
    """Changes when one of the files does."""
    return sha256(b"".join((ROOT / file).read_bytes() for file in files)).hexdigest()


def _known(states: dict[str, str]) -> dict[str, Record]:
    """What earlier runs found of a mutant or of a suite of tests, and still holds."""
    lines = SESSION.read_text().splitlines() if SESSION.exists() else []
    records = [json.loads(line) for line in lines]
    held = [record for record in records if record["state"] == states.get(record["key"])]
    return {record["key"]: record for record in held}


def _keep(record: Record, states: dict[str, str]) -> Record:
    record["state"] = states[record["key"]]
    SESSION.parent.mkdir(exist_ok=True)
    with SESSION.open("a") as file:
        file.write(json.dumps(record) + "\n")
    return record


def _copy(folder: Path) -> Path:
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            (folder / name).parent.mkdir(exist_ok=True)
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder)
    # by the content and not by the time: a mutant may be as long and as old as the original
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(folder / "mlfs", quiet=1, invalidation_mode=checked)
    return folder


def _each(
    copies: Queue[Path], work: Callable[[Path, Any], Record], items: Iterable[Any]
) -> Iterator[Record]:
    """Work on the items, as many at a time as there are copies."""

    def one(item: Any) -> Record:
        copy = copies.get()
        try:
            return work(copy, item)
        finally:
            copies.put(copy)

    pool = ThreadPoolExecutor(max(1, copies.qsize()))
    try:
        for future in as_completed([pool.submit(one, item) for item in items]):
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(RUNNING):  # none are left unless the run is interrupted
            _end(process)
        pool.shutdown()


def _unmutated(copy: Path, suite: Suite) -> Record:
    """How long the tests of a module take, file by file: mutants meet the fast ones first."""
    files, word = suite
    report = copy / "report.xml"
    start = time.monotonic()
    if _pytest(copy, files, word, None, f"--junitxml={report}") != 0:
        raise SystemExit(f"these tests fail without a mutant, mend them first: {_name(suite)}")
    seconds = time.monotonic() - start
    taken: dict[str, float] = defaultdict(float)
    for case in ElementTree.parse(report).iter("testcase"):
        taken[case.get("classname", "").replace(".", "/") + ".py"] += float(case.get("time", 0))
    ordered = sorted((file for file in files if file in taken), key=lambda file: taken[file])
    return {"key": _name(suite), "files": ordered, "word": word, "seconds": seconds}


def _mutated(copy: Path, job: tuple[Mutant, Record]) -> Record:
    """Whether the tests of its module notice a mutant."""
    mutant, suite = job
    target = copy / mutant.module
    source = target.read_text(encoding="utf-8")
    start = time.monotonic()
    try:
        target.write_text(mutant.code(source), encoding="utf-8")
        code = _pytest(copy, suite["files"], suite["word"], 20 + 5 * suite["seconds"])
    finally:
        target.write_text(source, encoding="utf-8")
    outcome = {None: "timed out", 0: "survived"}.get(code, "killed")
    seconds = time.monotonic() - start
    return {"key": mutant.key, "module": mutant.module, "outcome": outcome, "seconds": seconds}


def _pytest(
    copy: Path, files: list[str], word: str | None, timeout: float | None, *options: str
) -> int | None:
    """The exit code of pytest, None when it took too long."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *options]
    command += ["--hypothesis-seed=0", *(["-k", word] if word else []), *files]
    env = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    env |= dict.fromkeys(THREADS, "1")
    quiet = subprocess.DEVNULL
    # a session of its own, so that its children end with it, and so that Ctrl-C kills no mutant
    process = subprocess.Popen(
        command, cwd=copy, env=env, stdout=quiet, stderr=quiet, start_new_session=True
    )
    RUNNING.add(process)
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        _end(process)
        return None
    finally:
        RUNNING.discard(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with all its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("interrupted: the next run goes on from here") from None
