"""Read and write lines in compressed files; write files under another name, then rename them.

A compressed file ends with a seal: the SHA-256 of all bytes before it, in a frame that zstd skips.
The checksums of zstd are not enough, since it ignores some bits.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO
from uuid import uuid4

import zstandard

PART = ".part-"  # the name of an unfinished file begins with this
LONGEST = 2**25  # bytes of a line
_LEVEL = 12
_WINDOW = 2**25  # bytes; this level needs 2**22
_STEP = 2**10  # compressed bytes that are read at once: they become 32 MB at most
_PIECE = 2**16  # bytes that are read at once to check a seal
_FREE, _RATIO = 2**26, 200  # a file may grow to this many bytes, and this many times its size
_SEAL = b"\x50\x2a\x4d\x18" + b"\x20\0\0\0"  # how a frame of 32 bytes begins that zstd skips
_SEALED = len(_SEAL) + 32  # bytes of a seal


class Sealing:
    """Write to a file, and remember the SHA-256 of what was written.

    Parameters
    ----------
    out : file
        The file, open for writing.
    """

    def __init__(self, out: IO[bytes]):
        self._out = out
        self._seen = sha256()

    def write(self, content: bytes) -> int:
        """Write some bytes."""
        self._seen.update(content)
        return self._out.write(content)

    def end(self) -> None:
        """Write the seal."""
        self._out.write(_SEAL + self._seen.digest())


@contextlib.contextmanager
def sealed(out: IO[bytes]) -> Iterator[Sealing]:
    """Give a stream to write frames to, and seal them at the end."""
    stream = Sealing(out)
    yield stream
    stream.end()


@contextlib.contextmanager
def frame(out: IO[bytes] | Sealing, level: int = _LEVEL) -> Iterator[Callable[[bytes], object]]:
    """Give a function that writes lines into one compressed frame; a lower level is faster."""
    packer = zstandard.ZstdCompressor(level=level, write_checksum=True).compressobj()
    yield lambda line: out.write(packer.compress(line + b"\n"))
    out.write(packer.flush())


def compress(lines: Iterable[bytes], out: IO[bytes] | Sealing) -> None:
    """Write lines as one compressed frame with a checksum."""
    with frame(out) as write:
        for line in lines:
            write(line)


def lines_of(path: Path) -> Generator[bytes, None, None]:
    """Yield the lines of a file without line ends, after its seal was checked.

    Raises
    ------
    ZstdError
        If its seal is missing or broken, it has a line over `LONGEST`, or grows beyond all measure.
    """
    with path.open("rb") as file:
        if not _intact(file):
            raise zstandard.ZstdError("its bytes are not those that were written")
        yield from split_lines(unpacked(file))


def _intact(file: IO[bytes]) -> bool:
    """Tell whether a file ends with the seal of all its other bytes."""
    left = file.seek(0, 2) - _SEALED
    file.seek(0)
    seen = sha256()
    while left > 0 and (piece := file.read(min(left, _PIECE))):
        seen.update(piece)
        left -= len(piece)
    return file.read() == _SEAL + seen.digest()


def split_lines(chunks: Iterable[bytes]) -> Generator[bytes, None, None]:
    """Yield the lines in chunks of bytes; raise ZstdError if the last one has no end."""
    parts = [b""]  # of a line, which are joined once, so that a long line takes no longer
    for chunk in chunks:
        first, *lines = chunk.split(b"\n")
        parts.append(first)
        if lines:
            yield b"".join(parts)
            yield from lines[:-1]
            parts = lines[-1:]
    if any(parts):
        raise zstandard.ZstdError("the last line is cut off")


def unpacked(file: IO[bytes], step: int = _STEP) -> Generator[bytes, None, None]:
    """Yield the content of a compressed file in chunks; raise ZstdError as `lines_of` does.

    It is read in steps of this many bytes. With a step of 1, everything before the damage comes
    out of a damaged file.
    """
    most = _FREE + _RATIO * file.seek(0, 2)
    file.seek(0)
    unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    frame, begun, rest = unpacker.decompressobj(), False, b""
    line = total = 0
    while piece := rest or file.read(step):
        chunk = frame.decompress(piece)
        begun, rest = not frame.eof, b""
        if frame.eof:
            frame, rest = unpacker.decompressobj(), frame.unused_data
        end = chunk.rfind(b"\n")
        line = line + len(chunk) if end < 0 else len(chunk) - end
        total += len(chunk)
        if line > LONGEST or total > most:
            raise zstandard.ZstdError("it is too long")
        yield chunk
    if begun:
        raise zstandard.ZstdError("it is cut off")


@contextlib.contextmanager
def atomic_write(path: Path, sync: bool = False) -> Iterator[IO[bytes]]:
    """Write a file under another name and rename it at the end, so it is never incomplete.

    Parameters
    ----------
    path : Path
        The file.
    sync : bool
        Wait until the disk has the content and the new name, so that both outlive a power cut.
        Without it, a file may be lost or empty after one.
    """
    temporary = path.with_name(f"{PART}{uuid4().hex}")  # not mkstemp, which ignores the umask
    with temporary.open("xb") as stream:
        try:
            yield stream
            if sync:
                stream.flush()
                os.fsync(stream.fileno())
            stream.close()
            temporary.replace(path)
            if sync:
                sync_folder(path.parent)
        finally:
            temporary.unlink(missing_ok=True)


def make_folder(folder: Path, sync: bool = False) -> None:
    """Make a folder, and those above it that are missing; `sync` is as in `atomic_write`."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for one in missing if sync else []:
        sync_folder(one.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names of the files in a folder."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows writes names at once, and opens no folders
        return
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    except OSError as error:  # some network disks cannot do it
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(number)
