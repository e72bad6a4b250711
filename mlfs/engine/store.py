"""Keep one JSON file per cell, written aside and renamed: nothing is ever half there."""

from __future__ import annotations

import errno
import json
import os
import platform
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from .. import config
from ..errors import UserError
from ..protocols import Experiment
from .plan import Cell

# What makes two experiments of one name different ones; all else may be edited and added to
_IDENTITY = ("name", "protocol", "paper", "seed")
_PACKAGES = ("mlfs-bench", "numpy", "scipy", "scikit-learn", "pandas")


class Store:
    """The results of one experiment, in a folder of its own.

    Parameters
    ----------
    folder : path
        ``results/<experiment>``: ``experiment.yaml`` and ``cells/<key>.json``.
    """

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)

    def open(self, experiment: Experiment) -> None:
        """Make the folder this experiment's, or refuse when it is not."""
        about = self.folder / "experiment.yaml"
        if about.exists():
            earlier = self.experiment()
            for name in _IDENTITY:
                ours, theirs = getattr(experiment, name), getattr(earlier, name)
                if ours != theirs:
                    raise UserError(
                        f"{self.folder} holds another experiment ({name}: {theirs}, here {ours}): "
                        "give another --results folder or change the config's name"
                    )
        elif self.folder.exists() and any(self.folder.iterdir()):
            raise UserError(
                f"{self.folder} is not a results folder of mlfs and not empty: "
                "give another --results folder"
            )
        content = {
            "experiment": experiment.model_dump(mode="json"),
            "packages": {name: metadata.version(name) for name in _PACKAGES},
            "python": platform.python_version(),
            "cpu": _cpu(),
            "commit": _commit(),
        }
        try:
            (self.folder / "cells").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        self._write(about, yaml.safe_dump(content, sort_keys=False, allow_unicode=True))

    def experiment(self) -> Experiment:
        """The experiment that these results belong to, as it was last run."""
        about = self.folder / "experiment.yaml"
        try:
            content = yaml.safe_load(about.read_text(encoding="utf-8"))["experiment"]
        except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
            raise UserError(
                f"{self.folder} holds no readable experiment.yaml: name a folder that "
                "'mlfs run' wrote"
            ) from error
        return config.parse(content, source=str(about))

    def read(self, cell: Cell) -> dict[str, Any] | None:
        """The stored record of a cell, or None; a damaged file counts as not there."""
        try:
            record: dict[str, Any] = json.loads(self._path(cell).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return record if record.get("status") in ("done", "failed") else None

    def done(self, cell: Cell) -> bool:
        """Whether the cell has finished well."""
        record = self.read(cell)
        return record is not None and record["status"] == "done"

    def write(self, cell: Cell, record: dict[str, Any]) -> None:
        """Store what a cell gave, whether it succeeded or failed."""
        content = {"label": cell.label, "spec": cell.spec, **record}
        self._write(self._path(cell), json.dumps(content, allow_nan=True) + "\n")

    def _path(self, cell: Cell) -> Path:
        return self.folder / "cells" / f"{cell.key}.json"

    def _write(self, path: Path, text: str) -> None:
        temporary = None
        try:
            with tempfile.NamedTemporaryFile(
                "w", dir=path.parent, prefix=".part-", encoding="utf-8", delete=False
            ) as stream:
                temporary = stream.name
                stream.write(text)
            Path(temporary).replace(path)
        except OSError as error:
            if temporary:
                Path(temporary).unlink(missing_ok=True)
            raise _unwritable(self.folder, error) from error


def find(root: str | Path) -> list[Store]:
    """The results folders at or directly below `root`, by name."""
    root = Path(root)
    folders = [root, *sorted(root.iterdir())] if root.is_dir() else []
    stores = [Store(folder) for folder in folders if (folder / "experiment.yaml").is_file()]
    if not stores:
        raise UserError(f"no results in {root}: run a config first, with 'mlfs run CONFIG'")
    return stores


def _unwritable(folder: Path, error: OSError) -> UserError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError(
            f"the disk of {folder} is full: free some space and run again; finished cells are kept"
        )
    return UserError(f"cannot write to {folder} ({error.strerror}): give another --results folder")


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores"


def _commit() -> str | None:
    """The checkout's commit, read from .git so that no git program is needed."""
    git = Path(__file__).resolve().parents[2] / ".git"
    try:
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref: "):
            return head
        return (git / head.removeprefix("ref: ")).read_text(encoding="utf-8").strip()
    except OSError:
        return None
