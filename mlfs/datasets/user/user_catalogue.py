"""The user's own catalogue: a YAML file with names for their own data."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from pydantic import Field, ValidationError

from ...errors import UserError, validation_reason
from ...system.atomic import atomic_write
from ...yaml_lines import parse_yaml
from ..places import user_catalogue_file
from ..published.published_catalogue import shipped
from .description import UserData

if TYPE_CHECKING:
    from ..dataset import Dataset

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


class UserEntry(UserData):
    """Describe the user's own data, with the sizes that they had when they were added."""

    shape: tuple[int, int, int] = Field(description="instances, features, labels")
    cardinality: float
    split: tuple[int, int] | None = None
    unknown_share: float = 0.0

    @property
    def own(self) -> UserData:
        """The same without the sizes."""
        return UserData(**{name: getattr(self, name) for name in UserData.model_fields})


def user_catalogue() -> dict[str, UserEntry]:
    """Return the user's own catalogue.

    Returns
    -------
    dict of str to UserEntry
        All entries by name; relative paths start from the folder of the catalogue.
    """
    path = user_catalogue_file()
    try:
        state = path.stat()
    except OSError:
        return {}
    return _read(path, state.st_mtime_ns, state.st_size)


def add(name: str, own: UserData) -> tuple[Dataset, Path]:
    """Read data once to check them, and add their name and sizes to the user's catalogue.

    Parameters
    ----------
    name : str
        The name for configs and for `load`.
    own : UserData
        Where the data are; relative paths start from the current folder.

    Returns
    -------
    data : Dataset
        The data.
    path : Path
        The file of the catalogue.
    """
    from .user_data import read_own  # it imports scipy, which listing the names does not need

    if not _NAME.fullmatch(name):
        raise UserError(f"'{name}' cannot be a name: use letters, digits, '.', '_' and '-'")
    if name in shipped():
        raise UserError(f"mlfs already has a dataset '{name}': choose another name")
    own = own.inside(Path.cwd())
    data = read_own(own, name)
    n, d = data.X.shape
    entry = UserEntry(
        **own.model_dump(),
        shape=(n, d, data.Y.shape[1]),
        cardinality=round(data.cardinality, 3),
        unknown_share=round(data.unknown, 4),
        split=(len(data.train), len(data.test))
        if data.train is not None and data.test is not None
        else None,
    )
    return data, _append(name, entry)


def _append(name: str, entry: UserEntry) -> Path:
    """Add an entry at the end of the catalogue, and return the file."""
    path = user_catalogue_file()
    if name in user_catalogue():
        raise UserError(f"{path} already has '{name}': choose another name, or remove it there")
    content = {name: entry.model_dump(mode="json", exclude_defaults=True)}
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        if before and not before.endswith("\n"):
            before += "\n"
        with atomic_write(path) as stream:
            stream.write((before + text).encode())
    except OSError as error:
        raise UserError(
            f"cannot write {path} ({error.strerror}): set MLFS_CATALOG to another file"
        ) from error
    return path


@functools.lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int) -> dict[str, UserEntry]:
    """Read the catalogue; thanks to `changed` and `size`, a changed file is read again."""
    try:
        documents = parse_yaml(path.read_text(encoding="utf-8"), str(path))
        content = documents[0][0] if documents else {}
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{path}: your own catalogue of data is not YAML: correct or remove it"
        ) from error
    except UserError as error:
        raise UserError(f"{error}: your own catalogue of data is not YAML") from error
    if not isinstance(content or {}, dict):
        raise UserError(f"{path}: your own catalogue of data must map names to entries: correct it")
    entries = {}
    for name, entry in (content or {}).items():
        try:
            made = UserEntry.model_validate(entry)
        except ValidationError as error:
            key = ".".join(str(part) for part in error.errors()[0]["loc"])
            raise UserError(
                f"{path}: the entry '{name}' is wrong ({key or 'it'}: "
                f"{validation_reason(error)}): remove it and use 'mlfs data add'"
            ) from error
        entries[str(name)] = made.inside(path.parent)
    return entries
