"""The page of a leaderboard: what each comparison says, with the submitted methods in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from ... import __version__
from ..figures import svg
from ..overall.overall_text import Overall
from ..reproduction.judgement import STATUSES
from .overall_section import view_of
from .render import environment


def page(comparisons: Mapping[str, Overall], submitted: Mapping[str, list[str]]) -> str:
    """Return the page as HTML; `submitted` names the methods that are not part of mlfs."""
    return (
        environment()
        .get_template("leaderboard.html")
        .render(
            overall=[view_of(name, compared) for name, compared in comparisons.items()],
            submitted=submitted,
            statuses=STATUSES,
            colours=svg.colours(),
            markers={svg.marker_id(marker): d for marker, d in svg.MARKERS.items()},
            version=__version__,
            made=date.today().isoformat(),
        )
    )
