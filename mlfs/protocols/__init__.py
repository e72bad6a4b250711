"""The kinds of experiments: what one cell does. A config names one with its key ``protocol``."""

from .cell import Cell, Data, Method, Record, Settings
from .experiment.base import Experiment, Mistake
from .experiment.method_choice import MethodChoice
from .names import NAMES, is_own, protocol
from .own_protocol import OwnProtocol

__all__ = [
    "NAMES",
    "Cell",
    "Data",
    "Experiment",
    "Method",
    "MethodChoice",
    "Mistake",
    "OwnProtocol",
    "Record",
    "Settings",
    "is_own",
    "protocol",
]
