"""Classifiers that the papers use, one file each; a new file is found automatically."""

from __future__ import annotations

from typing import Any

from ..methods import discovery
from ..methods.classifier import MultiLabelClassifier as MultiLabelClassifier


def __getattr__(name: str) -> Any:
    return discovery.attribute(__name__, MultiLabelClassifier, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *discovery.names(__name__, MultiLabelClassifier)})
