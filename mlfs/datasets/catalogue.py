"""The catalogue: all datasets that have a name, those of mlfs and those of the user."""

from __future__ import annotations

import hashlib

from ..errors import UserError, nearest
from .places import user_catalogue_file
from .published.published_catalogue import Entry, shipped
from .user.user_catalogue import UserEntry, user_catalogue


def catalog() -> dict[str, Entry]:
    """Return all datasets by name: those of mlfs, then those of the user's own catalogue.

    Returns
    -------
    dict of str to Entry
        The facts about each dataset.

    Examples
    --------
    >>> from mlfs.datasets import catalog
    >>> "yeast" in catalog()
    True
    """
    users = user_catalogue()
    if not users:
        return shipped()
    for name in users:
        if name in shipped():
            raise UserError(
                f"{user_catalogue_file()}: mlfs already has a dataset '{name}': give yours another "
                "name"
            )
    return shipped() | {name: _of_user(name, entry) for name, entry in users.items()}


def find(name: str) -> Entry:
    """Return the entry of a dataset; for an unknown name raise an error with a similar name."""
    if name not in catalog():
        raise UserError(
            f"unknown dataset '{name}'{nearest(name, catalog())} "
            "(`mlfs data list` shows all of them)."
        )
    return catalog()[name]


def known_digest(name: str, clean: bool = False) -> str:
    """Return the checksum of a dataset from the catalogue, without reading its files.

    It is empty if the checksum of a file is not known. If such a file can be downloaded, its
    address is used instead, so the checksum is the same before and after the download.
    """
    entry = find(name)
    digests = [file.digest or "".join(file.urls[:1]) for file in entry.files]
    if not all(digests):
        return ""
    repair = repr(sorted(entry.clean.items())) if clean and entry.clean else ""
    member = entry.sources[0].member if entry.sources else ""
    recipe = [repr(sorted(entry.recipe.items()))] if entry.recipe else []
    text = "|".join([name, member, *digests, repair, *recipe])
    return hashlib.sha256(text.encode()).hexdigest()


def _of_user(name: str, entry: UserEntry) -> Entry:
    n, d, l = entry.shape  # noqa: E741
    facts = (name, n, d, l, entry.cardinality, entry.split)
    return Entry(*facts, unknown_share=entry.unknown_share, own=entry.own)
