"""The look of each line (colour, dash, marker), the same in plots and on the page.

The colours are those of Okabe and Ito (Color Universal Design, 2008), made for colour-blind
readers. Grey replaces their yellow, which is too light for lines on white. Dashes and markers tell
lines apart in grey prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

    No two of 55 lines have the same dash and marker.
    """
    made = {}
    for place, name in enumerate(line for line in lines if line != own):
        colour, dash = place % len(COLOURS), DASHES[place % len(DASHES)]
        made[name] = Look(colour, dash, MARKERS[place % len(MARKERS)])
    made[own] = Look(OWN, (), OWN_MARKER, 2.5)
    return made
