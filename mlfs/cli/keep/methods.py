"""``mlfs methods``: list the methods, or show one."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import Group


@click.group(cls=Group)
def methods() -> None:
    """List the methods, or print the details of one."""


@methods.command("list")
def list_methods() -> None:
    """List all methods: those of mlfs and of installed packages.

    \b
    mlfs methods list
    """
    from ...report.lists.method_list import listed

    click.echo(listed())


@methods.command("show")
@click.argument("name")
def show_method(name: str) -> None:
    """Print a method's paper, provenance, version, parameters and search space.

    NAME is a name that 'mlfs methods list' prints, or module:Class. The module is a file in this
    folder or an installed package. Any selector or classifier in the style of scikit-learn can be
    used.

    \b
    mlfs methods show gmfs
    mlfs methods show my_module:MyRanker
    mlfs methods show sklearn.feature_selection:SelectKBest
    """
    from ...report.lists.method_list import about

    click.echo(about(name, Path.cwd()))
