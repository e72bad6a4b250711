"""Read and write lines in compressed files; write files under another name, then rename them."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import IO
from uuid import uuid4

import zstandard

PART = ".part-"  # the name of an unfinished file begins with this
_LEVEL = 6
_CHUNK = 2**20


def compress(lines: Iterable[bytes], out: IO[bytes]) -> None:
    """Write lines as one compressed frame with a checksum."""
    packer = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    with packer.stream_writer(out, closefd=False) as stream:
        for line in lines:
            stream.write(line + b"\n")


def lines_of(path: Path) -> Generator[bytes, None, None]:
    """Yield the lines of a file without line ends; raise ZstdError if it is damaged."""
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        rest = b""
        while chunk := reader.read(_CHUNK):
            *whole, rest = (rest + chunk).split(b"\n")
            yield from whole
        if rest:
            raise zstandard.ZstdError("the last line is cut off")


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Write a file under another name and rename it at the end, so it is never incomplete."""
    temporary = path.with_name(f"{PART}{uuid4().hex}")  # not mkstemp, which ignores the umask
    with temporary.open("xb") as stream:
        try:
            yield stream
            stream.close()
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
