"""Draw the rooms of the package: which part imports which, read from the source files."""

from __future__ import annotations

import ast
from functools import cache
from html import escape

from text import ROOT

_PACKAGE = ROOT / "mlfs"
_WIDTH, _HEIGHT, _GAP, _APART = 100, 30, 40, 8


@cache
def imports() -> dict[str, set[str]]:
    """Return the rooms that each room imports."""
    found: dict[str, set[str]] = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        parts = path.relative_to(_PACKAGE).with_suffix("").parts
        if parts[0].startswith("__"):
            continue
        here = ["mlfs", *(part for part in parts if part != "__init__")]
        package = here if path.name == "__init__.py" else here[:-1]
        mine = found.setdefault(parts[0], set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = package[: len(package) - node.level + 1]
                module = [*base, *(node.module.split(".") if node.module else [])]
                names = [module[1]] if len(module) > 1 else [alias.name for alias in node.names]
                mine.update(name for name in names if name != parts[0])
    rooms = set(found)
    return {room: others & rooms for room, others in found.items()}


def floors() -> list[list[str]]:
    """Order the rooms so that each is below all that it imports."""
    wanted = imports()
    level: dict[str, int] = {}

    def of(room: str) -> int:
        if room not in level:
            level[room] = 0
            level[room] = max((of(other) + 1 for other in wanted[room]), default=0)
        return level[room]

    for room in wanted:
        of(room)
    return [
        [room for room in wanted if level[room] == floor]
        for floor in range(max(level.values()) + 1)
    ]


def picture() -> str:
    """Draw the rooms with a line for every import; those that import nothing are at the top."""
    rows, wanted = floors(), imports()
    widest = max(len(row) for row in rows)
    width = widest * (_WIDTH + _APART) + 20
    place = {}
    for i, row in enumerate(rows):
        left = (width - len(row) * (_WIDTH + _APART) + _APART) / 2
        for j, room in enumerate(row):
            place[room] = (left + j * (_WIDTH + _APART), 20 + i * (_HEIGHT + _GAP))
    height = 20 + len(rows) * (_HEIGHT + _GAP)
    lines = [
        f'<line x1="{place[a][0] + _WIDTH / 2:.0f}" y1="{place[a][1]}" '
        f'x2="{place[b][0] + _WIDTH / 2:.0f}" y2="{place[b][1] + _HEIGHT}"/>'
        for a, others in sorted(wanted.items())
        for b in sorted(others)
    ]
    boxes = [
        f'<rect x="{x:.0f}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5"/>'
        f'<text x="{x + _WIDTH / 2:.0f}" y="{y + 20}">{escape(room)}</text>'
        for room, (x, y) in place.items()
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        'font-family="sans-serif" font-size="13" text-anchor="middle">'
        "<title>Which room of the package imports which</title>"
        '<g stroke="#9e9e9e" stroke-opacity=".45">' + "".join(lines) + "</g>"
        '<g fill="#e8eaf6" stroke="#3f51b5">'
        + "".join(boxes).replace("<text", '<text fill="#1a237e" stroke="none"')
        + "</g></svg>\n"
    )
