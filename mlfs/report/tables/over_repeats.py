"""Test which methods differ on a single dataset, over the repeats of its split."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from ...protocols.experiment.splits import Holdout, KFold
from ...results.read import Results
from ...stats import holm, paired_t
from .dependence import overlap
from .paper_tables import LEVEL

FEWEST = 3  # repeats


def fits(item: Results) -> bool:
    """Tell whether results have one dataset, and repeats that are random splits of it."""
    split = getattr(item.experiment, "split", None)
    return (
        len(item.experiment.datasets) == 1
        and isinstance(split, Holdout | KFold)
        and item.experiment.count >= FEWEST
        and not item.swept
        and len(getattr(item.experiment, "panels", ())) < 2
    )


def frame(item: Results, metric: str) -> pd.DataFrame:
    """Return the t tests of all pairs of methods over the repeats, for each ratio of hidden labels.

    Parameters
    ----------
    item : Results
        Results for which `fits` holds.
    metric : str
        Name of the metric.

    Returns
    -------
    DataFrame
        One row for each pair of methods: the mean difference (method minus versus), the statistic,
        p, p with Holm's correction, and whether they differ at 5 %.
    """
    shared = overlap(item)
    parts = []
    for ratio, rows in item.rows.groupby("ratio"):
        values = rows.pivot_table(index="repeat", columns="method", values=metric)  # mean of curves
        pairs = [
            (a, b, paired_t(values[a], values[b], overlap=shared))
            for a, b in combinations([m for m in item.ranked if m in values], 2)
            if values[[a, b]].dropna().shape[0] >= FEWEST
        ]
        if pairs:
            corrected = holm([result.p for _, _, result in pairs])
            parts.append(
                pd.DataFrame(
                    {
                        "experiment": item.experiment.name,
                        "metric": metric,
                        "ratio": ratio,
                        "method": [a for a, _, _ in pairs],
                        "versus": [b for _, b, _ in pairs],
                        "repeats": [result.n for _, _, result in pairs],
                        "difference": [float((values[a] - values[b]).mean()) for a, b, _ in pairs],
                        "t": [result.statistic for _, _, result in pairs],
                        "p": [result.p for _, _, result in pairs],
                        "p_holm": corrected,
                        "differs": np.asarray(corrected) < LEVEL,
                    }
                )
            )
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
