"""Commands about configs, methods, data and stored results."""
