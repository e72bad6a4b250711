"""Read a YAML config and check it; every error names the file, the line and the key."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .. import papers
from ..errors import KeyPath, UserError, and_more, nearest, validation_mistakes
from ..methods.registry import Scope
from ..protocols import NAMES, Experiment, Mistake, is_own, protocol
from ..yaml_lines import Lines, parse_yaml, where
from . import shipped


def load(path: str | Path) -> Experiment:
    """Read and check a config file that has exactly one experiment."""
    experiments = load_all(path)
    if len(experiments) > 1:
        raise UserError(f"{path} has {len(experiments)} experiments: name a file with only one")
    return experiments[0]


def load_all(path: str | Path | Mapping[str, Any], *, patient: bool = False) -> list[Experiment]:
    """Read the experiments of a config file: one, or several separated by lines of ``---``.

    A config may also be a dict; its paths are then relative to the working folder. See `parse` for
    `patient`.
    """
    if isinstance(path, Mapping):
        scope = Scope(folder=Path.cwd())
        return [parse(dict(path), source="the config", scope=scope, patient=patient)]
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
    """Check the content of a config and return its experiment.

    Parameters
    ----------
    content : any
        The parsed YAML document.
    source : str
        Name of the config in messages.
    lines : dict, optional
        The line of each key in the file.
    scope : Scope, optional
        Where to look for the user's own methods and files. Without a folder, methods are looked
        for in installed packages only, and files are not opened: their checksums are taken from
        the config. So results can be read on a machine without the data.
    patient : bool
        Accept the user's own files that cannot be read; `Experiment.prepare` refuses them later.

    Returns
    -------
    Experiment
        The checked experiment.
    """
    if not isinstance(content, dict):
        raise UserError(f"{source}: a config is a mapping of keys such as name, protocol, datasets")
    lines = lines or {}
    kind = content.get("protocol")
    if kind is None:
        like = [str(key) for key in content if nearest(str(key), ["protocol"])]
        line = where(source, lines, (like[0],)) if like else source
        hint = f"; is '{like[0]}' a slip of the pen?" if like else ""
        raise UserError(f"{line}: the key 'protocol' is missing{hint} (one of {', '.join(NAMES)})")
    scope = scope or Scope()
    model = _model(kind, source, lines, scope)
    content = _with_paper(content, source, lines, scope.folder)
    try:
        experiment = model.model_validate(content, context=scope)
    except ValidationError as error:
        mistakes = validation_mistakes(error, lambda place: _unknown_key(place, model))
    else:
        with scope:
            if scope.folder is not None:
                experiment = _with_data(experiment, source, lines, scope.folder, patient)
            mistakes = [*experiment.mistakes()] or [*_report_mistakes(experiment)]
        if not mistakes:
            return experiment
    place, text = mistakes[0]
    raise UserError(f"{where(source, lines, place)}: {text}{and_more(mistakes)}")


def _model(kind: Any, source: str, lines: Lines, scope: Scope) -> type[Experiment]:
    """Return the keys of a protocol of mlfs or of the user."""
    line = where(source, lines, ("protocol",))
    try:
        with scope:
            if kind in NAMES or is_own(kind):
                return protocol(kind).experiment
    except UserError as error:
        raise UserError(f"{line}: {error}") from error
    hint = nearest(str(kind), NAMES) if kind else ""
    names = ", ".join(NAMES)
    raise UserError(f"{line}: protocol must be one of {names}, or module:Class of your own{hint}")


def _with_paper(
    content: dict[str, Any], source: str, lines: Lines, folder: Path | None
) -> dict[str, Any]:
    """Return the content with the name of its paper, if it names the paper's folder."""
    named = content.get("paper")
    if not isinstance(named, str) or not papers.is_folder(named):
        return content
    try:
        return {**content, "paper": papers.add((folder or Path()) / named)}
    except UserError as error:
        raise UserError(f"{where(source, lines, ('paper',))}: {error}") from error


def _with_data(
    experiment: Experiment, source: str, lines: Lines, folder: Path, patient: bool
) -> Experiment:
    """Return the experiment with the shapes and checksums of the user's own files."""
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
    """Return the JSON schemas of all keys, by protocol, for editors and for readers."""
    return {name: protocol(name).experiment.model_json_schema() for name in NAMES}


def _report_mistakes(experiment: Experiment) -> Iterator[Mistake]:
    """Yield the mistakes in keys that only the report uses: paper, reading, tables, control."""
    names = list(papers.folders()) if experiment.paper is not None else []
    if experiment.paper is not None and experiment.paper not in names:
        hint = nearest(experiment.paper, names) or "; for one of your own, write './folder'"
        yield ("paper",), f"unknown paper '{experiment.paper}'{hint}"
        return
    if experiment.reading is not None and experiment.paper is None:
        yield ("reading",), "a reading belongs to a paper: add the key 'paper'"
    for key, word in (("tables", "table"), ("figures", "figure")):
        printed = getattr(papers.paper(experiment.paper), key) if experiment.paper else {}
        for i, name in enumerate(getattr(experiment, key)):
            if experiment.paper is None:
                yield (key, i), f"{word} {name} belongs to no paper: add the key 'paper'"
            elif name not in printed:
                offered = ", ".join(printed) or "none"
                yield (key, i), f"{experiment.paper} has no {word} {name} (its {key}: {offered})"
    if experiment.reading is not None:
        yield from ((("reading",), text) for text in _reading_mistakes(experiment))
    headings = papers.headings(experiment)
    for i, heading in enumerate(headings):
        if heading in headings[:i]:
            yield (
                ("methods", i),
                f"two columns are called '{heading}': give each one a different 'label'",
            )
    if experiment.control is not None and papers.control(experiment) is None:
        hint = nearest(experiment.control, headings)
        offered = ", ".join(headings)
        yield ("control",), f"no column is called '{experiment.control}'{hint} (columns: {offered})"


def _reading_mistakes(experiment: Experiment) -> Iterator[str]:
    paper, reading = experiment.paper, experiment.reading
    if paper is None:
        yield "a reading belongs to a paper: add the key 'paper'"
        return
    readings = [papers.STATED, *(one.name for one in papers.paper(paper).readings())]
    if reading not in readings:
        hint = nearest(str(reading), readings)
        yield f"{paper} has no reading '{reading}'{hint} (known: {', '.join(readings)})"


def _unknown_key(place: KeyPath, model: type[Experiment]) -> str:
    """Return a sentence about a key that a protocol does not have."""
    unknown = str(place[-1])
    users = [name for name in NAMES if unknown in protocol(name).experiment.model_fields]
    if users and len(place) == 1:
        instead = model.instead.get(unknown, "leave it out")
        return f"this protocol does not use '{unknown}', {' and '.join(users)} do: {instead}"
    keys = set(_all_keys(model)) - {unknown}  # the same key may exist at another depth
    return f"unknown key '{unknown}'{nearest(unknown, keys)}"


@functools.cache
def _all_keys(model: type[Experiment]) -> list[str]:
    """Return every key that a config of this kind may have, at any depth."""
    tree = model.model_json_schema()
    parts = [tree, *tree.get("$defs", {}).values()]
    return [key for part in parts for key in part.get("properties", {})]


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or "it is not a UTF-8 text file"
