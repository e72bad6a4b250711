"""The command line. These modules only have click commands; the work is done elsewhere."""

from __future__ import annotations

import sys
from contextlib import suppress

import click

from .. import __version__
from .active import active
from .config import config, methods
from .data import data
from .estimate import estimate
from .group import CONTEXT, Group
from .page import page
from .papers import audit
from .report import failures, features, plot, table
from .results import results
from .run import calibrate, run
from .scorecard import scorecard


@click.group(cls=Group, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="mlfs")
def main() -> None:
    """Rerun published multi-label experiments and see how close you come.

    \b
    mlfs run configs/mfsef_original.yaml     run an experiment, or continue it
    mlfs table results/ --compare            compare our figures with the printed ones
    mlfs scorecard                           count how much of each paper is reproduced
    mlfs report                              write everything on one page
    mlfs methods                             list the methods
    mlfs data list                           list the datasets
    """
    with suppress(AttributeError):
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]


for _command in (
    run,
    table,
    features,
    plot,
    audit,
    scorecard,
    page,
    failures,
    calibrate,
    estimate,
    results,
    config,
    methods,
    active,
    data,
):
    main.add_command(_command)
