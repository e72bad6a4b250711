"""Refuse a cell that was planned with other versions of the code than this process has."""

from __future__ import annotations

import socket
from typing import Any

from ...errors import UserError
from ...methods import registry
from ...protocols import Cell, protocol
from ...protocols.steps.apart import apart


class OtherVersions(UserError):
    """Report that a worker has other versions of the code than the runner."""


def check_versions(cell: Cell) -> None:
    """Raise OtherVersions if this process would run other code than the cell's key says.

    Parameters
    ----------
    cell : Cell
        A cell that may have been planned on another machine. It must be in its scope.
    """
    here = apart(lambda: _versions_here(cell), cell.foreign)
    for name, wanted in cell.versions.items():
        mine = here.get(name)
        if mine != wanted:
            raise OtherVersions(
                f"the worker on {socket.gethostname()} has version {mine} of '{name}', and this "
                f"run needs version {wanted}: install the same version of mlfs and of your "
                "packages there, and run again"
            )


def _versions_here(cell: Cell) -> dict[str, int | str]:
    """Return the versions in this process of all that a cell depends on, by name."""
    kind = protocol(cell.settings.protocol).experiment
    about: dict[str, Any] = {"protocol": cell.settings.protocol}
    empty = kind.model_construct(**about)  # versions depend on the kind of experiment alone
    versions: dict[str, int | str] = empty.versions(cell.method.name, cell.settings)
    for name in cell.versions.keys() - versions.keys():  # of tuning that this dataset does not have
        versions[name] = registry.version(name, ("classifier", "learner"))
    return versions
