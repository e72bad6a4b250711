"""The user's own catalogue: a YAML file with names for their own data."""

from __future__ import annotations

import functools
from pathlib import Path

import yaml
from pydantic import Field, ValidationError

from ..errors import UserError
from .choice import Own
from .places import own_catalog


class Kept(Own):
    """Describe the user's own data, with the sizes that they had when they were added."""

    shape: tuple[int, int, int] = Field(description="instances, features, labels")
    cardinality: float
    split: tuple[int, int] | None = None

    @property
    def own(self) -> Own:
        """The same without the sizes."""
        return Own(**{name: getattr(self, name) for name in Own.model_fields})


def kept() -> dict[str, Kept]:
    """Return the user's own catalogue.

    Returns
    -------
    dict of str to Kept
        All entries by name; relative paths start from the folder of the catalogue.
    """
    path = own_catalog()
    try:
        state = path.stat()
    except OSError:
        return {}
    return _read(path, state.st_mtime_ns, state.st_size)


def keep(name: str, entry: Kept) -> Path:
    """Add an entry at the end of the catalogue, and return the file."""
    path = own_catalog()
    if name in kept():
        raise UserError(f"{path} already has '{name}': choose another name, or remove it there")
    content = {name: entry.model_dump(mode="json", exclude_defaults=True)}
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        if before and not before.endswith("\n"):
            before += "\n"
        temporary = path.with_name(f".part-{path.name}")
        temporary.write_text(before + text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise UserError(
            f"cannot write {path} ({error.strerror}): set MLFS_CATALOG to another file"
        ) from error
    return path


@functools.lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int) -> dict[str, Kept]:
    """Read the catalogue; thanks to `changed` and `size`, a changed file is read again."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise UserError(
            f"{path}{where}: your own catalogue of data is not YAML: correct or remove it"
        ) from error
    if not isinstance(content or {}, dict):
        raise UserError(f"{path}: your own catalogue of data must map names to entries: correct it")
    found = {}
    for name, entry in (content or {}).items():
        try:
            made = Kept.model_validate(entry)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"])
            told = first["msg"].removeprefix("Value error, ")
            raise UserError(
                f"{path}: the entry '{name}' is wrong ({key or 'it'}: {told}): remove it and use "
                "'mlfs data add'"
            ) from error
        found[str(name)] = made.inside(path.parent)
    return found
