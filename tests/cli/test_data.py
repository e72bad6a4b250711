"""``mlfs data``: list, info, fetch, verify, import, with a cache of the test's own."""

import numpy as np
import pytest
from PIL import Image

from mlfs.datasets.images.extractors import EXTRACTORS, Patches

from .conftest import assert_one_sentence


@pytest.fixture
def data(mlfs, tmp_path):
    """The command with an empty cache and, unless told otherwise, no mirror."""

    def call(*args, mirror=""):
        env = {"MLFS_DATA": str(tmp_path / "cache"), "MLFS_MIRROR": str(mirror)}
        return mlfs("data", *args, env=env)

    return call


def test_verify_removes_damaged_files(data, tmp_path, mirror):
    fetched = data("fetch", "emotions", mirror=mirror)
    assert fetched.returncode == 0, fetched.stderr
    assert "593 instances, 72 features, 6 labels" in fetched.stdout
    assert "0 damaged" in data("verify").stdout
    victim = tmp_path / "cache/emotions-test.arff"
    victim.write_bytes(victim.read_bytes()[:-100])
    result = data("verify")
    assert result.returncode == 1
    assert "emotions-test.arff: was damaged and is removed" in result.stdout and not victim.exists()
    assert "0 damaged" in data("verify").stdout


def test_fetch_counts_classes_or_labels(data):
    fetched = data("fetch", "digits", "planted")
    assert fetched.returncode == 0, fetched.stderr
    assert "digits: 1797 instances, 64 features, 10 classes (built in)" in fetched.stdout
    assert "planted: 500 instances, 60 features, 8 labels (built in)" in fetched.stdout


def test_fetch_of_images_says_how_many(data, mirror):
    fetched = data("fetch", "cifar10", mirror=mirror)
    assert fetched.returncode == 0 and "cifar10: 60000 images, 10 classes (" in fetched.stdout


def test_import_takes_known_files_whatever_their_names(data, tmp_path, mirror):
    folder = tmp_path / "downloads"
    folder.mkdir()
    for name in ("emotions-train.arff", "emotions-test.arff", "emotions.xml"):
        (folder / f"my-{name}").write_bytes((mirror / name).read_bytes())
    (folder / "letter.txt").write_text("not data")
    assert "3 files copied" in data("import", folder).stdout
    listed = data("list").stdout
    line = next(line for line in listed.splitlines() if line.startswith("emotions "))
    assert line.endswith("cached")


def test_list_and_info_say_what_is_known(data):
    listed = data("list").stdout
    assert "not fetched: put its 4 files into the cache" in listed and "built in" in listed
    assert "not fetched: run `mlfs data fetch bookmarks`, or put bookmarks.arff into" in listed
    told = data("info", "pascal07").stdout
    assert "lear.inrialpes.fr" in told and "file: pascal07_train_Gist.fvec" in told
    assert "Next: mlfs data import" in told
    assert "family: corel16k (with corel16k001, corel16k003)" in data("info", "corel16k002").stdout
    assert "family: yeast\n" in data("info", "yeast").stdout
    told = data("info", "rcv1subset2_top944").stdout
    assert "6000 instances" in told and "note:" in told and "sha256" in told
    told = data("info", "sun").stdout
    assert "file: SUN_res101.mat (checksum not published)" in told
    assert "file: zsl_SUN_att_splits.mat (291128 bytes, sha256 90dcb2a6" in told
    assert "status: not fetched" in told and "880 MB" in told
    assert_one_sentence(data("info", "yeats"), "did you mean 'yeast'")
    assert_one_sentence(data("fetch", "msrc"), "msrc")
    assert_one_sentence(data("fetch", "pascal07"), "get it from INRIA LEAR's page", "annot.hvecs")


def test_features_of_an_image_folder_are_saved(data, tmp_path, monkeypatch):
    monkeypatch.setitem(EXTRACTORS, "patches", lambda: Patches(n_centroids=32, n_patches=3000))
    rng = np.random.default_rng(0)
    for name in ("cat", "dog"):
        (tmp_path / "photos" / name).mkdir(parents=True)
        for i in range(12):
            pixels = rng.integers(0, 255, (32, 32, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(tmp_path / "photos" / name / f"{i}.png")
    result = data("features", "photos", "--extractor", "patches", "--output", "out.npy")
    assert result.returncode == 0, result.stderr
    assert "24 images, 128 features by patches" in result.stdout
    assert np.load(tmp_path / "out.npy").shape == (24, 128)
    assert_one_sentence(data("features", "nowhere", "--extractor", "patches"), "has no images")
