"""Write one HTML page that shows how much of each paper holds; it needs no other file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from ... import __version__
from ...config import shipped
from ...errors import UserError, count_of
from ...results.read import Results
from ...steps_shown import Steps
from ..figures import svg
from ..kept import KeptViews
from ..reproduction import scorecard
from ..reproduction.comparison import reading_of
from ..reproduction.judgement import STATUSES
from ..reproduction.scorecard import Scorecard
from ..reproduction.scorecard_text import certainty, fitted, held, legend, tau
from ..tables.footer import in_words
from ..tables.texts import duration, number
from . import papers_section
from .experiments_section import PageBudget, experiment_view
from .overall_section import overall_views
from .tables_section import ValueIndex, by_place


def write(roots: Sequence[Path], output: Path) -> str:
    """Write the page of the results at `roots`, and say what it shows."""
    stores = scorecard.find_stores(roots)
    with Steps(2 * sum(map(len, stores.values())) + 1, "report") as steps:
        results = scorecard.read(stores, steps)
        kept = KeptViews()
        card = scorecard.score(results, ", ".join(map(str, stores)), steps, kept)
        steps.tick()
        ours = set(stores) == {shipped.REFERENCE}
        content = render(results, card, steps=steps, ours=ours, kept=kept)
    kept.save()
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(content, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"cannot write {output} ({error.strerror}): name another file with --output"
        ) from error
    total = card.total
    return (
        f"{output}: {total.ours:,} of {total.printed:,} printed values, "
        f"{count_of(len(results), 'experiment')}, "
        f"{len(content.encode()) / 1e6:.1f} MB.  Next: open it in a browser"
    )


def render(
    results: Sequence[Results],
    card: Scorecard,
    budget: PageBudget | None = None,
    steps: Steps | None = None,
    ours: bool = False,
    kept: KeptViews | None = None,
) -> str:
    """Return the page as HTML, given results and the scorecard; count a step per experiment.

    If all results are `ours`, those that come with mlfs, none of them is the user's own.
    """
    budget = budget or PageBudget()
    steps = steps or Steps(len(results), "report")
    kept = kept or KeptViews()
    # the user's own experiments come first, also where the page has too little room for all,
    # then paper by paper, what follows its words before what follows a reading
    results = sorted(
        results, key=lambda item: (item.experiment.paper or "", bool(reading_of(item)))
    )
    # an experiment may be compared in several ways; the last one counts
    by_readings = [one for column in card.columns for one in column.read]
    compared = [*by_readings, *card.stated.comparisons, *card.comparisons]
    index = ValueIndex(by_place(compared))
    names = [item.experiment.name for item in results]
    experiments = [
        experiment_view(item, i, index, budget, kept)
        for i, item in enumerate(steps.over(results, names))
    ]
    overall = overall_views(results, kept)
    own = [one for one in experiments if not one.paper and not ours]
    run = {item.experiment.paper for item in results}
    template = environment().get_template("page.html")
    return template.render(
        card=card,
        papers=papers_section.paper_maps(card, index, run, kept),
        statuses=STATUSES,
        claims=papers_section.paper_claims(card, kept),
        outcomes=card.outcomes(),
        overall=overall,
        held=held,
        certainty=certainty,
        tau=tau,
        legend=legend(),
        fitted=fitted(card),
        experiments=experiments,
        own=own,
        others=len(own) < len(experiments) or not experiments,
        printed=any(view.has_printed for view in experiments),
        settings={view.name: in_words(view.run.settings) for view in experiments},
        colours=svg.colours(),
        markers={svg.marker_id(marker): d for marker, d in svg.MARKERS.items()},
        version=__version__,
        made=date.today().isoformat(),
    )


def environment() -> Environment:
    """Return the templates of the page, with what they use."""
    env = Environment(
        loader=PackageLoader("mlfs.report.page", "templates"),
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
        "percent": lambda share: "–" if math.isnan(share) else f"{100 * share:.1f} %",
    }
    return env
