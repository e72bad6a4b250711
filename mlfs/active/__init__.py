"""The Bayesian model and the query strategies, one file each; a new file is found automatically."""

from __future__ import annotations

from typing import Any

from ..methods import discovery
from ..methods.strategy import Pool as Pool
from ..methods.strategy import QueryStrategy as QueryStrategy
from .model import BayesianCompressedSensing as BayesianCompressedSensing


def __getattr__(name: str) -> Any:
    return discovery.attribute(__name__, QueryStrategy, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *discovery.names(__name__, QueryStrategy)})
