"""Tables for a paper: a booktabs tabular, its caption, and the tests as a note below."""

from __future__ import annotations

import re

from .formats import Markup, caption, grid, marks
from .paper_tables import Table
from .texts import Lines

_SPECIAL = {
    "chi2": r"$\chi^2$",
    "F_F": r"$F_F$",
    "±": r"$\pm$",
    "-": "$-$",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
}
# a hyphen before a digit is a minus, unless it is inside a word such as rcv1-2
_PATTERN = re.compile(r"\bchi2\b|\bF_F\b|(?<!\w)-(?=\.?\d)|[±\\~^<>{}$&#%_]")


def escape(text: str) -> str:
    """Escape a text for LaTeX, with a true minus sign before numbers."""
    return _PATTERN.sub(lambda match: _SPECIAL[match.group()], text)


_WIDEST = 10  # methods that stand side by side on a page

LATEX = Markup(plain=escape, bold=lambda text: rf"\textbf{{{text}}}")


def as_latex(table: Table, compare: bool, notes: list[str]) -> str:
    """Return a booktabs tabular to put into a table environment, with notes below it.

    Many methods stand below each other, since a page is higher than wide.
    """
    lines = grid(table, compare, LATEX)
    if len(table.methods) > max(_WIDEST, len(table.rows)):
        lines = [["method", *lines[0][1:]], *lines[1:]]
        columns = [list(column) for column in zip(*lines, strict=True)]
        return tabular(columns, caption(table, compare), [*marks(table), *notes])
    summary = sum(line[0].startswith(("average rank", "mean absolute gap")) for line in lines)
    return tabular(lines, caption(table, compare), [*marks(table), *notes], summary)


def tabular(lines: Lines, title: str, notes: list[str], summary: int = 0) -> str:
    r"""Put lines of LaTeX into a tabular, with a rule above the last `summary` lines.

    The caption is a comment, since ``\caption`` is allowed only in the table environment around
    the tabular.
    """
    body = [" & ".join(line) + r" \\" for line in lines]
    if 0 < summary < len(body) - 1:
        body.insert(len(body) - summary, r"\midrule")
    return "\n".join(
        [
            rf"% \caption{{{escape(title)}}}",
            r"% \usepackage{booktabs}",
            rf"\begin{{tabular}}{{l{'r' * (len(lines[0]) - 1)}}}",
            r"\toprule",
            body[0],
            r"\midrule",
            *body[1:],
            r"\bottomrule",
            r"\end{tabular}",
            *(rf"\par\smallskip{{\footnotesize {escape(note)}\par}}" for note in notes),
        ]
    )
