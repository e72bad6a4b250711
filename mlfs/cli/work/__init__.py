"""Commands that run something."""
