"""Where data files lie on this machine, and whether they are what they should be."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from ..errors import UserError
from .catalog import File, Source


def cache_dir() -> Path:
    """The cache: ``$MLFS_DATA``, else datasets/ of the checkout, else the user's cache."""
    given = os.environ.get("MLFS_DATA")
    if given:
        return Path(given).expanduser()
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file() and (checkout / "datasets").is_dir():
        return checkout / "datasets"
    return platformdirs.user_cache_path("mlfs")


def mirror_dir(mirror: Path | None = None) -> Path | None:
    """The mirror given, else ``$MLFS_MIRROR``, else none."""
    if mirror is not None:
        return Path(mirror)
    given = os.environ.get("MLFS_MIRROR")
    return Path(given).expanduser() if given else None


def locate(file: File, mirror: Path | None = None) -> Path | None:
    """Find a file in the cache or in the mirror; None if it is in neither."""
    for directory in (cache_dir(), mirror_dir(mirror)):
        if directory is not None and (directory / file.name).is_file():
            return directory / file.name
    return None


def locate_all(source: Source, mirror: Path | None = None) -> list[Path] | None:
    """Find all files of a source, or None if one is missing."""
    paths = [locate(file, mirror) for file in source.files]
    found = [path for path in paths if path is not None]
    return found if len(found) == len(paths) else None


def digest_of(path: Path, kind: str = "sha256") -> str:
    """Digest of a file as "kind:hexadecimal"."""
    with path.open("rb") as stream:
        return f"{kind}:{hashlib.file_digest(stream, kind).hexdigest()}"


def check(path: Path, file: File) -> None:
    """Verify a file; a bad one in the cache is removed, one in a mirror is left alone."""
    if not file.digest:
        return
    actual = digest_of(path, file.digest.partition(":")[0])
    if actual == file.digest:
        return
    problem = f"{path} is corrupt: its checksum is {actual}, expected {file.digest}"
    if path.parent == cache_dir():
        with contextlib.suppress(OSError):
            path.unlink()
            raise UserError(f"{problem}; it was removed, run the command again to fetch it anew.")
    raise UserError(f"{problem}; replace it or remove it.")


def put(origin: Path, file: File) -> Path:
    """Copy a file into the cache: temporary file, verified, then renamed."""
    target = cache_dir() / file.name
    with scratch(file.name) as temporary:
        shutil.copyfile(origin, temporary)
        actual = digest_of(temporary, file.digest.partition(":")[0]) if file.digest else ""
        if actual != file.digest:
            raise UserError(
                f"{origin} is corrupt: its checksum is {actual}, expected {file.digest}; "
                "replace it or remove it."
            )
        temporary.replace(target)
    return target


@contextlib.contextmanager
def scratch(name: str) -> Iterator[Path]:
    """A path in the cache for a file in the making; whatever is left there is removed."""
    directory = cache_dir()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(dir=directory, prefix=".part-", suffix=f"-{name}")
    except OSError as error:
        raise UserError(
            f"{directory} cannot be written ({error.strerror}); set MLFS_DATA to a directory "
            "that can."
        ) from error
    os.close(handle)
    try:
        yield Path(made)
    finally:
        Path(made).unlink(missing_ok=True)
