"""What an audit finds in a paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One thing in a paper that cannot be right, or that a reader should know.

    Attributes
    ----------
    rule : str
        Which rule found it.
    table : str
        Number of the printed table, or several with blanks between.
    dataset, method, metric : str
        Where in the table, in our names of datasets and metrics; empty where it is about more.
    text : str
        What is wrong, in a sentence.
    misprint : bool
        Whether the printed value of this one cell is not what was measured.
    ratio : float, optional
        The missing ratio of the cell.
    """

    rule: str
    table: str
    dataset: str
    method: str
    metric: str
    text: str
    misprint: bool = False
    ratio: float | None = None

    @classmethod
    def of(cls, rule: str, cell: Any, text: str, misprint: bool = False) -> Finding:
        """A finding about one printed cell, a row of `Paper.printed`."""
        place = (cell.table, cell.dataset, cell.method, cell.metric)
        return cls(rule, *place, text, misprint, float(cell.missing_ratio))
