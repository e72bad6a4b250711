"""The page "Which selector should I use?", made from the results that come with mlfs."""

from __future__ import annotations

from text import table

from mlfs.config import shipped
from mlfs.report.overall.leaderboard import grounds
from mlfs.report.overall.overall_text import Overall, judge, lines_of, notes
from mlfs.results.packing import SUFFIX, Packed
from mlfs.results.read import read

_ABOUT = (
    "This page is made from the results that come with mlfs: the comparison of the config "
    "`grand_selection`. Every selector has the same splits, masks and classifiers; kinds of "
    "missing labels are never pooled; a family of datasets counts once. "
    "`mlfs table results/reference/grand_selection --overall` prints the same offline, and "
    "`mlfs leaderboard add` puts your own method beside the others."
)


def page() -> str:
    """Return the page; without results it says so."""
    names = [one.experiment.name for one in grounds() if one.config == "grand_selection"]
    files = [shipped.reference() / f"{name}{SUFFIX}" for name in names]
    results = [read(Packed(file)) for file in files if file.is_file()]
    overall = judge(results) if any(item.records for item in results) else None
    return page_of(overall)


def page_of(overall: Overall | None) -> str:
    """Return the page of a comparison, or of none."""
    parts = ["# Which selector should I use?", _ABOUT]
    if overall is None:
        parts.append("The comparison was not run yet: `mlfs run grand_selection` runs it.")
        return "\n\n".join(parts) + "\n"
    parts.append("## In short")
    parts.append("\n".join(f"- {line}" for line in overall.in_short))
    parts.append("![Average ranks of the selectors where nothing is hidden](selectors.svg)")
    for contest in overall.contests:
        title = contest.group.title
        head, *rows = lines_of(contest)
        parts.append(f"## {title[:1].upper()}{title[1:]}")
        parts.append(" ".join(overall.sentences[title]))
        parts.append(table(head, rows))
        parts.append("\n".join(f"- {note}" for note in notes(contest)))
    if "tuning" in overall.sentences:
        parts.append("## Does tuning pay?")
        parts.append("\n".join(f"- {line}" for line in overall.sentences["tuning"]))
    return "\n\n".join(parts) + "\n"
