"""What became of the mutants, as a page: figures by room, and the survivors as diffs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from mutants import Mutant
from rule import room_of

HERE = Path(__file__).parent
EQUIVALENT = re.compile(r"^### ([0-9a-f]{8})\b", re.M)
OUTCOMES = ("killed", "timed out", "survived", "equivalent")


def write_summary(root: Path, chosen: list[Mutant], known: dict[str, dict[str, Any]]) -> None:
    """Write summary.md, and print its figures."""
    equivalent = set(EQUIVALENT.findall((HERE / "equivalent.md").read_text(encoding="utf-8")))
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    survivors = []
    for mutant in chosen:
        outcome = known.get(mutant.key, {}).get("outcome", "not run")
        if outcome == "survived" and mutant.key in equivalent:
            outcome = "equivalent"
        rooms[room_of(mutant.module)][outcome] += 1
        if outcome == "survived":
            survivors.append(mutant)
    table = _table(rooms)
    diffs = [_section(mutant, (root / mutant.module).read_text()) for mutant in survivors]
    text = "\n".join(["# Mutants", "", *table, "", "## Survivors", "", *diffs])
    (HERE / "summary.md").write_text(text.rstrip() + "\n", encoding="utf-8")
    print("\n".join(table))
    print("The survivors are listed in tests/mutation/summary.md.")
    killed = {key for key in equivalent if known.get(key, {}).get("outcome") == "killed"}
    if gone := equivalent - {mutant.key for mutant in chosen} | killed:
        print(f"equivalent.md lists mutants that are gone or killed: {', '.join(sorted(gone))}")


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
    return [*lines, "", "The share leaves out equivalent mutants and counts those that time out."]


def _section(mutant: Mutant, source: str) -> str:
    head = f"### {mutant.key} {mutant.module} {mutant.definition}"
    return f"{head}\n\n```diff\n{mutant.diff(source)}\n```\n"
