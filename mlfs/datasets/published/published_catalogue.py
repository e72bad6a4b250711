"""The catalogue that comes with mlfs: what it knows about published datasets and their files."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import yaml

from ..user.description import UserData


@dataclass(frozen=True)
class File:
    """Describe a published file.

    Parameters
    ----------
    name : str
        Its name in the cache and in a mirror.
    bytes : int
        Its size; 0 if it is not known.
    digest : str
        Its checksum, "sha256:..." or "md5:..."; empty if it is not known.
    urls : tuple of str
        Where it is published; the part after # is the member of a zip archive.
    requirement : str
        If the file is a source distribution on a package index, the name of the package.
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
class DataSource:
    """Describe one complete way to get a dataset.

    Parameters
    ----------
    reader : str
        Name of the reader of the files.
    files : tuple of File
        The files.
    member : str
        The part of an archive that contains the dataset; empty if all files belong to it.
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
        Its name in configs.
    n, d, l : int
        Number of instances, features and labels.
    cardinality : float or None
        Mean number of labels per instance.
    split : tuple of int or None
        Number of rows of the official training and test part.
    sparse : bool
        Whether X is a csr_matrix.
    sources : tuple of DataSource
        The ways to get it, the best first; all lead to the same X and Y. Empty if it is built in.
    family : str
        The name that sets of one origin share, such as "yahoo"; by default the set's own name.
    available : bool
        Whether all files can be downloaded; if not, the user must put files into the cache.
    where : str
        Where to get the files, if they cannot be downloaded.
    clean : mapping
        How ``clean=True`` repairs it; empty if no fault is known.
    recipe : mapping
        How features are computed from the files; empty if the files have them.
    unknown_share : float
        The share of labels that are not known.
    classes : bool
        Whether each instance has one class, with attributes, instead of labels.
    drawn : bool
        Whether it is made from random numbers, so that another seed gives other data.
    notes : tuple of str
        Known faults.
    own : UserData, optional
        Where the user's own data are, for an entry of the user's own catalogue.

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
    sources: tuple[DataSource, ...] = ()
    family: str = ""
    available: bool = True
    where: str = ""
    clean: Mapping[str, Any] = field(default_factory=dict)
    recipe: Mapping[str, Any] = field(default_factory=dict)
    unknown_share: float = 0.0
    classes: bool = False
    drawn: bool = False
    notes: tuple[str, ...] = ()
    own: UserData | None = None

    def __post_init__(self) -> None:
        if not self.family:
            object.__setattr__(self, "family", self.name)

    @property
    def files(self) -> tuple[File, ...]:
        """The files of the first source."""
        return self.sources[0].files if self.sources else ()

    @property
    def reader(self) -> str:
        """The reader of the first source, or "toy" for a built-in dataset."""
        return self.sources[0].reader if self.sources else "toy"


@functools.cache
def shipped() -> dict[str, Entry]:
    """Read the catalogue that comes with mlfs."""
    content = _read("catalog.yaml")
    bases: dict[str, str] = content["bases"]
    package = content["package"]
    sdist = _file(package["file"], bases, package["requirement"])
    return {name: _entry(name, facts, bases, sdist) for name, facts in content["sets"].items()}


@functools.cache
def label_names(name: str) -> list[str]:
    """Return the label names of a dataset whose copy on the package index has none.

    The list is empty if the names are not known.
    """
    return [str(label) for label in _read("labels.yaml").get(name, [])]


def _read(name: str) -> dict[str, Any]:
    text = resources.files("mlfs.datasets").joinpath(name).read_text(encoding="utf-8")
    content: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return content


def _entry(name: str, facts: dict[str, Any], bases: dict[str, str], sdist: File) -> Entry:
    sources = []
    for key in ("files", "or_files"):
        if key in facts:
            files = tuple(_file(row, bases) for row in facts[key])
            sources.append(DataSource(facts["reader"], files))
    if "dump" in facts:
        sources.append(DataSource("dump", (sdist,), facts["dump"]))
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
        family=facts.get("family", name),
        available=facts.get("available", True),
        where=facts.get("where", ""),
        clean=facts.get("clean", {}),
        recipe=facts.get("recipe", {}),
        unknown_share=facts.get("unknown_share", 0.0),
        classes=facts.get("classes", False),
        drawn=facts.get("drawn", False),
        notes=tuple(facts.get("notes", ())),
    )


def _file(row: list[Any], bases: dict[str, str], requirement: str = "") -> File:
    name, size, digest, *addresses = row if len(row) > 1 else [*row, 0, ""]
    if digest and ":" not in digest:
        digest = f"sha256:{digest}"
    places = (address.partition(":") for address in addresses)
    urls = tuple(bases[base] + path for base, _, path in places)
    return File(name, size, digest, urls, requirement)
