"""Count what a reading of a column gives, and decide whether it explains the column.

A reading was often chosen by printed values, so it must do much more than the words of the paper to
count: see `ReadScore.objections`. Reading and words are compared on the values that both were run
for: a table that is only partly run as stated neither helps a reading nor takes values from it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ... import papers
from .comparison import Comparison, RunValues, compare_paper, reading_of, swap_rate
from .judgement import JUDGED

_SHARE = 0.5  # of the column that a reading must reproduce
_TIMES = 2  # as many values as the words of the paper


@dataclass(frozen=True)
class ReadScore:
    """What one reading gives for one printed column.

    Attributes
    ----------
    paper, reading, method : str
        The paper, the name of the reading, and the heading of the printed column.
    entry : ReadColumn
        What ``readings.yaml`` says of the column.
    read, stated : list of Comparison
        The values that the entry covers, by the runs of the reading and by those as stated.
    swap : float
        How often another column of the same runs would pass in the place of this one.
    """

    paper: str
    reading: str
    method: str
    entry: papers.ReadColumn
    read: list[Comparison]
    stated: list[Comparison]
    swap: float

    @property
    def wanted(self) -> int:
        """The number of its values that can be compared, or could be if they were run."""
        return sum(one.status not in ("not fetched", "not comparable") for one in self.read)

    @property
    def reproduced(self) -> int:
        """The number of values that the reading reproduces."""
        return sum(one.status == "reproduced" for one in self.read)

    @cached_property
    def both(self) -> list[tuple[Comparison, Comparison]]:
        """The values that were run both ways: by the reading, and by the words of the paper."""
        pairs = zip(self.read, self.stated)
        return [pair for pair in pairs if all(one.status in JUDGED for one in pair)]

    @property
    def reproduced_of_both(self) -> tuple[int, int]:
        """How many values that were run both ways the reading reproduces, and the words."""
        read, stated = (sum(pair[i].status == "reproduced" for pair in self.both) for i in (0, 1))
        return read, stated

    @cached_property
    def misfits(self) -> list[str]:
        """Why the reading does not fit the printed column, in words; empty if it does."""
        if not any(one.repeats for one in self.read):
            return ["it was not run"]
        reasons = []
        if self.reproduced < _SHARE * self.wanted:
            reasons.append("it reproduces less than half of the column")
        if not math.isnan(self.swap) and self.reproduced <= self.swap * self.wanted:
            reasons.append("values of other columns pass as often")
        return reasons

    @cached_property
    def objections(self) -> list[str]:
        """Why the reading does not explain the column, in words; empty if it does."""
        reasons = list(self.misfits)
        read, stated = self.reproduced_of_both
        if read < _TIMES * stated:
            reasons.append(
                "where both were run, it reproduces less than twice as many values as the words of "
                "the paper"
            )
        return reasons

    @property
    def explains(self) -> bool:
        """Whether the reading reproduces enough of the column to count."""
        return not self.objections

    def counts_for(self, stated: Comparison) -> bool:
        """Return whether the reading counts in the place of a value as stated.

        A reading that fits the column but is not much better than the words of the paper counts
        only where these were not run.
        """
        return self.explains or (not self.misfits and stated.status not in JUDGED)

    @property
    def counts(self) -> dict[str, int]:
        """For each status of a compared value how many values have it with the reading."""
        by_status = Counter(one.status for one in self.read)
        return {status: by_status[status] for status in JUDGED if status != "explained"}

    @property
    def sentence(self) -> str:
        """Say what the reading gives for the column, and whether it explains it."""
        if self.objections == ["it was not run"]:
            return f"{self.method}: no results of this reading are there."
        swap = "" if math.isnan(self.swap) else f", swap rate {100 * self.swap:.0f} %"
        counts = ", ".join(f"{n} {status}" for status, n in self.counts.items() if n)
        read, stated = self.reproduced_of_both
        words = f"{read} of {len(self.both)} where both were run, {stated} as stated"
        if not self.both:
            words = "not run as stated"
        verdict = "it explains the column" if self.explains else "; ".join(self.objections)
        if not self.explains and not self.misfits:
            verdict += ", so it counts only where these were not run"
        return f"{self.method}: of {self.wanted} values {counts} ({words}{swap}): {verdict}."

    def record(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {
            "paper": self.paper,
            "reading": self.reading,
            "column": self.method,
            "tables": self.entry.covers.tables,
            "configs": self.entry.configs,
            "fitted": self.entry.chosen,
            "values": self.wanted,
            "counts": self.counts,
            "run_both_ways": len(self.both),
            "reproduced_of_both": dict(zip(("read", "stated"), self.reproduced_of_both)),
            "swap_rate": None if math.isnan(self.swap) else self.swap,
            "explains": self.explains,
            "objections": self.objections,
        }


def read_scores(runs: Sequence[RunValues], stated: Sequence[Comparison]) -> list[ReadScore]:
    """Count every column of every reading that configs run, in the order of the files."""
    places = {(one.paper, *one.place): one for one in stated}
    scores = []
    for name in papers.names():
        paper = papers.paper(name)
        for reading in paper.readings():
            for entry in reading.columns:
                if entry.configs:
                    for method in entry.covers.columns:
                        scores.append(_score(paper, reading.name, entry, method, runs, places))
    return scores


def _score(
    paper: papers.Paper,
    reading: str,
    entry: papers.ReadColumn,
    method: str,
    runs: Sequence[RunValues],
    stated: dict[Any, Comparison],
) -> ReadScore:
    covers = entry.covers
    mine = [
        one
        for one in runs
        if one.results.experiment.name in entry.configs and reading_of(one.results) == reading
    ]

    def covered(line: Any) -> bool:
        return (
            line.table in covers.tables
            and (covers.metrics is None or line.metric in covers.metrics)
            and (covers.datasets is None or line.dataset in covers.datasets)
        )

    rows = list(compare_paper(paper, mine, wanted=covered))
    read = [one for one in rows if one.method == method]
    if entry.column:
        read = [
            one
            for one in compare_paper(paper, mine, wanted=covered, column=entry.column)
            if one.method == method
        ]
        rows = [one for one in rows if one.method != method] + read
    return ReadScore(
        paper.name,
        reading,
        method,
        entry,
        read,
        [stated[paper.name, *one.place] for one in read],
        swap_rate(rows, method),
    )


def as_read(stated: Sequence[Comparison], columns: Sequence[ReadScore]) -> list[Comparison]:
    """Return all values as read: a column by its first reading that explains it, else as stated.

    A value that only the reading gives is "explained"; one that the words of the paper give, too,
    stays "reproduced". What was not run as stated comes from a reading that fits, if there is one.
    """
    by_place: dict[Any, Comparison] = {}
    for column in sorted(columns, key=lambda column: not column.explains):
        for one, other in zip(column.read, column.stated):
            if one.repeats and column.counts_for(other):  # without repeats it was not run here
                only = one.status == "reproduced" and other.status != "reproduced"
                kept = replace(one, status="explained") if only else one
                by_place.setdefault((one.paper, *one.place), kept)
    for column in columns:
        for one, other in zip(column.read, column.stated):
            if one.repeats and (other.status, other.reason) == ("not run", ""):
                reason = f"the reading '{column.reading}' was run, but does not explain the column"
                by_place.setdefault((one.paper, *one.place), replace(other, reason=reason))
    return [by_place.get((one.paper, *one.place), one) for one in stated]


def read_rows(runs: Sequence[RunValues], stated: Sequence[Comparison]) -> list[Comparison]:
    """Return whole rows by the runs of readings, and as stated where there are none.

    The methods of a row come from one experiment and saw the same splits, so they can be compared
    with each other, which claims do.
    """
    mine = [one for one in runs if reading_of(one.results)]
    read = [one for name in papers.names() for one in compare_paper(papers.paper(name), mine)]
    there = {one.row for one in read if one.repeats}
    return [one if one.row in there else other for one, other in zip(read, stated)]
