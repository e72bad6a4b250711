"""Feature selectors, one file each; a new file is found automatically."""

from __future__ import annotations

from typing import Any

from ..methods import discovery
from ..methods.ranker import Ranker as Ranker


def __getattr__(name: str) -> Any:
    return discovery.attribute(__name__, Ranker, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *discovery.names(__name__, Ranker)})
