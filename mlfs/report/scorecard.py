"""Count how many printed cells of each paper and table are reproduced, close or off."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scipy.stats import kendalltau

from .. import papers, shipped
from ..engine.packing import find
from ..engine.store import Store
from ..errors import UserError
from . import results as stored
from .claims import Verdict, verdicts
from .standing import STATUSES, Standing, standings

_FEWEST = 3  # methods that a row needs for a meaningful order


@dataclass(frozen=True)
class Score:
    """The counts for one table, for one paper or for all papers.

    Attributes
    ----------
    paper, table : str
        Empty for the sum over all tables or papers.
    cells, ours : int
        The number of printed cells, and of those that have a value of ours.
    counts : dict
        For each of `STATUSES` its number of cells.
    gap : float
        Mean absolute gap to the printed values; nan without values of ours, and for all papers.
    tau : float
        Kendall's tau between the order of methods by our values and by the printed ones. It is the
        mean over `rows` rows (a dataset, share of hidden labels and metric); nan without rows.
    rows : int
        The number of rows with values of ours for three methods or more.
    experiments : list of str
        The experiments that our values come from.
    reasons : list of (str, str, int)
        A status, a reason, and how many cells have both.
    """

    paper: str
    table: str
    cells: int
    ours: int
    counts: dict[str, int]
    gap: float
    tau: float
    rows: int
    experiments: list[str]
    reasons: list[tuple[str, str, int]]

    @property
    def name(self) -> str:
        """The paper and its table, or "all"."""
        return " ".join(part for part in (self.paper, self.table) if part) or "all"

    def record(self) -> dict[str, Any]:
        """Return the score as plain data."""
        kept = asdict(self)
        reasons = [dict(zip(("status", "reason", "cells"), item)) for item in self.reasons]
        return {**kept, "gap": known(self.gap), "tau": known(self.tau), "reasons": reasons}


@dataclass(frozen=True)
class Scorecard:
    """The scores of all tables and papers, and every cell.

    Attributes
    ----------
    source : str
        Where the results were found.
    experiments : int
        The number of experiments with results.
    cells : list of Standing
    tables, papers : list of Score
    total : Score
    claims : list of Verdict
        The verdicts on the papers' claims with a number.
    """

    source: str
    experiments: int
    cells: list[Standing]
    tables: list[Score]
    papers: list[Score]
    total: Score
    claims: list[Verdict]

    def outcomes(self, paper: str = "") -> Counter[str]:
        """Count the claims of a paper, or of all papers, that hold, fail or are undecided."""
        return Counter(claim.verdict for claim in self.claims if paper in ("", claim.paper))

    @property
    def cannot(self) -> int:
        """The number of printed cells that cannot be run here."""
        return self.total.counts["not runnable"]

    @property
    def without(self) -> int:
        """The number of printed cells without a value of ours."""
        return self.total.cells - self.total.ours


def known(value: float) -> float | None:
    """Return a number, or None if it is nan, which JSON does not have."""
    return None if math.isnan(value) else value


def locate(roots: Sequence[Path]) -> list[Path]:
    """Return the folders with results: the user's, else ``results``, else those of mlfs."""
    if roots:
        return list(roots)
    here = Path("results")
    return [here if here.is_dir() and _stores(here) else shipped.REFERENCE]


def _stores(root: Path) -> list[Store]:
    """Return the stores in a folder or packed file; a folder may be empty."""
    try:
        return find(root)
    except UserError:
        if root.is_dir():
            return []
        raise


def read(roots: Sequence[Path]) -> list[stored.Results]:
    """Read the results in folders or packed files; a folder may be empty."""
    return [stored.read(store) for root in roots for store in _stores(root)]


def make(roots: Sequence[Path]) -> Scorecard:
    """Read the results in folders or packed files, and score all papers with them."""
    return score(read(roots), ", ".join(map(str, roots)))


def score(results: Sequence[stored.Results], source: str = "") -> Scorecard:
    """Score all papers with the given results."""
    cells = standings(results)
    by_table: dict[tuple[str, str], list[Standing]] = {}
    for item in cells:
        by_table.setdefault((item.paper, item.table), []).append(item)
    of_papers = [
        _score([item for item in cells if item.paper == name], name, "") for name in papers.names()
    ]
    return Scorecard(
        source,
        len(results),
        cells,
        [_score(items, *names) for names, items in by_table.items()],
        of_papers,
        _score(cells, "", ""),
        verdicts(results, cells),
    )


def _score(cells: list[Standing], paper: str, table: str) -> Score:
    ours = [item for item in cells if item.repeats]
    counts = Counter[str](item.status for item in cells)
    gaps = [abs(item.gap) for item in ours]
    taus = _taus(ours)
    reasons = Counter((str(item.status), item.reason) for item in cells if item.reason)
    return Score(
        paper,
        table,
        cells=len(cells),
        ours=len(ours),
        counts={status: counts[status] for status in STATUSES},
        gap=_mean(gaps) if paper else math.nan,  # a mean of seconds and shares means nothing
        tau=_mean(taus),
        rows=len(taus),
        experiments=sorted({item.experiment for item in ours}),
        reasons=[(*key, number) for key, number in reasons.items()],
    )


def _taus(ours: Iterable[Standing]) -> list[float]:
    """Return Kendall's tau of every row that has enough methods."""
    rows: dict[tuple[Any, ...], list[Standing]] = {}
    for item in ours:
        key = (item.paper, item.table, item.dataset, item.ratio, item.metric)
        rows.setdefault(key, []).append(item)
    found = [
        float(kendalltau([item.ours for item in row], [item.printed for item in row]).statistic)
        for row in rows.values()
        if len(row) >= _FEWEST
    ]
    return [tau for tau in found if not math.isnan(tau)]  # all methods equal: no order


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
