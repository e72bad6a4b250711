"""A paper's numerical claims as rules over values, and the claims that cannot be checked.

``claims.yaml`` has two lists. An entry of `claims` has the claim in our own words, the place in the
paper, the words of the paper (`quote`), a few more of them to find it by (`anchors`), and a rule.
An entry of `unchecked` has anchors and a reason.

A claim about "most" cases, or one that is "generally" true, means more than half of them in all
papers: ``at_least: most``.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..errors import UserError
from .files import mistake, read_yaml

MOST = "most"  # of the cases: more than half
Share = Annotated[float, Field(gt=0, le=1)] | Literal["most"]
Point = float | str  # a point of a curve or of a sweep: 20 features, or "attributes"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Where(_Strict):
    """The values that a rule is about: those of printed tables, or of our experiments on a figure.

    Names of datasets and metrics are ours; names of methods are the paper's. By default a rule is
    about all values of its tables. A figure prints no values, so its rule must name datasets and
    metrics.
    """

    tables: list[str] = Field([], description="numbers of printed tables")
    figure: str | None = Field(None, description="number of a figure, instead of tables")
    datasets: list[str] | None = None
    metrics: list[str] | None = None
    ratios: list[float] | None = Field(None, description="missing ratios; all, if left out")
    experiments: list[str] | None = Field(
        None, description="names of our experiments, if several reproduce parts of a figure"
    )

    @model_validator(mode="after")
    def _named(self) -> Where:
        if bool(self.tables) == (self.figure is not None):
            raise ValueError("a rule needs either 'tables' or a 'figure'")
        if self.figure is not None and not (self.datasets and self.metrics):
            raise ValueError("a rule about a figure needs 'datasets' and 'metrics'")
        return self


class _Methods(Where):
    method: str
    over: list[str] | None = Field(
        None, description="the methods to compare with; all others, if left out"
    )
    at: float | None = Field(None, description="a point of the curves; their mean, if left out")
    each_point: bool = Field(False, description="every point of the curves is a separate case")
    up_to: float | None = Field(None, description="the last point of the curves that counts")
    at_least: Share = Field(
        1.0, description="share of the cases in which the claim must hold; most: more than half"
    )


class Beats(_Methods):
    """A method is among the best `place` methods of its row; equal values share a place."""

    kind: Literal["beats"]
    place: int = Field(1, ge=1)


class Ahead(_Methods):
    """A method is better than the best other by a margin, absolute or relative to its score."""

    kind: Literal["ahead"]
    low: float = Field(description="the smallest margin")
    high: float | None = Field(
        None, description="the largest margin that the paper names; not tested"
    )
    relative: bool = False
    slack: float = Field(
        0.0, ge=0, description="how much less than `low` still counts, for a claim with 'about'"
    )


class Faster(_Methods):
    """The other methods take at least `factor` times as long as a method."""

    kind: Literal["faster"]
    factor: float = Field(gt=0)
    slack: float = Field(
        0.0, ge=0, lt=1, description="share of `factor` that may be missing, for 'nearly'"
    )


class Seconds(Where):
    """A method takes at most this many seconds on each dataset."""

    kind: Literal["seconds"]
    method: str
    at_most: dict[str, float] = Field(min_length=1)


class AverageRank(Where):
    """A method has the best average rank for every metric; tables are averaged first."""

    kind: Literal["average_rank"]
    method: str


class Friedman(Where):
    """Friedman's test finds a difference for every metric."""

    kind: Literal["friedman"]


class Differs(Where):
    """A method is significantly better than others, by Friedman's and Nemenyi's tests at 5 %."""

    kind: Literal["differs"]
    method: str
    over: list[str] | None = None
    at_least: Share = Field(1.0, description="share of the pairs and metrics; most: over half")


class CriticalDifference(_Strict):
    """Nemenyi's critical difference at 5 % has this value."""

    kind: Literal["critical_difference"]
    value: float
    methods: int
    sets: int


class Cardinality(_Strict):
    """Datasets have, on average, fewer labels per instance than this."""

    kind: Literal["cardinality"]
    datasets: list[str]
    below: float


class _Curve(Where):
    method: str
    along: str = Field(description="what varies: 'axis', 'ratio', or our name of a parameter")

    @model_validator(mode="after")
    def _drawn(self) -> _Curve:
        if self.figure is None:
            raise ValueError("a rule about a curve needs a 'figure'")
        return self


class Peak(_Curve):
    """A curve has its best (or worst) value at this point."""

    kind: Literal["peak"]
    at: float
    worst: bool = False


class Trend(_Curve):
    """A curve is better (or worse) at one point than at another."""

    kind: Literal["trend"]
    start: Point
    end: Point
    worse: bool = False


class Flat(_Curve):
    """A curve varies by at most this much between two points."""

    kind: Literal["flat"]
    start: float
    end: float
    within: float = Field(gt=0)


def needed(share: Share, cases: int) -> int:
    """Return how many of several cases a share means."""
    return cases // 2 + 1 if share == MOST else math.ceil(float(share) * cases - 1e-9)


Rule = Annotated[
    Beats
    | Ahead
    | Faster
    | Seconds
    | AverageRank
    | Friedman
    | Differs
    | CriticalDifference
    | Cardinality
    | Peak
    | Trend
    | Flat,
    Field(discriminator="kind"),
]


class Claim(_Strict):
    """A claim that can be checked."""

    claim: str = Field(description="in our own words")
    place: str = Field(description="where the paper makes it: section V-B1")
    quote: str = Field(min_length=1, description="the words of the paper that claim it")
    anchors: list[str] = Field(min_length=1, description="a few words of the text")
    rule: Rule


class Unchecked(_Strict):
    """Sentences with numbers that no rule can check."""

    anchors: list[str] = Field(min_length=1)
    reason: str


class Claims(_Strict):
    """All numerical claims in a paper's text."""

    claims: list[Claim] = []
    unchecked: list[Unchecked] = []


def read_claims(folder: Path) -> Claims:
    """Read ``claims.yaml`` of a paper's folder; without the file there are no claims."""
    path = folder / "claims.yaml"
    return _read(path, path.stat().st_mtime_ns) if path.exists() else Claims()


@cache
def _read(path: Path, time: int) -> Claims:
    """Read a file that was written at this time; a user may change it meanwhile."""
    content, lines = read_yaml(path)
    if not isinstance(content, dict):
        raise UserError(f"{path}: it must have the keys 'claims' and 'unchecked'")
    try:
        return Claims.model_validate(content)
    except ValidationError as error:
        raise mistake(path, lines, error) from error
