"""Speed as ratios against named baselines, and growth with the size of the data."""
