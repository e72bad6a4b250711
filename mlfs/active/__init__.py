"""The Bayesian model and the query strategies; a new one is a file and a registry line."""

from .base import Pool, QueryStrategy
from .chance import Random
from .li_adaptive import LiAdaptive
from .miml import MIML
from .model import BayesianCompressedSensing
from .uncertainty import Uncertainty

STRATEGIES: dict[str, type[QueryStrategy]] = {
    "miml": MIML,
    "uncertainty": Uncertainty,
    "random": Random,
    "li_adaptive": LiAdaptive,
}

__all__ = [
    "MIML",
    "STRATEGIES",
    "BayesianCompressedSensing",
    "LiAdaptive",
    "Pool",
    "QueryStrategy",
    "Random",
    "Uncertainty",
]
