"""Load zero-shot datasets: each instance has one class, and each class has attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...errors import UserError
from ...numerics.linalg import dense, unit_rows
from ...types import Array
from ..catalogue import catalog, find
from ..formats.mat import load_mat, matrix
from ..local_files import check, keep_digest, locate
from ..places import cache_dir
from ..published.fetch import obtain
from ..published.published_catalogue import Entry, File
from .image_features import ImageFeatures


@dataclass(frozen=True)
class ZeroShot:
    """Hold instances of seen and unseen classes.

    Parameters
    ----------
    name : str
        Its name in tables.
    X : ndarray or ImageFeatures of shape (n, d)
        The features; those of images are computed when rows are read.
    classes : ndarray of shape (n,)
        The class of each instance, as a row number of `attributes`.
    attributes : ndarray of shape (n_classes, n_attributes)
        The attributes of each class.
    class_names : list of str
        Names of the classes.
    seen, unseen : ndarray of int
        The classes to learn from, and the classes to recognise; together they are all classes.

    Examples
    --------
    >>> from mlfs.datasets import load_zero_shot
    >>> data = load_zero_shot("digits")
    >>> data.unseen.tolist(), data.attributes.shape
    ([7, 8, 9], (10, 7))
    """

    name: str
    X: Array | ImageFeatures
    classes: Array
    attributes: Array
    class_names: list[str]
    seen: Array
    unseen: Array

    @property
    def train(self) -> Array:
        """Instances of seen classes."""
        return np.flatnonzero(np.isin(self.classes, self.seen))

    @property
    def test(self) -> Array:
        """Instances of unseen classes."""
        return np.flatnonzero(np.isin(self.classes, self.unseen))


@dataclass(frozen=True)
class ClassTable:
    """Hold classes with their attributes, and the paper's split into seen and unseen classes.

    `parts` is the split of xlsa17: two parts that together are all rows of the features. No class
    is in both parts.
    """

    attributes: Array
    class_names: list[str]
    seen: Array
    unseen: Array
    parts: tuple[Array, Array]


def load_zero_shot(
    name: str,
    features: Path | str | None = None,
    *,
    seen: Sequence[int] | None = None,
    mirror: Path | None = None,
) -> ZeroShot:
    """Load "sun", "apy", "cifar10" or "digits".

    Parameters
    ----------
    name : str
        Name of the dataset.
    features : Path or str, optional
        For sun and apy: a file ``res101.mat`` (features d x n, labels n x 1); by default the file
        of the xlsa17 archive, which is downloaded on first use. For cifar10: the name of an
        extractor; by default "efficientnet-lite0".
    seen : sequence of int, optional
        The seen classes. By default those of the SemFS paper for sun and apy, 0 and 1 for
        cifar10, and 0 to 6 for digits.
    mirror : Path, optional
        A directory of data files; by default ``$MLFS_MIRROR``.

    Returns
    -------
    ZeroShot
        Instances, classes and attributes.
    """
    from .cifar10 import load_cifar10  # here, because both modules import ZeroShot
    from .digits import digits

    if name == "cifar10":
        data = load_cifar10(str(features or "efficientnet-lite0"), seen or (0, 1), mirror=mirror)
    elif name == "digits":
        data = digits()
    else:
        data = _load_mat_set(name, features, mirror)
    if seen is None:
        return data
    rest = np.setdiff1d(np.arange(len(data.attributes)), seen)
    return replace(data, seen=np.unique(seen), unseen=rest)


def _load_mat_set(name: str, features: Path | str | None, mirror: Path | None) -> ZeroShot:
    entry = _entry(name)
    table = class_table(name, mirror=mirror)
    path = Path(features) if features else _path(entry.files[0], mirror)
    content = load_mat(path, "features", "labels")
    X = dense(matrix(content, "features", path)).T.astype(float)
    labels = dense(matrix(content, "labels", path)).ravel().astype(int)
    if len(X) != len(labels) or not 1 <= labels.min() <= labels.max() <= len(table.attributes):
        raise UserError(
            f"{path} is not the {name} file of the xlsa17 archive: it has {len(X)} instances and "
            f"{len(labels)} labels up to {labels.max()} for {len(table.attributes)} classes; "
            "use another file."
        )
    if not features:
        _check_published(path, entry, X, labels, table)
        keep_digest(path, entry.files[0])
    return ZeroShot(
        name=name,
        X=np.ascontiguousarray(X),
        classes=labels - 1,
        attributes=table.attributes,
        class_names=table.class_names,
        seen=table.seen,
        unseen=table.unseen,
    )


def _check_published(path: Path, entry: Entry, X: Array, labels: Array, table: ClassTable) -> None:
    """Compare the features with the published split, since not every file has a checksum."""
    wrong = ""
    if X.shape != (entry.n, entry.d):
        wrong = f"its shape is {X.shape}, not {(entry.n, entry.d)}"
    elif not np.array_equal(np.sort(np.concatenate(table.parts)), np.arange(len(X))):
        wrong = "the published split has other rows"
    elif np.isin(labels[table.parts[0]], labels[table.parts[1]]).any():
        wrong = "its classes are not those of the published split"
    if wrong:
        raise UserError(
            f"{path} is not the {entry.name} file of the xlsa17 archive ({wrong}): remove it and "
            "run the command again to fetch it again."
        )


def class_table(name: str, *, mirror: Path | None = None) -> ClassTable:
    """Return the classes of "sun" or "apy" in the order of the labels in xlsa17.

    The paper's split numbers the classes in another order. Both files have the attributes of the
    classes, so classes are matched by their attributes.
    """
    entry = _entry(name)
    paths = {file.name.rpartition("_")[2]: _path(file, mirror) for file in entry.files[1:4]}
    theirs = load_mat(paths["attrClasses.mat"], "attrClasses")["attrClasses"]
    split = load_mat(paths["experimentIndices.mat"], "trainClassesIndices", "testClassesIndices")
    rows = ("trainval_loc", "test_seen_loc", "test_unseen_loc")
    ours = load_mat(paths["splits.mat"], "original_att", "allclasses_names", *rows)
    attributes = ours["original_att"].T
    trainval, test_seen, test_unseen = (ours[key].ravel().astype(int) - 1 for key in rows)
    order = match_rows(theirs, attributes)
    return ClassTable(
        attributes=attributes,
        class_names=[str(cell[0]) for cell in ours["allclasses_names"].ravel()],
        seen=np.sort(order[split["trainClassesIndices"].ravel().astype(int) - 1]),
        unseen=np.sort(order[split["testClassesIndices"].ravel().astype(int) - 1]),
        parts=(np.concatenate([trainval, test_seen]), test_unseen),
    )


def _path(file: File, mirror: Path | None) -> Path:
    """Find a file, or fetch it, and verify it."""
    try:
        path = locate(file, mirror) or obtain(file, mirror)
    except OSError as error:
        raise UserError(
            f"{file.name} cannot be found ({error}): put it into {cache_dir()}, "
            "or set MLFS_MIRROR, or connect to the network."
        ) from error
    check(path, file)
    return path


def match_rows(A: Array, B: Array) -> Array:
    """Find for each row of A the equal row of B, up to a factor; this must be a permutation."""
    cosine = unit_rows(A) @ unit_rows(B).T
    order = cosine.argmax(axis=1)
    if len(set(order.tolist())) != len(B) or cosine.max(axis=1).min() < 1 - 1e-9:
        raise UserError("the two attribute files do not describe the same classes; get both again.")
    return order


def _entry(name: str) -> Entry:
    entry = find(name)
    if entry.reader != "zero_shot":
        usable = [e.name for e in catalog().values() if e.reader == "zero_shot"]
        usable += ["cifar10", "digits"]
        raise UserError(f"dataset '{name}' is not for zero-shot learning: use {', '.join(usable)}.")
    return entry
