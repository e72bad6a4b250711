"""The page on configs: every key of every protocol, from the schema, with an example."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from text import table

from mlfs import config, protocols
from mlfs.config import shipped
from mlfs.methods.docstrings import docstring
from mlfs.protocols.experiment import masks

# examples of keys that no config of mlfs uses
EXAMPLES: dict[str, Any] = {
    "seed": 1,
    "control": "fsnm",
    "hide_test": True,
    "labelled": 0.5,
    "missing": "available",
    "only_metrics": ["average_precision", "macro_f1"],
    "reading": "stated",
    "rows": 0.5,
    "select_on": "full",
    "n_starts": 10,
    "supervision": "labels",
    "train_on": "completed",
    "vary": {"n_neighbors": [5, 10, 20]},
}
NESTED: dict[str, dict[str, Any]] = {
    "DatasetChoice": {
        "path": "X.csv",
        "openml": 41465,
        "labels": "Y.csv",
        "test": ["X_test.csv", "Y_test.csv"],
        "id": "sample",
        "impute": "median",
        "name": "flowers",
        "clean": True,
        "frequent_labels": 50,
    },
    "MethodChoice": {
        "name": "fsnm",
        "params": {"gamma": 10.0},
        "label": "FSNM, gamma 10",
        "extra": True,
        "settings": {"scale": "standard"},
        "printed": "FSNM",
        "search": {"gamma": [0.1, 1.0, 10.0]},
        "starts": [{"gamma": 3.0}],
        "by_dataset": {"yeast": {"gamma": 1.0}},
    },
    "Tune": {
        "strategy": "halving",
        "budget": 24,
        "folds": 3,
        "refine": True,
        "rows": 1500,
        "metric": "micro_f1",
        "per": "dataset",
        "classifier": "mlknn",
        "on_known": True,
    },
    "Evaluation": {
        "classifier": "mlknn",
        "train_on": "full",
        "missing": "zero",
        "label": "ML-kNN",
    },
    "Stratified": {"train": 0.6, "folds": 5},
}
TITLES = {
    "DatasetChoice": "An entry of `datasets`",
    "MethodChoice": "An entry of `methods`",
    "Tune": "Under `tune`",
    "Evaluation": "An entry of `evaluations`",
    "Holdout": "`split: {kind: holdout}`",
    "Official": "`split: {kind: official}`",
    "KFold": "`split: {kind: kfold}`",
    "Stratified": "`split: {kind: stratified}`",
    "HidePositives": "`mask: {kind: hide_positives}`",
    "HidePerInstance": "`mask: {kind: hide_per_instance}`",
    "OnePositive": "`mask: {kind: one_positive}`",
    "DropPerInstance": "`mask: {kind: drop_per_instance}`",
    "DropEntries": "`mask: {kind: drop_entries}`",
    "StratifiedPerLabel": "`mask: {kind: stratified_per_label}`",
    "StratifiedPerInstance": "`mask: {kind: stratified_per_instance}`",
}
_HIDDEN = {"known", "kind"}  # set by mlfs itself, and part of the heading


def page_of(protocol: str) -> str:
    """Return the table of one protocol's keys."""
    schema = config.schema()[protocol]
    needed = set(schema.get("required", []))
    rows = [
        [f"`{key}`", "needed" if key in needed else _default(about), _meaning(about), example]
        for key, about in schema["properties"].items()
        for example in [_shown(key, example_of(protocol, key))]
    ]
    return table(["key", "default", "meaning", "example"], rows)


def page() -> str:
    """Return the whole page."""
    parts = [(Path(__file__).parent / "configs.md").read_text(encoding="utf-8").rstrip()]
    for name in protocols.NAMES:
        doc = (protocols.protocol(name).experiment.__doc__ or "").strip().splitlines()[0]
        parts += [f"## Protocol `{name}`", doc, page_of(name)]
    parts.append("## Keys inside keys")
    definitions = {
        key: about for schema in config.schema().values() for key, about in schema["$defs"].items()
    }
    for title, heading in TITLES.items():
        about = definitions[title]
        summary = about.get("description", "").splitlines()[0] if about.get("description") else ""
        rows = [
            [f"`{key}`", _default(one), explained(title, key, one), _shown(key, value)]
            for key, one in about["properties"].items()
            if key not in _HIDDEN
            for value in [nested(title, key, one)]
        ]
        parts += [f"### {heading}", summary, table(["key", "default", "meaning", "example"], rows)]
    return "\n\n".join(parts) + "\n"


@cache
def _used() -> dict[tuple[str, str], Any]:
    """Return for each protocol and key the shortest value in the configs of mlfs."""
    found: dict[tuple[str, str], Any] = {}
    for path in shipped.names().values():
        for one in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            for key, value in one.items():
                place = (one["protocol"], key)
                if place not in found or len(str(value)) < len(str(found[place])):
                    found[place] = value
    return found


def example_of(protocol: str, key: str) -> Any:
    """Return a value that a config of this protocol could have for a key."""
    used = _used()
    if (protocol, key) in used:
        return used[protocol, key]
    others = [value for (_, other), value in used.items() if other == key]
    return EXAMPLES[key] if key in EXAMPLES else others[0]


def nested(title: str, key: str, about: Any) -> Any:
    """Return a value of a key inside a key."""
    if key in NESTED.get(title, {}):
        return NESTED[title][key]
    common = {
        "ratio": 1.0 if title == "OnePositive" else 0.4,
        "train": 0.7,
        "repeats": 5,
        "folds": 10,
    }
    return common.get(key, about.get("default", True))


def explained(title: str, key: str, about: Any) -> str:
    """Return the meaning of a key inside a key; masks explain theirs in docstrings."""
    if "description" in about or not hasattr(masks, title):
        return _meaning(about)
    return next(one.text for one in docstring(getattr(masks, title)).parameters if one.name == key)


def _shown(key: str, value: Any) -> str:
    text = yaml.safe_dump({key: value}, default_flow_style=True, width=1000, allow_unicode=True)
    return f"`{text.strip()[1:-1]}`"


def _default(about: Any) -> str:
    if "default" not in about:
        return ""
    value = about["default"]
    text = yaml.safe_dump(value, default_flow_style=True, width=1000).strip().removesuffix("...")
    return "" if value in (None, "", [], {}) else f"`{text.strip()}`"


def _meaning(about: Any) -> str:
    text = about.get("description", "")
    if "enum" in about:
        return f"{text}: " + ", ".join(f"`{one}`" for one in about["enum"])
    return str(text)
