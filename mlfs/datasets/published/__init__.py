"""Get the published files: from a mirror, the web or a package index."""
