"""Test a group of results: ranks over datasets and families, and every entrant against others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ... import stats
from ...types import Array
from ..tables.paper_tables import LEVEL
from .cases import AVAILABLE, COMPLETE, CONTROL, KNOWS, ORACLE, ZERO, Entrant, ResultGroup

ROPE = 0.01  # differences of a score up to this do not matter in practice
_FEWEST = 3  # datasets that a test needs
_DRAWS = 10_000  # of the bootstrap
_BAYESIAN = 10_000  # of the Bayesian test: the probabilities are exact to about .01


@dataclass(frozen=True)
class Interval:
    """A value with its 95 % confidence interval."""

    value: float
    low: float
    high: float

    @property
    def known(self) -> bool:
        """Whether there is a value."""
        return bool(np.isfinite(self.value))


@dataclass(frozen=True)
class Against:
    """One side against another over the same datasets.

    Attributes
    ----------
    one, other : str
        What is compared, in words.
    difference : float
        Mean difference of the scores; positive if `one` is better.
    wins, losses : int
        Datasets on which `one` is better, and worse.
    p : float
        Wilcoxon's p-value over datasets.
    p_holm : float
        `p` with Holm's correction for all comparisons of its kind.
    gaps : tuple of float
        The differences on the datasets.
    families : tuple of str
        The families of the datasets.
    """

    one: str
    other: str
    difference: float
    wins: int
    losses: int
    p: float
    p_holm: float
    gaps: tuple[float, ...]
    families: tuple[str, ...]

    @cached_property
    def p_families(self) -> float:
        """Wilcoxon's p-value over means of families."""
        means = pd.Series(self.gaps).groupby(list(self.families)).mean()
        return stats.wilcoxon(means, np.zeros(len(means))).p

    @cached_property
    def bayes(self) -> stats.BayesianResult:
        """Probabilities that `one` is better, practically equal and worse."""
        zeros = np.zeros(len(self.gaps))
        return stats.bayesian_signed_rank(self.gaps, zeros, rope=ROPE, draws=_BAYESIAN)

    @property
    def differs(self) -> bool:
        """Whether the test finds a difference after the correction."""
        return self.p_holm < LEVEL


@dataclass(frozen=True)
class Contest:
    """All statistics of one group; those that need more datasets than there are stay empty."""

    group: ResultGroup

    @cached_property
    def ranked(self) -> list[Entrant]:
        """The entrants that are ranked: no oracles, which no user can have, and no controls."""
        return [one for one in self.group.entrants if one.arm not in (ORACLE, CONTROL)]

    @cached_property
    def table(self) -> pd.DataFrame:
        """The scores of the ranked entrants on the datasets that all of them have."""
        return self.group.gains()[[one.name for one in self.ranked]].dropna()

    @property
    def testable(self) -> bool:
        """Whether there are enough datasets and entrants for tests."""
        return len(self.table) >= _FEWEST and len(self.ranked) > 1

    @cached_property
    def ranks(self) -> pd.DataFrame:
        """The rank of each entrant on each dataset."""
        return stats.rank_rows(self.table)

    @cached_property
    def of_sets(self) -> stats.FriedmanResult:
        """Friedman's test over datasets."""
        return stats.friedman_of_ranks(self.ranks, LEVEL)

    @cached_property
    def of_families(self) -> stats.FriedmanResult | None:
        """Friedman's test over families, each with its mean ranks; None with fewer than three."""
        mean = self.ranks.groupby(self._family(self.ranks)).mean()
        return stats.friedman_of_ranks(mean, LEVEL) if len(mean) >= _FEWEST else None

    @property
    def decisive(self) -> stats.FriedmanResult:
        """The test that the verdict uses: over families, if there are enough of them."""
        return self.of_families or self.of_sets

    @cached_property
    def cd(self) -> float:
        """Nemenyi's critical difference of the decisive test."""
        return stats.nemenyi_cd(len(self.ranked), self.decisive.n, LEVEL)

    @cached_property
    def order(self) -> list[Entrant]:
        """The ranked entrants, best first."""
        return sorted(self.ranked, key=lambda one: self.decisive.ranks[one.name])

    @property
    def best(self) -> Entrant:
        """The entrant with the best average rank."""
        return self.order[0]

    @cached_property
    def level_with_best(self) -> list[Entrant]:
        """The entrants that Nemenyi's test cannot tell from the best; all if nobody differs."""
        ranks = self.decisive.ranks
        if not self.decisive.significant:
            return self.order
        reach = ranks[self.best.name] + self.cd
        return [one for one in self.order if ranks[one.name] <= reach]

    def of_arm(self, arm: str) -> list[Entrant]:
        """Return the entrants of an arm."""
        return [one for one in self.group.entrants if one.arm == arm]

    @cached_property
    def arms(self) -> dict[str, Against]:
        """Each arm against zero-filling, as means over the methods that both arms have.

        Methods that know, but have no zero-filled column, are compared with all zero-filled ones.
        """
        made: dict[str, tuple[pd.Series, pd.Series, int]] = {}
        for arm in (AVAILABLE, COMPLETE, KNOWS, ORACLE):
            pair = self.arm_means(arm)
            if pair is not None:
                made[arm] = pair
        names = {arm: f"{arm} ({count} methods)" for arm, (*_, count) in made.items()}
        tests = self._tested([(names[arm], ZERO, a, b) for arm, (a, b, _) in made.items()])
        return dict(zip(made, tests))

    def arm_means(self, arm: str) -> tuple[pd.Series, pd.Series, int] | None:
        """Return an arm's mean by dataset, that of zero-filling, and the number of methods."""
        gains, mine = self.group.gains(), self.of_arm(arm)
        zero = {one.method: one for one in self.of_arm(ZERO)}
        paired = [one for one in mine if one.method in zero]
        if paired:
            ours, theirs = paired, [zero[one.method] for one in paired]
        elif arm == KNOWS and mine and zero:
            ours, theirs = mine, list(zero.values())
        else:
            return None
        one, other = _mean(gains, ours), _mean(gains, theirs)
        if (one - other).notna().sum() < _FEWEST:
            return None
        return one, other, len(ours)

    @cached_property
    def against_zero(self) -> dict[Entrant, Against]:
        """Every entrant that is not zero-filled against its own zero-filled column.

        An entrant without one is compared with the mean of all zero-filled columns.
        """
        gains = self.group.gains()
        zero = {one.method: one for one in self.of_arm(ZERO)}
        rows = []
        mine = [one for one in self.group.entrants if one.arm != ZERO] if zero else []
        for one in mine:
            own = zero.get(one.method)
            other = gains[own.name] if own else _mean(gains, list(zero.values()))
            name = own.name if own else "the mean of the zero-filled"
            rows.append((one.name, name, gains[one.name], other))
        kept = [(e, row) for e, row in zip(mine, rows) if (row[2] - row[3]).count() >= _FEWEST]
        return dict(zip([e for e, _ in kept], self._tested([row for _, row in kept])))

    @cached_property
    def against_controls(self) -> dict[Entrant, list[Against]]:
        """Every ranked entrant against each control."""
        gains = self.group.gains()
        by_control = {}
        for control in self.of_arm(CONTROL):
            theirs = gains[control.name]
            rows = [(one.name, control.name, gains[one.name], theirs) for one in self.ranked]
            rows = [row for row in rows if (row[2] - row[3]).count() >= _FEWEST]
            by_control[control] = self._tested(rows)
        return {control: tests for control, tests in by_control.items() if tests}

    @cached_property
    def best_against(self) -> dict[Entrant, Against]:
        """The best entrant against every other ranked one."""
        others = [one for one in self.order if one != self.best]
        best, table = self.best.name, self.table
        rows = [(best, one.name, table[best], table[one.name]) for one in others]
        return dict(zip(others, self._tested(rows)))

    def _tested(self, rows: list[tuple[str, str, pd.Series, pd.Series]]) -> list[Against]:
        """Run all tests of some pairs, and correct their p-values together."""
        if not rows:
            return []
        p = [stats.wilcoxon(a, b).p for *_, a, b in rows]
        corrected = stats.holm(p)
        tests = []
        for (one, other, a, b), value, holm in zip(rows, p, corrected):
            gap = (a - b).dropna()
            signs = np.sign(gap.where(gap.abs() > 1e-12, 0.0))
            tests.append(
                Against(
                    one,
                    other,
                    float(gap.mean()),
                    int((signs > 0).sum()),
                    int((signs < 0).sum()),
                    value,
                    float(holm),
                    tuple(float(value) for value in gap),
                    tuple(self._family(gap)),
                )
            )
        return tests

    def _family(self, frame: pd.DataFrame | pd.Series) -> list[str]:
        return [self.group.families[str(name)] for name in frame.index]

    def recovered(self, entrant: Entrant) -> Interval:
        """Return the share of what hiding labels costs a zero-filled selection that is recovered.

        It is (entrant − zero-filled) / (oracle − zero-filled), a ratio of means over datasets, with
        a bootstrap interval over datasets. Methods without a zero-filled and an oracle column of
        their own are measured by the means of the methods that have both. Unknown where the oracle
        is no better than zero-filling.
        """
        gains = self.group.gains()
        zero, oracle = self._ends(entrant.method)
        if not zero or not oracle:
            return NO_INTERVAL
        parts = pd.DataFrame(
            {"m": gains[entrant.name], "z": _mean(gains, zero), "o": _mean(gains, oracle)}
        )
        parts = parts.dropna()
        if len(parts) < _FEWEST:
            return NO_INTERVAL
        return share_of((parts.m - parts.z).to_numpy(), (parts.o - parts.z).to_numpy())

    def _ends(self, method: str) -> tuple[list[Entrant], list[Entrant]]:
        """Return the zero-filled and the oracle columns that a method is measured by."""
        zero = {one.method: one for one in self.of_arm(ZERO)}
        oracle = {one.method: one for one in self.of_arm(ORACLE)}
        both = [method] if method in zero and method in oracle else [m for m in zero if m in oracle]
        return [zero[m] for m in both], [oracle[m] for m in both]

    @cached_property
    def recovered_by_arm(self) -> dict[str, Interval]:
        """The recovered share of each arm: the mean of its methods, measured together."""
        gains = self.group.gains()
        shares = {}
        for arm in (AVAILABLE, COMPLETE, KNOWS):
            mine = self.of_arm(arm)
            ends = [self._ends(one.method) for one in mine]
            if not mine or not all(zero and oracle for zero, oracle in ends):
                continue
            lows = pd.concat([_mean(gains, zero) for zero, _ in ends], axis=1).mean(axis=1)
            highs = pd.concat([_mean(gains, oracle) for _, oracle in ends], axis=1).mean(axis=1)
            parts = pd.DataFrame({"m": _mean(gains, mine), "z": lows, "o": highs}).dropna()
            if len(parts) >= _FEWEST:
                got = (parts.m - parts.z).to_numpy()
                shares[arm] = share_of(got, (parts.o - parts.z).to_numpy())
        return {arm: share for arm, share in shares.items() if share.known}

    @cached_property
    def losses(self) -> pd.DataFrame:
        """Mean loss against ratio 0, by entrant (rows) and ratio (columns); empty without it."""
        if 0.0 not in self.group.ratios or len(self.group.ratios) < 2:
            return pd.DataFrame()
        start = self.group.gains(0.0)
        parts = {ratio: (start - self.group.gains(ratio)).mean() for ratio in self.group.hidden}
        return pd.DataFrame(parts)

    @cached_property
    def front(self) -> list[Entrant]:
        """The Pareto front of score against seconds, fastest first."""
        means, seconds = self.table.mean(), self.group.seconds
        able = [one for one in self.ranked if seconds[one.name] >= 0]
        return [
            one
            for one in sorted(able, key=lambda one: (seconds[one.name], -means[one.name]))
            if not any(_dominates(other.name, one.name, means, seconds) for other in able)
        ]


NO_INTERVAL = Interval(float("nan"), float("nan"), float("nan"))


def _mean(gains: pd.DataFrame, some: list[Entrant]) -> pd.Series:
    return gains[[one.name for one in some]].mean(axis=1, skipna=False)


def _dominates(one: str, other: str, means: pd.Series, seconds: dict[str, float]) -> bool:
    """Tell whether one is no worse and no slower than the other, and better or faster."""
    gain, time = means[one] - means[other], seconds[other] - seconds[one]
    return bool(gain >= 0 and time >= 0 and (gain > 0 or time > 0))


def share_of(part: Array, whole: Array) -> Interval:
    """Return mean(part) / mean(whole) with a bootstrap interval over the pairs.

    Draws whose denominator is not positive have no share; if more than one in twenty has none, the
    share itself is unknown, as the oracle is then not reliably better.
    """
    if whole.mean() <= 0:
        return NO_INTERVAL
    rng = np.random.default_rng(0)
    draws = rng.integers(len(part), size=(_DRAWS, len(part)))
    top, bottom = part[draws].mean(axis=1), whole[draws].mean(axis=1)
    shares = top[bottom > 0] / bottom[bottom > 0]
    if len(shares) < 0.95 * _DRAWS:
        return NO_INTERVAL
    low, high = np.quantile(shares, [0.025, 0.975])
    return Interval(float(part.mean() / whole.mean()), float(low), float(high))
