"""The command line: click commands, nothing else."""

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
    mlfs run configs/mfsef_original.yaml     run an experiment (resumes where it stopped)
    mlfs table results/ --compare            our figures beside the printed ones
    mlfs scorecard                           how much of each paper holds
    mlfs report                              all of it on one page
    mlfs methods                             what can be run
    mlfs data list                           what it can be run on
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
