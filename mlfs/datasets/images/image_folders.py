"""Images for feature extraction: a folder with one subfolder for each class, or an array."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from PIL import Image, UnidentifiedImageError

from ...errors import UserError
from ...types import Array

_ENDINGS = {".jpg", ".jpeg", ".png", ".bmp", ".gif", ".webp"}


class Images(Protocol):
    """Describe images that are read only when they are needed."""

    classes: Array
    class_names: list[str]

    @property
    def checksum(self) -> str:
        """A checksum of the content."""

    def __len__(self) -> int: ...

    def read(self, rows: Array, side: int) -> Array:
        """Return the images `rows` as an array of shape (b, side, side, 3), uint8."""


class ImageFolder:
    """Read image files under a directory; the class of an image is the name of its folder.

    Parameters
    ----------
    root : Path
        The directory. Subfolders at any depth are read, in the order of their names:
        ``train/cat/1.jpg`` and ``test/cat/1.jpg`` both belong to the class cat.
    checksum : str, optional
        The checksum of the content, if it is known; by default it is computed from all files.
    """

    def __init__(self, root: Path, checksum: str | None = None):
        self.root = Path(root)
        self._checksum = checksum
        files = (path for path in self.root.rglob("*") if path.suffix.lower() in _ENDINGS)
        self.paths = sorted(files, key=lambda path: path.relative_to(self.root).as_posix())
        if not self.paths:
            raise UserError(f"{root} has no images: name a folder with one folder for each class.")
        names = [path.parent.name for path in self.paths]
        distinct, self.classes = np.unique(names, return_inverse=True)
        self.class_names = [str(name) for name in distinct]

    def __len__(self) -> int:
        return len(self.paths)

    @property
    def checksum(self) -> str:
        """A checksum of the names and contents of all files."""
        if self._checksum is not None:
            return self._checksum
        digest = hashlib.sha256()
        for path in self.paths:
            digest.update(path.relative_to(self.root).as_posix().encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    def read(self, rows: Array, side: int) -> Array:
        """Read these images and resize them."""
        batch = np.empty((len(rows), side, side, 3), dtype=np.uint8)
        for place, row in enumerate(rows):
            try:
                with Image.open(self.paths[row]) as image:
                    batch[place] = _resize(image.convert("RGB"), side)
            except (UnidentifiedImageError, OSError) as error:
                raise UserError(
                    f"{self.paths[row]} cannot be read as an image: remove it or replace it."
                ) from error
        return batch


@dataclass
class ImageArray:
    """Hold images in memory.

    Parameters
    ----------
    pixels : ndarray of shape (n, height, width, 3), uint8
        The images.
    classes : ndarray of int of shape (n,)
        The class of each image.
    class_names : list of str
        Names of the classes.
    """

    pixels: Array = field(repr=False)
    classes: Array
    class_names: list[str]

    def __len__(self) -> int:
        return len(self.pixels)

    @property
    def checksum(self) -> str:
        """A checksum of the pixels."""
        return hashlib.sha256(np.ascontiguousarray(self.pixels).tobytes()).hexdigest()

    def read(self, rows: Array, side: int) -> Array:
        """Resize these images."""
        chosen = self.pixels[rows]
        if chosen.shape[1:3] == (side, side):
            return chosen
        return np.stack([_resize(Image.fromarray(pixels), side) for pixels in chosen])


def _resize(image: Image.Image, side: int) -> Array:
    if image.size != (side, side):
        image = image.resize((side, side), Image.Resampling.BILINEAR)
    return np.asarray(image)
