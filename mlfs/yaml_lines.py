"""Read YAML with the line of every key; refuse duplicate keys and all but plain values."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml

from .errors import KeyPath, UserError

Lines = dict[KeyPath, int]

_LARGEST = 100_000  # most keys and values, after aliases are replaced
_DIGITS = 100  # most characters of a number
_DEEPEST = 50  # most levels of nesting


class _Loader(yaml.SafeLoader):
    """Load plain values only; a duplicate key is an error, and does not replace the first."""

    def fetch_flow_collection_start(self, token: Any) -> None:
        """Refuse deep brackets while they are read: the scanner gets slower with each level."""
        self._refuse_depth(self.flow_level)
        super().fetch_flow_collection_start(token)

    def add_indent(self, column: int) -> bool:
        """Refuse deep lists and mappings while they are read."""
        self._refuse_depth(len(self.indents))
        added: bool = super().add_indent(column)
        return added

    def _refuse_depth(self, levels: int) -> None:
        if levels > _DEEPEST:
            text, place = "brackets are nested too deeply", self.get_mark()
            raise yaml.scanner.ScannerError(None, None, text, place)


_MERGE = "tag:yaml.org,2002:merge"
_PLAIN = ("null", "bool", "int", "float", "str", "seq", "map")
_Loader.yaml_constructors = {
    tag: constructor
    for tag, constructor in yaml.SafeLoader.yaml_constructors.items()
    if tag is None or tag.rsplit(":", 1)[-1] in _PLAIN
}
# a value that looks like a date stays a text, since no key of a config is a date
_Loader.yaml_implicit_resolvers = {
    first: [rule for rule in rules if not rule[0].endswith(":timestamp")]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _number(loader: _Loader, node: yaml.ScalarNode) -> Any:
    """Return a number; refuse one of very many digits, and read 1:30 as the text that it is."""
    if ":" in node.value:  # in an old version of YAML it is a number to the base of 60
        return node.value
    if len(node.value) > _DIGITS:
        raise _problem(f"a number is too long: it has more than {_DIGITS} digits", node)
    whole = node.tag.endswith(":int")
    read = loader.construct_yaml_int if whole else loader.construct_yaml_float
    return read(node)


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen = set()
    for key_node, _ in node.value:
        if key_node.tag == _MERGE:
            continue
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable):
            raise _problem("a key must be a word or a number", key_node)
        if key in seen:
            raise _problem(f"key '{key}' is there twice", key_node)
        seen.add(key)
    loader.flatten_mapping(node)
    return loader.construct_mapping(node, deep=True)


for _tag in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _number)
_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _problem(text: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(None, None, text, node.start_mark)


def parse_yaml(text: str, source: str) -> list[tuple[Any, Lines]]:
    """Return the documents of a YAML text, each with the line of every key and item.

    Raises
    ------
    UserError
        If it is not YAML, or contains other than plain values; names `source` and the line.
    """
    try:
        documents = []
        loader = _Loader(text)
        try:
            while loader.check_node():
                node = loader.get_node()
                assert node is not None  # check_node has made sure of it
                _measure(node, {}, 0)
                lines = _lines(node)  # before merge keys are replaced
                documents.append((loader.construct_document(node), lines))
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "it is not YAML"
        raise UserError(f"{source}{where}: {problem}; correct the YAML there") from error
    except RecursionError as error:
        raise UserError(f"{source}: brackets are nested too deeply; use fewer levels") from error
    except ValueError as error:  # a number with thousands of digits
        raise UserError(f"{source}: a number is too long; correct the YAML there") from error
    return documents


def _measure(node: yaml.Node, sizes: dict[int, int], depth: int) -> int:
    """Count the nodes below a node, with aliases replaced; refuse too many, or endless aliases."""
    if depth > _DEEPEST:
        raise _problem("brackets are nested too deeply", node)
    if id(node) in sizes:
        size = sizes[id(node)]
        if size == 0:
            raise _problem("an alias contains itself", node)
        return size
    sizes[id(node)] = 0  # not counted yet: if it is met again now, it contains itself
    size = 1
    if isinstance(node, yaml.CollectionNode):
        for item in node.value:
            for part in item if isinstance(item, tuple) else (item,):
                size += _measure(part, sizes, depth + 1)
    if size > _LARGEST:
        raise _problem(f"more than {_LARGEST} keys and values", node)
    sizes[id(node)] = size
    return size


def _lines(node: yaml.Node, place: KeyPath = ()) -> Lines:
    """Return the line number of every key and item, by path."""
    lines = {place: node.start_mark.line + 1}
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*place, key.value if isinstance(key, yaml.ScalarNode) else "?")
            lines |= _lines(value, inner) | {inner: key.start_mark.line + 1}
    elif isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            lines |= _lines(item, (*place, i))
    return lines


def where(source: str, lines: Lines, place: KeyPath) -> str:
    """Return the file and line of a path; parts that are not in the file are skipped."""
    spelt: KeyPath = ()
    for part in place:
        if (*spelt, part) in lines:
            spelt = (*spelt, part)
    return f"{source}, line {lines[spelt]}" if spelt in lines else source
