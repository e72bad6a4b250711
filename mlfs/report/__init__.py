"""Make tables, figures and lists for people from stored results."""
