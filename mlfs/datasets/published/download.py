"""Download a file over HTTP, within limits of size and time; continue an interrupted download."""

from __future__ import annotations

import itertools
import json
import re
import time
from pathlib import Path
from typing import Any

# seconds to connect and between two bytes: after that, the next source is tried
_TIMEOUT = (5, 30)
_PAUSE = 1.0  # seconds before a broken download is continued
_CHUNK = 1 << 16
POINTER = b"version https://git-lfs.github.com/spec/"  # how such a file starts
_LARGEST = 20_000_000_000  # bytes; the limit for a file of unknown size
_PATIENCE = 300.0  # seconds that every file may take
_SLOWEST = 10_000  # bytes per second: a large file may take longer by its size divided by this
_LONGEST = 6 * 3600.0  # seconds; no file may take longer


class WrongSize(OSError):
    """Report that the size of a file on the server is not the expected size."""


class OnlyPointer(WrongSize):
    """Report that the server sent a Git LFS pointer in place of the file."""


class TooSlow(OSError):
    """Report that a download takes too long."""


class Limit:
    """Limit the size and time of one download; the time starts now.

    Parameters
    ----------
    name : str
        Name of the file in messages.
    size : int, default=0
        Its size in bytes; 0 if it is not known.
    """

    def __init__(self, name: str, size: int = 0):
        self.name, self.size = name, size
        self.largest = size or _LARGEST
        self.seconds = min(_PATIENCE + self.largest / _SLOWEST, _LONGEST)
        self._end = time.monotonic() + self.seconds

    def check_total(self, total: int | None) -> None:
        """Check the size that the server announces, if it does."""
        if self.size and total not in (None, self.size):
            raise WrongSize(
                f"{self.name}: the server has {total:,} bytes, but {self.size:,} are expected"
            )

    def check_start(self, content: bytes) -> None:
        """Check the first bytes of a file: they must not be a Git LFS pointer."""
        if content.startswith(POINTER):
            raise OnlyPointer(
                f"{self.name}: the server sent a Git LFS pointer, a short text in place of the data"
            )

    def check(self, have: int) -> None:
        """Check the number of received bytes, and the time."""
        if have > self.largest:
            raise WrongSize(f"{self.name}: the server sends more than {self.largest:,} bytes")
        self.check_time()

    def check_time(self) -> None:
        """Check the time."""
        if time.monotonic() > self._end:
            raise TooSlow(
                f"{self.name}: not complete after {self.seconds / 60:,.0f} minutes; run the "
                "command again to continue from there, if the server allows it"
            )


def download(url: str, part: Path, progress: bool = True, size: int = 0) -> None:
    """Download `url` to the file `part`, and continue an earlier attempt if there is one.

    If the connection breaks, there is another attempt, as long as each one brings new bytes. The
    received part is kept, together with the server's mark of the version (such as an ETag), so
    that a later call can continue. The download starts again if the server sends no mark, ignores
    the range, or has another version now.

    Parameters
    ----------
    url : str
        Address of the file.
    part : Path
        Where to write it.
    progress : bool, default=True
        Show a bar.
    size : int, default=0
        Refuse a file of another size; 0 if the size is not known.

    Raises
    ------
    OSError
        If the download cannot be completed or takes too long.
    """
    import requests  # slow to import, seldom needed
    from urllib3.exceptions import HTTPError

    name = part.name.removeprefix(".").removesuffix(".part")
    limit, furthest = Limit(name, size), _size(part)
    with requests.Session() as session:
        while True:
            try:
                _attempt(session, url, part, limit, progress)
                _mark(part).unlink(missing_ok=True)
                return
            except WrongSize:
                part.unlink(missing_ok=True)
                _mark(part).unlink(missing_ok=True)
                raise
            # the texts of these errors are replaced, since they show internals
            except (requests.RequestException, HTTPError) as error:
                limit.check_time()
                if _size(part) <= furthest:
                    raise OSError(_broken(name, part)) from error
                furthest = _size(part)
                time.sleep(_PAUSE)


def _attempt(session: Any, url: str, part: Path, limit: Limit, progress: bool) -> None:
    from requests import ConnectionError

    have, mark = _size(part), _known_mark(part, url)
    headers = {"Accept-Encoding": "identity"}  # no compression, so that ranges refer to the file
    if have and mark:
        headers |= {"Range": f"bytes={have}-", "If-Range": mark}
    with session.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
        start, total = _extent(answer)
        fits = answer.ok and start in (0, have)
        if have and not fits and answer.status_code in (206, 416):  # not the requested range
            part.unlink()
            _attempt(session, url, part, limit, progress)
            return
        if not fits:
            raise OSError(f"{limit.name}: the server says {answer.status_code} {answer.reason}")
        # read1 returns what has arrived, so the limits are also checked for a slow server
        chunks = iter(lambda: answer.raw.read1(_CHUNK, decode_content=True), b"")
        first = next(chunks, b"")
        if start == 0:
            limit.check_start(first)
        limit.check_total(total)
        total = total or limit.size or None
        _mark(part).write_text(json.dumps({"url": url, "mark": _mark_of(answer.headers)}))
        from tqdm import tqdm  # a table imports this module, but downloads nothing

        bar = tqdm(
            desc=limit.name,
            initial=start,
            total=total,
            unit="B",
            unit_scale=True,
            disable=not progress,
            delay=1,
        )
        with part.open("ab") as out, bar:
            out.truncate(start)
            for chunk in itertools.chain([first], chunks):
                limit.check(start + len(chunk))
                start += out.write(chunk)
                bar.update(len(chunk))
    if total is not None and _size(part) != total:
        raise ConnectionError("the answer ended early")


def _extent(answer: Any) -> tuple[int, int | None]:
    """Return where in the file the answer starts, and the size of the file, or None.

    The start is -1 if the server sends a part and does not say which part.
    """
    if answer.status_code == 206:
        given = re.fullmatch(
            r"bytes (\d{1,18})-\d+/(\d{1,18}|\*)", answer.headers.get("Content-Range", "").strip()
        )
        if given is None:
            return -1, None
        return int(given[1]), None if given[2] == "*" else int(given[2])
    length = answer.headers.get("Content-Length", "")
    return 0, int(length) if re.fullmatch(r"[0-9]{1,18}", length) else None


def _mark_of(headers: Any) -> str:
    """Return the server's mark of this version of the file; a weak ETag cannot be used."""
    etag = str(headers.get("ETag", ""))
    return etag if etag and not etag.startswith("W/") else str(headers.get("Last-Modified", ""))


def _known_mark(part: Path, url: str) -> str:
    try:
        stored = json.loads(_mark(part).read_text())
        return str(stored["mark"]) if stored["url"] == url else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _mark(part: Path) -> Path:
    return part.with_name(f"{part.name}.from")


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _broken(name: str, part: Path) -> str:
    if not _size(part):
        return f"{name}: no connection"
    return (
        f"{name}: the connection broke after {_size(part) / 1e6:,.1f} MB; run the command again "
        "to continue from there, if the server allows it"
    )
