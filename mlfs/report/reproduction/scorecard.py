"""Count how many printed values of each paper and table are reproduced, explained or differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ... import papers
from ...config import shipped
from ...results import read as stored
from ...results.packing import NoResults, find
from ...results.store import Store
from ...stats.paired import kendall_tau
from ...steps_shown import Steps
from ..kept import KeptViews
from ..tables.texts import or_none
from .claim_cases import AlreadyRead
from .claim_verdicts import Verdict, verdicts
from .comparison import (
    Comparison,
    Row,
    compare_stated,
    reading_of,
    run_values,
    share_of,
    swaps,
)
from .judgement import AGREE, JUDGED, STATUSES
from .read_columns import ReadScore, as_read, read_rows, read_scores
from .run_facts import hidden_shares, tuned_once

AS_READ, AS_STATED, BOTH = "as read", "as stated", "both"
_FEWEST = 3  # methods that a row needs for a meaningful order


@dataclass(frozen=True)
class Score:
    """The counts for one table, for one paper or for all papers.

    Attributes
    ----------
    paper, table : str
        Empty for the sum over all tables or papers.
    printed, ours : int
        The number of printed values, and of those that are compared with a value of ours.
    counts : dict
        For each of `STATUSES` its number of printed values; together they are `printed`.
    own : str
        The heading of the paper's own method; empty for all papers.
    own_values, own_agree : int
        How many values of the paper's own method are compared, and how many of them are reproduced
        or explained.
    gap : float
        Mean absolute gap to the printed values that are compared; nan without any, and for all
        papers.
    swap : float
        How often another method's value would count as reproduced; nan without rows of two values.
    tau : float
        Kendall's tau between the order of methods by our values and by the printed ones. It is the
        mean over `rows` rows (a dataset, share of hidden labels and metric); nan without rows.
    rows : int
        The number of rows with values of ours for three methods or more.
    experiments : list of str
        The experiments that our values come from.
    reasons : list of (str, str, int)
        A status, a reason, and how many printed values have both.
    """

    paper: str
    table: str
    printed: int
    ours: int
    counts: dict[str, int]
    own: str
    own_values: int
    own_agree: int
    gap: float
    swap: float
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
        reasons = [dict(zip(("status", "reason", "printed"), item)) for item in self.reasons]
        unknown = {name: or_none(getattr(self, name)) for name in ("gap", "swap", "tau")}
        return {**kept, **unknown, "reasons": reasons}


@dataclass(frozen=True)
class Scores:
    """The scores of all tables and papers, and every comparison.

    Attributes
    ----------
    comparisons : list of Comparison
    tables, papers : list of Score
    total : Score
    """

    comparisons: list[Comparison]
    tables: list[Score]
    papers: list[Score]
    total: Score

    def of(self, name: str) -> Score:
        """Return the score of a table ("rmfl IV"), of a paper ("rmfl") or of everything ("all")."""
        return next(one for one in (*self.tables, *self.papers, self.total) if one.name == name)


@dataclass(frozen=True)
class Scorecard(Scores):
    """The scores as read, and beside them those as stated.

    Attributes
    ----------
    source : str
        Where the results were found.
    experiments : int
        The number of experiments with results.
    claims, claims_as_stated : list of Verdict
        The verdicts on the papers' claims with a number, on the runs that follow a reading where
        there are some, and on those that follow the words of the papers.
    stated : Scores
        The scores of the runs that follow the words of the papers.
    columns : list of ReadScore
        What every reading gives for every column that it covers.
    hidden, tuned : list of str
        The shares of labels that really were hidden, where they differ from what was asked; and
        the experiments that choose parameters once per dataset.
    """

    source: str
    experiments: int
    claims: list[Verdict]
    claims_as_stated: list[Verdict]
    stated: Scores
    columns: list[ReadScore]
    hidden: list[str]
    tuned: list[str]

    def runs(self, score: Score) -> list[tuple[str, Score]]:
        """Return a score as stated and the same as read, or one for both if they are equal."""
        other = self.stated.of(score.name)
        if score.record() == other.record():
            return [(BOTH, score)]
        return [(AS_STATED, other), (AS_READ, score)]

    def outcomes(self, paper: str = "", how: str = AS_READ) -> Counter[str]:
        """Count the claims of a paper, or of all papers, by their verdict."""
        claims = self.claims_as_stated if how == AS_STATED else self.claims
        return Counter(claim.verdict for claim in claims if paper in ("", claim.paper))


def find_stores(roots: Sequence[Path]) -> dict[Path, list[Store]]:
    """Return the stores in folders: the user's, else in ``results``, else those of mlfs.

    A folder may be empty.
    """
    if roots:
        return {root: _stores(root) for root in roots}
    here = Path("results")
    stores = _stores(here) if here.is_dir() else []
    return {here: stores} if stores else {shipped.REFERENCE: _stores(shipped.REFERENCE)}


def _stores(root: Path) -> list[Store]:
    """Return the stores in a folder or packed file; a folder may be empty."""
    try:
        return find(root)
    except NoResults:
        if root.is_dir():
            return []
        raise


def read(
    stores: Mapping[Path, Sequence[Store]], steps: Steps | None = None
) -> list[stored.Results]:
    """Return the results in the stores of several folders; each is a step.

    If papers are chosen, only their results are returned. Cells are read when they are first used.
    """
    every = [store for some in stores.values() for store in some]
    steps = steps or Steps(len(every), "reading results")
    chosen, results = papers.chosen(), list[stored.Results]()
    for store in steps.over(every, [one.folder.name for one in every]):
        item = stored.UnreadResults(store)
        if chosen and item.experiment.paper not in chosen:
            continue
        results.append(item)
    return results


def of_papers(results: Sequence[stored.Results]) -> list[stored.Results]:
    """Return the results of experiments that belong to one of the papers."""
    names = papers.names()
    return [item for item in results if item.experiment.paper in names]


def make(roots: Sequence[Path]) -> Scorecard:
    """Score all papers with the results in folders or packed files; see `find_stores`."""
    stores = find_stores(roots)
    with steps_of(stores) as steps:
        return score(read(stores, steps), ", ".join(map(str, stores)), steps)


def steps_of(stores: Mapping[Path, Sequence[Store]]) -> Steps:
    """Return the steps of a scorecard: reading the stores, and comparing them with papers."""
    return Steps(sum(map(len, stores.values())) + 1, "scorecard")


def score(
    results: Sequence[stored.Results],
    source: str = "",
    steps: Steps | None = None,
    kept: KeptViews | None = None,
) -> Scorecard:
    """Score all papers with the given results, unless the scorecard is kept; it is one step."""
    steps, views = steps or Steps(1, "scorecard"), kept or KeptViews()
    mine = of_papers(results)
    steps.now("comparing with what papers print")
    card = views.of(Scorecard, mine, papers.names(), lambda: _score_all(mine, steps))
    if kept is None:
        views.save()
    return replace(card, source=source, experiments=len(results))


def _score_all(results: Sequence[stored.Results], steps: Steps) -> Scorecard:
    for item in results:
        steps.now(f"reading {item.experiment.name}")
        item.read()
    steps.now("comparing with what papers print")
    runs = run_values(results)
    stated = compare_stated(runs)
    columns = read_scores(runs, stated)
    read = _scores(as_read(stated, columns))
    used = {one.experiment for one in (*stated, *read.comparisons)}
    once = AlreadyRead()
    return Scorecard(
        read.comparisons,
        read.tables,
        read.papers,
        read.total,
        "",
        len(results),
        verdicts(results, read_rows(runs, stated), once),
        verdicts([item for item in results if not reading_of(item)], stated, once),
        _scores(stated),
        columns,
        hidden_shares(results, used),
        tuned_once(results, used),
    )


def _scores(comparisons: list[Comparison]) -> Scores:
    by_table: dict[tuple[str, str], list[Comparison]] = {}
    for item in comparisons:
        by_table.setdefault((item.paper, item.table), []).append(item)
    swapped = swaps(comparisons)
    return Scores(
        comparisons,
        [_score(items, *names, swapped) for names, items in by_table.items()],
        [
            _score([one for one in comparisons if one.paper == name], name, "", swapped)
            for name in papers.names()
        ],
        _score(comparisons, "", "", swapped),
    )


def _score(
    comparisons: list[Comparison], paper: str, table: str, swapped: dict[Row, tuple[int, int]]
) -> Score:
    ours = [item for item in comparisons if item.status in JUDGED]
    counts = Counter[str](item.status for item in comparisons)
    names = {name: papers.paper(name).own_method for name in {item.paper for item in ours}}
    mine = [item for item in ours if item.method == names[item.paper]]
    gaps = [abs(item.gap) for item in ours]
    taus = _taus(item for item in comparisons if item.repeats)
    reasons = Counter((str(item.status), item.reason) for item in comparisons if item.reason)
    return Score(
        paper,
        table,
        printed=len(comparisons),
        ours=len(ours),
        counts={status: counts[status] for status in STATUSES},
        own=papers.paper(paper).own_method if paper else "",
        own_values=len(mine),
        own_agree=sum(item.status in AGREE for item in mine),
        gap=_mean(gaps) if paper else math.nan,  # papers have other metrics
        swap=share_of(swapped[row] for row in {one.row for one in comparisons} & swapped.keys()),
        tau=_mean(taus),
        rows=len(taus),
        experiments=sorted({item.experiment for item in comparisons if item.experiment}),
        reasons=[(*key, number) for key, number in reasons.items()],
    )


def _taus(ours: Iterable[Comparison]) -> list[float]:
    """Return Kendall's tau of every row that has enough methods."""
    rows: dict[tuple[Any, ...], list[Comparison]] = {}
    for item in ours:
        rows.setdefault(item.row, []).append(item)
    taus = [
        kendall_tau([item.ours for item in row], [item.printed for item in row])
        for row in rows.values()
        if len(row) >= _FEWEST
    ]
    return [tau for tau in taus if not math.isnan(tau)]  # all methods equal: no order


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
