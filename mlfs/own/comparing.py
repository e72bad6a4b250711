"""Write the config that compares methods on the user's own data."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ..datasets import UserData
from ..errors import UserError
from ..methods import registry
from ..protocols.selection import SelectionExperiment
from ..system.atomic import atomic_write
from .asked import usual_way

METRICS = ("average_precision", "macro_auc", "micro_f1")
_MOST = 20  # features of the largest size, unless the user names sizes
KINDS = {"selection": ("selector",), "learning": ("learner", "classifier")}
_LEARN = set(KINDS["learning"])


def protocol_of(methods: Mapping[str, Sequence[str]]) -> str:
    """Return the protocol that runs all of these methods.

    Parameters
    ----------
    methods : mapping
        The kinds that each method can be used as, by name.

    Returns
    -------
    str
        "learning" if all of them predict labels, "selection" if all of them rank features.
    """
    if all(_LEARN & set(kinds) for kinds in methods.values()):
        return "learning"
    odd = [name for name, kinds in methods.items() if "selector" not in kinds]
    if not odd:
        return "selection"
    for name in odd:
        if not _LEARN & set(methods[name]):
            raise UserError(f"'{name}' is a {' or '.join(methods[name])}: name a selector instead")
    other = next(name for name in methods if name not in odd)
    raise UserError(
        f"'{odd[0]}' predicts labels and '{other}' ranks features: compare only one kind at a time"
    )


def kinds_of(name: str) -> list[str]:
    """Return the kinds that a named method can be used as; raise a UserError if there is none."""
    kinds = registry.kinds_of(name)
    if not kinds:
        registry.method(name, ("selector", "learner", "classifier"))  # says what is wrong
    return kinds


def usual_sizes(d: int) -> list[int]:
    """Return sizes of subsets to compare selectors at, if the user names none."""
    most = min(_MOST, max(1, d // 2))
    return sorted({max(1, most // 4), max(1, most // 2), most})


def content_of(
    name: str,
    dataset: Mapping[str, Any],
    methods: Mapping[str, Sequence[str]],
    *,
    labels: Mapping[str, str] | None = None,
    d: int,
    unknown: bool,
    sizes: Sequence[int] | None,
    metrics: Sequence[str],
    folds: int,
    scale: str,
    classifier: Any = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Return the config of a comparison as plain data.

    Parameters
    ----------
    name : str
        Name of the experiment.
    dataset : mapping
        The data, as the key ``datasets`` has them.
    methods : mapping
        The kinds that each method can be used as, by name.
    labels : mapping, optional
        Headings of columns, by name of the method.
    d : int
        Number of features.
    unknown : bool
        Whether some labels are not known. Then methods that can are used label by label, on the
        rows where a label is known, and so is the classifier that judges selectors.
    sizes : sequence of int, optional
        Numbers of features; only for selectors.
    metrics : sequence of str
        Names of the metrics; the usual ones if there are none.
    folds : int
        Number of parts of the rows; each is the test part once.
    scale : str
        How features are scaled.
    classifier : any, optional
        The classifier that judges the selectors; the protocol's own by default.
    seed : int
        Another seed gives other folds.

    Returns
    -------
    dict
        The config.
    """
    protocol = protocol_of(methods)
    if protocol == "learning" and (sizes or classifier):
        given = "sizes" if sizes else "classifier"
        raise UserError(f"'{given}' is for selectors, and these methods predict labels: remove it")
    for size in sizes or ():
        if not 1 <= size <= d:
            raise UserError(f"{size} features asked for, but there are {d}: ask for 1 to {d}")
    content: dict[str, Any] = {
        "name": name,
        "protocol": protocol,
        "datasets": [dict(dataset)],
        "split": {"kind": "kfold", "folds": folds},
        "scale": scale,
        "methods": [_column(name, (labels or {}).get(name), protocol, unknown) for name in methods],
    }
    if protocol == "selection":
        content["sizes"] = list(sizes or usual_sizes(d))
        if unknown:
            usual = SelectionExperiment.model_fields["classifier"].default.name
            content["evaluations"] = [{"classifier": classifier or usual, "missing": "available"}]
        elif classifier is not None:
            content["classifier"] = classifier
    content["metrics"] = list(metrics or METRICS)
    if seed:
        content["seed"] = seed
    return content


def _column(name: str, label: str | None, protocol: str, unknown: bool) -> Any:
    """Return a method as the key ``methods`` of a config has it."""
    more: dict[str, Any] = {"label": label} if label else {}
    cls = registry.method(name, KINDS[protocol])
    if unknown and not cls.tags.handles_missing and usual_way(cls):
        more["settings"] = {"missing": usual_way(cls)}
    return {name: {}, **more} if more else name


def as_yaml(content: Mapping[str, Any], command: str) -> str:
    """Return a config as text that a person can edit, with the command that made it."""
    lines = [f"# made by: {command}"]
    for key, value in content.items():
        text = yaml.safe_dump(
            value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6
        )
        lines.append(f"{key}: {text.removesuffix('...' + chr(10)).strip()}")
    return "\n".join(lines) + "\n"


def dataset_of(own: UserData, folder: Path) -> dict[str, Any]:
    """Return the user's own data as the key ``datasets`` of a config in a folder has them."""

    def near(path: str) -> str:
        return os.path.relpath(path, folder)

    content = own.model_dump(mode="json", exclude_defaults=True)
    for key in ("path", "labels"):
        if isinstance(content.get(key), str):
            content[key] = near(content[key])
    return content


def save_config(path: Path, text: str, force: bool) -> None:
    """Write a config; refuse to replace another one, unless `force`.

    The same config may be there already: then the run continues.
    """
    try:
        if (
            path.exists()
            and not force
            and _without_comment(path.read_text()) != (_without_comment(text))
        ):
            raise UserError(
                f"{path} exists and says something else: run it with 'mlfs run {path}', choose "
                "another file with --config, or replace it with --force"
            )
        with atomic_write(path) as stream:
            stream.write(text.encode())
    except (OSError, UnicodeDecodeError) as error:
        told = getattr(error, "strerror", None) or "it is not text"
        raise UserError(f"cannot write {path} ({told}): choose another --config") from error


def _without_comment(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))
