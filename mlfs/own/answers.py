"""What the commands on own data print: tables for a terminal, or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..report.tables.texts import columns, number, or_none
from .choosing import Selection, agreement
from .completing import Completion


def selection_text(selections: Sequence[Selection]) -> str:
    """Return the features that methods have chosen, and how sure they are, as text."""
    parts = []
    for one in selections:
        lines = [["rank", "feature", "score", "chosen in"]]
        for feature in one.features:
            score = "-" if feature.score is None else number(feature.score)
            lines.append([str(feature.rank), feature.name, score, f"{100 * feature.share:.0f} %"])
        parts.append(f"{one.method}\n{columns(lines, left=[1])}")
        parts[-1] += f"\n{_stability(one)}"
        parts[-1] += "".join(f"\nnote: {note}" for note in one.notes)
    for pair in agreement(selections):
        parts.append(
            f"{pair['first']} and {pair['second']}: {pair['common']} features in common, Jaccard "
            f"index {number(pair['jaccard'])}"
        )
    return "\n\n".join(parts)


def _stability(one: Selection) -> str:
    stability = one.stability
    if stability.reason:
        return f"stability: not defined, {stability.reason}"
    interval = f"{number(stability.low)} to {number(stability.high)}"
    return (
        f"stability: {number(stability.index)} ({interval}) over {stability.n} halves of the rows; "
        "1: always the same features, 0: as by chance"
    )


def selection_json(selections: Sequence[Selection]) -> str:
    """Return the features that methods have chosen as JSON, with null for what is not defined."""
    content = {
        "methods": [
            {
                "method": one.method,
                "features": [asdict(feature) for feature in one.features],
                "subsamples": one.stability.n,
                "stability": {
                    "index": or_none(one.stability.index),
                    "low": or_none(one.stability.low),
                    "high": or_none(one.stability.high),
                    "undefined": one.stability.reason,
                },
                "notes": one.notes,
            }
            for one in selections
        ],
        "agreement": agreement(selections),
    }
    return _json(content)


def completion_text(completion: Completion) -> str:
    """Return how good filled-in labels are, and which ones to ask a person about, as text."""
    unknown = sum(one.unknown for one in completion.by_label)
    known = sum(one.known for one in completion.by_label)
    best = completion.estimated
    lines = [["estimated by cross-validation", "all labels together", "mean over labels"]]
    lines.append(["AUC", number(best.micro_auc), number(best.macro_auc)])
    lines.append(
        [f"F1 (threshold {completion.threshold:g})", number(best.micro_f1), number(best.macro_f1)]
    )
    lines.append(["Brier score", number(best.brier_score), ""])
    lines.append(["expected calibration error", number(best.calibration_error), ""])
    parts = [
        f"{completion.method}: {unknown} unknown labels, learnt from {known} known ones\n"
        f"{columns(lines, left=[0])}"
    ]
    lines = [["label", "known", "unknown", "AUC", "F1"]]
    for one in completion.by_label:
        lines.append([one.name, str(one.known), str(one.unknown), number(one.auc), number(one.f1)])
    parts.append(columns(lines, left=[0]))
    lines = [["row", "label", "probability"]]
    lines += [[str(one.row), one.label, number(one.probability)] for one in completion.questions]
    parts.append(f"least certain, to ask a person about\n{columns(lines, left=[0, 1])}")
    parts += [f"note: {note}" for note in completion.notes]
    return "\n\n".join(parts)


def completion_json(completion: Completion) -> str:
    """Return how good filled-in labels are as JSON, with null for what is not defined."""
    content = {
        "method": completion.method,
        "threshold": completion.threshold,
        "folds": completion.folds,
        "estimated": {name: or_none(value) for name, value in asdict(completion.estimated).items()},
        "labels": [
            asdict(one) | {"auc": or_none(one.auc), "f1": or_none(one.f1)}
            for one in completion.by_label
        ],
        "questions": [asdict(one) for one in completion.questions],
        "notes": completion.notes,
    }
    return _json(content)


def _json(content: Any) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
