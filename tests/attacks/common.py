"""What the attacks share: a folder with misbehaving methods, and runs in processes of their own."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil

from ..helpers import LONG, start_python
from .misbehaving import module


@dataclass
class Ran:
    """A run that has ended."""

    code: int
    out: str
    said: str
    records: dict[str, list[dict]]  # by label of the method, in the order of repeats

    def rows(self, name):
        return [record["rows"] for record in self.records[name]]

    def errors(self, name):
        return [record["error"] for record in self.records[name]]


CONFIG = "name: wild\nprotocol: planted\nmetrics: [relevant_found]\nrepeats: {repeats}\n"


def write(folder: Path, names, repeats=1, config=CONFIG) -> Path:
    """Write the module and a config with these methods; ``fsnm`` is mlfs's own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "wild.py").write_text(module())
    methods = ", ".join(name if name.islower() else f"wild:{name}" for name in names)
    (folder / "config.yaml").write_text(config.format(repeats=repeats) + f"methods: [{methods}]\n")
    return folder / "config.yaml"


def start(folder: Path, *options, **more) -> subprocess.Popen:
    """Start ``mlfs run config.yaml`` in a session of its own."""
    usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return start_python(
        *("-m", "mlfs", "run", "config.yaml", *map(str, options)),
        cwd=folder,
        start_new_session=True,
        **usual | more,
    )


def run(folder: Path, names, *options, repeats=1, config=CONFIG, seconds=LONG, **more) -> Ran:
    """Run methods to the end."""
    write(folder, names, repeats, config)
    process = start(folder, *options, **more)
    try:
        out, said = process.communicate(timeout=seconds)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, 9)
    return Ran(process.returncode, out or "", said or "", records(folder))


def records(folder: Path) -> dict[str, list[dict]]:
    """The stored records, by name of the method, in the order of repeats."""
    found: dict[str, dict[int, dict]] = {}
    for path in (folder / "results" / "wild" / "cells").glob("*.json"):
        record = json.loads(path.read_text())
        name = record["cell"]["method"]["name"].rpartition(":")[2]
        found.setdefault(name, {})[record["cell"]["repeat"]] = record
    return {name: [given[repeat] for repeat in sorted(given)] for name, given in found.items()}


def sleepers() -> list[int]:
    """Numbers of the processes ``sleep 904`` that misbehaving methods start."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cmdline() == ["sleep", "904"] and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found
