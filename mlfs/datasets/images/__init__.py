"""Zero-shot datasets, and features of images."""
