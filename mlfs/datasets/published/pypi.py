"""Download a source distribution from the package index that pip is configured to use."""

from __future__ import annotations

import ast
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from .download import Limit, TooSlow, WrongSize
from .published_catalogue import File

_SECONDS = 10.0  # a server that does not answer for so long counts as unreachable


def download_sdist(file: File, target: Path, progress: bool = True) -> None:
    """Download the source distribution that `file` describes, and write it to `target`.

    Raises
    ------
    OSError
        If no configured index has it, or none can be reached. The message does not show the
        address of an index, because it may contain a password.
    """
    settings = pip_settings()
    bar = tqdm(
        desc=file.name, total=file.bytes, unit="B", unit_scale=True, disable=not progress, delay=1
    )
    with _client(settings) as client, bar:
        finder = _finder(settings, client)
        name, _, version = file.requirement.partition("==")
        try:
            for package in finder.find_all_packages(name, allow_yanked=True):
                if package.version == version and package.link.filename == file.name:
                    limit = Limit(file.name, file.bytes)
                    _save(client, package.link.normalized, target, bar, limit)
                    return
        except (WrongSize, TooSlow):
            raise
        except Exception as error:  # the possible errors depend on unearth's HTTP client
            raise OSError(f"the package index failed ({type(error).__name__})") from error
    raise OSError(f"no package index that pip is configured with has {file.name}")


def pip_settings() -> dict[str, str]:
    """Return pip's settings by option name; the environment has priority over config files."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    try:
        listing = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    settings: dict[str, str] = {}
    environment: dict[str, str] = {}
    for line in listing.stdout.splitlines():
        key, equals, value = line.partition("=")
        if equals:
            section, _, option = key.rpartition(".")
            place = environment if section == ":env:" else settings
            place[option] = ast.literal_eval(value)  # pip prints the repr of a string
    return settings | environment


def _finder(settings: dict[str, str], client: Any) -> Any:
    from unearth import PackageFinder  # slow to import, seldom needed

    indexes = [settings["index-url"]] if "index-url" in settings else []
    if not indexes:
        # a finder without sources uses the public index: this is how to get its address
        indexes = [source["url"] for source in PackageFinder().sources]
    indexes += settings.get("extra-index-url", "").split()
    if settings.get("no-index", "false").lower() in ("1", "true", "yes", "on"):
        indexes = []
    links = settings.get("find-links", "").split()
    if not (indexes or links):  # without a source the finder would use the public index
        raise OSError("pip is configured to use no package index")
    return PackageFinder(
        session=client,
        index_urls=indexes,
        find_links=links,
        ignore_compatibility=True,
    )


def _client(settings: dict[str, str]) -> Any:
    from unearth.fetchers import PyPIClient  # slow to import, seldom needed

    cert = settings.get("cert")
    return PyPIClient(
        trusted_hosts=settings.get("trusted-host", "").split(),
        verify=ssl.create_default_context(cafile=cert) if cert else True,
        timeout=_SECONDS,
        follow_redirects=True,
    )


def _save(client: Any, url: str, target: Path, bar: Any, limit: Limit) -> None:
    with client.stream("GET", url) as response, target.open("wb") as out:
        response.raise_for_status()
        for chunk in response.iter_bytes():
            limit.check(out.tell() + len(chunk))
            bar.update(out.write(chunk))
