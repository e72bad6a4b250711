"""Download a file over HTTP with a bar, and go on after a break where the server lets us."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

from tqdm import tqdm

from .limits import Limit, WrongSize

# seconds to connect and between two bytes: an unreachable host must not hold up the next source
_TIMEOUT = (5, 30)
_PAUSE = 1.0  # seconds before a broken download is taken up again
_CHUNK = 1 << 16


def download(url: str, part: Path, progress: bool = True, size: int = 0) -> None:
    """Write what is at `url` to `part`, and continue an earlier attempt where there is one.

    A break is followed by another attempt as long as attempts bring the file further. What has
    arrived is kept, with the server's mark of the version beside it, so that a later call can
    continue. Where the server gives no mark, ignores the range or has another version by now,
    the download starts again.

    Parameters
    ----------
    url : str
        Address of the file.
    part : Path
        Where to write it.
    progress : bool, default=True
        Show a bar.
    size : int, default=0
        Refuse a file of another size; 0 where the size is not known.

    Raises
    ------
    OSError
        If the file cannot be downloaded to its end, or takes too long.
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
            except (requests.RequestException, HTTPError) as error:  # whose texts name internals
                limit.check_time()
                if _size(part) <= furthest:
                    raise OSError(_broken(name, part)) from error
                furthest = _size(part)
                time.sleep(_PAUSE)


def _attempt(session: Any, url: str, part: Path, limit: Limit, progress: bool) -> None:
    from requests import ConnectionError

    have, mark = _size(part), _known_mark(part, url)
    headers = {"Accept-Encoding": "identity"}  # or bytes of the file and of the answer differ
    if have and mark:
        headers |= {"Range": f"bytes={have}-", "If-Range": mark}
    with session.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
        start, total = _extent(answer)
        fits = answer.ok and start in (0, have)
        if have and not fits and answer.status_code in (206, 416):  # not what was asked for
            part.unlink()
            _attempt(session, url, part, limit, progress)
            return
        if not fits:
            raise OSError(f"{limit.name}: the server says {answer.status_code} {answer.reason}")
        limit.check_total(total)
        total = total or limit.size or None
        _mark(part).write_text(json.dumps({"url": url, "mark": _mark_of(answer.headers)}))
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
            # read1 gives what is there: a server that sends byte by byte must not hold us
            while chunk := answer.raw.read1(_CHUNK, decode_content=True):
                limit.check(start + len(chunk))
                start += out.write(chunk)
                bar.update(len(chunk))
    if total is not None and _size(part) != total:
        raise ConnectionError("the answer ended early")


def _extent(answer: Any) -> tuple[int, int | None]:
    """Tell where in the file the answer starts, and the size of the file if the server tells.

    The start is -1 if the server sends a part and does not say which.
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
    """Return what tells this version of the file from others; a weak ETag does not."""
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
        f"{name}: the connection broke after {_size(part) / 1e6:,.1f} MB; run the command again, "
        "which continues from there if the server can"
    )
