"""The kinds of experiments: what one cell does. A config names one with its key ``protocol``."""

from .cell import Cell, Data, Method, Record, Settings
from .experiment.base import Experiment, Mistake
from .experiment.method_choice import MethodChoice
from .names import NAMES, protocol

__all__ = [
    "NAMES",
    "Cell",
    "Data",
    "Experiment",
    "Method",
    "MethodChoice",
    "Mistake",
    "Record",
    "Settings",
    "protocol",
]
