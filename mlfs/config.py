"""Read a YAML config into a validated experiment; every error names file, line and key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from . import papers
from .errors import UserError, nearest
from .protocols import NAMES, Experiment, protocol

Place = tuple[str | int, ...]


def load(path: str | Path) -> Experiment:
    """Read, check and resolve a config file that holds one experiment."""
    experiments = load_all(path)
    if len(experiments) > 1:
        raise UserError(f"{path} holds {len(experiments)} experiments: give a file with one")
    return experiments[0]


def load_all(path: str | Path) -> list[Experiment]:
    """Read the experiments of a config file: one, or several separated by lines of ``---``."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {_reason(error)}") from error
    try:
        nodes = list(yaml.compose_all(text, Loader=yaml.SafeLoader)) or [None]
        contents = list(yaml.load_all(text, Loader=_Loader)) or [None]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "it is not YAML"
        raise UserError(f"{path}{where}: {problem}; mend the YAML there") from error
    return [
        parse(content, source=str(path), lines=_lines(node) if node else {})
        for node, content in zip(nodes, contents)
    ]


def parse(content: Any, *, source: str, lines: dict[Place, int] | None = None) -> Experiment:
    """Check what a config holds; `lines` says where each key stands in the file."""
    if not isinstance(content, dict):
        raise UserError(f"{source}: a config is a mapping of keys such as name, protocol, datasets")
    kind = content.get("protocol")
    if kind not in NAMES:
        hint = nearest(str(kind), NAMES) if kind else ""
        where = _where(source, lines, ("protocol",))
        raise UserError(f"{where}: protocol must be one of {', '.join(NAMES)}{hint}")
    model = protocol(kind).Config
    try:
        experiment = model.model_validate(content)
    except ValidationError as error:
        raise UserError(_sentence(error, model, source, lines)) from error
    if experiment.paper is not None and experiment.paper not in papers.NAMES:
        where = _where(source, lines, ("paper",))
        hint = nearest(experiment.paper, papers.NAMES)
        raise UserError(f"{where}: unknown paper '{experiment.paper}'{hint}")
    return experiment


def schema() -> dict[str, Any]:
    """JSON schemas of all keys, by protocol, for editors and for reading."""
    return {name: protocol(name).Config.model_json_schema() for name in NAMES}


class _Loader(yaml.SafeLoader):
    """YAML in which a key given twice is an error and not silently the last one."""


def _unique_mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"key '{key}' stands twice", key_node.start_mark
            )
        seen.add(key)
    loader.flatten_mapping(node)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _unique_mapping)


def _lines(node: yaml.Node, place: Place = ()) -> dict[Place, int]:
    """Line number of every key and item, by its path."""
    found = {place: node.start_mark.line + 1}
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*place, key.value)
            found |= _lines(value, inner) | {inner: key.start_mark.line + 1}
    elif isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            found |= _lines(item, (*place, i))
    return found


def _where(source: str, lines: dict[Place, int] | None, place: Place) -> str:
    lines = lines or {}
    while place and place not in lines:
        place = place[:-1]
    return f"{source}, line {lines[place]}" if place in lines else source


def _sentence(
    error: ValidationError, model: type[Experiment], source: str, lines: dict[Place, int] | None
) -> str:
    """Tell the first mistake in one sentence, and how many more there are."""
    # a misspelt key also shows as a missing one: tell of the misspelling first
    first = min(error.errors(), key=lambda item: item["type"] != "extra_forbidden")
    place: Place = first["loc"]
    key = ".".join(str(part) for part in place) or "config"
    where = _where(source, lines, place)
    if first["type"] == "extra_forbidden":
        unknown = str(place[-1])
        known = set(_all_keys(model)) - {unknown}  # it may be a key elsewhere
        text = f"unknown key '{unknown}'{nearest(unknown, known)}"
    elif first["type"] == "missing":
        text = f"key '{key}' is missing"
    elif first["type"] == "value_error":
        text = first["msg"].removeprefix("Value error, ")
    else:
        text = f"'{key}': {first['msg'][0].lower()}{first['msg'][1:]} (got {first['input']!r})"
    more = error.error_count() - 1
    return f"{where}: {text}" + (f" (and {more} more mistakes)" if more else "")


def _all_keys(model: type[Experiment]) -> list[str]:
    """Every key that a config of this kind may have, at any depth."""
    tree = model.model_json_schema()
    parts = [tree, *tree.get("$defs", {}).values()]
    return [key for part in parts for key in part.get("properties", {})]


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or "it is not a UTF-8 text file"
