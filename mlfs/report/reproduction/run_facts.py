"""What a reader must know of the runs behind a scorecard: shares really hidden, and tuning."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...results.read import Results
from ..tables.captions import how_hidden


def hidden_shares(results: Sequence[Results], names: Collection[str]) -> list[str]:
    """Say for each of the named experiments how many labels really were hidden.

    Only those are told where the share differs from the one that the config asks for.
    """
    sentences = []
    for item in results:
        if item.experiment.name in names:
            for ratio in item.experiment.ratios:
                told = how_hidden(item, ratio)
                if "really" in told:
                    sentences.append(f"{item.experiment.name}: {told}.")
    return sentences


def tuned_once(results: Sequence[Results], names: Collection[str]) -> list[str]:
    """Name the experiments that choose parameters once per dataset, and the datasets.

    The training rows of the first repeat decide then, and most of them are test rows of later
    repeats.
    """
    experiments = []
    for item in results:
        ranked, headings = set(item.ranked), item.methods
        if item.experiment.name not in names:
            continue
        tuned = {
            planned.series.cell.data.name
            for planned, _ in item.records
            if planned.tuner and headings[planned.column] in ranked
        }
        every = [data.name for data in item.experiment.datasets]
        some = [name for name in every if name in tuned]
        if some:
            sets = "all its sets" if some == every else ", ".join(some)
            experiments.append(f"{item.experiment.name} ({sets})")
    return experiments
