"""Read a YAML config into a validated experiment; every error names file, line and key."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from . import papers, shipped
from .errors import UserError, nearest
from .protocols import NAMES, Experiment, Mistake, Place, protocol
from .registry import Scope
from .yamltext import Lines, parse_yaml, where

_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")  # what pydantic calls unknown keys


def load(path: str | Path) -> Experiment:
    """Read, check and resolve a config file that holds one experiment."""
    experiments = load_all(path)
    if len(experiments) > 1:
        raise UserError(f"{path} holds {len(experiments)} experiments: give a file with one")
    return experiments[0]


def load_all(path: str | Path, *, patient: bool = False) -> list[Experiment]:
    """Read the experiments of a config file: one, or several separated by lines of ``---``.

    See `parse` for `patient`.
    """
    path = shipped.locate(Path(path))
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {_reason(error)}") from error
    return [
        parse(
            content,
            source=str(path),
            lines=lines,
            scope=Scope(folder=path.parent),
            patient=patient,
        )
        for content, lines in parse_yaml(text, str(path)) or [(None, {})]
    ]


def parse(
    content: Any,
    *,
    source: str,
    lines: Lines | None = None,
    scope: Scope | None = None,
    patient: bool = False,
) -> Experiment:
    """Check what a config holds.

    Parameters
    ----------
    content : any
        The document as YAML holds it.
    source : str
        What the config is called in messages.
    lines : dict, optional
        Where each key stands in the file.
    scope : Scope, optional
        Where methods and files of the user's own are looked for. Without a folder, methods are
        looked for in installed packages, and the checksums of files are taken as given: results
        can be read where their data are not.
    patient : bool
        Leave files of the user's own that cannot be read for `Experiment.prepare` to refuse.
    """
    if not isinstance(content, dict):
        raise UserError(f"{source}: a config is a mapping of keys such as name, protocol, datasets")
    lines = lines or {}
    kind = content.get("protocol")
    if kind not in NAMES:
        hint = nearest(str(kind), NAMES) if kind else ""
        line = where(source, lines, ("protocol",))
        raise UserError(f"{line}: protocol must be one of {', '.join(NAMES)}{hint}")
    model = protocol(kind).Config
    scope = scope or Scope()
    try:
        experiment = model.model_validate(content, context=scope)
    except ValidationError as error:
        # a misspelt key also shows as a missing one: tell of the misspelling first
        errors = sorted(error.errors(), key=lambda item: item["type"] not in _UNKNOWN)
        found = [_mistake(item, model) for item in errors]
    else:
        with scope:
            if scope.folder is not None:
                experiment = _with_data(experiment, source, lines, scope.folder, patient)
            found = [*experiment.mistakes()] or [*_report_mistakes(experiment)]
        if not found:
            return experiment
    place, text = found[0]
    more = f" (and {len(found) - 1} more mistakes)" if len(found) > 1 else ""
    raise UserError(f"{where(source, lines, place)}: {text}{more}")


def _with_data(
    experiment: Experiment, source: str, lines: Lines, folder: Path, patient: bool
) -> Experiment:
    """Return the experiment with what its user's own files hold."""
    read = []
    for i, choice in enumerate(experiment.datasets):
        choice = choice.inside(folder)
        try:
            read.append(choice.read())
        except UserError as error:
            if patient:
                read.append(choice)
                continue
            raise UserError(f"{where(source, lines, ('datasets', i))}: {error}") from error
    return experiment.model_copy(update={"datasets": read})


def schema() -> dict[str, Any]:
    """JSON schemas of all keys, by protocol, for editors and for reading."""
    return {name: protocol(name).Config.model_json_schema() for name in NAMES}


def _report_mistakes(experiment: Experiment) -> Iterator[Mistake]:
    """Mistakes in what only the report uses: paper, tables, headings, control."""
    names = papers.names() if experiment.paper is not None else []
    if experiment.paper is not None and experiment.paper not in names:
        hint = nearest(experiment.paper, names) or "; MLFS_PAPERS names a folder of your own"
        yield ("paper",), f"unknown paper '{experiment.paper}'{hint}"
        return
    for key, word in (("tables", "table"), ("figures", "figure")):
        printed = getattr(papers.paper(experiment.paper), key) if experiment.paper else {}
        for i, name in enumerate(getattr(experiment, key)):
            if experiment.paper is None:
                yield (key, i), f"{word} {name} of which paper? Add the key 'paper'"
            elif name not in printed:
                known = ", ".join(printed) or "none"
                yield (key, i), f"{experiment.paper} has no {word} {name} (its {key}: {known})"
    headings = papers.headings(experiment)
    for i, heading in enumerate(headings):
        if heading in headings[:i]:
            yield (
                ("methods", i),
                f"two columns are called '{heading}': give each a 'label' of its own",
            )
    if experiment.control is not None and papers.control(experiment) is None:
        hint = nearest(experiment.control, headings)
        known = ", ".join(headings)
        yield ("control",), f"no column is called '{experiment.control}'{hint} (columns: {known})"


def _mistake(error: Any, model: type[Experiment]) -> Mistake:
    """Return a mistake that pydantic found, in a sentence."""
    place: Place = error["loc"]
    key = ".".join(str(part) for part in place)
    kind, message = error["type"], error["msg"]
    if kind in _UNKNOWN:
        return place, _unknown_key(place, model)
    if kind == "missing":
        return place, f"key '{key}' is missing"
    if kind == "value_error":
        return place, message.removeprefix("Value error, ")
    if kind == "union_tag_invalid":
        tag, tags = error["ctx"]["tag"], error["ctx"]["expected_tags"].replace("'", "").split(", ")
        return place, f"unknown {place[0]} '{tag}'{nearest(tag, tags)} (known: {', '.join(tags)})"
    return place, f"'{key}': {message[0].lower()}{message[1:]} (got {error['input']!r})"


def _unknown_key(place: Place, model: type[Experiment]) -> str:
    """Return what is wrong with a key that a protocol does not have."""
    unknown = str(place[-1])
    users = [name for name in NAMES if unknown in protocol(name).Config.model_fields]
    if users and len(place) == 1:
        instead = model.instead.get(unknown, "leave it out")
        return f"this protocol does not use '{unknown}', {' and '.join(users)} do: {instead}"
    known = set(_all_keys(model)) - {unknown}  # it may be a key elsewhere
    return f"unknown key '{unknown}'{nearest(unknown, known)}"


@functools.cache
def _all_keys(model: type[Experiment]) -> list[str]:
    """Every key that a config of this kind may have, at any depth."""
    tree = model.model_json_schema()
    parts = [tree, *tree.get("$defs", {}).values()]
    return [key for part in parts for key in part.get("properties", {})]


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or "it is not a UTF-8 text file"
