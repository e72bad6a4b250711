"""Take files out of tar and zip archives member by member, trusting nothing the archive says."""

from __future__ import annotations

import contextlib
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from ..errors import UserError

_MAX_BYTES = 4_000_000_000


@contextlib.contextmanager
def open_member(archive: Path, ending: str) -> Iterator[IO[bytes]]:
    """Open the one member whose path ends so, without unpacking the rest."""
    with tarfile.open(archive) as tar:
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
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise OSError(f"the archive arrived damaged ({error})") from error


def unpack(archive: Path, directory: Path, max_bytes: int = _MAX_BYTES) -> Path:
    """Unpack a tar archive into a new directory, all of it or nothing.

    Parameters
    ----------
    archive : Path
    directory : Path
        Made by this call; if it exists already it is returned as it is.
    max_bytes : int
        Refuse an archive that unpacks to more.
    """
    if directory.exists():
        return directory
    directory.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix=".unpack-") as scratch:
        target = Path(scratch) / "content"
        target.mkdir()
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
