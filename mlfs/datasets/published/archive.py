"""Extract files from tar and zip archives one by one, and check all that an archive claims."""

from __future__ import annotations

import contextlib
import lzma
import shutil
import struct
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from ...errors import UserError

_MAX_BYTES = 4_000_000_000
_DAY = 86_400.0  # seconds; no process unpacks for longer
# the errors that the readers raise for a damaged archive
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,  # an unknown compression
    RuntimeError,  # a member that is marked as encrypted
)


@contextlib.contextmanager
def _sound(archive: Path) -> Iterator[None]:
    """Turn the errors for an archive that is cut off or damaged into a UserError."""
    try:
        yield
    except (*_BROKEN, OSError) as error:
        raise UserError(
            f"{archive} is cut off or damaged ({error}); remove the file and fetch it again."
        ) from error


@contextlib.contextmanager
def open_member(archive: Path, ending: str) -> Iterator[IO[bytes]]:
    """Open the member of a tar archive whose path ends with `ending`; do not unpack the rest.

    A UserError is raised for a damaged archive, also while the member is read.
    """
    with _sound(archive), tarfile.open(archive) as tar:
        for member in tar:
            if member.isreg() and f"/{member.name}".endswith(f"/{ending}"):
                file = tar.extractfile(member)
                assert file is not None  # it is None only for members that are not regular files
                yield file
                return
    raise UserError(f"{archive} does not contain {ending}; remove the file and fetch it again.")


def copy_member(archive: Path, member: str, target: Path, max_bytes: int = _MAX_BYTES) -> None:
    """Copy one member of a zip archive to `target`; raise OSError if it is missing or damaged."""
    try:
        with zipfile.ZipFile(archive) as packed:
            size = packed.getinfo(member).file_size
            if size > max_bytes:
                raise OSError(f"{member} unpacks to more than {max_bytes:,} bytes")
            with packed.open(member) as file, target.open("wb") as out:
                shutil.copyfileobj(file, out)  # reading to the end also checks the checksum
    except KeyError as error:
        raise OSError(f"the downloaded archive does not contain {member}") from error
    except _BROKEN as error:
        raise OSError(f"the downloaded archive is damaged ({error})") from error


def unpack(archive: Path, directory: Path, max_bytes: int = _MAX_BYTES) -> Path:
    """Unpack a tar archive into a new directory, either completely or not at all.

    Parameters
    ----------
    archive : Path
        The archive.
    directory : Path
        The directory to create. If it exists already, nothing is unpacked.
    max_bytes : int
        Refuse an archive whose content is larger.

    Returns
    -------
    Path
        The directory.
    """
    if directory.exists():
        return directory
    directory.parent.mkdir(parents=True, exist_ok=True)
    for old in directory.parent.glob(".unpack-*"):  # left by a process that was killed
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > _DAY:
                shutil.rmtree(old)
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix=".unpack-") as scratch:
        target = Path(scratch) / "content"
        target.mkdir()
        with _sound(archive):
            _extract(archive, target, max_bytes)
        # another process may have been faster: its copy is the same
        with contextlib.suppress(OSError):
            target.replace(directory)
    return directory


def _extract(archive: Path, target: Path, max_bytes: int) -> None:
    total = 0
    with tarfile.open(archive) as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            if path.is_absolute() or ".." in path.parts or not (member.isreg() or member.isdir()):
                raise UserError(
                    f"{archive} contains {member.name!r}, which is a link or leads outside; "
                    "remove the archive and get it from its source."
                )
            total += member.size
            if total > max_bytes:
                raise UserError(
                    f"{archive} unpacks to more than {max_bytes:,} bytes; "
                    "remove the archive and get it from its source."
                )
            place = target.joinpath(*path.parts)
            if member.isdir():
                place.mkdir(parents=True, exist_ok=True)
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            file = tar.extractfile(member)
            assert file is not None
            with place.open("wb") as out:
                shutil.copyfileobj(file, out)
