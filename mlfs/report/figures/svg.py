"""Write drawings as SVG for the page, whose style colours them (see ``figures.css``)."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from .drawing import Area, Drawing, Mark, Point, Stroke, Text
from .looks import COLOURS, Look

# the markers around (0, 0), defined once on the page and used by all its figures
MARKERS = {
    "o": "M-2.8 0a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0z",
    "s": "M-2.5-2.5h5v5h-5z",
    "D": "M0-3.5l3.5 3.5l-3.5 3.5l-3.5-3.5z",
    "^": "M0-3.1l3.1 5.7h-6.2z",
    "v": "M0 3.1l3.1-5.7h-6.2z",
    "P": "M-1.1-3.2h2.2v2.1h2.1v2.2h-2.1v2.1h-2.2v-2.1h-2.1v-2.2h2.1z",
    "X": "M-1.6-3.2l1.6 1.6l1.6-1.6l1.6 1.6l-1.6 1.6l1.6 1.6l-1.6 1.6l-1.6-1.6l-1.6 1.6"
    "l-1.6-1.6l1.6-1.6l-1.6-1.6z",
    "<": "M-3.1 0l5.7-3.1v6.2z",
    ">": "M3.1 0l-5.7-3.1v6.2z",
    "d": "M0-3.7l2.1 3.7l-2.1 3.7l-2.1-3.7z",
    "*": "M0-3.8l.9 2.6h2.7l-2.2 1.6l.9 2.7l-2.3-1.7l-2.3 1.7l.9-2.7l-2.2-1.6h2.7z",
    "H": "M-1.7-3h3.4l1.7 3l-1.7 3h-3.4l-1.7-3z",
}


def write(drawing: Drawing) -> Markup:
    """Return a drawing as an image with a description for screen readers."""
    return Markup(
        '<svg viewBox="0 0 {w} {h}" role="img" aria-label="{title}: {about}">'
        "<title>{title}</title><desc>{about}</desc>{inside}</svg>"
    ).format(
        w=short(drawing.width),
        h=short(drawing.height),
        title=drawing.title,
        about=drawing.about,
        inside=Markup("").join(map(_shape, drawing.shapes)),
    )


def sample(look: Look) -> Markup:
    """Return a short line with a marker, for a legend."""
    drawing = '<svg viewBox="0 0 30 10" aria-hidden="true">{}{}</svg>'
    line = Stroke([[(1, 5), (29, 5)]], "line", look)
    return Markup(drawing).format(_shape(line), _shape(Mark((15, 5), look, hollow=False, title="")))


def colours() -> list[tuple[str, str, str]]:
    """Return the class of every line colour, with its colours on light and on dark ground."""
    return [(f"l{place}", light, dark) for place, (light, dark) in enumerate(COLOURS)]


def marker_id(marker: str) -> str:
    """Return the id under which the page defines a marker."""
    return f"k{list(MARKERS).index(marker)}"


def short(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def _shape(shape: Stroke | Area | Mark | Text) -> Markup:
    if isinstance(shape, Text):
        return _text(shape)
    if isinstance(shape, Mark):
        x, y = map(short, shape.at)
        kind = "hollow" if shape.hollow else "dot"
        use = f'<use class="{kind}{_colour(shape.look)}" href="#{marker_id(shape.look.marker)}"'
        return _titled(f'{use} x="{x}" y="{y}"', "use", shape.title)
    if isinstance(shape, Area):
        points = " ".join(f"{short(x)},{short(y)}" for x, y in shape.points)
        look = f'class="band{_colour(shape.look)}" fill-opacity="{shape.opacity:.2g}"'
        return Markup(f'<polygon {look} points="{points}"/>')
    dash = ""
    if shape.kind == "line" and shape.look and shape.look.dash:
        lengths = " ".join(short(part * shape.look.width) for part in shape.look.dash)
        dash = f' stroke-dasharray="{lengths}"'
    d = "".join(map(_path, shape.lines))
    start = f'<path class="{shape.kind}{_colour(shape.look)}"{dash} d="{d}"'
    return _titled(start, "path", shape.title)


def _titled(start: str, tag: str, title: str) -> Markup:
    if not title:
        return Markup(f"{start}/>")
    return Markup(f"{start}><title>") + escape(title) + Markup(f"</title></{tag}>")


def _text(text: Text) -> Markup:
    anchor = {"start": "", "middle": " mid", "end": " end"}[text.anchor]
    kind = text.kind + anchor + (" strong" if text.strong else "")
    x, y = map(short, text.at)
    return Markup('<text x="{}" y="{}" class="{}">{}</text>').format(x, y, kind, text.words)


def _colour(look: Look | None) -> str:
    if look is None:
        return ""
    return " own" if look.own else f" l{look.colour}"


def _path(points: Sequence[Point]) -> str:
    (x, y), *others = [(short(x), short(y)) for x, y in points]
    d = f"M{x} {y}"
    for right, down in others:
        if down == y:
            d += f"H{right}"
        elif right == x:
            d += f"V{down}"
        else:
            d += f"L{right} {down}"
        x, y = right, down
    return d
