"""Test which methods of a table differ; results are data, and sentences for a paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ... import stats
from ...errors import UserError, count_of
from .paper_tables import LEVEL, Table
from .texts import listed

FEWEST = 3  # datasets; with fewer, no test can find a difference
_PRACTICAL = ("better", "equal", "worse")  # what one method can be, compared with another
_EFFECTS = ((0.5, "large"), (0.3, "medium"), (0.0, "small"))  # of rank-biserial correlations


@dataclass(frozen=True)
class TableTests:
    """The tests of one table.

    Attributes
    ----------
    table : Table
    friedman : FriedmanResult
    cd : float
        Nemenyi's critical difference of average ranks, for all pairs.
    control : str, optional
        The method that the others are tested against.
    dunn_cd : float
        Bonferroni and Dunn's critical difference, for the pairs with a control.
    pairs : DataFrame
        Wilcoxon's tests with Holm's correction, for all pairs or for those with the control.
    """

    table: Table
    friedman: stats.FriedmanResult
    cd: float
    control: str | None
    dunn_cd: float
    pairs: pd.DataFrame

    def with_probabilities(self, rope: float) -> TableTests:
        """Return these tests with the Bayesian signed-rank test of every pair among `pairs`."""
        means = self.table.means.dropna() * (1 if self.table.larger_is_better else -1)
        answers = [
            stats.bayesian_signed_rank(means[one], means[other], rope=rope)
            for one, other in zip(self.pairs.method, self.pairs.versus)
        ]
        pairs = self.pairs.assign(
            **{f"p_{name}": [getattr(answer, name) for answer in answers] for name in _PRACTICAL}
        )
        return replace(self, pairs=pairs)

    def differing(self, cd: float, control: str | None = None) -> list[tuple[str, str]]:
        """Return the pairs (better, worse) that are more than `cd` ranks apart, best first.

        There are none if the Friedman test finds no difference, since no post-hoc test follows.
        """
        ranks = self._ranks
        names = list(ranks) if self.friedman.significant else []
        return [
            (better, worse)
            for place, better in enumerate(names)
            for worse in names[place + 1 :]
            if ranks[worse] - ranks[better] > cd and control in (None, better, worse)
        ]

    @cached_property
    def _ranks(self) -> dict[str, float]:
        """The average ranks, best first."""
        ranks = self.friedman.ranks.to_dict()
        return {str(name): ranks[name] for name in sorted(ranks, key=ranks.__getitem__)}

    def record(self) -> dict[str, Any]:
        """Return the tests as plain data for JSON; an infinite F_F is null."""
        test = self.friedman
        finite = test.F_F if float("inf") != test.F_F else None
        record: dict[str, Any] = {
            "experiment": self.table.experiment,
            "metric": self.table.metric,
            "ratio": self.table.ratio,
            **self.table.panel,
            "alpha": LEVEL,
            "datasets": test.n,
            "left_out": [str(name) for name in test.dropped],
            "friedman": {
                "chi2": test.chi2,
                "F_F": finite,
                "critical_value": test.critical_value,
                "p": test.p,
                "permuted": test.permuted,
                "significant": bool(test.significant),
                "ranks": {str(name): float(rank) for name, rank in test.ranks.items()},
            },
            "nemenyi": {"cd": self.cd, "differ": self.differing(self.cd)},
            "wilcoxon": self.pairs.to_dict(orient="records"),
            "smallest_possible_p": self.least,
            "verdict": self.verdict(),
            "sentences": self.sentences(),
        }
        if self.control:
            differ = self.differing(self.dunn_cd, self.control)
            record["bonferroni_dunn"] = {
                "control": self.control,
                "cd": self.dunn_cd,
                "differ": differ,
            }
        return record

    def frame(self) -> pd.DataFrame:
        """Return one row per pair of methods, with the results of all tests."""
        test, ranks = self.friedman, self.friedman.ranks
        nemenyi = {frozenset(pair) for pair in self.differing(self.cd)}
        pairs = [frozenset(pair) for pair in zip(self.pairs.method, self.pairs.versus)]
        frame = self.pairs.rename(columns={"n": "datasets", "statistic": "wilcoxon_W"})
        frame = frame.assign(
            rank=[ranks[name] for name in frame.method],
            rank_versus=[ranks[name] for name in frame.versus],
            nemenyi_cd=self.cd,
            nemenyi_differs=[pair in nemenyi for pair in pairs],
        )
        if self.control:
            dunn = {frozenset(pair) for pair in self.differing(self.dunn_cd, self.control)}
            frame = frame.assign(dunn_cd=self.dunn_cd, dunn_differs=[p in dunn for p in pairs])
        frame = frame.assign(friedman_chi2=test.chi2, friedman_F_F=test.F_F, friedman_p=test.p)
        about: dict[str, Any] = {
            "experiment": self.table.experiment,
            "metric": self.table.metric,
            "ratio": self.table.ratio,
            **self.table.panel,
        }
        return frame.assign(**about)[[*about, *frame.columns]]

    @property
    def least(self) -> float:
        """The smallest p-value that Wilcoxon's tests with Holm's correction can have here."""
        return min(1.0, stats.smallest_wilcoxon_p(self.friedman.n) * len(self.pairs))

    def sentences(self) -> list[str]:
        """Return the tests in words, the verdict first; two methods need no test of ranks."""
        lines = [self.verdict()]
        lines += self._of_ranks() if len(self.friedman.ranks) > 2 else []
        lines.append(self._of_pairs())
        if self.friedman.dropped:
            names = listed([str(name) for name in self.friedman.dropped])
            lines.append(f"Left out of the tests, since values are missing: {names}.")
        if self.table.control and not self.control:
            lines.append(f"The control {self.table.control} is not among the ranked methods.")
        return lines

    def verdict(self) -> str:
        """Say in words who ranks first, who cannot be told from that, and who is worse.

        The effect is that of the comparison with the best: how much of Wilcoxon's rank sum is on
        its side (rank-biserial r).
        """
        ranks = self._ranks
        names = list(ranks)
        tied = [name for name in names if ranks[name] - ranks[names[0]] < 1e-9]
        others = [name for name in names if name not in tied]
        first = f"{listed(tied)} {'ranks' if len(tied) == 1 else 'rank'} first"
        if not others:
            return f"{first}; all methods are equal."
        if not self.friedman.significant:
            p = self.friedman.p if len(names) > 2 else float(self.pairs.p_holm.min())
            return f"{first}; no difference between methods can be shown (p = {p:.2g})."
        # a test against the control says nothing of other pairs: only if the control is first
        best = self.control if self.control in tied else tied[0]
        control = best if best == self.control else None
        cd = self.dunn_cd if control else self.cd
        worse = [low for high, low in self.differing(cd, control) if high == best]
        if len(names) == 2:
            worse = others if bool(self.pairs.differs.iloc[0]) else []
        near = [name for name in others if name not in worse]
        parts = [first]
        if near:
            them = "it" if len(tied) == 1 else "them"
            test = "Bonferroni-Dunn" if control else "Nemenyi"
            by = f" by the {test} test" if len(names) > 2 else ""
            parts.append(f"no difference between {them} and {listed(near)} can be shown{by}")
        for size in ("large", "medium", "small"):
            some = [name for name in worse if self._effect(best, name) == size]
            if some:
                verb = "is" if len(tied) == 1 else "are"
                head = "it" if len(tied) == 1 else "both" if len(tied) == 2 else "all"
                parts.append(f"{head} {verb} better than {listed(some)}, effect {size}")
        return "; ".join(parts) + "."

    def _effect(self, better: str, worse: str) -> str:
        """Return the size of an effect in words, by the rank-biserial correlation."""
        means = self.table.means
        values = means.to_numpy()
        values = values[~np.isnan(values).any(axis=1)]
        one, other = (values[:, means.columns.get_loc(name)] for name in (better, worse))
        size = abs(stats.rank_biserial(one, other))
        return next(word for limit, word in _EFFECTS if size >= limit)

    def _of_ranks(self) -> list[str]:
        test = self.friedman
        verdict = "differ" if test.significant else "do not differ significantly"
        lines = [
            f"Over {test.n} datasets the {len(test.ranks)} methods {verdict} (Friedman: "
            f"chi2 = {test.chi2:.3f}, F_F = {test.F_F:.3f}, "
            f"p = {test.p:.2g}{' by permutations' if test.permuted else ''})"
            + ("." if test.significant else ", so no post-hoc test of ranks follows.")
        ]
        if test.significant:
            lines.append(self._apart("Nemenyi", self.cd, None))
            if self.control:
                lines.append(self._apart("Bonferroni-Dunn", self.dunn_cd, self.control))
        return lines

    def _apart(self, test: str, cd: float, control: str | None) -> str:
        ranks = self._ranks
        beaten: dict[str, list[str]] = {}
        for better, worse in self.differing(cd, control):
            beaten.setdefault(better, []).append(f"{worse} ({ranks[worse]:.2f})")
        parts = [
            f"{better} ({ranks[better]:.2f}) ranks better than {listed(worse)}"
            for better, worse in beaten.items()
        ]
        nobody = f"no method differs from {control}" if control else "no two methods differ"
        return (
            f"By the {test} test (critical difference {cd:.3f}) "
            + ("; ".join(parts) if parts else nobody)
            + "."
        )

    def _of_pairs(self) -> str:
        differing = [pair for pair in self.pairs.to_dict(orient="records") if pair["differs"]]
        parts = []
        for pair in sorted(differing, key=lambda pair: pair["p_holm"]):
            better, worse, wins, losses = (pair[k] for k in ("method", "versus", "wins", "losses"))
            if pair["effect"] < 0:
                better, worse, wins, losses = worse, better, losses, wins
            parts.append(
                f"{better} is better than {worse} (p = {pair['p_holm']:.2g}, {wins} wins, "
                f"{pair['ties']} ties, {losses} losses, "
                f"rank-biserial r = {abs(pair['effect']):.2f})"
            )
        of = f"{self.control} and the others" if self.control else "all pairs"
        if len(self.pairs) == 1:
            of = f"{self.pairs.method[0]} and {self.pairs.versus[0]}"
        nobody = f"no difference is found (smallest p = {self.pairs.p_holm.min():.2g})"
        if self.least >= LEVEL:
            nobody = (
                f"nothing can be significant with {self.friedman.n} datasets and "
                f"{count_of(len(self.pairs), 'pair')} "
                f"(the smallest p that is possible is {self.least:.2g})"
            )
        return (
            f"By Wilcoxon's signed-rank tests of {of} over {self.friedman.n} datasets with "
            f"Holm's correction " + ("; ".join(parts) if parts else nobody) + "."
        )


def tests_of(table: Table) -> TableTests | None:
    """Test a table whose rows are datasets; None if it has too few datasets or methods."""
    means = table.means
    k, n = means.shape[1], len(means.dropna())
    if len(set(table.entries.dataset)) < len(table.rows) or k < 2 or n < FEWEST:
        return None
    larger = table.larger_is_better
    control = table.control if table.control in table.ranked else None
    return TableTests(
        table,
        stats.friedman(means, larger_is_better=larger, alpha=LEVEL),
        cd=stats.nemenyi_cd(k, n, LEVEL),
        control=control,
        dunn_cd=stats.bonferroni_dunn_cd(k, n, LEVEL),
        pairs=stats.holm_wilcoxon(means, larger_is_better=larger, control=control, alpha=LEVEL),
    )


def groups(ranks: pd.Series, cd: float, control: str | None) -> list[tuple[float, float]]:
    """Return spans of ranks that do not differ: that of the control, or all maximal ones."""
    values = list(ranks)
    if control is not None:
        near = [rank for rank in values if abs(rank - ranks[control]) <= cd]
        return [(min(near), max(near))] if len(near) > 1 else []
    spans: list[tuple[float, float]] = []
    for low in values:
        high = max(rank for rank in values if rank - low <= cd)
        if high > low and not (spans and high <= spans[-1][1]):
            spans.append((low, high))
    return spans


def pooled(tables: list[Table]) -> pd.DataFrame:
    """Run a Friedman test for every metric, on ranks averaged over tables."""
    methods = tables[0].ranked
    if any(table.ranked != methods for table in tables):
        raise UserError("tables with different methods cannot be pooled: name the folders to pool")
    rows = []
    for metric in dict.fromkeys(table.metric for table in tables):
        ranks = [
            stats.rank_rows(table.means, table.larger_is_better)
            for table in tables
            if table.metric == metric
        ]
        mean = sum(ranks[1:], ranks[0]) / len(ranks)  # only datasets of all tables
        if len(mean.dropna()) < 2 or len(methods) < 2:
            raise UserError("a Friedman test needs at least two datasets and two methods")
        result = stats.friedman_of_ranks(mean, LEVEL)
        tests = {"F_F": result.F_F, f"critical at {LEVEL:g}": result.critical_value, "p": result.p}
        rows.append({"metric": metric, **result.ranks[methods], **tests})
    return pd.DataFrame(rows)
