"""The text of ``mlfs features``: the features that methods chose, as Markdown, csv or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ...errors import UserError
from ...protocols.experiment.masks import asked
from ...results import read as stored
from ...results.packing import find
from ...system.spreadsheet import csv_text
from ..tables.texts import aligned, number, or_none
from .chosen_features import MethodSummary, Summary, choices, names_of, summarise


def as_text(roots: Sequence[Path], *, top: int, size: int | None, kind: str) -> str:
    """Return the features that methods chose in the results at `roots`, in one text."""
    made: list[Summary] = []
    for store in (store for root in roots for store in find(root)):
        item = stored.read(store)
        chosen = choices(item)
        made += summarise(item.experiment.name, chosen, names_of(item, chosen), size)
    if not made:
        where = ", ".join(map(str, roots))
        raise UserError(
            f"no cell in {where} chose features: run a config whose methods select features"
        )
    if kind == "json":
        return as_json(made, top)
    if kind == "csv":
        return csv_text(flat(made, top))
    return as_markdown(made, top) + f"\n\nNext: mlfs table {roots[0]}"


def as_markdown(summaries: Sequence[Summary], top: int) -> str:
    """Return tables in Markdown, one block for each dataset and ratio."""
    return "\n\n".join(_block(summary, top) for summary in summaries)


def _block(summary: Summary, top: int) -> str:
    where = [summary.dataset]
    where += [asked(summary.ratio)] if summary.ratio else []
    where += [summary.varied] if summary.varied else []
    place = ", ".join(where)
    texts = [f"{summary.experiment}: features chosen on {place}, out of {summary.d}"]
    if summary.methods:
        lines = [["method", "features", "repeats", "stability", "95 % interval"]]
        lines += [_stability_line(method) for method in summary.methods]
        texts.append(aligned(lines))
        texts.append("chosen most often, with the share of repeats")
        columns = [
            [f"{name} ({100 * share:.0f} %)" for _, name, share in method.shares[:top]]
            for method in summary.methods
        ]
        lines = [["place", *(method.method for method in summary.methods)]]
        for i in range(max(map(len, columns))):
            lines.append([str(i + 1), *(c[i] if i < len(c) else "" for c in columns)])
        texts.append(aligned(lines))
    if len(summary.methods) > 1:
        texts.append("agreement: mean Jaccard index of two methods' features in the same repeat")
        lines = [["method", *summary.agreement]]
        lines += [[a, *map(number, others.values())] for a, others in summary.agreement.items()]
        texts.append(aligned(lines))
    texts += [f"left out: {text}" for text in summary.left_out]
    return "\n\n".join(texts)


def _stability_line(method: MethodSummary) -> list[str]:
    stability = method.stability
    interval = stability.reason or f"{number(stability.low)} to {number(stability.high)}"
    size = " to ".join(map(str, dict.fromkeys((method.sizes[0], method.sizes[-1]))))
    return [method.method, size, str(stability.n), number(stability.index), interval]


def flat(summaries: Sequence[Summary], top: int) -> pd.DataFrame:
    """Return one long frame; its column `what` says what each value is, such as "share"."""
    rows: list[dict[str, Any]] = []
    for s in summaries:
        key = {n: getattr(s, n) for n in ("experiment", "dataset", "ratio", "varied")}
        for m in s.methods:
            mine = key | {"method": m.method, "repeats": m.stability.n}
            for feature, name, share in m.shares[:top]:
                rows.append(
                    mine | {"what": "share", "feature": feature, "of": name, "value": share}
                )
            for what, value in _stability(m).items():
                rows.append(mine | {"what": what, "value": value})
            for other, value in s.agreement[m.method].items():
                if other != m.method:
                    rows.append(mine | {"what": "jaccard", "of": other, "value": value})
    columns = ["experiment", "dataset", "ratio", "varied", "method", "repeats"]
    frame = pd.DataFrame(rows, columns=[*columns, "what", "feature", "of", "value"])
    return frame.astype({"feature": "Int64"})


def _stability(method: MethodSummary) -> dict[str, float]:
    stability = method.stability
    ends = {"stability_low": stability.low, "stability_high": stability.high}
    return {"stability": stability.index} | ends


def as_json(summaries: Sequence[Summary], top: int) -> str:
    """Return the summaries as JSON, with null for values that are not defined."""
    content = [
        {
            "experiment": s.experiment,
            "dataset": s.dataset,
            "ratio": s.ratio,
            "varied": s.varied,
            "n_features": s.d,
            "methods": [
                {
                    "method": m.method,
                    "repeats": m.stability.n,
                    "sizes": m.sizes,
                    **{name: or_none(value) for name, value in _stability(m).items()},
                    "undefined": m.stability.reason,
                    "chosen": [
                        {"feature": feature, "name": name, "share": share}
                        for feature, name, share in m.shares[:top]
                    ],
                    "jaccard": {
                        other: or_none(value)
                        for other, value in s.agreement[m.method].items()
                        if other != m.method
                    },
                }
                for m in s.methods
            ],
            "left_out": s.left_out,
        }
        for s in summaries
    ]
    return json.dumps(content, indent=1, ensure_ascii=False)
