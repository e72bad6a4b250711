"""Store one JSON file for each cell; files are renamed when complete, so none is ever partial."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from .. import config, papers
from ..errors import UserError
from ..methods.registry import KINDS, Recorded, Scope
from ..protocols import Experiment, OwnProtocol, Record
from ..protocols.plan import Planned, plan, with_tuners
from ..system.atomic import PART, atomic_write, make_folder
from ..yaml_lines import parse_yaml
from .cell_file import Damaged, State, content_of, record_of, stored_state
from .index import Snapshot, Stamp, content_at, keys_in, stamp_of, strangers_in

LEASES = ".claims"  # the folder of leases; runs of earlier versions know it by this name
_OURS = {"experiment.yaml", "cells", "figures", LEASES}  # the content of a results folder


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

    Attributes
    ----------
    sync : bool
        Whether a cell is on the disk when `write` returns; otherwise a power cut may lose it. A run
        decides it.
    """

    def __init__(self, folder: str | Path):
        super().__init__(Path(folder), {})
        self.sync = False

    def open(
        self,
        experiment: Experiment,
        cells: Iterable[Planned] | None = None,
        states: Mapping[str, State] | None = None,
    ) -> None:
        """Prepare the folder for an experiment; refuse if this would hide other results.

        Parameters
        ----------
        experiment : Experiment
            The experiment.
        cells : iterable of Planned, optional
            All its cells, if they are planned already.
        states : mapping, optional
            What `states` returns, if it was called already.
        """
        about = self.folder / "experiment.yaml"
        try:
            earlier = self._earlier()
            if earlier == experiment and (self.folder / "cells").is_dir():
                return  # write nothing, because the disk may be read-only
            states = self.states() if states is None else states
            finished = {key for key, state in states.items() if state.status == "done"}
            cells = plan(experiment) if cells is None else cells
            finished.difference_update(cell.key for cell in with_tuners(cells))
            if finished:
                self._refuse_to_hide(finished, earlier, experiment)
        except Damaged:  # experiment.yaml can be replaced: each cell file says what it is
            if self.folder.exists() and any(map(_foreign, self.folder.iterdir())):
                raise UserError(
                    f"{self.folder} is neither empty nor a results folder of mlfs: "
                    "choose another --results folder"
                ) from None
        text = yaml.safe_dump(description(experiment), sort_keys=False, allow_unicode=True)
        try:
            make_folder(self.folder, self.sync)
            self._write(about, text.encode())
            make_folder(self.folder / "cells", self.sync)
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def _refuse_to_hide(
        self, finished: set[str], earlier: Experiment, experiment: Experiment
    ) -> None:
        """Refuse a config without some finished cells of the earlier one; it may only add cells."""
        # with the present code and files: cells of earlier code or files are stale anyway
        scope = Scope(recorded={**earlier.scope.records(), **experiment.scope.records()})
        earlier = earlier.under(scope).with_data_of(experiment)
        hidden = sum(cell.key in finished for cell in plan(earlier))
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
            [(content, _)] = parse_yaml(about.read_text(encoding="utf-8"), str(about))
            return restored(content, str(about))
        except UserError as error:
            raise Damaged(str(error)) from error
        except (OSError, ValueError) as error:
            raise Damaged(f"{self.folder} has no readable experiment.yaml") from error

    @property
    def figures(self) -> Path:
        """The folder for the figures of `mlfs plot`."""
        return self.folder / "figures"

    def states(self, known: Iterable[str] = ()) -> dict[str, State]:
        """Return the state of every stored cell, by key.

        To save memory, the keys are those of `known` that are equal, such as the keys of a plan.
        """
        return self._snapshot(known).states

    def state(self, planned: Planned) -> State | None:
        """Return the present state of one cell; None if it is not stored."""
        content = self._content(planned.key)
        return None if content is None else stored_state(planned.key, content)

    def digest(self) -> str:
        """Return an empty text: the cells of a folder may change."""
        return ""

    def keys(self) -> list[str]:
        """Return the keys of all stored cells."""
        with self._readable():
            return list(keys_in(self.folder / "cells"))

    def stamp(self, key: str) -> Stamp | None:
        """Return a stamp that changes whenever the cell is stored; None if it is not stored."""
        try:
            return stamp_of((self.folder / "cells" / f"{key}.json").stat())
        except (FileNotFoundError, NotADirectoryError):
            return None

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the key and content of every stored cell, in any order."""
        return self._snapshot().contents()

    def strangers(self) -> list[Path]:
        """Return the files among the cells that are not cells; they are not read."""
        with self._readable():
            return [self.folder / "cells" / name for name in strangers_in(self.folder / "cells")]

    def _snapshot(self, known: Iterable[str] = ()) -> Snapshot:
        with self._readable():
            return Snapshot(self.folder / "cells", known)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Turn the error of a folder that may not be read into a sentence."""
        try:
            yield
        except PermissionError as error:
            raise unreadable(self.folder, error) from error

    def records(self) -> Records:
        """Read all stored cells at once, which is faster if many are needed."""
        return Records(self.folder, dict(self.contents()))

    def _content(self, key: str) -> bytes | None:
        return content_at(str(self.folder / "cells" / f"{key}.json"))

    def write(self, planned: Planned, record: Record) -> None:
        """Store the record of a cell, whether it succeeded or failed."""
        self.put(planned.key, content_of(planned, record))

    def put(self, key: str, content: bytes) -> None:
        """Store the content of a cell's file."""
        self._write(self.folder / "cells" / f"{key}.json", content)

    def _write(self, path: Path, content: bytes) -> None:
        try:
            with atomic_write(path, self.sync) as stream:
                stream.write(content)
        except OSError as error:
            raise unwritable(self.folder, error) from error


def _foreign(path: Path) -> bool:
    """Tell whether a file does not belong into a results folder, even while a run writes there."""
    return path.name not in _OURS and not path.name.startswith(PART)


def description(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment as plain data: its config, what is recorded of foreign methods, digest.

    The digest is that of the rest, and `restored` checks it.
    """
    records = {name: _without_blanks(kept) for name, kept in experiment.scope.records().items()}
    content: dict[str, Any] = {"experiment": experiment.model_dump(mode="json"), "methods": records}
    folder = papers.own_folder(experiment.paper)
    if folder is not None:  # so that every command finds the user's own paper again
        content["paper"] = str(folder)
    return {**content, "digest": _digest(content)}


def _without_blanks(kept: Recorded) -> dict[str, Any]:
    return {key: value for key, value in asdict(kept).items() if value is not None}


def restored(content: Any, source: str) -> Experiment:
    """Return the experiment that `description` described; raise ValueError for other content."""
    try:
        given, foreign = content["experiment"], content["methods"]
        parts = {"experiment": given, "methods": foreign}
        parts |= {"paper": content["paper"]} if "paper" in content else {}
        if content["digest"] != _digest(parts):
            raise ValueError("its digest does not match")
        records = {name: _recorded(**one) for name, one in foreign.items()}
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("not an experiment") from error
    if "paper" in parts:
        folder = Path(parts["paper"])
        if not folder.is_dir():
            raise UserError(f"{source}: the folder of its paper, {folder}, is not there any more")
        papers.add(folder)
    return config.parse(given, source=source, scope=Scope(recorded=records, checked=True))


def _recorded(
    version: str,
    tuned: list[str],
    larger_is_better: bool | None = None,
    protocol: dict[str, Any] | None = None,
) -> Recorded:
    if not isinstance(version, str) or not all(isinstance(name, str) for name in tuned):
        raise TypeError("not what a run records about a method")
    if larger_is_better is not None and not isinstance(larger_is_better, bool):
        raise TypeError("larger_is_better is a truth value")
    return Recorded(version, tuned, larger_is_better, protocol and _facts(**protocol))


def _facts(kinds: list[str], scores: dict[str, bool], axis: str | None, keys: list[str]) -> Any:
    """Return what is recorded of a protocol; raise a TypeError for anything else."""
    texts = [*kinds, *scores, *keys, axis or ""]
    if not all(isinstance(text, str) for text in texts) or not set(kinds) <= set(KINDS):
        raise TypeError("not what a run records about a protocol")
    if not all(isinstance(better, bool) for better in scores.values()):
        raise TypeError("whether larger is better is a truth value")
    if not all(key.isidentifier() and not key.startswith(("_", "model_")) for key in keys):
        raise TypeError("not the keys of a protocol")
    if set(keys) & set(dir(OwnProtocol)):
        raise TypeError("keys that every experiment has")
    return {"kinds": kinds, "scores": scores, "axis": axis, "keys": keys}


def _digest(content: dict[str, Any]) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def unwritable(folder: Path, error: OSError, option: str = "--results") -> UserError:
    """Return the error about a folder that cannot be written to, and that an option has named."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError(
            f"the disk of {folder} is full: free some space and run again; finished cells are kept"
        )
    return UserError(f"cannot write to {folder} ({error.strerror}): choose another {option} folder")


def unreadable(place: Path, error: OSError) -> UserError:
    """Return the error about a file or folder that cannot be read."""
    return UserError(f"cannot read {place} ({error.strerror}): ask for the permission to read it")


def ignored(path: Path) -> str:
    """Return the sentence about a file among the cells that is not a cell."""
    return f"{path} is ignored: the name of a cell's file is its key, so delete or rename it"
