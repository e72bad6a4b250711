"""Find data files on this machine, verify them, and write files into the cache."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from ..errors import UserError
from ..system.atomic import PART, atomic_write
from .places import cache_dir, mirror_dir
from .published.download import POINTER
from .published.published_catalogue import DataSource, File

_DAY = 86_400.0  # seconds; no process writes a temporary file for longer
_IDLE = 300.0  # seconds without a new byte until the process that has a lock counts as stuck


def locate(file: File, mirror: Path | None = None) -> Path | None:
    """Find a file in the cache or in the mirror; return None if it is in neither."""
    for directory in (cache_dir(), mirror_dir(mirror)):
        if directory is not None and (directory / file.name).is_file():
            return directory / file.name
    return None


def locate_all(source: DataSource, mirror: Path | None = None) -> list[Path] | None:
    """Find all files of a source; return None if one is missing."""
    paths = [locate(file, mirror) for file in source.files]
    present = [path for path in paths if path is not None]
    return present if len(present) == len(paths) else None


def digest_of(path: Path, kind: str = "sha256") -> str:
    """Compute the digest of a file as "kind:hexadecimal"."""
    with path.open("rb") as stream:
        return f"{kind}:{hashlib.file_digest(stream, kind).hexdigest()}"


def expected_digest(file: File) -> str:
    """Return a file's digest from the catalogue or from its first use; empty if none is known."""
    try:
        return file.digest or _first_digest(file).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def keep_digest(path: Path, file: File) -> None:
    """Store the digest of a good file, if the catalogue has none for it.

    If the cache cannot be written, nothing is stored, and no error is raised.
    """
    if expected_digest(file):
        return
    with contextlib.suppress(OSError):
        cache_dir().mkdir(parents=True, exist_ok=True)
        with atomic_write(_first_digest(file)) as stream:
            stream.write(digest_of(path).encode())


def _first_digest(file: File) -> Path:
    return cache_dir() / f"{file.name}.sha256"


def check_content(path: Path) -> None:
    """Raise a UserError if a file is a Git LFS pointer, as clones without Git LFS have them."""
    with path.open("rb") as stream:
        if stream.read(len(POINTER)) == POINTER:
            raise UserError(
                f"{path} is a Git LFS pointer, a short text in place of the data: remove it and "
                "run the command again, or replace it by the data (`git lfs pull` in a clone)."
            )


def check(path: Path, file: File) -> None:
    """Verify a file and raise a UserError if it is bad.

    A bad file is removed if it is in the cache and can be fetched again.
    """
    check_content(path)
    expected = expected_digest(file)
    if not expected:
        return
    actual = digest_of(path, expected.partition(":")[0])
    if actual == expected:
        return
    problem = f"{path} is corrupt: its checksum is {actual}, expected {expected}"
    if not file.digest:
        problem += f" as on its first use (see {_first_digest(file).name} in the cache)"
    if not (file.urls or file.requirement):
        raise UserError(f"{problem}; put the right file there, or remove that checksum.")
    if path.parent == cache_dir():
        with contextlib.suppress(OSError):
            path.unlink()
            raise UserError(f"{problem}; it was removed, run the command again to fetch it again.")
    raise UserError(f"{problem}; replace it or remove it.")


def put(origin: Path, file: File) -> Path:
    """Copy a file into the cache: write a temporary file, verify it, then rename it."""
    target = cache_dir() / file.name
    check_content(origin)
    with scratch(file.name) as temporary:
        shutil.copyfile(origin, temporary)
        expected = expected_digest(file)
        actual = digest_of(temporary, expected.partition(":")[0]) if expected else ""
        if actual != expected:
            raise UserError(
                f"{origin} is corrupt: its checksum is {actual}, expected {expected}; "
                "replace it or remove it."
            )
        temporary.replace(target)
    return target


@contextlib.contextmanager
def scratch(name: str) -> Iterator[Path]:
    """Provide a path in the cache for a temporary file; remove the file at the end."""
    directory = cache_dir()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _sweep(directory)
        temporary = directory / f"{PART}{uuid4().hex}-{name}"  # mkstemp ignores the umask
        temporary.touch(exist_ok=False)
    except OSError as error:
        raise _unwritable(directory, error) from error
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _sweep(directory: Path) -> None:
    """Remove temporary files of `scratch` that killed processes have left.

    Downloads that can be continued have other names, and are kept.
    """
    for path in directory.glob(f"{PART}*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _DAY:
                path.unlink()


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Let only one process at a time get a file into the cache.

    Other processes wait as long as something is written into the cache; otherwise they give up
    after some minutes.
    """
    import filelock  # here, because tables and plans need no lock

    directory = cache_dir()
    owner = directory / f".{name}.lock.by"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(directory / f".{name}.lock")
        while True:
            before = time.time()
            try:
                lock.acquire(timeout=_IDLE)
                break
            except filelock.Timeout:
                if _last_written(directory) < before:
                    raise _held(directory, name, owner) from None
    except OSError as error:
        raise _unwritable(directory, error) from error
    try:
        with contextlib.suppress(OSError):  # it is only for the messages of waiting processes
            owner.write_text(f"process {os.getpid()} on {platform.node()}", encoding="utf-8")
        yield
    finally:
        with contextlib.suppress(OSError):
            owner.unlink()
        lock.release()


def _last_written(directory: Path) -> float:
    """Return when an unfinished file was last written to, in seconds; 0 if there is none."""
    times = [0.0]
    for path in directory.glob(".*part*"):
        with contextlib.suppress(OSError):
            times.append(path.stat().st_mtime)
    return max(times)


def _held(directory: Path, name: str, owner: Path) -> UserError:
    try:
        who = owner.read_text(encoding="utf-8", errors="replace")
    except OSError:
        who = "another process"
    return UserError(
        f"{directory / name} is being made by {who}, which has written nothing for "
        f"{_IDLE / 60:.0f} minutes: end that process, or wait for it, and run the command again."
    )


def _unwritable(directory: Path, error: OSError) -> UserError:
    return UserError(
        f"cannot write to {directory} ({error.strerror}); set MLFS_DATA to another directory."
    )
