"""Lists for people: methods, datasets, failures, estimates, features."""
