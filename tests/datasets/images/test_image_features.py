"""Feature extractors on small images: definitions written out, caching, streaming, errors."""

import io
import sys
import tarfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

from mlfs.datasets.images.cifar10 import load_cifar10, read_binary
from mlfs.datasets.images.extractors import Patches, make_extractor
from mlfs.datasets.images.image_features import ImageFeatures, extract
from mlfs.datasets.images.image_folders import ImageArray, ImageFolder
from mlfs.errors import UserError

from ...helpers import LONG


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def images():
    rng = np.random.default_rng(0)
    pixels = rng.integers(256, size=(30, 32, 32, 3)).astype(np.uint8)
    return ImageArray(pixels, np.arange(30) % 3, ["a", "b", "c"])


def small_patches():
    return Patches(n_centroids=8, n_patches=500)


def test_patches_follow_their_definition(images):
    model = small_patches().fit(images.pixels)
    image = images.pixels[4].astype(float)
    expected = np.zeros((2, 2, 8))
    for top in range(27):
        for left in range(27):
            # sliding windows put the channel first
            patch = image[top : top + 6, left : left + 6].transpose(2, 0, 1).ravel()
            patch = (patch - patch.mean()) / np.sqrt(patch.var() + 10)
            white = (patch - model._mean) @ model._whiten
            z = np.linalg.norm(white - model._centroids, axis=1)
            expected[top // 13 if top < 26 else 1, left // 13 if left < 26 else 1] += np.maximum(
                z.mean() - z, 0
            )
    found = model.transform(images.pixels[4:5])[0]
    np.testing.assert_allclose(found, expected.ravel(), rtol=1e-3, atol=1e-3)


def test_whitened_patches_are_uncorrelated(images):
    model = Patches(n_centroids=4, n_patches=20_000).fit(images.pixels)
    windows = np.lib.stride_tricks.sliding_window_view(images.pixels, (6, 6), axis=(1, 2))
    patches = windows.reshape(-1, 108).astype(float)
    patches -= patches.mean(axis=1, keepdims=True)
    patches /= np.sqrt(patches.var(axis=1, keepdims=True) + 10)
    covariance = np.cov((patches - model._mean) @ model._whiten, rowvar=False)
    off = covariance - np.diag(np.diag(covariance))
    assert np.abs(off).max() < 0.1 < np.diag(covariance).min()


def test_streamed_equals_at_once_and_is_computed_once(images, cache):
    features = extract(images, small_patches(), progress=False)
    direct = small_patches().fit(images.pixels).transform(images.pixels)
    assert features.dtype == np.float32
    np.testing.assert_allclose(features, direct, rtol=1e-4, atol=1e-4)
    (file,) = (cache / "features").iterdir()
    written = file.stat().st_mtime_ns
    again = extract(images, small_patches(), progress=False)
    assert np.array_equal(again, features) and file.stat().st_mtime_ns == written


def test_whatever_makes_features_different_has_a_file_of_its_own(images, cache):
    first = extract(images, small_patches(), np.arange(10), progress=False)
    second = extract(images, small_patches(), np.arange(10, 20), progress=False)
    assert not np.allclose(first, second)
    extract(images, Patches(n_centroids=4, n_patches=500), np.arange(10), progress=False)
    other = ImageArray(images.pixels[:20], images.classes[:20], images.class_names)
    extract(other, small_patches(), np.arange(10), progress=False)
    assert len(list((cache / "features").iterdir())) == 4


def test_features_of_some_rows_are_those_rows_of_all_features(images, cache):
    rows, learn = np.array([22, 3, 4, 17, 9, 29]), np.arange(10)
    table = ImageFeatures(images, small_patches(), learn, progress=False)
    assert table.shape == (30, 32) and len(table) == 30
    # products of other batches may be rounded in another order
    np.testing.assert_allclose(table[rows], table[:][rows], rtol=1e-5)
    np.testing.assert_array_equal(table[:], extract(images, small_patches(), learn, np.arange(30)))
    files = (cache / "features").iterdir()
    assert sorted(len(np.load(file)) for file in files) == [6, 30]  # only what was asked for


def test_features_that_learn_nothing_are_computed_once_for_all_rows(images, cache, monkeypatch):
    extractor, seen = make_extractor("efficientnet-lite0"), []

    def transform(pixels):
        seen.extend(pixels[:, 0, 0, 0])
        return np.repeat(pixels.mean(axis=(1, 2, 3))[:, None], 1280, axis=1)

    monkeypatch.setattr(extractor, "fit", lambda pixels: extractor)
    monkeypatch.setattr(extractor, "transform", transform)
    first = ImageFeatures(images, extractor, np.arange(10), progress=False)[[5, 2]]
    second = ImageFeatures(images, extractor, np.arange(20), progress=False)[2:3]
    assert len(seen) == 30 and first[1, 0] == second[0, 0] != first[0, 0]


def test_one_of_several_processes_computes_the_features(images, cache, monkeypatch):
    """Both ask at the same time; the second one waits and then reads what the first one wrote."""
    started, fits = threading.Barrier(2), []

    class Counted(Patches):
        def fit(self, pixels):
            fits.append(len(pixels))
            time.sleep(0.2)  # long enough for the other one to ask
            return super().fit(pixels)

    def ask(_):
        started.wait(LONG)
        return np.array(extract(images, Counted(n_centroids=8, n_patches=500), progress=False))

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(ask, range(2))
    np.testing.assert_array_equal(first, second)
    assert fits == [30]


def test_folder_reads_like_the_array(images, tmp_path):
    for i, pixels in enumerate(images.pixels[:6]):
        folder = tmp_path / ("train", "test")[i // 3] / "abc"[i % 3]
        folder.mkdir(parents=True)
        Image.fromarray(pixels).save(folder / f"{i}.png")
    folder = ImageFolder(tmp_path)
    assert len(folder) == 6 and folder.class_names == ["a", "b", "c"]
    assert folder.classes.tolist() == [0, 1, 2, 0, 1, 2]
    order = [3, 4, 5, 0, 1, 2]  # test comes before train
    assert np.array_equal(folder.read(np.arange(6), 32), images.pixels[order])
    assert folder.read(np.arange(2), 48).shape == (2, 48, 48, 3)
    before = folder.checksum
    Image.fromarray(images.pixels[7]).save(folder.paths[0])
    assert ImageFolder(tmp_path).checksum != before


def test_bad_folders_and_names_are_refused(tmp_path):
    with pytest.raises(UserError, match="has no images"):
        ImageFolder(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.jpg").write_bytes(b"no image")
    with pytest.raises(UserError, match=r"x\.jpg cannot be read as an image"):
        ImageFolder(tmp_path).read(np.arange(1), 32)
    with pytest.raises(UserError, match="did you mean 'patches'"):
        make_extractor("patch")


@pytest.mark.parametrize("seen", [(), (-1, 3), (3, 10)])
def test_seen_classes_are_checked_before_files_are_looked_for(seen, tmp_path):
    with pytest.raises(UserError, match="of cifar10: choose from 0 to 9"):
        load_cifar10("patches", seen, mirror=tmp_path, progress=False)


def test_the_binary_version_of_cifar10_is_read(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "cifar-10-binary.tar.gz"
    parts = {}
    with tarfile.open(path, "w:gz") as tar:
        for name in [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]:
            parts[name] = rng.integers(10, size=(2, 3073)).astype(np.uint8)
        contents = {name: rows.tobytes() for name, rows in parts.items()}
        contents["batches.meta.txt"] = b"airplane\ncat\n\n"
        for name, content in contents.items():
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    images = read_binary(path)
    record = parts["data_batch_3.bin"][1]
    assert len(images) == 12 and images.class_names == ["airplane", "cat"]
    assert images.classes[5] == record[0]
    assert images.pixels[5, 4, 9, 2] == record[1 + 2 * 1024 + 4 * 32 + 9]  # blue, row 4, column 9


def test_the_network_is_needed_only_for_features_not_yet_in_the_cache(images, cache, monkeypatch):
    extractor = make_extractor("efficientnet-lite0")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UserError, match=r"needs the package torch: pip install"):
        extract(images, extractor, progress=False)
    kept = np.ones((len(images), 1280), dtype=np.float32)
    monkeypatch.setattr(extractor, "fit", lambda pixels: extractor)
    monkeypatch.setattr(extractor, "transform", lambda pixels: kept[: len(pixels)])
    extract(images, extractor, progress=False)
    again = extract(images, make_extractor("efficientnet-lite0"), progress=False)
    np.testing.assert_array_equal(again, kept)


def test_network_gives_the_features_of_its_own_classifier():
    """The 1,280 averages, sent through the network's last layer, are its own logits."""
    torch = pytest.importorskip("torch", reason="needs the extra 'deep'")
    pytest.importorskip("efficientnet_lite_pytorch", reason="needs the extra 'deep'")
    extractor = make_extractor("efficientnet-lite0")
    pixels = np.random.default_rng(0).integers(256, size=(3, 96, 96, 3)).astype(np.uint8)
    features = extractor.fit(pixels).transform(pixels)
    assert features.shape == (3, 1280)
    inputs = torch.tensor((pixels.astype(np.float32) - 127) / 128).permute(0, 3, 1, 2)
    with torch.inference_mode():
        logits = extractor._net(inputs)
        found = extractor._net._fc(torch.tensor(features))
    np.testing.assert_allclose(found, logits, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
def test_cifar10_has_its_classes_and_word_vectors(mirror, cache):
    data = load_cifar10("patches", (3, 5), mirror=mirror, progress=False)
    assert data.X.shape == (60_000, 4096) and data.X[:8].shape == (8, 4096)
    assert data.attributes.shape == (10, 50)
    assert np.bincount(data.classes).tolist() == [6000] * 10
    assert data.class_names[:3] == ["airplane", "automobile", "bird"]
    assert len(data.unseen) == 8
