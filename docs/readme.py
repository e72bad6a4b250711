"""Put the scorecard of the reference results into README.md, with its picture: `make readme`."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from mlfs.config import shipped
from mlfs.report.figures import style
from mlfs.report.reproduction import scorecard, scorecard_figure, scorecard_text

ROOT = Path(__file__).resolve().parents[1]
README, PICTURE = ROOT / "README.md", ROOT / "docs" / "scorecard.svg"
BLOCK = re.compile(r"(<!-- made by 'make readme' -->\n).*?(<!-- end -->\n)", re.S)


def block(card: scorecard.Scorecard) -> str:
    """Return the text in README.md between its two marks."""
    parts = [
        scorecard_text.at_a_glance(card),
        scorecard_text.summary(card),
        _folded("What the columns mean", scorecard_text.legend()),
        _folded("What was fitted to printed values, hidden and tuned", scorecard_text.fitted(card)),
    ]
    return "\n\n".join(parts) + "\n"


def _folded(title: str, lines: list[str]) -> str:
    told = "\n".join(f"- {line}" for line in lines)
    return f"<details><summary>{title}</summary>\n\n{told}\n\n</details>"


def digest(card: scorecard.Scorecard) -> str:
    """Return a digest of the cells in the picture and of how it is drawn."""
    cells = [
        [cell.paper, f"{cell.printed:.4f}", f"{cell.ours:.4f}", cell.status]
        for cell in card.comparisons
        if cell.repeats
    ]
    return hashlib.sha256(
        json.dumps([cells, scorecard_figure.LOOKS, style.RC]).encode()
    ).hexdigest()


def main() -> None:
    """Write README.md and the picture again."""
    card = scorecard.make([shipped.REFERENCE])
    text = README.read_text(encoding="utf-8")
    README.write_text(BLOCK.sub(lambda found: found[1] + block(card) + found[2], text), "utf-8")
    scorecard_figure.write(card, PICTURE, digest(card))


if __name__ == "__main__":
    main()
