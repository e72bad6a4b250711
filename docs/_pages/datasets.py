"""A page for every dataset of the catalogue."""

from __future__ import annotations

from functools import cache
from urllib.parse import urlsplit

import yaml
from text import block, page, table

from mlfs.config import shipped
from mlfs.datasets.catalogue import Entry
from mlfs.datasets.catalogue import shipped as catalogue


def pages() -> dict[str, str]:
    """Return the index and the page of every dataset."""
    found = catalogue()
    made = {f"datasets/{name}.md": _page(entry) for name, entry in found.items()}
    return {"datasets/index.md": _index(found), **made}


def _index(found: dict[str, Entry]) -> str:
    rows = [
        [f"[{name}]({name}.md)", f"{one.n:,}", f"{one.d:,}", f"{one.l:,}", _how(one)]
        for name, one in found.items()
    ]
    return page(
        "# Datasets",
        "Configs and `mlfs.datasets.load` know these sets by name. `mlfs data list` also says "
        "which are on your machine. For your own files, see [your own data](../own-data.md).",
        table(["name", "instances", "features", "labels", "how it is obtained"], rows),
    )


def _how(entry: Entry) -> str:
    if entry.reader == "toy":
        return "built in"
    if not entry.available:
        return "by hand"
    return "package index or web" if any(s.member for s in entry.sources) else "web"


def _page(entry: Entry) -> str:
    split = (
        f"{entry.split[0]:,} training and {entry.split[1]:,} test rows" if entry.split else "none"
    )
    facts = [
        ["instances", f"{entry.n:,}"],
        ["features", f"{entry.d:,}"],
        ["classes" if entry.classes else "labels", f"{entry.l:,}"],
        ["labels per instance", f"{entry.cardinality:g}" if entry.cardinality else "not stated"],
        *(
            [["unknown labels", f"{100 * entry.unknown_share:.4g} %"]]
            if entry.unknown_share
            else []
        ),
        ["official split", split],
        ["family", entry.family],
        ["sparse", "yes" if entry.sparse else "no"],
        ["how it is obtained", _how(entry)],
    ]
    used = _used().get(entry.name, [])
    notes = "\n".join(f"- {note}" for note in entry.notes)
    loader = "load_zero_shot" if entry.classes else "load"
    return page(
        f"# {entry.name}",
        table(["", ""], facts),
        _by_hand(entry) if entry.where else _files(entry),
        "## What to know" if notes else "",
        notes,
        "## Load it",
        block("python", f'from mlfs.datasets import {loader}\n\ndata = {loader}("{entry.name}")'),
        "## Configs that use it",
        ", ".join(f"`{name}`" for name in used)
        if used
        else "No config that comes with mlfs uses it.",
    )


def _by_hand(entry: Entry) -> str:
    names = ", ".join(f"`{file.name}`" for file in entry.files)
    return (
        f"The files {names} come from {entry.where}. Put them into the cache, or name their folder "
        "to `mlfs data import`."
    )


def _files(entry: Entry) -> str:
    rows = []
    for file in entry.files:
        hosts = sorted({urlsplit(url).hostname or "" for url in file.urls})
        size = f"{file.bytes / 1e6:,.1f} MB" if file.bytes else "not stated"
        rows.append([f"`{file.name}`", size, ", ".join(hosts) or "the package index"])
    return table(["file", "size", "published by"], rows) if rows else ""


@cache
def _used() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, path in shipped.names().items():
        for config in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            for choice in config.get("datasets", []):
                one = choice["name"] if isinstance(choice, dict) and "name" in choice else choice
                if isinstance(one, str) and name not in found.setdefault(one, []):
                    found[one].append(name)
    return found
