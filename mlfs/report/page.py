"""Write one HTML page that shows how much of each paper holds; it needs no other file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from .. import __version__
from ..errors import UserError
from . import page_claims, page_curves, page_features, page_map, page_runs, page_tables, scorecard
from .formats import number
from .page_curves import Figure
from .page_features import Features
from .page_runs import Run, duration
from .page_tables import Places, TableView
from .results import Results
from .scorecard import Scorecard
from .scorecard_text import held
from .standing import STATUSES
from .tables import make_tables


@dataclass
class Room:
    """How much more the page may show, so that it stays small for any results."""

    cells: int = 12_000  # cells of tables
    points: int = 6_000  # points of curves
    choices: int = 6_000  # features that were chosen most often


@dataclass(frozen=True)
class ExperimentView:
    """What the page shows of one experiment; `omitted` says what had no room."""

    name: str
    title: str
    paper: str
    printed: str
    run: Run
    tables: list[TableView]
    figures: list[Figure]
    features: Features | None
    omitted: list[str]


def write(roots: Sequence[Path], output: Path) -> str:
    """Write the page of the results at `roots`, and say what it shows."""
    places = scorecard.locate(roots)
    results = scorecard.read(places)
    card = scorecard.score(results, ", ".join(map(str, places)))
    content = render(results, card)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(content, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"cannot write {output} ({error.strerror}): name another file with --output"
        ) from error
    total = card.total
    return (
        f"{output}: {total.ours:,} of {total.cells:,} printed cells, "
        f"{len(results)} experiment{'' if len(results) == 1 else 's'}, "
        f"{len(content.encode()) / 1e6:.1f} MB.  Next: open it in a browser"
    )


def render(results: Sequence[Results], card: Scorecard, room: Room | None = None) -> str:
    """Return the page as HTML, given results and the scorecard."""
    room = room or Room()
    places = Places(page_tables.standing_places(results, card.cells))
    experiments = [_experiment(item, i, places, room) for i, item in enumerate(results)]
    columns = {(one.experiment, one.method): place[-1] for place, one in places.standings.items()}
    claims = page_claims.claims(card)
    hold = dict.fromkeys((score.paper for score in card.papers), "")
    hold |= {
        one.paper.name: f"{one.counts['holds']} of {len(one.rows)}" for one in claims if one.rows
    }
    template = _environment().get_template("page.html")
    return template.render(
        card=card,
        papers=page_map.maps(card, places.anchors, columns),
        statuses=STATUSES,
        claims=page_claims.claims(card),
        outcomes=card.outcomes(),
        held={score.paper: held(card, score.paper) for score in card.papers},
        experiments=experiments,
        settings={view.name: _in_words(view.run.settings) for view in experiments},
        version=__version__,
        made=date.today().isoformat(),
    )


def _environment() -> Environment:
    env = Environment(
        loader=PackageLoader("mlfs.report", "templates"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {
        "number": lambda value: "–" if math.isnan(value) else number(value),
        "duration": duration,
        "slug": lambda text: text.replace(" ", "-"),
        "count": lambda value: f"{value:,}",
    }
    return env


def _in_words(settings: dict[str, str]) -> str:
    return ", ".join(f"{name}: {text}" for name, text in settings.items())


def _experiment(item: Results, place: int, places: Places, room: Room) -> ExperimentView:
    experiment = item.experiment
    omitted: list[str] = []
    refs = [f"table {name}" for name in experiment.tables]
    refs += [f"figure {name}" for name in experiment.figures]
    return ExperimentView(
        name=experiment.name,
        title=experiment.title,
        paper=experiment.paper or "",
        printed=", ".join(refs),
        run=page_runs.run(item),
        tables=_tables(item, f"t{place}", places, room, omitted),
        figures=_figures(item, room, omitted),
        features=_features(item, room, omitted),
        omitted=omitted,
    )


def _tables(
    item: Results, anchor: str, places: Places, room: Room, omitted: list[str]
) -> list[TableView]:
    shown, left = [], 0
    for i, table in enumerate(make_tables(item)):
        if len(table.cells) > room.cells:
            left += 1
            continue
        room.cells -= len(table.cells)
        shown.append(page_tables.view(table, f"{anchor}-{i}", places))
    if left:
        omitted.append(f"{left} tables are too large for this page: 'mlfs table' shows them")
    return shown


def _figures(item: Results, room: Room, omitted: list[str]) -> list[Figure]:
    shown, left = [], 0
    for figure in page_curves.figures(item):
        if figure.points > room.points:
            left += 1
            continue
        room.points -= figure.points
        shown.append(figure)
    if left:
        omitted.append(f"{left} figures are too large for this page: 'mlfs plot' draws them")
    return shown


def _features(item: Results, room: Room, omitted: list[str]) -> Features | None:
    found = page_features.features(item)
    if found is None:
        return None
    weight = sum(len(one.features) for _, some in found.chosen for one in some)
    if weight > room.choices:
        omitted.append("the chosen features are too many for this page: 'mlfs features' lists them")
        return None
    room.choices -= weight
    return found
