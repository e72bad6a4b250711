"""Numerical code that several methods share."""
