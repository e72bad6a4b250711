"""Run a fixed sample of mutants against the tests that run their lines: `make mutants`.

The work is done on copies of the checkout. Every outcome is kept in .mutants/session.jsonl, so an
interrupted run goes on where it was. A mutant is run again when its module or its tests change,
first against the test that killed it before. At its end a run writes the outcomes to
outcomes.jsonl, from which another checkout goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path

from covering import Covering
from forked import warm_up
from judging import Record, each, files_of, mutated, unmutated
from mutants import Mutant, sample
from rule import INNER, OUTER, room_of, tests_of
from summary import write_summary

ROOT = Path(__file__).resolve().parents[2]
SESSION = ROOT / ".mutants" / "session.jsonl"
OUTCOMES = Path(__file__).with_name("outcomes.jsonl")  # of the last run, for other checkouts
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "site")
SAMPLE = 300
AGAIN = 5.0  # seconds of the processor for the test that killed a mutant before
MEMORY = 8 * 2**30  # bytes of address space: a mutant may ask for a matrix of any size

Suite = tuple[list[str], str | None]  # as tests_of gives it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--first", type=int, default=2 * SAMPLE, help="run only the first of the sample"
    )
    parser.add_argument(
        "--rooms", nargs="+", default=[*INNER, *OUTER], help="run only the mutants of these rooms"
    )
    parser.add_argument("--jobs", type=int, default=2, help="tests that run at the same time")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="processor time of the tests that each meets"
    )
    parser.add_argument("--nice", type=int, default=19, help="how much others come first")
    args = parser.parse_args()
    os.nice(args.nice)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    chosen = sample(ROOT, SAMPLE)
    suites = {mutant.module: tests_of(ROOT, mutant.module) for mutant in chosen}
    for module, (files, _) in suites.items():
        for file in (module, *files):
            _content(file)
    known = _known({mutant.key: suites[mutant.module][0] for mutant in chosen})
    mine = [mutant for mutant in chosen if room_of(mutant.module) in args.rooms][: args.first]
    todo = [mutant for mutant in mine if not _is_sure(known.get(mutant.key), args.seconds)]
    killers = {one["key"]: one["by"] for one in _records() if one["by"]}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [_copy(Path(folder) / str(i)) for i in range(args.jobs if todo else 0)]
        covering = Covering(copies[0] if todo else ROOT, SESSION.parent / "covering")
        warm_up()
        again = [(one, [{killers[one.key]: AGAIN}]) for one in todo if one.key in killers]
        for record in each(copies, mutated, again):
            if record["outcome"] == "killed":  # most are, and their tests need not be measured
                known[record["key"]] = _told(record, args.seconds, suites)
        todo = [one for one in todo if not _is_sure(known.get(one.key), args.seconds)]
        wanted = {(mutant.module, file) for mutant in todo for file in suites[mutant.module][0]}
        for file in each(copies, unmutated, covering.missing(wanted)):
            print(f"{_taken(file)} without mutants: {file['file']}", flush=True)
            for test in file["failed"]:
                print(f"         left out, as it fails without a mutant: {test}", flush=True)
            covering.add(file)
        jobs = [
            (mutant, _met(covering, mutant, suites[mutant.module], args.seconds)) for mutant in todo
        ]
        for record in each(copies, mutated, jobs):
            known[record["key"]] = _told(record, args.seconds, suites)
    _write_outcomes(known)
    write_summary(ROOT, chosen, known)


def _told(record: Record, seconds: float, suites: dict[str, Suite]) -> Record:
    """Print an outcome and keep it."""
    kept = _keep({**record, "seconds": seconds}, suites[record["module"]][0])
    about = f"{record['outcome']:9} {record['key']} {record['module']} {record['by']}"
    print(f"{_taken(record)}  {about}", flush=True)
    return kept


def _taken(record: Record) -> str:
    return f"{record['taken']:6.1f} s"


def _is_sure(record: Record | None, seconds: float) -> bool:
    """Say whether an outcome is known: a survivor may yet die in tests that take longer."""
    return record is not None and (
        record["outcome"] != "survived" or (record.get("seconds") or 0.0) >= seconds
    )


def _met(
    covering: Covering, mutant: Mutant, suite: Suite, seconds: float
) -> list[dict[str, float]]:
    """The tests that a mutant meets, in groups."""
    files, word = suite
    found = []
    for group in covering.groups(mutant.module, mutant.line, files, seconds):
        kept = {test: s for test, s in group.items() if word is None or word in test}
        found += [kept] if kept else []  # without a file, pytest would run all tests
    return found


def _state(record: Record, files: list[str]) -> str:
    """Changes when the module or what judged it does: the test that killed it, or all tests."""
    judges = files_of([record["by"]]) if record["by"] else files
    contents = [_content(file) for file in (record["module"], *judges)]
    if None in contents:
        return "gone"
    return sha256(b"".join(one for one in contents if one is not None)).hexdigest()


@cache
def _content(file: str) -> bytes | None:
    """Read a file of the checkout, once: it may be edited while copies of it are judged."""
    return (ROOT / file).read_bytes() if (ROOT / file).exists() else None


def _known(suites: dict[str, list[str]]) -> dict[str, Record]:
    """What earlier runs found of mutants, and still holds; `suites` has the tests of each."""
    mine = [record for record in _records() if record["key"] in suites]
    held = [one for one in mine if one["state"] == _state(one, suites[one["key"]])]
    return {record["key"]: record for record in held}


def _records() -> list[Record]:
    """Read all that earlier runs found, the latest last."""
    files = [file for file in (OUTCOMES, SESSION) if file.exists()]
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def _write_outcomes(known: dict[str, Record]) -> None:
    """Write what is known of mutants beside the summary, where a fresh checkout finds it."""
    fields = ("key", "module", "outcome", "by", "seconds", "state")
    some = [{name: one.get(name) for name in fields} for _, one in sorted(known.items())]
    OUTCOMES.write_text("".join(json.dumps(one) + "\n" for one in some), encoding="utf-8")


def _keep(record: Record, files: list[str]) -> Record:
    record["state"] = _state(record, files)
    SESSION.parent.mkdir(exist_ok=True)
    with SESSION.open("a") as file:
        file.write(json.dumps(record) + "\n")
    return record


def _copy(folder: Path) -> Path:
    shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
    return folder


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("interrupted: the next run goes on from here") from None
