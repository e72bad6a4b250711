"""Find contradictions inside a paper, by the same rules for every paper."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from ... import papers
from ...papers import Paper
from ..tables.metric_facts import words
from .audit_rules import RULES, Finding, recomputed
from .printed_values import printed_values

# what each rule looks for, in the order of the report
TITLES = {
    "rank": "printed ranks that the printed values contradict",
    "bold": "bold values that are not the best of their row",
    "decimal shift": "columns whose decimal point is shifted",
    "range": "values that the metric cannot have",
    "two values": "the same quantity with different values in two tables",
    "below chance": "columns that are worse than a guess without any knowledge",
    "label density": "Hamming losses that equal the label density",
    "better with less": "scores that get better when more labels are missing",
    "average rank": "average ranks that do not follow from the ranks",
    "mean": "means that do not follow from the values",
    "friedman": "Friedman statistics, computed again",
    "critical value": "critical values of Friedman's test",
    "critical difference": "critical differences of the post-hoc test",
}
Format = Literal["text", "md", "json"]
_WIDTH = 80


def audit(paper: Paper) -> list[Finding]:
    """Return all findings in a paper, sorted by rule and then by the order of its tables."""
    values = printed_values(paper.printed())
    findings = [
        *(finding for rule in RULES for finding in rule(values)),
        *recomputed(values, paper.statistics()),
    ]
    order = list(TITLES)
    return sorted(findings, key=lambda finding: order.index(finding.rule))


def as_text(kind: Format = "text") -> str:
    """Return the findings in all papers, or in those of `papers.only`."""
    by_paper = {name: audit(papers.paper(name)) for name in papers.names()}
    if kind == "json":
        plain = {name: [asdict(finding) for finding in some] for name, some in by_paper.items()}
        return json.dumps(plain, indent=2, ensure_ascii=False)
    show = _markdown if kind == "md" else _plain
    return "\n\n".join(show(papers.paper(name), some) for name, some in by_paper.items())


def summary(paper: Paper, findings: Sequence[Finding]) -> str:
    """Say how many printed values were checked, and how many are wrong."""
    values, statistics = len(paper.printed()), len(paper.statistics())
    misprints = sum(finding.misprint for finding in findings)
    return (
        f"{paper.name}: {values} printed values and {statistics} printed statistics; "
        f"{len(findings)} findings, {misprints} of them misprinted values"
    )


def place(finding: Finding) -> str:
    """Say where a finding is: "table IV, yeast, GLOCAL, hamming loss at 40%"."""
    tables = finding.table.split()
    head = f"table {tables[0]}" if len(tables) == 1 else f"tables {', '.join(tables)}"
    parts = (head, finding.dataset, finding.method, words(finding.metric))
    ratio = f" at {finding.ratio:.0%}" if finding.ratio else ""
    return ", ".join(part for part in parts if part) + ratio


def _plain(paper: Paper, findings: Sequence[Finding]) -> str:
    lines = textwrap.wrap(summary(paper, findings), _WIDTH)
    for rule, some in by_rule(findings).items():
        lines += ["", f"{rule} ({len(some)}): {TITLES[rule]}"]
        for finding in some:
            text = f"{place(finding)}: {finding.text}"
            lines += textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def _markdown(paper: Paper, findings: Sequence[Finding]) -> str:
    lines = [f"## {paper.title}", "", f"{summary(paper, findings)}."]
    for rule, some in by_rule(findings).items():
        lines += ["", f"### {TITLES[rule].capitalize()} ({len(some)})", ""]
        lines += [f"- {place(finding)}: {finding.text}" for finding in some]
    return "\n".join(lines)


def by_rule(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """Group findings under the rule that found them."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.rule, []).append(finding)
    return groups
