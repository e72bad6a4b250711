"""The look of each line (colour, dash, marker), the same in plots and on the page.

The colours are those of Okabe and Ito (Color Universal Design, 2008), made for colour-blind
readers. Grey replaces their yellow, which is too light for lines on white. Dashes and markers tell
lines apart in grey prints.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from ... import papers

# on white paper, and on the page's dark ground
COLOURS = [
    ("#0072B2", "#6cb4f5"),
    ("#D55E00", "#ff9a5a"),
    ("#009E73", "#3fd0a4"),
    ("#CC79A7", "#eda3cd"),
    ("#E69F00", "#f0c04a"),
    ("#56B4E9", "#9ad7fb"),
    ("#7F7F7F", "#b3b8c2"),
]
OWN = -1  # the number of the colour of the paper's own method: that of the text
DASHES: list[tuple[float, ...]] = [(), (5, 2), (1, 1.2), (5, 1.5, 1, 1.5), (9, 2)]  # line widths
MARKERS = "osD^vPX<>d*"  # matplotlib's letters
OWN_MARKER = "H"


@dataclass(frozen=True)
class Look:
    """The look of a line.

    Attributes
    ----------
    colour : int
        A place in `COLOURS`, or `OWN`.
    dash : tuple of float
        Lengths of strokes and gaps, in widths of the line; empty for a solid line.
    marker : str
    width : float
    """

    colour: int
    dash: tuple[float, ...]
    marker: str
    width: float = 1.5

    @property
    def own(self) -> bool:
        """Whether this is the look of the paper's own method."""
        return self.colour == OWN


def looks(lines: Sequence[str], own: str = "") -> dict[str, Look]:
    """Return the look of every line; `own` has the colour of the text, and is solid and thick.

    A method that a paper names looks alike in all figures, as far as no other line of a figure has
    its colour. No two of the first 55 lines have the same dash and marker.
    """
    made = {}
    for name, place in _places([line for line in lines if line != own]).items():
        colour, dash = place % len(COLOURS), DASHES[place % len(DASHES)]
        made[name] = Look(colour, dash, MARKERS[place % len(MARKERS)])
    made[own] = Look(OWN, (), OWN_MARKER, 2.5)
    return made


def _places(lines: Sequence[str]) -> dict[str, int]:
    """Return a number for each line, from which its look follows; that of a method is usual.

    A line takes the next number with a colour that is free if it has no usual one, or if a line
    before it has that colour.
    """
    usual = _usual()
    taken = dict[int, str]()
    for name in lines:
        place = usual.get(name)
        if place is not None and place % len(COLOURS) not in {one % len(COLOURS) for one in taken}:
            taken[place] = name
    given = {name: place for place, name in taken.items()}
    for name in lines:
        if name not in given:
            colours = {place % len(COLOURS) for place in given.values()}
            free = (place for place in itertools.count() if place not in given.values())
            given[name] = next(
                place
                for place in free
                if place % len(COLOURS) not in colours or len(colours) == len(COLOURS)
            )
    return given


def _usual() -> dict[str, int]:
    """Return a number for each heading of all papers: it looks alike in all their figures.

    Papers compare their own method with others, whose numbers follow each other.
    """
    every = [papers.read_paper(folder) for folder in papers.folders().values()]
    names = dict.fromkeys(head for one in every for head in one.methods.values())
    own = {one.own_method for one in every}  # black in figures of its paper
    return {name: place for place, name in enumerate(sorted(names, key=own.__contains__))}
