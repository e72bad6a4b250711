"""Datasets that are made, not read."""
