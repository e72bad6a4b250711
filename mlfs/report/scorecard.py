"""How much of each paper holds: its printed cells, table by table, counted by how they stand."""

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

_FEWEST = 3  # methods that have an order to speak of


@dataclass(frozen=True)
class Score:
    """How the cells of one table, of one paper or of all papers stand.

    Attributes
    ----------
    paper, table : str
        Empty for the sum over all.
    cells, ours : int
        Printed cells, and those that have a figure of ours.
    counts : dict
        Each of `STATUSES` to its number of cells.
    gap : float
        Mean absolute gap of ours to printed; nan without any of ours, and for all papers.
    tau : float
        Kendall's tau between the order of methods by our figures and by the printed ones, the
        mean over `rows` rows (a dataset, share of hidden labels and metric); nan without any.
    rows : int
        The rows with figures of ours for three methods or more.
    experiments : list of str
        Where ours come from.
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
        """The paper and its table, or what it sums up."""
        return " ".join(part for part in (self.paper, self.table) if part) or "all"

    def record(self) -> dict[str, Any]:
        """Return the same as plain data."""
        kept = asdict(self)
        reasons = [dict(zip(("status", "reason", "cells"), item)) for item in self.reasons]
        return {**kept, "gap": known(self.gap), "tau": known(self.tau), "reasons": reasons}


@dataclass(frozen=True)
class Scorecard:
    """All papers: every cell, and the scores of tables, of papers and of all.

    Attributes
    ----------
    source : str
        Where the results were found.
    experiments : int
        How many of them there are.
    cells : list of Standing
    tables, papers : list of Score
    total : Score
    claims : list of Verdict
        What became of the papers' claims in numbers.
    """

    source: str
    experiments: int
    cells: list[Standing]
    tables: list[Score]
    papers: list[Score]
    total: Score
    claims: list[Verdict]

    def outcomes(self, paper: str = "") -> Counter[str]:
        """How many claims of a paper, or of all, hold, fail and are undecided."""
        return Counter(claim.verdict for claim in self.claims if paper in ("", claim.paper))

    @property
    def cannot(self) -> int:
        """Printed cells that cannot be run here."""
        return self.total.counts["not runnable"]

    @property
    def without(self) -> int:
        """Printed cells without a figure of ours."""
        return self.total.cells - self.total.ours


def known(value: float) -> float | None:
    """Return a number, or None where it is not known: JSON has no nan."""
    return None if math.isnan(value) else value


def locate(roots: Sequence[Path]) -> list[Path]:
    """Where to look for results: what the user names, else ``results``, else those of mlfs."""
    if roots:
        return list(roots)
    here = Path("results")
    return [here if here.is_dir() and _stores(here) else shipped.REFERENCE]


def _stores(root: Path) -> list[Store]:
    """Return the results at a place; a folder may be empty."""
    try:
        return find(root)
    except UserError:
        if root.is_dir():
            return []
        raise


def read(roots: Sequence[Path]) -> list[stored.Results]:
    """Return the results at some places; a folder may be empty."""
    return [stored.read(store) for root in roots for store in _stores(root)]


def make(roots: Sequence[Path]) -> Scorecard:
    """Read the results at some places and score all papers with them."""
    return score(read(roots), ", ".join(map(str, roots)))


def score(results: Sequence[stored.Results], source: str = "") -> Scorecard:
    """Score all papers with the results there are."""
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
        gap=_mean(gaps) if paper else math.nan,  # seconds and shares have no mean
        tau=_mean(taus),
        rows=len(taus),
        experiments=sorted({item.experiment for item in ours}),
        reasons=[(*key, number) for key, number in reasons.items()],
    )


def _taus(ours: Iterable[Standing]) -> list[float]:
    """Kendall's tau of every row of a table whose methods have an order."""
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
