"""Li-Adaptive: max-margin uncertainty and label-cardinality inconsistency, combined adaptively.

Li and Guo, Active Learning with Multi-Label SVM Classification, IJCAI 2013.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..methods.strategy import Pool, QueryStrategy
from ..methods.tags import Tags
from ..numerics.params import COUNT, POSITIVE, Seed, as_generator
from ..numerics.sklearn_private import HasMethods
from ..types import Array, Matrix
from .hinge import HingeMachines
from .machines import Machines

BETAS = tuple(tenth / 10 for tenth in range(11))
ROUNDING = 1e-9  # equal rows must tie, in whatever order their sums were formed


class LiAdaptive(QueryStrategy):
    """Buy one point at a time: the nominee after which the pool has the smallest hinge loss.

    Every β nominates the points with the largest u^β c^(1-β). The uncertainty u is the inverse of
    the gap between the lowest positive and the highest negative score. The inconsistency c is the
    difference between the number of predicted labels and the mean number of the labelled points.

    Parameters
    ----------
    betas : sequence of float, default=(0, 0.1, ..., 1)
        The values of β.
    C : float, default=1.0
        Cost of an error of the linear support vector machines with hinge loss. They are solved
        exactly, and follow each new point without a new training.
    base : estimator, optional
        A scikit-learn binary classifier with ``decision_function`` to use instead of them.
    max_nominees : int or None, default=10
        Largest number of nominees. Ties can nominate hundreds of points, and each one changes the
        machines of many labels; then this many are drawn at random. None tries all.
    random_state : int, RandomState or None, default=None
        Decides that draw, and ties at the end.

    Attributes
    ----------
    gains_ : ndarray
        Minus the hinge loss of the pool after each pick.
    most_nominees_ : int
        Largest number of nominees of one pick, over all queries so far, before the limit.

    Notes
    -----
    A pick from a pool of n points, a of them labelled and m on the margin, costs
    O(n d l + (a² + m³) l) time and O(n l + a d + a² + a l) memory.

    References
    ----------
    Li and Guo, "Active learning with multi-label SVM classification", IJCAI 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.active import LiAdaptive, Pool
    >>> X = np.random.default_rng(0).standard_normal((12, 2))
    >>> Y = (X > 0).astype(float)
    >>> Y[8:] = np.nan  # four points are not labelled yet
    >>> bought = LiAdaptive(random_state=0).query(Pool(X, Y), None, 2)
    >>> set(bought.tolist()) < {8, 9, 10, 11}
    True
    """

    name = "li_adaptive"
    version = 2
    tags = Tags(
        handles_missing=True,
        supports_sparse=True,
        paper="Li and Guo, IJCAI 2013",
        search_space={"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
        note="chooses one point at a time; within a batch it uses its own predictions as labels",
    )
    one_at_a_time = True

    _parameter_constraints = {
        "betas": ["array-like"],
        "C": [POSITIVE],
        "base": [HasMethods(["fit", "decision_function"]), None],
        "max_nominees": [COUNT, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        betas: tuple[float, ...] = BETAS,
        C: float = 1.0,
        base: Any = None,
        max_nominees: int | None = 10,
        random_state: Seed = None,
    ):
        self.betas = betas
        self.C = C
        self.base = base
        self.max_nominees = max_nominees
        self.random_state = random_state

    @property
    def notes(self) -> list[str]:
        """A sentence if the limit left out nominees."""
        most = getattr(self, "most_nominees_", 0)
        if self.max_nominees is None or most <= self.max_nominees:
            return []
        about = float(f"{most:.0e}")  # one digit, so that most repeats have the same note
        return [f"LiAdaptive tried {self.max_nominees} nominees per pick of up to about {about:g}"]

    def _query(self, pool: Pool, model: Any, n: int) -> tuple[Array, Array]:
        rows = pool.labelled
        if len(rows) == 0:
            raise ValueError("Li-Adaptive needs some labelled points at the start")
        signs = np.where(pool.Y[rows] > 0, 1.0, -1.0)  # an unobserved label counts as absent
        candidates = pool.unlabelled
        left = np.arange(len(candidates))
        machines = self._trained(pool.X, rows, signs)
        rng = as_generator(self.random_state, len(rows))
        picks, gains = np.empty(n, dtype=np.intp), np.empty(n)
        for i in range(n):
            scores = machines.scores[candidates[left]]
            cardinality = float((signs > 0).sum(axis=1).mean())
            nominees = np.array(sorted(nominate(scores, cardinality, self.betas)))
            self.most_nominees_ = max(len(nominees), getattr(self, "most_nominees_", 0))
            if self.max_nominees is not None and len(nominees) > self.max_nominees:
                nominees = np.sort(rng.choice(nominees, self.max_nominees, replace=False))
            guesses = np.where(scores > 0, 1.0, -1.0)
            losses = np.array(
                [
                    hinge_loss(
                        machines.scores_with(candidates[left[x]], guesses[x])[candidates[left]]
                    )
                    for x in nominees
                ]
            )
            best = int(rng.choice(nominees[losses <= losses.min() * (1.0 + ROUNDING)]))
            picks[i], gains[i] = left[best], -losses.min()
            if i + 1 < n:
                machines = machines.with_row(candidates[left[best]], guesses[best])
                signs = np.vstack([signs, guesses[best]])
                left = np.delete(left, best)
        return picks, gains

    def _trained(self, X: Matrix, rows: Array, signs: Array) -> HingeMachines | Machines:
        """Train on the labelled rows; the machines of the last query learn only what is new."""
        if self.base is not None:
            return Machines(X, rows, signs, self.base)
        kept: HingeMachines | None = getattr(self, "_kept", None)
        if kept is not None and (kept.X is not X or kept.C != self.C):
            kept = None
        self._kept = (kept and kept.with_rows(rows, signs)) or HingeMachines(X, rows, signs, self.C)
        return self._kept


def nominate(scores: Array, cardinality: float, betas: tuple[float, ...]) -> set[int]:
    """Find the points that some β prefers, ties included."""
    lowest, highest = margins(scores)
    with np.errstate(divide="ignore"):
        u = 1.0 / (lowest - highest)  # 0 if all scores have the same sign
    c = np.abs((scores > 0).sum(axis=1) - cardinality)
    chosen: set[int] = set()
    for beta in betas:
        value = u**beta * c ** (1.0 - beta)  # 0⁰ = 1, as intended
        chosen.update(np.flatnonzero(value >= value.max() * (1.0 - ROUNDING)).tolist())
    return chosen


def margins(scores: Array) -> tuple[Array, Array]:
    """Find each row's lowest positive (∞ if none) and highest negative score (-∞ if none)."""
    lowest = np.where(scores > 0, scores, np.inf).min(axis=1)
    highest = np.where(scores < 0, scores, -np.inf).max(axis=1)
    return lowest, highest


def hinge_loss(scores: Array) -> float:
    """Add up over rows the worst hinge loss among positives and among negatives."""
    lowest, highest = margins(scores)
    return float(np.maximum(1.0 - lowest, 0.0).sum() + np.maximum(1.0 + highest, 0.0).sum())
