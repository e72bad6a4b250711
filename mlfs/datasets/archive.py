"""Take files out of tar and zip archives member by member, trusting nothing the archive says."""

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

from ..errors import UserError

_MAX_BYTES = 4_000_000_000
_DAY = 86_400.0  # seconds, after which nobody is still unpacking
# what the readers of archives raise for one that is cut off or changed
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,  # a compression that does not exist
    RuntimeError,  # a member that claims to be encrypted
)


@contextlib.contextmanager
def _sound(archive: Path) -> Iterator[None]:
    """Say in a sentence that an archive is cut off or damaged."""
    try:
        yield
    except (*_BROKEN, OSError) as error:
        raise UserError(
            f"{archive} is cut off or damaged ({error}); remove the file and fetch it again."
        ) from error


@contextlib.contextmanager
def open_member(archive: Path, ending: str) -> Iterator[IO[bytes]]:
    """Open the one member of a tar archive whose path ends so, without unpacking the rest.

    An archive that is found to be damaged while the member is read ends in a UserError, too.
    """
    with _sound(archive), tarfile.open(archive) as tar:
        for member in tar:
            if member.isreg() and f"/{member.name}".endswith(f"/{ending}"):
                file = tar.extractfile(member)
                assert file is not None  # only for members that are not regular
                yield file
                return
    raise UserError(f"{archive} does not hold {ending}; remove the file and fetch it again.")


def copy_member(archive: Path, member: str, target: Path, max_bytes: int = _MAX_BYTES) -> None:
    """Copy one member of a zip archive to `target`; raise OSError if it is not there or damaged."""
    try:
        with zipfile.ZipFile(archive) as packed:
            size = packed.getinfo(member).file_size
            if size > max_bytes:
                raise OSError(f"{member} unpacks to more than {max_bytes:,} bytes")
            with packed.open(member) as file, target.open("wb") as out:
                shutil.copyfileobj(file, out)  # which compares the checksum of the archive
    except KeyError as error:
        raise OSError(f"the archive arrived without {member}") from error
    except _BROKEN as error:
        raise OSError(f"the archive arrived damaged ({error})") from error


def unpack(archive: Path, directory: Path, max_bytes: int = _MAX_BYTES) -> Path:
    """Unpack a tar archive into a new directory, all of it or nothing.

    Parameters
    ----------
    archive : Path
        The archive.
    directory : Path
        Made by this call; if it exists already it is returned as it is.
    max_bytes : int
        Refuse an archive that unpacks to more.

    Returns
    -------
    Path
        The directory.
    """
    if directory.exists():
        return directory
    directory.parent.mkdir(parents=True, exist_ok=True)
    for old in directory.parent.glob(".unpack-*"):  # of a process that was killed
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > _DAY:
                shutil.rmtree(old)
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix=".unpack-") as scratch:
        target = Path(scratch) / "content"
        target.mkdir()
        with _sound(archive):
            _extract(archive, target, max_bytes)
        # another process may have finished first: its copy is as good
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
                    f"{archive} holds {member.name!r}, a link or a path that leads outside; "
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
