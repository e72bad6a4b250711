"""Run a fixed sample of mutants against the tests that run their lines: `make mutants`.

The work is done on copies of the checkout. Every outcome is kept in .mutants/session.jsonl, so an
interrupted run goes on where it was; a mutant is run again when its module or its tests change. At
its end a run writes the outcomes to outcomes.jsonl, from which another checkout goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import tempfile
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
    known = _known({mutant.key: suites[mutant.module][0] for mutant in chosen})
    mine = [mutant for mutant in chosen if room_of(mutant.module) in args.rooms][: args.first]
    todo = [mutant for mutant in mine if not _is_sure(known.get(mutant.key), args.seconds)]
    wanted = {(mutant.module, file) for mutant in todo for file in suites[mutant.module][0]}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [_copy(Path(folder) / str(i)) for i in range(args.jobs if todo else 0)]
        covering = Covering(copies[0] if todo else ROOT, SESSION.parent / "covering")
        warm_up()
        for file in each(copies, unmutated, covering.missing(wanted)):
            print(f"{_taken(file)} without mutants: {file['file']}", flush=True)
            for test in file["failed"]:
                print(f"         left out, as it fails without a mutant: {test}", flush=True)
            covering.add(file)
        jobs = [
            (mutant, _met(covering, mutant, suites[mutant.module], args.seconds)) for mutant in todo
        ]
        for done, record in enumerate(each(copies, mutated, jobs), 1):
            record["seconds"] = args.seconds
            known[record["key"]] = _keep(record, suites[record["module"]][0])
            print(
                f"{done:3d}/{len(todo)} {_taken(record)}  {record['outcome']:9} "
                f"{record['key']} {record['module']} {record['by']}",
                flush=True,
            )
    _write_outcomes(known)
    write_summary(ROOT, chosen, known)


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
    paths = [ROOT / file for file in (record["module"], *judges)]
    if not all(path.exists() for path in paths):
        return "gone"
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _known(suites: dict[str, list[str]]) -> dict[str, Record]:
    """What earlier runs found of mutants, and still holds; `suites` has the tests of each."""
    files = [file for file in (OUTCOMES, SESSION) if file.exists()]
    records = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    mine = [record for record in records if record["key"] in suites]
    held = [one for one in mine if one["state"] == _state(one, suites[one["key"]])]
    return {record["key"]: record for record in held}


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
