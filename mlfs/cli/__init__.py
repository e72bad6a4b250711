"""The command line. These modules only have click commands; the work is done elsewhere."""

from __future__ import annotations

import sys
from contextlib import suppress

import click

from .. import __version__
from ..system.streams import open_closed
from .keep.config import config
from .keep.data import data
from .keep.leaderboard import leaderboard
from .keep.methods import methods
from .keep.paper import paper
from .keep.results import results
from .options import CONTEXT, Group
from .show.audit import audit
from .show.explain import explain
from .show.failures import failures
from .show.features import features
from .show.plot import plot
from .show.report import report
from .show.scorecard import scorecard
from .show.table import table
from .work.active import active
from .work.calibrate import calibrate
from .work.compare import compare
from .work.complete import complete
from .work.estimate import estimate
from .work.kit import kit
from .work.run import run
from .work.select import select


@click.group(cls=Group, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="mlfs")
def main() -> None:
    """Rerun published multi-label experiments and see how close you come.

    \b
    mlfs run mfsef_original                       run an experiment, or continue it
    mlfs table results                            see what was run, and which command shows it
    mlfs table results/mfsef_original --compare   put the printed values beside ours
    mlfs scorecard                                count how much of each paper is reproduced
    mlfs report                                   write everything on one page
    mlfs select X.csv Y.csv --n 20                choose features of your own data
    mlfs complete X.csv Y.csv -o all.csv          fill in labels that are not known
    mlfs compare X.csv Y.csv --methods gmfs,fsnm  compare methods on your own data
    mlfs methods list                             list the methods
    mlfs data list                                list the datasets
    """
    open_closed()
    with suppress(AttributeError):
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]


for _command in (
    run,
    table,
    features,
    plot,
    audit,
    scorecard,
    explain,
    report,
    failures,
    calibrate,
    estimate,
    results,
    leaderboard,
    kit,
    config,
    methods,
    paper,
    select,
    complete,
    compare,
    active,
    data,
):
    main.add_command(_command)
