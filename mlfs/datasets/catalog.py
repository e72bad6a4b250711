"""The catalogue: what mlfs knows about every dataset before it has read a byte of it."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import yaml

from ..errors import UserError, nearest
from .choice import Own
from .mine import Kept, kept
from .places import own_catalog


@dataclass(frozen=True)
class File:
    """Describe a published file.

    Parameters
    ----------
    name : str
        What it is called in the cache and in a mirror.
    bytes : int
        Its size; 0 where it is not known.
    digest : str
        "sha256:..." (or "md5:..."); empty where it is not known.
    urls : tuple of str
        Where it is published; behind a # the member of a zip archive.
    requirement : str
        The package whose source distribution it is, if a package index has it.
    """

    name: str
    bytes: int = 0
    digest: str = ""
    urls: tuple[str, ...] = ()
    requirement: str = ""

    @property
    def sha256(self) -> str:
        """The sha256 in hexadecimal, or an empty string."""
        kind, _, value = self.digest.partition(":")
        return value if kind == "sha256" else ""


@dataclass(frozen=True)
class Source:
    """Describe one complete way to get a set.

    Parameters
    ----------
    reader : str
        Name of the reader of the files.
    files : tuple of File
        The files.
    member : str
        The part of an archive that holds the set; empty where the files are the set.
    """

    reader: str
    files: tuple[File, ...]
    member: str = ""


@dataclass(frozen=True)
class Entry:
    """Hold the facts about one dataset.

    Parameters
    ----------
    name : str
        What configs call it.
    n, d, l : int
        Instances, features, labels.
    cardinality : float or None
        Mean number of labels per instance.
    split : tuple of int or None
        Rows of the official training and test part.
    sparse : bool
        Whether X is a csr_matrix.
    sources : tuple of Source
        Ways to get it, best first; all give the same X and Y. Empty for a built-in set.
    available : bool
        Whether it can be downloaded, without putting a file into the cache by hand.
    where : str
        Where the files come from, for a set that cannot be downloaded.
    clean : mapping
        How ``clean=True`` repairs it; empty when no fault is known.
    classes : bool
        Whether its instances have one class each, with attributes, instead of labels.
    drawn : bool
        Whether it is made at random, so that another seed gives another draw.
    notes : tuple of str
        Known faults.
    own : Own, optional
        Where the user's own data are, for an entry of their own catalogue.

    Examples
    --------
    >>> from mlfs.datasets import catalog
    >>> yeast = catalog()["yeast"]
    >>> yeast.n, yeast.d, yeast.l
    (2417, 103, 14)
    """

    name: str
    n: int
    d: int
    l: int  # noqa: E741
    cardinality: float | None = None
    split: tuple[int, int] | None = None
    sparse: bool = False
    sources: tuple[Source, ...] = ()
    available: bool = True
    where: str = ""
    clean: Mapping[str, Any] = field(default_factory=dict)
    classes: bool = False
    drawn: bool = False
    notes: tuple[str, ...] = ()
    own: Own | None = None

    @property
    def files(self) -> tuple[File, ...]:
        """The files of the first way to get it."""
        return self.sources[0].files if self.sources else ()

    @property
    def reader(self) -> str:
        """Name of the reader of those files, or "toy" for a built-in set."""
        return self.sources[0].reader if self.sources else "toy"


def catalog() -> dict[str, Entry]:
    """Return all datasets by name: those that mlfs ships, then those of the user's own catalogue.

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
    mine = kept()
    if not mine:
        return shipped()
    for name in mine:
        if name in shipped():
            raise UserError(
                f"{own_catalog()}: mlfs has a dataset '{name}' itself: give yours another name"
            )
    return shipped() | {name: _own_entry(name, entry) for name, entry in mine.items()}


@functools.cache
def shipped() -> dict[str, Entry]:
    """Read the catalogue that ships with mlfs."""
    text = resources.files(__package__).joinpath("catalog.yaml").read_text(encoding="utf-8")
    content = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    bases: dict[str, str] = content["bases"]
    package = content["package"]
    sdist = _file(package["file"], bases, package["requirement"])
    return {name: _entry(name, facts, bases, sdist) for name, facts in content["sets"].items()}


def find(name: str) -> Entry:
    """Return the entry of a set, or raise an error that says which name is nearest."""
    if name not in catalog():
        raise UserError(
            f"unknown dataset '{name}'{nearest(name, catalog())} "
            "(`mlfs data list` shows all of them)."
        )
    return catalog()[name]


@functools.cache
def label_names(name: str) -> list[str]:
    """Return label names of the sets whose package-index copy has none; empty when unknown."""
    text = resources.files(__package__).joinpath("labels.yaml").read_text(encoding="utf-8")
    content = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return [str(label) for label in content.get(name, [])]


def known_digest(name: str, clean: bool = False) -> str:
    """Return the checksum of a set's content from the catalogue alone.

    It is empty if a file's checksum is not known. A file without a digest that can be downloaded
    is known by its address: a set has the same checksum before and after the download.
    """
    entry = find(name)
    digests = [file.digest or "".join(file.urls[:1]) for file in entry.files]
    if not all(digests):
        return ""
    repair = repr(sorted(entry.clean.items())) if clean and entry.clean else ""
    member = entry.sources[0].member if entry.sources else ""
    return hashlib.sha256("|".join([name, member, *digests, repair]).encode()).hexdigest()


def _own_entry(name: str, entry: Kept) -> Entry:
    n, d, l = entry.shape  # noqa: E741
    return Entry(name, n, d, l, entry.cardinality, entry.split, own=entry.own)


def _entry(name: str, facts: dict[str, Any], bases: dict[str, str], sdist: File) -> Entry:
    sources = []
    for key in ("files", "or_files"):
        if key in facts:
            files = tuple(_file(row, bases) for row in facts[key])
            sources.append(Source(facts["reader"], files))
    if "dump" in facts:
        sources.append(Source("dump", (sdist,), facts["dump"]))
    n, d, l = facts["shape"]  # noqa: E741
    return Entry(
        name=name,
        n=n,
        d=d,
        l=l,
        cardinality=facts.get("cardinality"),
        split=tuple(facts["split"]) if "split" in facts else None,
        sparse=facts.get("sparse", False),
        sources=tuple(sources),
        available=facts.get("available", True),
        where=facts.get("where", ""),
        clean=facts.get("clean", {}),
        classes=facts.get("classes", False),
        drawn=facts.get("drawn", False),
        notes=tuple(facts.get("notes", ())),
    )


def _file(row: list[Any], bases: dict[str, str], requirement: str = "") -> File:
    name, size, digest, address = [*row, 0, "", ""][:4] if len(row) == 1 else [*row, ""][:4]
    if digest and ":" not in digest:
        digest = f"sha256:{digest}"
    base, _, path = address.partition(":")
    return File(name, size, digest, (bases[base] + path,) if address else (), requirement)
