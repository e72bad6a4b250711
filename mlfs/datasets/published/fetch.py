"""Get data files into the cache from a mirror, the web or a package index, and verify them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from ...errors import UserError
from ..catalogue import catalog, find
from ..local_files import (
    check,
    check_content,
    digest_of,
    expected_digest,
    locate,
    locate_all,
    locked,
    put,
    scratch,
)
from ..places import cache_dir, mirror_dir
from .archive import copy_member
from .download import download
from .published_catalogue import DataSource, Entry, File
from .pypi import download_sdist


@dataclass(frozen=True)
class FileCheck:
    """Hold what `verify` found about one cached file.

    Parameters
    ----------
    path : Path
        The file.
    expected : str
        The digest that it should have.
    actual : str
        The digest that it has.
    """

    path: Path
    expected: str
    actual: str

    @property
    def ok(self) -> bool:
        """Whether the file has the expected digest."""
        return self.actual == self.expected


def fetch(name: str, mirror: Path | None = None, progress: bool = True) -> list[Path]:
    """Make sure that the files of a dataset are in the cache.

    Parameters
    ----------
    name : str
        Name of the dataset.
    mirror : Path, optional
        A directory of data files; by default ``$MLFS_MIRROR``.
    progress : bool, default=True
        Show a bar while downloading.

    Returns
    -------
    list of Path
        The files in the cache; empty for a built-in dataset.
    """
    entry = find(name)
    if not entry.sources:
        return []
    failures: list[str] = []
    # first try all sources without the network, then all sources with downloads
    for online in (False, True):
        for source in entry.sources:
            if not online and locate_all(source, mirror) is None:
                continue
            try:
                return [obtain(file, mirror, progress) for file in source.files]
            except OSError as error:
                failures.append(str(error))
    raise UserError(_not_found(entry, failures))


def status(name: str, mirror: Path | None = None) -> str:
    """Return where a dataset is.

    Parameters
    ----------
    name : str
        Name of the dataset.
    mirror : Path, optional
        A directory of data files; by default ``$MLFS_MIRROR``.

    Returns
    -------
    str
        Such as "cached", "in mirror", "built in" or "your own"; for a dataset that is not on this
        machine, "not fetched: " and what to do.
    """
    entry = find(name)
    if entry.own:
        missing = [file for file in entry.own.files if not Path(file).is_file()]
        return f"your own: {missing[0]} is missing" if missing else "your own"
    if not entry.sources:
        return "built in"
    directory = cache_dir()
    if any(all((directory / f.name).is_file() for f in s.files) for s in entry.sources):
        return "cached"
    if any(locate_all(source, mirror) is not None for source in entry.sources):
        return "in mirror"
    missing = [file.name for file in entry.files if locate(file, mirror) is None]
    files = " and ".join(missing) if len(missing) < 3 else f"its {len(missing)} files"
    fetched = f"run `mlfs data fetch {name}`, or " if entry.available else ""
    return f"not fetched: {fetched}put {files} into the cache"


def verify() -> list[FileCheck]:
    """Compare every cached file with its known checksum; change nothing.

    Returns
    -------
    list of FileCheck
        One check for each file.
    """
    checks = []
    for file in _known_files().values():
        path, expected = cache_dir() / file.name, expected_digest(file)
        if expected and path.is_file():
            checks.append(FileCheck(path, expected, digest_of(path, expected.partition(":")[0])))
    return checks


def import_dir(path: Path) -> list[str]:
    """Copy every file of a directory that belongs to the catalogue into the cache.

    Files are recognised by their checksum, and may have any name. Files that cannot be downloaded
    have no checksum in the catalogue, and are recognised by their name.

    Parameters
    ----------
    path : Path
        The directory.

    Returns
    -------
    list of str
        The names of the copied files in the cache.
    """
    path = Path(path)
    if not path.is_dir():
        raise UserError(f"{path} is not a directory; name one that contains data files.")
    names = {file.name for file in _known_files().values()}
    by_digest = {file.digest: file for file in _known_files().values() if file.digest}
    by_name = {file.name: file for file in _known_files().values() if not file.digest}
    kinds = sorted({digest.partition(":")[0] for digest in by_digest})
    taken = []
    for origin in sorted(p for p in path.rglob("*") if p.is_file()):
        if origin.name in names:
            check_content(origin)
        digests = (digest_of(origin, kind) for kind in kinds)
        matches = [by_digest[digest] for digest in digests if digest in by_digest]
        file = matches[0] if matches else by_name.get(origin.name)
        if file is not None:
            if origin.resolve() != (cache_dir() / file.name).resolve():
                put(origin, file)
            taken.append(file.name)
    return taken


def obtain(file: File, mirror: Path | None, progress: bool = True) -> Path:
    """Get one file into the cache; raise OSError if no source has it."""
    target = cache_dir() / file.name
    if target.is_file():
        check(target, file)
        return target
    directory = mirror_dir(mirror)
    if directory is not None and (directory / file.name).is_file():
        return put(directory / file.name, file)
    if not (file.urls or file.requirement):
        raise FileNotFoundError(f"{file.name} cannot be downloaded")
    with locked(file.name):
        if target.is_file():  # another process was faster
            check(target, file)
        else:
            _download(file, progress)
    return target


def _download(file: File, progress: bool) -> None:
    if file.requirement:
        with scratch(file.name) as temporary:
            download_sdist(file, temporary, progress)
            _arrived(file, temporary)
        return
    failure = ""
    for url in file.urls:
        try:
            if "#" in url:
                _download_member(file, url, progress)
            else:
                part = cache_dir() / f".{file.name}.part"
                download(url, part, progress, size=file.bytes)
                _arrived(file, part)
            return
        except OSError as error:
            failure = failure or str(error)
    raise OSError(failure)


def _download_member(file: File, url: str, progress: bool) -> None:
    """Download an archive, and extract a file and all other files that the catalogue needs from it.

    The archive may be large, and is removed afterwards.
    """
    address = url.partition("#")[0]
    name = address.rpartition("/")[2]
    archive = cache_dir() / f".{name}.part"
    with locked(name):
        if (cache_dir() / file.name).is_file():  # another process extracted it while we waited
            return
        download(address, archive, progress)
        try:
            _take(file, archive, url)
            for other in _known_files().values():
                for place in other.urls:
                    if place.startswith(f"{address}#") and not (cache_dir() / other.name).exists():
                        # an error about another file is raised when that file is needed
                        with contextlib.suppress(OSError):
                            _take(other, archive, place)
        finally:
            archive.unlink()


def _take(file: File, archive: Path, url: str) -> None:
    with scratch(file.name) as temporary:
        copy_member(archive, url.partition("#")[2], temporary)
        _arrived(file, temporary)


def _arrived(file: File, path: Path) -> None:
    """Move a downloaded file to its place in the cache, or remove it if its checksum is wrong."""
    expected = expected_digest(file)
    actual = digest_of(path, expected.partition(":")[0]) if expected else ""
    if actual != expected:
        path.unlink()
        raise OSError(f"{file.name} arrived with checksum {actual}, expected {expected}")
    path.replace(cache_dir() / file.name)


def _not_found(entry: Entry, failures: list[str]) -> str:
    if entry.available:
        names = " and ".join(file.name for file in entry.files)
        why = "; ".join(dict.fromkeys(failures))
        return (
            f"dataset '{entry.name}' cannot be found ({why}): put {names} into {cache_dir()}, "
            "or set MLFS_MIRROR, or connect to the network."
        )
    names = " and ".join(file.name for file in _by_hand(entry))
    return (
        f"dataset '{entry.name}' was not fetched, since mlfs cannot download it: get it from "
        f"{entry.where} and put {names} into {cache_dir()}."
    )


def _by_hand(entry: Entry) -> list[File]:
    return [file for file in entry.files if not (file.urls or file.requirement)]


def _known_files() -> dict[str, File]:
    sources: list[DataSource] = [s for entry in catalog().values() for s in entry.sources]
    return {file.name: file for source in sources for file in source.files}
