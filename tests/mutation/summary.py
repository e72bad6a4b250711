"""What became of the mutants, as a page: figures by room, and the survivors as diffs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from mutants import Mutant
from rule import INNER, OUTER, room_of

HERE = Path(__file__).parent
EQUIVALENT = re.compile(r"^### ([0-9a-f]{8})\b", re.M)
SAMPLES = {"Methods and numbers": INNER, "Data, papers, engine and report": OUTER}
MEANING = "The share leaves out equivalent mutants and counts those that time out."
OUTCOMES = ("killed", "timed out", "survived", "equivalent")


def write_summary(root: Path, chosen: list[Mutant], known: dict[str, dict[str, Any]]) -> None:
    """Write summary.md, and print the figures of the samples of which mutants have been run.

    The section of a sample stays as it was if no outcome of its mutants is known here.
    """
    equivalent = set(EQUIVALENT.findall((HERE / "equivalent.md").read_text(encoding="utf-8")))
    page = HERE / "summary.md"
    before = page.read_text(encoding="utf-8") if page.exists() else ""
    sections = ["# Mutants", "", MEANING]
    for title, rooms in SAMPLES.items():
        mine = [mutant for mutant in chosen if room_of(mutant.module) in rooms]
        if any(mutant.key in known for mutant in mine):
            table, survivors = _judged(mine, known, equivalent)
            diffs = [_section(mutant, (root / mutant.module).read_text()) for mutant in survivors]
            print("\n".join(["", *table]))
            text = "\n".join([*table, "", "### Survivors", "", *(diffs or ["None."])])
        else:
            text = _kept(before, title)
        sections += ["", f"## {title}", "", text.strip()]
    page.write_text("\n".join(sections) + "\n", encoding="utf-8")
    print(f"\n{MEANING} The survivors are listed in tests/mutation/summary.md.")
    ran = {mutant.key for mutant in chosen if known.get(mutant.key, {}).get("outcome") == "killed"}
    if killed := equivalent & ran:
        print(f"equivalent.md lists mutants that are killed: {', '.join(sorted(killed))}")
    if gone := equivalent - {mutant.key for mutant in chosen}:
        print(f"equivalent.md lists mutants that are gone: {', '.join(sorted(gone))}")


def _judged(
    mutants: list[Mutant], known: dict[str, dict[str, Any]], equivalent: set[str]
) -> tuple[list[str], list[Mutant]]:
    """Return the table of a sample by rooms, and its survivors."""
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    survivors = []
    for mutant in mutants:
        outcome = known.get(mutant.key, {}).get("outcome", "not run")
        if outcome == "survived" and mutant.key in equivalent:
            outcome = "equivalent"
        rooms[room_of(mutant.module)][outcome] += 1
        if outcome == "survived":
            survivors.append(mutant)
    return _table(rooms), survivors


def _kept(page: str, title: str) -> str:
    """Return the section of a page under a heading."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    return found[1] if found else "Not run yet."


def _table(rooms: dict[str, Counter[str]]) -> list[str]:
    total: Counter[str] = sum(rooms.values(), Counter())
    heads = ["room", *OUTCOMES, "not run", "share killed"]
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    for room, found in [*sorted(rooms.items()), ("all", total)]:
        killed = found["killed"] + found["timed out"]
        judged = killed + found["survived"]
        share = f"{100 * killed / judged:.1f} %" if judged else ""
        cells = [room, *(str(found[name]) for name in (*OUTCOMES, "not run")), share]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _section(mutant: Mutant, source: str) -> str:
    head = f"#### {mutant.key} {mutant.module} {mutant.definition}"
    return f"{head}\n\n```diff\n{mutant.diff(source)}\n```\n"
