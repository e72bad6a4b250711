"""Tables as HTML, to open in a browser and to copy into a document."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import escape

from .formats import Markup, caption, grid, marks
from .paper_tables import Table
from .texts import Lines

HTML = Markup(plain=lambda text: str(escape(text)), bold=lambda text: f"<b>{text}</b>")
_HEAD = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Tables of mlfs</title>
<style>
body { font: 15px system-ui, sans-serif; margin: 2em; }
table { border-collapse: collapse; margin: 1.5em 0 .5em; }
caption { caption-side: top; text-align: left; padding: .4em 0; max-width: 60em; }
th, td { padding: .25em .7em; text-align: right; white-space: nowrap; }
th:first-child { text-align: left; }
thead tr { border-top: 2px solid; border-bottom: 1px solid; }
tbody { border-bottom: 2px solid; }
p { margin: .2em 0; max-width: 60em; }
</style>
"""


def as_html(table: Table, compare: bool, notes: Sequence[str]) -> str:
    """Return a table with its caption, and notes below it."""
    return html_table(grid(table, compare, HTML), caption(table, compare), [*marks(table), *notes])


def html_table(lines: Lines, title: str, notes: Sequence[str]) -> str:
    """Put lines of HTML into a table; the title and the notes are plain texts."""
    head, *body = lines
    rows = [
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{text}</td>" for text in others)}</tr>'
        for first, *others in body
    ]
    names = "".join(f'<th scope="col">{text}</th>' for text in head)
    parts = [f"<table>\n<caption>{escape(title)}</caption>", f"<thead><tr>{names}</tr></thead>"]
    parts += [
        "<tbody>",
        *rows,
        "</tbody>",
        "</table>",
        *(f"<p>{escape(note)}</p>" for note in notes),
    ]
    return "\n".join(parts)


def document(parts: Sequence[str]) -> str:
    """Return a whole page that needs no other file."""
    return "\n".join([_HEAD, *parts, "</html>"])
