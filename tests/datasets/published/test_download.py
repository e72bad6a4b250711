"""Downloads that break: a local server that cuts connections, with and without ranges."""

import contextlib
import http.server
import threading
import time

import numpy as np
import pytest
from tqdm import tqdm

from mlfs.datasets.published import download as module
from mlfs.datasets.published.download import download

CONTENT = np.random.default_rng(0).bytes(400_000)


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves ``server.content`` as ``server`` says, and notes what it was asked for."""

    def do_GET(self):
        server = self.server
        asked, mark = self.headers.get("Range"), self.headers.get("If-Range")
        server.asked.append((asked, mark))
        start, status = 0, server.status
        if asked and server.ranges and mark in server.headers.values():
            start, status = int(asked.removeprefix("bytes=").rstrip("-")), 206
            status = 416 if start > len(server.content) else 206
        body = b"" if status >= 400 else server.content[start:]
        self.send_response(status)
        for name, value in server.headers.items():
            self.send_header(name, value)
        if status == 206:
            end, size = len(server.content) - 1, len(server.content)
            self.send_header("Content-Range", f"bytes {start + server.shift}-{end}/{size}")
        if server.tells:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if server.drip:
            with contextlib.suppress(OSError):  # until nobody listens any more
                for i in range(0, len(body), 1000):
                    self.wfile.write(body[i : i + 1000])
                    time.sleep(server.drip)
            return
        sent = body[: server.cuts.pop(0)] if server.cuts else body
        server.sent += len(sent)
        self.wfile.write(sent)
        self.close_connection = True

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    """Its attributes may be changed: `cuts` are the bytes after which answers break off."""
    monkeypatch.setattr(module, "_PAUSE", 0.01)
    monkeypatch.setattr(module, "_CHUNK", 10_000)  # what is lost of a break is less than one
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.handle_error = lambda *args: None  # of clients that leave
        running.content, running.ranges, running.shift = CONTENT, True, 0
        running.headers, running.status = {"ETag": '"one"'}, 200
        running.tells, running.drip = True, 0.0
        running.cuts, running.asked, running.sent = [], [], 0
        running.url = f"http://127.0.0.1:{running.server_port}/big.zip"
        threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture
def part(tmp_path):
    return tmp_path / ".big.zip.part"


def left_behind(part):
    return [path.name for path in part.parent.iterdir() if path != part]


def test_a_break_is_gone_on_from(server, part):
    server.cuts = [250_000, 100_000]
    download(server.url, part, progress=False)
    assert part.read_bytes() == CONTENT
    assert server.asked == [
        (None, None),
        ("bytes=250000-", '"one"'),
        ("bytes=350000-", '"one"'),
    ]
    assert server.sent == len(CONTENT)  # no byte twice
    assert left_behind(part) == []


def test_what_has_arrived_serves_the_next_call(server, part):
    server.cuts = [250_000, 0]
    with pytest.raises(OSError, match=r"big\.zip: the connection broke after 0\.2 MB; run the"):
        download(server.url, part, progress=False)
    assert part.read_bytes() == CONTENT[:250_000]
    download(server.url, part, progress=False)
    assert part.read_bytes() == CONTENT and server.sent == len(CONTENT)
    assert server.asked[-1] == ("bytes=250000-", '"one"')
    assert left_behind(part) == []


def test_a_server_without_ranges_starts_anew(server, part):
    server.ranges, server.cuts = False, [250_000]
    download(server.url, part, progress=False)
    assert part.read_bytes() == CONTENT
    assert server.sent == len(CONTENT) + 250_000
    server.cuts = [100_000, 90_000]  # no further than before: enough
    part.unlink()
    with pytest.raises(OSError, match=r"the connection broke after 0\.1 MB"):
        download(server.url, part, progress=False)


def test_another_version_starts_anew(server, part):
    server.cuts = [250_000, 0]
    with pytest.raises(OSError, match="broke"):
        download(server.url, part, progress=False)
    server.content, server.headers = CONTENT[::-1], {"ETag": '"two"'}
    download(server.url, part, progress=False)
    assert part.read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize(
    ("headers", "asked"),
    [
        ({"ETag": 'W/"one"', "Last-Modified": "Mon, 02 Nov 2020 00:00:00 GMT"}, "Mon, 02 Nov"),
        ({"ETag": 'W/"one"'}, None),
        ({}, None),
    ],
)
def test_only_a_mark_that_tells_versions_apart_is_trusted(server, part, headers, asked):
    server.headers, server.cuts = headers, [250_000]
    download(server.url, part, progress=False)
    assert part.read_bytes() == CONTENT
    sought, mark = server.asked[1]
    assert (sought, mark and mark[:11]) == ("bytes=250000-" if asked else None, asked)


def test_the_part_of_another_address_is_not_gone_on_from(server, part):
    server.cuts = [250_000, 0]
    with pytest.raises(OSError, match="broke"):
        download(server.url, part, progress=False)
    download(f"{server.url}?other", part, progress=False)
    assert part.read_bytes() == CONTENT and server.asked[-1] == (None, None)


@pytest.mark.parametrize("fault", ["shifted", "too long"])
def test_a_part_that_does_not_fit_is_thrown_away(server, part, fault):
    server.cuts = [250_000, 0]
    with pytest.raises(OSError, match="broke"):
        download(server.url, part, progress=False)
    if fault == "shifted":  # the server sends another part than asked for
        server.shift = 7
    else:
        part.write_bytes(bytes(len(CONTENT) + 5))
    download(server.url, part, progress=False)
    assert part.read_bytes() == CONTENT
    assert server.asked[-1] == (None, None)


def test_what_the_server_refuses_is_said(server, part):
    server.status = 404
    with pytest.raises(OSError, match=r"big.zip: the server says 404 Not Found"):
        download(server.url, part, progress=False)
    assert not part.exists() and left_behind(part) == []


@pytest.mark.parametrize("size", [len(CONTENT) - 1, len(CONTENT) + 1])
def test_another_size_than_announced_is_not_even_begun(server, part, size):
    expected = rf"big\.zip: the server has 400,000 bytes, but {size:,} are expected"
    with pytest.raises(OSError, match=expected):
        download(server.url, part, progress=False, size=size)
    assert not part.exists() and left_behind(part) == []


@pytest.mark.parametrize("size", [0, 133, 400_000])
@pytest.mark.parametrize("tells", [True, False])
def test_a_git_lfs_pointer_is_refused(server, part, size, tells):
    server.content = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 400000\n"
    server.tells = tells
    with pytest.raises(OSError, match=r"big\.zip: the server sent a Git LFS pointer"):
        download(server.url, part, progress=False, size=size)
    assert len(server.asked) == 1
    assert not part.exists() and left_behind(part) == []


def test_a_server_that_sends_too_much_is_left(server, part, monkeypatch):
    server.tells = False
    with pytest.raises(OSError, match=r"big\.zip: the server sends more than 100,000 bytes"):
        download(server.url, part, progress=False, size=100_000)
    assert not part.exists() and left_behind(part) == []
    monkeypatch.setattr(module, "_LARGEST", 300_000)
    with pytest.raises(OSError, match="more than 300,000 bytes"):
        download(server.url, part, progress=False)
    assert not part.exists()


def test_a_known_size_tells_a_break_where_the_server_tells_nothing(server, part):
    server.tells, server.cuts = False, [250_000]
    download(server.url, part, progress=False, size=len(CONTENT))
    assert part.read_bytes() == CONTENT and server.sent == len(CONTENT)


def test_a_server_that_drips_is_left_and_gone_on_from(server, part, monkeypatch):
    """The bytes come steadily, so that no pause is too long."""
    monkeypatch.setattr(module, "_PATIENCE", -38.0)  # and 40 s for the bytes
    server.drip = 0.05
    with pytest.raises(OSError, match=r"big\.zip: not complete after 0 minutes; run the"):
        download(server.url, part, progress=False, size=len(CONTENT))
    assert 0 < part.stat().st_size < 100_000
    had, server.drip = part.stat().st_size, 0.0
    download(server.url, part, progress=False, size=len(CONTENT))
    assert part.read_bytes() == CONTENT
    assert server.asked[-1] == (f"bytes={had}-", '"one"')


def test_every_file_has_its_time():
    """Five minutes, longer for a large one, and never more than six hours."""
    seconds = [module.Limit("a", size).seconds for size in (1, 30_000_000, 10**10, 0)]
    assert seconds == [pytest.approx(300, abs=1), 3300, 21600, 21600]


def test_the_bar_starts_where_the_file_does(server, part, capsys, monkeypatch):
    monkeypatch.setattr("tqdm.tqdm", lambda **kept: tqdm(**kept | {"delay": 0}))
    server.cuts = [300_000]
    download(server.url, part)
    shown = capsys.readouterr().err
    assert "big.zip" in shown and "300k/400k" in shown and "400k/400k" in shown
