"""How the repeats of an experiment depend on each other: whose splits are equal, what overlaps."""

from __future__ import annotations

from ...datasets import catalog
from ...results.read import Results


def splits_of(results: Results) -> dict[str, str]:
    """Return for each heading which splits its repeats are of; a column may have its own."""
    choices = zip(results.methods, results.experiment.methods)
    if "splits" not in results.computed:
        results.computed["splits"] = {
            head: str((choice.settings or {}).get("split", "")) for head, choice in choices
        }
    splits: dict[str, str] = results.computed["splits"]
    return splits


def overlap(results: Results) -> float:
    """Return the number of test rows divided by that of training rows; 0 for data drawn anew."""
    experiment = results.experiment
    split = getattr(experiment, "split", None)
    if split is not None:
        return float((1 - split.share) / split.share)
    catalogue = catalog()
    if all(data.name in catalogue and catalogue[data.name].drawn for data in experiment.datasets):
        return 0.0
    pool, test = getattr(experiment, "pool", None), getattr(experiment, "test", None)
    if pool and test:
        return float(test / pool)
    return 1.0  # not known: as careful as with halves
