"""Keep one JSON file per cell, written aside and renamed: nothing is ever half there."""

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
_BEFORE, _AFTER = '{"cell": ', ', "status": '  # of the cell's text in its file
_OURS = {"experiment.yaml", "cells", "figures", CLAIMS}  # what a results folder holds


class Damaged(Exception):
    """A stored cell is there and cannot be used; the message says why."""


class Records:
    """Stored cells that are read by key.

    Parameters
    ----------
    folder : Path
        The folder or file that they are from.
    contents : dict
        The content of each, by key.
    """

    def __init__(self, folder: Path, contents: dict[str, bytes]):
        self.folder = folder
        self._contents = contents

    def read(self, planned: Planned) -> Record | None:
        """Return the stored record of a cell; None where there is none.

        Raises
        ------
        Damaged
            What is stored is cut off, no record, or another cell's.
        """
        content = self._content(planned.key)
        return None if content is None else record_of(planned.key, content, self.folder)

    def get(self, planned: Planned) -> Record | None:
        """As `read`, where a cell that cannot be used counts as none."""
        try:
            return self.read(planned)
        except Damaged:
            return None

    def damage(self, planned: Planned) -> str:
        """Return what is wrong with a stored cell; empty where nothing is."""
        try:
            self.read(planned)
        except Damaged as error:
            return str(error)
        return ""

    def _content(self, key: str) -> bytes | None:
        return self._contents.get(key)


class Store(Records):
    """The results of one experiment, in a folder of its own.

    Parameters
    ----------
    folder : path
        ``results/<experiment>``: ``experiment.yaml`` and ``cells/<key>.json``.
    """

    def __init__(self, folder: str | Path):
        super().__init__(Path(folder), {})

    def open(self, experiment: Experiment) -> None:
        """Make the folder this experiment's, or refuse when that would hide another's results."""
        about = self.folder / "experiment.yaml"
        try:
            earlier = self._earlier()
            if earlier == experiment and (self.folder / "cells").is_dir():
                return  # nothing is written: the disk may be read-only
            self._refuse_to_hide(earlier, experiment)
        except Damaged:  # it is lost; the cells tell by themselves what they are
            if self.folder.exists() and any(map(_foreign, self.folder.iterdir())):
                raise UserError(
                    f"{self.folder} is not a results folder of mlfs and not empty: "
                    "give another --results folder"
                ) from None
        text = yaml.safe_dump(description(experiment), sort_keys=False, allow_unicode=True)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write(about, text)
            (self.folder / "cells").mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def _refuse_to_hide(self, earlier: Experiment, experiment: Experiment) -> None:
        """Refuse a config that would hide finished cells; it may only add to them."""
        # under today's code and on today's files: cells of earlier ones are stale, nothing to keep
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
                f"{self.folder} holds {hidden} finished cells that this config does not have (it "
                f"differs in {', '.join(changed)}): give another --results folder, change the "
                "config's name, or delete the folder"
            )

    def experiment(self) -> Experiment:
        """Return the experiment that these results belong to, as it was last run."""
        try:
            return self._earlier()
        except Damaged as error:
            raise UserError(
                f"{error}: run its config once more, which keeps all cells, or name a folder that "
                "'mlfs run' wrote"
            ) from error

    def _earlier(self) -> Experiment:
        about = self.folder / "experiment.yaml"
        try:
            return restored(yaml.safe_load(about.read_text(encoding="utf-8")), str(about))
        except UserError as error:
            raise Damaged(str(error)) from error
        except (OSError, ValueError, yaml.YAMLError) as error:
            raise Damaged(f"{self.folder} holds no readable experiment.yaml") from error

    @property
    def figures(self) -> Path:
        """Where `mlfs plot` puts its figures."""
        return self.folder / "figures"

    def states(self) -> dict[str, State]:
        """How every stored cell stands, by key."""
        return Snapshot(self.folder / "cells", judge).states

    def state(self, planned: Planned) -> State | None:
        """How one cell stands now; None where it is not stored."""
        content = self._content(planned.key)
        return None if content is None else judge(planned.key, content)

    def stamp(self, key: str) -> Stamp | None:
        """Return what changes whenever a cell is stored; None where it is not."""
        try:
            about = (self.folder / "cells" / f"{key}.json").stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return about.st_mtime_ns, about.st_size

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Key and content of every stored cell, in no order."""
        return Snapshot(self.folder / "cells", judge).contents()

    def records(self) -> Records:
        """All stored cells at once, for those who look at many."""
        return Records(self.folder, dict(self.contents()))

    def _content(self, key: str) -> bytes | None:
        try:
            return (self.folder / "cells" / f"{key}.json").read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return b""  # counts as damaged

    def write(self, planned: Planned, record: Record) -> None:
        """Store what a cell gave, whether it succeeded or failed."""
        cell, made = planned.cell.text, json.dumps(record.model_dump(), allow_nan=True)
        self.put(planned.key, f"{_BEFORE}{cell}, {made[1:]}\n")

    def put(self, key: str, content: str) -> None:
        """Store what the file of a cell holds."""
        self._write(self.folder / "cells" / f"{key}.json", content)

    def _write(self, path: Path, text: str) -> None:
        try:
            with aside(path) as stream:
                stream.write(text.encode())
        except OSError as error:
            raise unwritable(self.folder, error) from error


def _foreign(path: Path) -> bool:
    """Whether this lies in no results folder, not even while another run writes there."""
    return path.name not in _OURS and not path.name.startswith(PART)


def description(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment as plain data: its config, and what is known of foreign methods."""
    known = {name: asdict(kept) for name, kept in experiment.scope.records().items()}
    return {"experiment": experiment.model_dump(mode="json"), "methods": known}


def restored(content: Any, source: str) -> Experiment:
    """Return the experiment that `description` told of; ValueError where it is no description."""
    try:
        known = {name: Recorded(**one) for name, one in content.get("methods", {}).items()}
        given = content["experiment"]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("not an experiment") from error
    return config.parse(given, source=source, scope=Scope(recorded=known))


def record_of(key: str, content: bytes, where: Path) -> Record:
    """Return the record in the stored content of a cell, or Damaged."""
    try:
        text = content.decode()
        found = json.loads(text)
        if not isinstance(found, dict) or "cell" not in found:
            raise Damaged(f"{_place(key, where)} is no cell of mlfs")
        if not _is_of(key, text, found.pop("cell")):
            raise Damaged(f"{_place(key, where)} holds another cell")
        return Record.model_validate(found)
    except ValidationError as error:
        raise Damaged(f"{_place(key, where)} is no cell of mlfs") from error
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{_place(key, where)} is cut off or unreadable") from error


def _is_of(key: str, text: str, cell: Any) -> bool:
    """Whether a text, and the cell in it, belong to a key.

    As `Store.write` puts it, the text that the key is a digest of stands in front, which is seen
    sooner than by writing that text again.
    """
    end = text.find(_AFTER)
    written = text.startswith(_BEFORE) and sha256(text[len(_BEFORE) : end].encode()).hexdigest()
    return written == key or key_of(cell) == key


def _place(key: str, where: Path) -> str:
    return f"{where / 'cells' / key}.json" if where.is_dir() else f"cell {key} of {where}"


def judge(key: str, content: bytes) -> State:
    """How a stored cell stands."""
    try:
        record = record_of(key, content, Path())
    except Damaged:
        return State("damaged")
    metrics = frozenset[str]().union(*record.rows)
    return State(record.status, metrics, sum(record.seconds.values()), record.memory)


def finished(planned: Planned, state: State | None, metrics: Iterable[str] = ()) -> bool:
    """Whether a stored cell ended well and has all these metrics."""
    if state is None or state.status != "done":
        return False
    return planned.series.cell.stage == "tune" or state.metrics.issuperset(metrics)


def unwritable(folder: Path, error: OSError) -> UserError:
    """Return a sentence for a folder that cannot be written to."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError(
            f"the disk of {folder} is full: free some space and run again; finished cells are kept"
        )
    return UserError(f"cannot write to {folder} ({error.strerror}): give another --results folder")
