"""From a config to stored results: plan, store, execute, run."""
