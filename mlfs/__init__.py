"""Rerun published multi-label experiments and see, cell by cell, how close you come."""

__version__ = "0.1.0"
