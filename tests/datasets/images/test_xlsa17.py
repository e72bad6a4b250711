"""SUN and aPY out of the xlsa17 archive: a small one of the same layout on a local server."""

import dataclasses
import functools
import hashlib
import http.server
import io
import threading
import zipfile

import numpy as np
import pytest
import scipy.io

from mlfs.datasets import (
    DataSource,
    Entry,
    File,
    catalog,
    checksum,
    fetch,
    import_dir,
    load_zero_shot,
    status,
    verify,
)
from mlfs.datasets.published.published_catalogue import shipped
from mlfs.errors import UserError

PREFIX = {"sun": "SUN", "apy": "APY"}
CLASSES, ROWS, WIDTH = 4, 12, 5
UNSEEN = np.array([2, 5, 8, 11])  # the rows of the last class, 1-based and in the split's order


def mat(**content):
    out = io.BytesIO()
    scipy.io.savemat(out, content)
    return out.getvalue()


def features(seed, n=ROWS, classes=CLASSES):
    """A res101.mat whose last class has the rows `UNSEEN`."""
    X = np.random.default_rng(seed).random((n, WIDTH))
    labels = np.arange(n) % (classes - 1) + 1
    labels[UNSEEN - 1] = classes
    return X, mat(features=X.T, labels=labels[:, None].astype(np.uint8))


def side_files(name):
    """What is published beside the features: names and contents."""
    attributes = np.random.default_rng(7).random((CLASSES, 3))
    rest = np.setdiff1d(np.arange(1, ROWS + 1), UNSEEN)
    names = np.array([f"class{i}" for i in range(CLASSES)], dtype=object)[:, None]
    return {
        f"{name}_attrClasses.mat": mat(attrClasses=2 * attributes[::-1]),
        f"{name}_experimentIndices.mat": mat(
            trainClassesIndices=np.array([[2], [3], [4]]), testClassesIndices=np.array([[1]])
        ),
        f"{name}_att_splits.mat": mat(
            original_att=attributes.T,
            allclasses_names=names,
            trainval_loc=rest[:5, None],
            test_seen_loc=rest[5:, None],
            test_unseen_loc=UNSEEN[:, None],
        ),
    }


def digest(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


class Quiet(http.server.SimpleHTTPRequestHandler):
    requests: list[str] = []

    def log_message(self, *args):
        self.requests.append(self.path)


@pytest.fixture
def published(tmp_path, monkeypatch):
    """An empty cache, and `publish(sun=..., apy=...)` to put res101.mat files on the server."""
    served, cache = tmp_path / "served", tmp_path / "cache"
    served.mkdir()
    monkeypatch.setenv("MLFS_DATA", str(cache))
    monkeypatch.delenv("MLFS_MIRROR", raising=False)
    Quiet.requests = []
    handler = functools.partial(Quiet, directory=str(served))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
        base = f"http://127.0.0.1:{running.server_port}"

        def publish(**contents):
            with zipfile.ZipFile(served / "xlsa17.zip", "w") as packed:
                packed.writestr("xlsa17/readme.txt", "hello")
                for name, content in contents.items():
                    packed.writestr(f"xlsa17/data/{PREFIX[name]}/res101.mat", content)
                    packed.writestr(f"xlsa17/data/{PREFIX[name]}/att_splits.mat", b"not needed")
            return served / "xlsa17.zip"

        for name, prefix in PREFIX.items():
            url = f"{base}/xlsa17.zip#xlsa17/data/{prefix}/res101.mat"
            known = digest(features(1)[1]) if name == "apy" else ""
            files = [File(f"{prefix}_res101.mat", 0, known, (url,))]
            for side, content in side_files(name).items():
                (served / side).write_bytes(content)
                files.append(File(side, len(content), digest(content), (f"{base}/{side}",)))
            entry = Entry(
                name,
                ROWS,
                WIDTH,
                CLASSES,
                sources=(DataSource("zero_shot", tuple(files)),),
                classes=True,
            )
            monkeypatch.setitem(shipped(), name, entry)
        yield publish, cache
        running.shutdown()


def downloads():
    return Quiet.requests.count("/xlsa17.zip")


def in_cache(cache):
    return sorted(path.name for path in cache.iterdir() if not path.name.endswith(".lock"))


def test_one_download_gives_both_sets_and_leaves_no_archive(published):
    publish, cache = published
    (X_sun, sun), (X_apy, apy) = features(0), features(1)
    publish(sun=sun, apy=apy)
    before = checksum("sun"), checksum("apy")
    assert status("sun").startswith("not fetched: run `mlfs data fetch sun`")
    assert downloads() == 0
    data = load_zero_shot("sun")
    assert np.array_equal(data.X, X_sun)
    assert data.class_names[3] == "class3"
    assert (data.seen.tolist(), data.unseen.tolist()) == ([0, 1, 2], [3])
    assert np.array_equal(data.test, UNSEEN - 1)
    assert np.array_equal(load_zero_shot("apy").X, X_apy)
    load_zero_shot("sun")
    assert downloads() == 1
    assert (cache / "APY_res101.mat").read_bytes() == apy
    assert not [name for name in in_cache(cache) if "xlsa17" in name or ".part" in name]
    assert (checksum("sun"), checksum("apy")) == before and before[0] != before[1]
    assert status("sun") == status("apy") == "cached"


def test_the_digest_of_the_first_use_holds_afterwards(published, tmp_path):
    publish, cache = published
    sun = features(0)[1]  # made once, since a MATLAB file holds the time when it was made
    publish(sun=sun, apy=features(1)[1])
    load_zero_shot("sun")
    kept = cache / "SUN_res101.mat.sha256"
    assert kept.read_text() == digest(sun)
    assert {check.path.name: check.ok for check in verify()}["SUN_res101.mat"]
    (cache / "SUN_res101.mat").write_bytes(features(3)[1])
    assert not {check.path.name: check.ok for check in verify()}["SUN_res101.mat"]
    with pytest.raises(UserError, match=r"SUN_res101.mat is corrupt: .* as on its first use .*rem"):
        load_zero_shot("sun")
    assert not (cache / "SUN_res101.mat").exists()
    load_zero_shot("sun")  # it is fetched anew, and is the same
    assert downloads() == 2
    (cache / "SUN_res101.mat").unlink()
    publish(sun=features(3)[1])  # the server has another one now
    with pytest.raises(UserError, match=r"SUN_res101\.mat arrived with checksum sha256:.* expe"):
        load_zero_shot("sun")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "SUN_res101.mat").write_bytes(features(3)[1])
    with pytest.raises(UserError, match="is corrupt"):
        import_dir(tmp_path / "mine")
    kept.unlink()
    assert np.array_equal(load_zero_shot("sun").X, features(3)[0])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (features(0, n=16)[1], r"its shape is \(16, 5\), not \(12, 5\)"),
        (
            mat(features=features(0)[0].T, labels=np.arange(ROWS)[:, None] % CLASSES + 1),
            "its classes are not those of the published split",
        ),
    ],
    ids=["shape", "classes"],  # bytes of a MATLAB file tell the time, and would be the names
)
def test_features_without_a_checksum_are_compared_with_the_split(published, content, words):
    publish, cache = published
    publish(sun=content)
    with pytest.raises(UserError, match=f"not the sun file of .*{words}.*: remove it and run"):
        load_zero_shot("sun")
    assert not (cache / "SUN_res101.mat.sha256").exists()


def test_a_split_of_other_rows_is_noticed(published, monkeypatch):
    publish, _ = published
    publish(sun=features(0, n=ROWS + 1)[1])
    larger = dataclasses.replace(catalog()["sun"], n=ROWS + 1)
    monkeypatch.setitem(shipped(), "sun", larger)
    with pytest.raises(UserError, match="the published split has other rows"):
        load_zero_shot("sun")


def test_what_is_wrong_with_the_archive_is_said(published):
    publish, cache = published
    archive = publish(apy=features(2)[1])
    with pytest.raises(UserError, match=r"does not contain xlsa17/data/SUN/res101.mat\): put it"):
        load_zero_shot("sun")
    with pytest.raises(UserError, match=r"APY_res101\.mat arrived with checksum"):
        load_zero_shot("apy")
    content = bytearray(publish(sun=features(0)[1]).read_bytes())
    content[content.index(b"res101.mat") + 200] ^= 1
    archive.write_bytes(content)
    with pytest.raises(UserError, match="the downloaded archive is damaged"):
        load_zero_shot("sun")
    archive.write_bytes(b"<html>be right back</html>")
    with pytest.raises(UserError, match="the downloaded archive is damaged"):
        load_zero_shot("sun")
    archive.unlink()
    with pytest.raises(UserError, match=r"xlsa17.zip: the server says 404"):
        load_zero_shot("sun")
    assert not [name for name in in_cache(cache) if "res101" in name or "part" in name]
    publish(sun=features(0)[1], apy=features(2)[1])  # aPY's is a wrong one: SUN comes all the same
    assert len(load_zero_shot("sun").X) == ROWS
    assert not (cache / "APY_res101.mat").exists()


def test_fetch_gets_every_file(published):
    publish, _ = published
    publish(sun=features(0)[1], apy=features(1)[1])
    assert [path.name for path in fetch("sun", progress=False)] == [
        file.name for file in catalog()["sun"].files
    ]
    assert status("sun") == "cached" and downloads() == 1


def test_apy_alone_needs_no_archive_unless_its_own_address_fails(published, tmp_path, monkeypatch):
    publish, cache = published
    X, apy = features(1)
    publish(sun=features(0)[1], apy=apy)
    entry = catalog()["apy"]
    first, *others = entry.files
    base = first.urls[0].partition("/xlsa17")[0]
    alone = File(first.name, len(apy), digest(apy), (f"{base}/res101.mat", *first.urls))
    source = DataSource("zero_shot", (alone, *others))
    monkeypatch.setitem(shipped(), "apy", dataclasses.replace(entry, sources=(source,)))
    (tmp_path / "served" / "res101.mat").write_bytes(apy)
    assert np.array_equal(load_zero_shot("apy").X, X) and downloads() == 0
    (cache / first.name).unlink()
    (tmp_path / "served" / "res101.mat").write_text("version https://git-lfs.github.com/spec/v1")
    assert np.array_equal(load_zero_shot("apy").X, X) and downloads() == 1


def test_the_catalogue_names_the_published_archive():
    (sun, *_), (apy, *_) = (catalog()[name].files for name in PREFIX)
    assert sun.urls[0].endswith("/xlsa17.zip#xlsa17/data/SUN/res101.mat") and not sun.digest
    assert apy.urls[0].endswith("/data/APY/res101.mat")  # the file alone
    assert apy.urls[1].endswith("/xlsa17.zip#xlsa17/data/APY/res101.mat")
    assert apy.bytes == 129_153_547 and apy.sha256.startswith("b4bae3b9964011d9")
    assert all(catalog()[name].available for name in PREFIX)
