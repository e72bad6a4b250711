"""Keep one JSON file per cell, written aside and renamed: nothing is ever half there."""

from __future__ import annotations

import errno
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from .. import config
from ..errors import UserError
from ..protocols import Experiment, Record
from .plan import Planned, plan


class Damaged(Exception):
    """A cell's file is there and cannot be used; the message says why."""


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
        """Make the folder this experiment's, or refuse when that would hide another's results."""
        about = self.folder / "experiment.yaml"
        if about.exists():
            self._refuse_to_hide(experiment)
        elif self.folder.exists() and any(self.folder.iterdir()):
            raise UserError(
                f"{self.folder} is not a results folder of mlfs and not empty: "
                "give another --results folder"
            )
        content = {"experiment": experiment.model_dump(mode="json")}
        try:
            (self.folder / "cells").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        self._write(about, yaml.safe_dump(content, sort_keys=False, allow_unicode=True))

    def _refuse_to_hide(self, experiment: Experiment) -> None:
        """A config may grow in its folder; finished cells that it lacks are another config's."""
        earlier = self.experiment()
        if earlier == experiment:
            return
        ours = {planned.key for planned in plan(experiment)}
        hidden = sum(
            planned.key not in ours and finished(planned, self.get(planned))
            for planned in plan(earlier)
        )
        if hidden:
            names = type(earlier).model_fields
            changed = [
                name for name in names if getattr(earlier, name) != getattr(experiment, name, None)
            ]
            raise UserError(
                f"{self.folder} holds {hidden} finished cells that this config does not have (it "
                f"differs in {', '.join(changed)}): give another --results folder, change the "
                "config's name, or delete the folder"
            )

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

    def read(self, planned: Planned) -> Record | None:
        """The stored record of a cell; None where there is no file.

        Raises
        ------
        Damaged
            The file is cut off, no record, or another cell's.
        """
        path = self._path(planned)
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise Damaged(f"{path} is cut off or unreadable") from error
        if not isinstance(content, dict) or "cell" not in content:
            raise Damaged(f"{path} is no cell of mlfs")
        if content.pop("cell") != planned.cell.to_json():
            raise Damaged(f"{path} holds another cell")
        try:
            return Record.model_validate(content)
        except ValidationError as error:
            raise Damaged(f"{path} is no cell of mlfs") from error

    def get(self, planned: Planned) -> Record | None:
        """As `read`, where a file that cannot be used counts as none."""
        try:
            return self.read(planned)
        except Damaged:
            return None

    def write(self, planned: Planned, record: Record) -> None:
        """Store what a cell gave, whether it succeeded or failed."""
        content: dict[str, Any] = {"cell": planned.cell.to_json(), **record.model_dump()}
        self._write(self._path(planned), json.dumps(content, allow_nan=True) + "\n")

    def _path(self, planned: Planned) -> Path:
        return self.folder / "cells" / f"{planned.key}.json"

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


def finished(planned: Planned, record: Record | None, metrics: Iterable[str] = ()) -> bool:
    """Whether a cell ended well and its record has all these metrics."""
    if record is None or record.status == "failed":
        return False
    return planned.cell.stage == "tune" or record.has(metrics)


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
