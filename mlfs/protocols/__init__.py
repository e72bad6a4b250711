"""What one cell does, per kind of experiment; a config names one by its ``protocol`` key."""

from importlib import import_module

from .common import Experiment, ProtocolModule, Record, Spec

NAMES = ("selection", "learning", "active", "zeroshot", "planted")


def protocol(name: str) -> ProtocolModule:
    """Give the module of one kind of experiment."""
    return import_module(f".{name}", __package__)


__all__ = ["NAMES", "Experiment", "Record", "Spec", "protocol"]
