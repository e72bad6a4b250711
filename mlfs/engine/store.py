"""Store one JSON file for each cell; files are renamed when complete, so none is ever partial."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from .. import config
from ..errors import UserError
from ..protocols import Experiment, Record
from ..protocols.cell import key_of
from ..registry import Recorded, Scope
from .index import Snapshot, Stamp, State
from .lines import PART, aside
from .plan import Planned, plan

CLAIMS = ".claims"
_BEFORE, _AFTER = '{"cell": ', ', "status": '  # what surrounds the cell's text in its file
_OURS = {"experiment.yaml", "cells", "figures", CLAIMS}  # the content of a results folder


class Damaged(Exception):
    """Report that a stored cell exists but cannot be used; the message says why."""


class Records:
    """Read the records of stored cells.

    Parameters
    ----------
    folder : Path
        The folder or packed file of the cells.
    contents : dict
        The stored content of each cell, by key.
    """

    def __init__(self, folder: Path, contents: dict[str, bytes]):
        self.folder = folder
        self._contents = contents

    def read(self, planned: Planned) -> Record | None:
        """Return the stored record of a cell; None if it is not stored.

        Raises
        ------
        Damaged
            If the stored content is cut off, is not a record, or belongs to another cell.
        """
        content = self._content(planned.key)
        return None if content is None else record_of(planned.key, content, self.folder)

    def get(self, planned: Planned) -> Record | None:
        """Return the stored record of a cell; None if it is not stored or cannot be used."""
        try:
            return self.read(planned)
        except Damaged:
            return None

    def damage(self, planned: Planned) -> str:
        """Return what is wrong with a stored cell; an empty text if nothing is wrong."""
        try:
            self.read(planned)
        except Damaged as error:
            return str(error)
        return ""

    def _content(self, key: str) -> bytes | None:
        return self._contents.get(key)


class Store(Records):
    """Read and write the results of one experiment, in one folder.

    Parameters
    ----------
    folder : path
        The folder ``results/<experiment>``, with ``experiment.yaml`` and ``cells/<key>.json``.
    """

    def __init__(self, folder: str | Path):
        super().__init__(Path(folder), {})

    def open(self, experiment: Experiment) -> None:
        """Prepare the folder for an experiment; refuse if this would hide other results."""
        about = self.folder / "experiment.yaml"
        try:
            earlier = self._earlier()
            if earlier == experiment and (self.folder / "cells").is_dir():
                return  # write nothing, because the disk may be read-only
            self._refuse_to_hide(earlier, experiment)
        except Damaged:  # experiment.yaml can be replaced: each cell file says what it is
            if self.folder.exists() and any(map(_foreign, self.folder.iterdir())):
                raise UserError(
                    f"{self.folder} is neither empty nor a results folder of mlfs: "
                    "choose another --results folder"
                ) from None
        text = yaml.safe_dump(description(experiment), sort_keys=False, allow_unicode=True)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write(about, text)
            (self.folder / "cells").mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def _refuse_to_hide(self, earlier: Experiment, experiment: Experiment) -> None:
        """Refuse a config that would hide finished cells; it may only add cells."""
        # with the present code and files: cells of earlier code or files are stale anyway
        scope = Scope(recorded={**earlier.scope.records(), **experiment.scope.records()})
        earlier = earlier.under(scope).with_data_of(experiment)
        ours, states = {planned.key for planned in plan(experiment)}, self.states()
        hidden = sum(
            planned.key not in ours and finished(planned, states.get(planned.key))
            for planned in plan(earlier)
        )
        if hidden:
            names = type(earlier).model_fields
            changed = [
                name for name in names if getattr(earlier, name) != getattr(experiment, name, None)
            ]
            raise UserError(
                f"{self.folder} has {hidden} finished cells that this config does not have (it "
                f"differs in {', '.join(changed)}): choose another --results folder, change the "
                "config's name, or delete the folder"
            )

    def experiment(self) -> Experiment:
        """Return the experiment that these results belong to, as it was last run."""
        try:
            return self._earlier()
        except Damaged as error:
            raise UserError(
                f"{error}: run its config again, which keeps all cells, or name a folder that "
                "'mlfs run' wrote"
            ) from error

    def _earlier(self) -> Experiment:
        about = self.folder / "experiment.yaml"
        try:
            return restored(yaml.safe_load(about.read_text(encoding="utf-8")), str(about))
        except UserError as error:
            raise Damaged(str(error)) from error
        except (OSError, ValueError, yaml.YAMLError) as error:
            raise Damaged(f"{self.folder} has no readable experiment.yaml") from error

    @property
    def figures(self) -> Path:
        """The folder for the figures of `mlfs plot`."""
        return self.folder / "figures"

    def states(self) -> dict[str, State]:
        """Return the state of every stored cell, by key."""
        return Snapshot(self.folder / "cells", judge).states

    def state(self, planned: Planned) -> State | None:
        """Return the present state of one cell; None if it is not stored."""
        content = self._content(planned.key)
        return None if content is None else judge(planned.key, content)

    def stamp(self, key: str) -> Stamp | None:
        """Return a stamp that changes whenever the cell is stored; None if it is not stored."""
        try:
            about = (self.folder / "cells" / f"{key}.json").stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return about.st_mtime_ns, about.st_size

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the key and content of every stored cell, in any order."""
        return Snapshot(self.folder / "cells", judge).contents()

    def records(self) -> Records:
        """Read all stored cells at once, which is faster if many are needed."""
        return Records(self.folder, dict(self.contents()))

    def _content(self, key: str) -> bytes | None:
        try:
            return (self.folder / "cells" / f"{key}.json").read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return b""  # empty content counts as damaged

    def write(self, planned: Planned, record: Record) -> None:
        """Store the record of a cell, whether it succeeded or failed."""
        cell, made = planned.cell.text, json.dumps(record.model_dump(), allow_nan=True)
        self.put(planned.key, f"{_BEFORE}{cell}, {made[1:]}\n")

    def put(self, key: str, content: str) -> None:
        """Store the content of a cell's file."""
        self._write(self.folder / "cells" / f"{key}.json", content)

    def _write(self, path: Path, text: str) -> None:
        try:
            with aside(path) as stream:
                stream.write(text.encode())
        except OSError as error:
            raise unwritable(self.folder, error) from error


def _foreign(path: Path) -> bool:
    """Tell whether a file does not belong into a results folder, even while a run writes there."""
    return path.name not in _OURS and not path.name.startswith(PART)


def description(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment as plain data: its config, and what is recorded of foreign methods."""
    known = {name: asdict(kept) for name, kept in experiment.scope.records().items()}
    return {"experiment": experiment.model_dump(mode="json"), "methods": known}


def restored(content: Any, source: str) -> Experiment:
    """Return the experiment that `description` described; raise ValueError for other content."""
    try:
        known = {name: Recorded(**one) for name, one in content.get("methods", {}).items()}
        given = content["experiment"]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("not an experiment") from error
    return config.parse(given, source=source, scope=Scope(recorded=known))


def record_of(key: str, content: bytes, where: Path) -> Record:
    """Return the record in the stored content of a cell; raise Damaged if it cannot be used."""
    try:
        text = content.decode()
        found = json.loads(text)
        if not isinstance(found, dict) or "cell" not in found:
            raise Damaged(f"{_place(key, where)} is not a cell of mlfs")
        if not _is_of(key, text, found.pop("cell")):
            raise Damaged(f"{_place(key, where)} contains another cell")
        return Record.model_validate(found)
    except ValidationError as error:
        raise Damaged(f"{_place(key, where)} is not a cell of mlfs") from error
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{_place(key, where)} is cut off or unreadable") from error


def _is_of(key: str, text: str, cell: Any) -> bool:
    """Tell whether the text of a cell file, and the cell in it, belong to a key.

    The key is the checksum of the cell's text. `Store.write` puts this text first in the file, so
    usually its checksum can be computed at once. Otherwise the text is made again from `cell`.
    """
    end = text.find(_AFTER)
    written = text.startswith(_BEFORE) and sha256(text[len(_BEFORE) : end].encode()).hexdigest()
    return written == key or key_of(cell) == key


def _place(key: str, where: Path) -> str:
    return f"{where / 'cells' / key}.json" if where.is_dir() else f"cell {key} of {where}"


def judge(key: str, content: bytes) -> State:
    """Return the state of a stored cell."""
    try:
        record = record_of(key, content, Path())
    except Damaged:
        return State("damaged")
    metrics = frozenset[str]().union(*record.rows)
    return State(record.status, metrics, sum(record.seconds.values()), record.memory)


def finished(planned: Planned, state: State | None, metrics: Iterable[str] = ()) -> bool:
    """Tell whether a stored cell succeeded and has all these metrics."""
    if state is None or state.status != "done":
        return False
    return planned.series.cell.stage == "tune" or state.metrics.issuperset(metrics)


def unwritable(folder: Path, error: OSError) -> UserError:
    """Return the error about a folder that cannot be written to."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError(
            f"the disk of {folder} is full: free some space and run again; finished cells are kept"
        )
    return UserError(
        f"cannot write to {folder} ({error.strerror}): choose another --results folder"
    )
