"""Turn a config into stored results: plan the cells, run them, store what they return."""
