"""Tables like those of the papers, with their tests."""
