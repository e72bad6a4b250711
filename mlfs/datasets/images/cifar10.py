"""CIFAR10 as a zero-shot dataset: features of images, and word vectors of class names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...errors import UserError
from ...types import Array
from ..catalogue import find
from ..formats.mat import load_mat
from ..local_files import check, locate_all
from ..places import cache_dir
from ..published.archive import open_member, unpack
from ..published.fetch import fetch
from .extractors import make_extractor
from .image_features import ImageFeatures
from .image_folders import ImageArray, ImageFolder, Images
from .zeroshot_sets import ZeroShot

_PARTS = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]


def load_cifar10(
    extractor: str = "efficientnet-lite0",
    seen: Sequence[int] = (0, 1),
    *,
    mirror: Path | None = None,
    progress: bool = True,
) -> ZeroShot:
    """Load all 60,000 images of CIFAR10; the attributes are word vectors of Huang et al.

    Parameters
    ----------
    extractor : {"efficientnet-lite0", "patches"}
        How to compute the features, when rows of X are read for the first time. "patches" learns
        only from the images of the seen classes, so other seen classes lead to other features.
    seen : sequence of int, default=(0, 1)
        Numbers of the seen classes, in the order of the class names; the others are unseen.
    mirror : Path, optional
        A directory of data files; by default ``$MLFS_MIRROR``.
    progress : bool, default=True
        Show a bar while features are computed.

    Returns
    -------
    ZeroShot
        Instances, classes and attributes.
    """
    chosen = np.unique(seen)
    if len(chosen) == 0 or not 0 <= chosen[0] <= chosen[-1] < 10:
        raise UserError(f"seen classes {list(seen)} of cifar10: choose from 0 to 9.")
    archive, digest, words = _files(mirror)
    images = _images(archive, digest)
    table = load_mat(words, "wordTable", "label_names")
    names = [str(cell[0]) for cell in table["label_names"].ravel()]
    order = [names.index(name) for name in images.class_names]
    fit_on = np.flatnonzero(np.isin(images.classes, chosen))
    return ZeroShot(
        name="cifar10",
        X=ImageFeatures(images, make_extractor(extractor), fit_on, progress),
        classes=images.classes,
        attributes=table["wordTable"].T[order],
        class_names=images.class_names,
        seen=chosen,
        unseen=np.setdiff1d(np.arange(10), chosen),
    )


def _files(mirror: Path | None) -> tuple[Path, str, Path]:
    """Return the archive of images (binary or jpg), its checksum, and the word vectors."""
    entry = find("cifar10")
    for attempt in range(2):
        for source in entry.sources:
            paths = locate_all(source, mirror)
            if paths is not None:
                for path, file in zip(paths, source.files):
                    check(path, file)
                return paths[0], source.files[0].digest, paths[1]
        if attempt == 0:
            fetch(entry.name, mirror)
    raise UserError("cifar10 cannot be found: 'mlfs data info cifar10' says where to get it.")


def _images(archive: Path, digest: str) -> Images:
    if "binary" in archive.name:
        return read_binary(archive)
    return ImageFolder(unpack(archive, cache_dir() / "images" / "cifar10"), checksum=digest)


def read_binary(archive: Path) -> ImageArray:
    """Read the public binary version; a record is one byte of class and 3 x 32 x 32 pixels."""
    rows = []
    try:
        for part in _PARTS:
            with open_member(archive, part) as stream:
                rows.append(np.frombuffer(stream.read(), dtype=np.uint8).reshape(-1, 3073))
        with open_member(archive, "batches.meta.txt") as stream:
            names = stream.read().decode().split()
    except ValueError as error:
        raise UserError(f"{archive} is not the binary version of CIFAR10 ({error}).") from error
    records: Array = np.concatenate(rows)
    pixels = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return ImageArray(pixels, records[:, 0].astype(int), names)
