"""The text of ``mlfs data list`` and ``mlfs data info``: all datasets, or details of one."""

from __future__ import annotations

from ... import datasets
from ...errors import UserError, nearest
from ..tables.texts import columns


def listed() -> str:
    """Return one line per dataset of the catalogue."""
    lines = [["dataset", "instances", "features", "labels", "cardinality", "status"]]
    for name, entry in datasets.catalog().items():
        numbers = [entry.n, entry.d, entry.l, entry.cardinality]
        shown = ["-" if number is None else str(number) for number in numbers]
        lines.append([name, *shown, datasets.status(name)])
    return columns(lines) + "\n\nNext: mlfs data fetch NAME, mlfs data info NAME"


def about(name: str) -> str:
    """Describe one dataset of the catalogue."""
    entries = datasets.catalog()
    if name not in entries:
        raise UserError(
            f"unknown dataset '{name}'{nearest(name, entries)} ('mlfs data list' lists all)"
        )
    entry = entries[name]
    status = datasets.status(name)
    lines = [
        f"{name}: {entry.n} instances, {entry.d} features, {entry.l} labels, "
        f"cardinality {entry.cardinality}",
        f"status: {status}",
        f"family: {_family(entry)}",
    ]
    if entry.unknown_share:
        lines.append(f"unknown labels: {100 * entry.unknown_share:.4g} %")
    if datasets.is_here(entry.own) if entry.own else entry.available or "not fetched" not in status:
        lines.append(f"checksum: {datasets.checksum(name)}")
    if entry.where:
        lines.append(f"where: {entry.where}")
    for file in entry.files:
        facts = [f"{file.bytes} bytes"] if file.bytes else []
        facts.append(file.digest.replace(":", " ") or "checksum not published")
        lines.append(f"file: {file.name} ({', '.join(facts)})")
    if entry.own:
        keys = entry.own.model_dump(mode="json", exclude_defaults=True)
        lines += [f"{key}: {value}" for key, value in keys.items()]
    lines += [f"note: {note}" for note in entry.notes]
    if entry.own or status in ("cached", "built in"):
        return "\n".join([*lines, f"Next: 'datasets: [{name}]' in a config"])
    then = f"fetch {name}" if entry.available else "import FOLDER"
    return "\n".join([*lines, f"Next: mlfs data {then}"])


def _family(entry: datasets.Entry) -> str:
    """Return the family of a dataset, and the other sets of it."""
    others = [e.name for e in datasets.catalog().values() if e.family == entry.family != e.name]
    others = [name for name in others if name != entry.name]
    return f"{entry.family} (with {', '.join(others)})" if others else entry.family
