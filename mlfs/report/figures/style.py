"""The style of matplotlib's figures, and their files: the same data give the same bytes."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec

import matplotlib

matplotlib.use("Agg")  # files only: no screen is needed

import matplotlib.pyplot as plt
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...errors import UserError

KINDS = ("svg", "png", "pdf")
RC: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "0.4",
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "0.9",
    "grid.linewidth": 0.7,
    "xtick.color": "0.3",
    "ytick.color": "0.3",
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.hashsalt": "mlfs",  # the same ids inside a file every time
    "svg.fonttype": "none",  # text stays text: it can be searched, and files are small
    "pdf.fonttype": 42,
}
P = ParamSpec("P")


@dataclass(frozen=True)
class Print:
    """How figures are printed.

    Attributes
    ----------
    width : float
        Width in inches; 0 for the width that the figure needs.
    font : str
        A family such as "serif", or the name of an installed font; empty for matplotlib's own.
    caption : bool
        Whether a figure says above what it shows.
    dpi : int
        Dots per inch of a png.
    """

    width: float = 0.0
    font: str = ""
    caption: bool = True
    dpi: int = 300

    def rc(self) -> dict[Any, Any]:
        """Return matplotlib's settings for the font; raise an error if it is not installed."""
        if not self.font:
            return {}
        if self.font not in font_manager.font_family_aliases:
            try:
                font_manager.findfont(self.font, fallback_to_default=False)
            except ValueError as error:
                raise UserError(
                    f"no font '{self.font}' is installed: use serif, sans-serif or monospace"
                ) from error
        return {"font.family": self.font}


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Make a function draw in the style of mlfs, without changing the user's own style."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **options: P.kwargs) -> Figure:
        with plt.rc_context(RC):
            return draw(*args, **options)

    return drawn


def grid(count: int, wide: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Make a figure of `count` panels, `wide` of them beside each other."""
    wide = min(wide, count)
    tall = -(-count // wide)
    size = (width * wide, height * tall)
    figure, panels = plt.subplots(tall, wide, figsize=size, squeeze=False, layout="constrained")
    for panel in panels.flat[count:]:
        panel.set_visible(False)
    return figure, list(panels.flat[:count])


def head(figure: Figure, text: str) -> None:
    """Put a line of small text above a figure that says what it shows."""
    width = int(15 * figure.get_figwidth())  # an inch holds 15 letters of this size
    figure.suptitle(textwrap.fill(text, width), fontsize=8, x=0.01, ha="left", color="0.3")


def save(
    figure: Figure,
    stem: Path,
    kinds: Sequence[str],
    description: str = "",
    printed: Print | None = None,
) -> list[Path]:
    """Write a figure in some formats of `KINDS`; an svg may have a description inside.

    With a width of its own, a figure is exactly that wide; otherwise empty margins are cut off,
    if there can be some: to find them takes as long as to draw.
    """
    printed = printed or Print()
    files = [stem.with_name(f"{stem.name}.{kind}") for kind in kinds]
    about = {"Description": description} if description else {}
    undated = {".svg": {"Date": None, **about}, ".pdf": {"CreationDate": None}}
    filled = any(axes.get_position().bounds == (0, 0, 1, 1) for axes in figure.axes)
    box = None if printed.width or filled else "tight"
    try:
        with plt.rc_context(RC):
            for file in files:
                metadata = undated.get(file.suffix)
                figure.savefig(file, dpi=printed.dpi, bbox_inches=box, metadata=metadata)
    except OSError as error:
        raise unwritable(stem.parent, error) from error
    finally:
        plt.close(figure)
    return files


def unwritable(folder: Path, error: OSError) -> UserError:
    """Return the error about a folder that figures cannot be written to."""
    return UserError(
        f"cannot write to {folder} ({error.strerror}): choose another folder with --output"
    )
