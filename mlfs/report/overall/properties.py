"""Which properties of datasets go with who wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd
import scipy

from ... import datasets, stats
from ..tables.paper_tables import LEVEL
from .cases import ZERO
from .contest import Contest

NAMES = {
    "n": "rows",
    "d": "features",
    "l": "labels",
    "cardinality": "labels per row",
    "density": "label density",
}
NONE: Mapping[str, int] = MappingProxyType({})
_FEWEST = 6  # datasets; with fewer, a rank correlation says nothing


@dataclass(frozen=True)
class Association:
    """How an advantage goes with a property over datasets.

    Attributes
    ----------
    advantage : str
        Whose advantage over whom.
    trait : str
        The property of the data, in words.
    rho : float
        Spearman's rank correlation.
    p_holm : float
        Its p-value with Holm's correction for all associations of the group.
    n : int
        Number of datasets.
    """

    advantage: str
    trait: str
    rho: float
    p_holm: float
    n: int

    @property
    def found(self) -> bool:
        """Whether the test finds an association."""
        return self.p_holm < LEVEL


def facts(names: list[str], fewer_labels: Mapping[str, int] = NONE) -> pd.DataFrame:
    """Return the properties of datasets that are in the catalogue, a row for each.

    Where fewer labels are used than a dataset has, how many of them a row has is not known.
    """
    catalogue = datasets.catalog()
    rows = {}
    for name in names:
        entry = catalogue.get(name)
        if entry and entry.l:
            mean = float("nan") if entry.cardinality is None else float(entry.cardinality)
            labels = fewer_labels.get(name, entry.l)
            mean = mean if labels == entry.l else float("nan")
            rows[name] = [entry.n, entry.d, labels, mean, mean / labels]
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(NAMES), dtype=float)


def associations(contest: Contest) -> list[Association]:
    """Return Spearman's correlations of advantages with properties, strongest first.

    The advantages are those of each arm over zero-filling, and of the best entrant over the mean
    of the others.
    """
    advantages = _advantages(contest)
    tested: list[tuple[str, str, float, float, int]] = []
    for name, values in advantages.items():
        about = facts([str(one) for one in values.index], contest.group.fewer_labels)
        for key, words in NAMES.items():
            pairs = pd.DataFrame({"x": about[key], "y": values}).dropna()
            if len(pairs) >= _FEWEST and pairs.x.nunique() > 1 and pairs.y.nunique() > 1:
                test = scipy.stats.spearmanr(pairs.x, pairs.y)
                tested.append((name, words, float(test.statistic), float(test.pvalue), len(pairs)))
    if not tested:
        return []
    corrected = stats.holm(np.array([p for *_, p, _ in tested]))
    made = [
        Association(name, words, rho, float(p), n)
        for (name, words, rho, _, n), p in zip(tested, corrected)
    ]
    return sorted(made, key=lambda one: one.p_holm)


def _advantages(contest: Contest) -> dict[str, pd.Series]:
    if not contest.testable:
        return {}
    table = contest.table.round(12)  # so that equal scores have equal ranks
    gaps: dict[str, pd.Series] = {}
    for arm in contest.arms:
        pair = contest.arm_means(arm)
        if pair is not None:
            gaps[f"{arm} over {ZERO}"] = (pair[0] - pair[1]).round(12)
    best = contest.best.name
    rest = table.drop(columns=best).mean(axis=1)
    gaps[f"{best} over the others"] = (table[best] - rest).round(12)
    return gaps


def winners(contest: Contest) -> pd.DataFrame:
    """Return who is best on how many datasets, with the medians of their properties."""
    if not contest.testable:
        return pd.DataFrame()
    ranks = contest.ranks
    tied = ranks.eq(ranks.min(axis=1), axis=0).sum(axis=1) > 1
    first = ranks.idxmin(axis=1).mask(tied, "several")
    about = facts([str(name) for name in first.index], contest.group.fewer_labels)
    rows = []
    for winner, sets in first.groupby(first, sort=False):
        medians = about.reindex(sets.index).median()
        rows.append({"winner": str(winner), "sets": len(sets)} | medians.rename(NAMES).to_dict())
    frame = pd.DataFrame(rows)
    return frame.sort_values("sets", ascending=False, kind="stable", ignore_index=True)
