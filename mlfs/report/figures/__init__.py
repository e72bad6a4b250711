"""Figures: curves, diagrams and their style."""
