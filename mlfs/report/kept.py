"""Keep what is shown of packed files in the cache, so that it is computed only once.

Content is kept under the digests of the packed files that it follows from, and is used only if mlfs
and the user's catalogue have not changed since: the cells that an experiment has, and the names of
its methods, follow from them. Without the file of the cache, and if it cannot be read or written,
a command only takes longer.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from .. import papers
from ..datasets.places import cache_dir, user_catalogue_file
from ..protocols import Experiment
from ..protocols.experiment.dataset_choice import NOT_HERE
from ..results.read import Results
from ..system.atomic import atomic_write

_PACKAGE = Path(__file__).resolve().parents[1]
_LARGEST = 32 << 20  # bytes of a file; beyond that, only what the last command used is kept
VIEWS = "page.json"  # the file of the cache with views
View = TypeVar("View")


class Kept:
    """What earlier commands computed, as plain data in one file of the cache.

    Parameters
    ----------
    name : str
        The name of the file.
    """

    def __init__(self, name: str) -> None:
        self._file = cache_dir() / name
        self._used: set[str] = set()
        self._new = False

    def get(self, key: str) -> Any:
        """Return what is kept under a key; None if there is nothing."""
        self._used.add(key)
        return self._contents.get(key)

    def put(self, key: str, content: Any) -> None:
        """Keep content, which must be plain data, under a key."""
        self._contents[key] = content
        self._new = True

    def save(self) -> None:
        """Write the file, if there is anything new."""
        if not self._new:
            return
        kept = {"made_by": self._made_by, "contents": self._contents}
        text = json.dumps(kept)
        if len(text) > _LARGEST:
            used = {key: one for key, one in self._contents.items() if key in self._used}
            text = json.dumps(kept | {"contents": used})
        with contextlib.suppress(OSError):  # the disk may be full or read-only
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(self._file) as stream:
                stream.write(text.encode())

    @cached_property
    def _contents(self) -> dict[str, Any]:
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            if kept["made_by"] == self._made_by and isinstance(kept["contents"], dict):
                return dict(kept["contents"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
        return {}

    @cached_property
    def _made_by(self) -> str:
        """A digest of the times and sizes of all files that a content follows from."""
        parts = [os.environ.get("MLFS_PAPERS", ""), _stamp(user_catalogue_file())]
        for folder, _, names in sorted(os.walk(_PACKAGE)):
            if "__pycache__" not in folder:
                parts += [_stamp(Path(folder, name)) for name in sorted(names)]
        return sha256("\n".join(parts).encode()).hexdigest()


class KeptViews:
    """The scorecards and the parts of pages that earlier commands made, which are dataclasses."""

    def __init__(self) -> None:
        self._kept = Kept(VIEWS)
        self._adapters: dict[Any, TypeAdapter[Any]] = {}

    def of(
        self,
        kind: type[View],
        results: Sequence[Results],
        parts: Sequence[Any],
        make: Callable[[], View],
    ) -> View:
        """Return a view of some results, which is made only if no earlier command made it.

        Parameters
        ----------
        kind : type
            The dataclass of the view.
        results : sequence of Results
            What the view shows.
        parts : sequence
            Plain data that the view depends on, too.
        make : callable
            Makes the view.
        """
        digests, experiments = [one.digest for one in results], [one.experiment for one in results]
        key = key_of(digests, experiments, kind.__name__, *parts)
        if not key:
            return make()
        if kind not in self._adapters:  # to make one takes as long as to read a view
            self._adapters[kind] = TypeAdapter(kind)
        adapter: TypeAdapter[View] = self._adapters[kind]
        try:
            return adapter.validate_python(self._kept.get(key))
        except ValidationError:  # there is none, or it is damaged
            made = make()
        self._kept.put(key, adapter.dump_python(made, mode="json"))
        return made

    def save(self) -> None:
        """Keep the views for the next command."""
        self._kept.save()


def key_of(digests: Sequence[str], experiments: Sequence[Experiment], *parts: Any) -> str:
    """Return the key of what follows from packed files and other plain data.

    It is empty if something follows from files that may change: those of a folder, which have no
    digest, and the user's own papers and datasets.
    """
    own_papers = os.environ.get("MLFS_PAPERS") or any(map(papers.own_folder, papers.names()))
    if own_papers or not all(digests):
        return ""
    for experiment in experiments:
        data = [choice.data for choice in experiment.datasets]
        if any(one.own or one.checksum == NOT_HERE for one in data):
            return ""
    return sha256(json.dumps([digests, parts]).encode()).hexdigest()


def _stamp(path: Path) -> str:
    try:
        about = path.stat()
    except OSError:
        return f"{path} none"
    return f"{path} {about.st_mtime_ns} {about.st_size}"
