"""Put what the reference results say into README.md, with pictures: `make readme`.

It writes the answers of the comparisons ``grand_*``, and the scorecard of the papers.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from mlfs.config import shipped
from mlfs.report.figures import plots, style
from mlfs.report.overall import overall_figures
from mlfs.report.overall.cases import NOTHING
from mlfs.report.overall.contest import Contest
from mlfs.report.overall.overall_text import PREFIX, Overall, judge
from mlfs.report.overall.short_answers import in_short
from mlfs.report.reproduction import scorecard, scorecard_figure, scorecard_text
from mlfs.results.packing import SUFFIX, Packed
from mlfs.results.read import read

ROOT = Path(__file__).resolve().parents[1]
README, PICTURE = ROOT / "README.md", ROOT / "docs" / "scorecard.svg"
SELECTORS = ROOT / "docs" / "selectors.svg"
ANSWERS = re.compile(
    r"(<!-- answers made by 'make readme' -->\n).*?(<!-- end of answers -->\n)", re.S
)
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
    """Return a digest of the values in the picture and of how it is drawn."""
    values = [
        [one.paper, f"{one.printed:.4f}", f"{one.ours:.4f}", one.status]
        for one in card.comparisons
        if one.repeats
    ]
    return hashlib.sha256(
        json.dumps([values, scorecard_figure.LOOKS, style.RC]).encode()
    ).hexdigest()


def comparisons() -> tuple[dict[str, Overall], list[str]]:
    """Return what the packed comparisons say, by config, and the experiments that lack cells."""
    judged, lacking = {}, []
    for config in shipped.names():
        if not config.startswith(PREFIX):
            continue
        results = []
        for name in shipped.experiments(config):
            file = shipped.reference() / f"{name}{SUFFIX}"
            results += [read(Packed(file))] if file.is_file() else []
            if not file.is_file() or results[-1].missing:
                lacking.append(name)
        if results:
            judged[config] = judge(results)
    return judged, lacking


def answers(judged: dict[str, Overall], lacking: list[str]) -> str:
    """Return the answers in README.md between their two marks: five lines of two comparisons."""
    order = [name for name in (f"{PREFIX}selection", f"{PREFIX}learning") if name in judged]
    untuned = [one for name in order for one in judged[name].contests if not one.group.tuned]
    lines = in_short(untuned)
    if lacking:
        lines.append(f"Not run in full yet: {', '.join(lacking)}.")
    return "".join(f"- {line}\n" for line in lines)


def plain_selection(judged: dict[str, Overall]) -> Contest:
    """Return the comparison of selectors where nothing is hidden."""
    [contest] = [
        one
        for one in judged["grand_selection"].contests
        if one.group.kind == NOTHING and not one.group.tuned
    ]
    return contest


def digest_of_ranks(contest: Contest) -> str:
    """Return a digest of the ranks in the picture and of how it is drawn."""
    shown = [[one.name, f"{contest.decisive.ranks[one.name]:.2f}"] for one in contest.order]
    about = [shown, f"{contest.cd:.2f}", contest.group.score, len(contest.table), style.RC]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()


def draw(contest: Contest, file: Path) -> None:
    """Write the picture of the selectors' ranks."""
    sets = f"{len(contest.table)} datasets"
    caption = f"Feature selectors with nothing hidden, {sets}: {contest.group.score}"
    figure = plots.ranks(overall_figures.ranks(contest), caption)
    style.save(figure, file.with_suffix(""), ["svg"], digest_of_ranks(contest))


def main() -> None:
    """Write README.md and the pictures again."""
    card = scorecard.make([shipped.REFERENCE])
    judged, lacking = comparisons()
    text = README.read_text(encoding="utf-8")
    text = BLOCK.sub(lambda marks: marks[1] + block(card) + marks[2], text)
    told = answers(judged, lacking)
    README.write_text(ANSWERS.sub(lambda marks: marks[1] + told + marks[2], text), "utf-8")
    scorecard_figure.write(card, PICTURE, digest(card))
    draw(plain_selection(judged), SELECTORS)


if __name__ == "__main__":
    main()
