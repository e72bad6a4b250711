"""Compute features of images once, and keep them in the cache.

Features are written to a file. Its name depends on the images, the extractor and its version, so a
stale file is never used.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from ...types import Array
from ..local_files import locked, scratch
from ..places import cache_dir

if TYPE_CHECKING:  # they import PIL and K-means, which reading other data does not need
    from .extractors import Extractor
    from .image_folders import Images


@dataclass(frozen=True)
class ImageFeatures:
    """Hold a table of features that is computed when its rows are read.

    If the extractor learns from images of seen classes, other seen classes lead to other features.
    Then only the rows that are asked for are computed; otherwise all rows are, once.

    Parameters
    ----------
    images : Images
        The images.
    extractor : Extractor
        What computes the features.
    fit_on : ndarray of int
        Numbers of the images to learn from.
    progress : bool, default=True
        Show a bar.
    """

    images: Images
    extractor: Extractor
    fit_on: Array
    progress: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        """Number of images and of features."""
        return len(self.images), self.extractor.n_features

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, rows: Array | slice) -> Array:
        """Return the features of some images."""
        numbers = np.arange(len(self))[rows]
        if not self.extractor.needs_fit:
            return extract(self.images, self.extractor, progress=self.progress)[numbers]
        return extract(self.images, self.extractor, self.fit_on, numbers, progress=self.progress)


def extract(
    images: Images,
    extractor: Extractor,
    fit_on: Array | None = None,
    rows: Array | None = None,
    *,
    progress: bool = True,
) -> Array:
    """Compute the features of images, or read them if they are in the cache.

    Several processes may ask for the same features: one computes them, and the others wait.

    Parameters
    ----------
    images : Images
        The images.
    extractor : Extractor
        What computes the features.
    fit_on : ndarray of int, optional
        Numbers of the images to learn from, such as those of seen classes; by default all.
    rows : ndarray of int, optional
        Numbers of the images whose features are wanted; by default all.
    progress : bool, default=True
        Show a bar.

    Returns
    -------
    ndarray of shape (len(rows), extractor.n_features)
        The features as float32, mapped from the file.
    """
    recipe = _recipe(images, extractor, fit_on, rows)
    digest = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()
    target = cache_dir() / "features" / f"{extractor.name}-{digest[:16]}.npy"
    if not target.is_file():
        with locked(target.name):
            if not target.is_file():  # another process may have computed them
                _compute(target, images, extractor, fit_on, rows, progress)
    return np.load(target, mmap_mode="r")


def _recipe(
    images: Images, extractor: Extractor, fit_on: Array | None, rows: Array | None
) -> dict[str, Any]:
    settings = {k: v for k, v in vars(extractor).items() if isinstance(v, int)}
    recipe = {"images": images.checksum, "version": extractor.version, **settings}
    if extractor.needs_fit and fit_on is not None:
        recipe["fit_on"] = _digest(fit_on)
    if rows is not None:
        recipe["rows"] = _digest(rows)
    return recipe


def _digest(numbers: Array) -> str:
    return hashlib.sha256(np.asarray(numbers, dtype="<i8").tobytes()).hexdigest()


def _compute(
    target: Path,
    images: Images,
    extractor: Extractor,
    fit_on: Array | None,
    rows: Array | None,
    progress: bool,
) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    every = np.arange(len(images))
    learn = every if fit_on is None else fit_on
    learn = learn[:: max(1, len(learn) // 10_000)] if extractor.needs_fit else learn[:1]
    extractor.fit(images.read(learn, extractor.side))
    with scratch(target.name) as temporary:
        _fill(temporary, images, extractor, every if rows is None else rows, progress)
        temporary.replace(target)


def _fill(path: Path, images: Images, extractor: Extractor, rows: Array, progress: bool) -> None:
    """Write the features batch by batch; only a few batches are in memory at the same time."""
    shape = (len(rows), extractor.n_features)
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
    bar = tqdm(total=len(rows), desc=extractor.name, unit="img", disable=not progress)

    def work(places: Array) -> tuple[Array, Array]:
        return places, extractor.transform(images.read(rows[places], extractor.side))

    workers = os.cpu_count() or 1
    with bar, threadpool_limits(1), ThreadPoolExecutor(workers) as pool:
        for group in _groups(len(rows), extractor.batch, 4 * workers):
            for places, features in pool.map(work, group):
                table[places] = features
                bar.update(len(places))
    table.flush()


def _groups(n: int, batch: int, per_group: int) -> Iterator[list[Array]]:
    """Yield lists of at most `per_group` batches of consecutive indices."""
    step = batch * per_group
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        yield [rows[i : i + batch] for i in range(0, len(rows), batch)]
