"""The text of ``mlfs methods list`` and ``show``: a list of all methods, or details of one."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path

from ...methods import registry
from ...methods.docstrings import docstring
from ...methods.tags import Tags
from ...protocols.steps.by_label import treatments
from ..tables.texts import columns


def listed() -> str:
    """Return one line for each method of the registry."""
    lines = [["method", "kind", "paper", "provenance", "unknown labels", "sparse"]]
    for kind in registry.KINDS:
        for name, cls in registry.methods([kind]).items():
            if kind in registry.kinds_of(name):
                lines.append([name, kind, *_abilities(cls)])
    lines += [[name, "?", reason, "", "", ""] for name, reason in registry.broken().items()]
    own = "Your own: module:Class, see 'mlfs methods show --help'."
    return f"{columns(lines)}\n\n{own}  Next: mlfs methods show NAME"


def _abilities(cls: type) -> list[str]:
    tags: Tags = cls.tags  # type: ignore[attr-defined]
    return [
        tags.paper,
        tags.provenance,
        ", ".join(treatments(cls)),
        "yes" if tags.supports_sparse else "made dense",
    ]


def about(name: str, folder: Path) -> str:
    """Describe one method; a module of the user's own is first looked for in `folder`."""
    with registry.Scope(folder=folder):
        kinds = registry.kinds_of(name)
        if not kinds:
            registry.method(name, registry.KINDS)  # raises and says why
        return "\n\n".join(_method(name, kind) for kind in kinds)


def _method(name: str, kind: str) -> str:
    cls = registry.method(name, [kind])
    tags = cls.tags
    origin = "" if ":" in name else f": from {cls.__module__} import {cls.__name__}"
    lines = [
        f"{name} ({kind}){origin}",
        "",
        docstring(cls).summary or "no description",
        "",
        f"paper:       {tags.paper}",
        *_reference(cls),
        f"provenance:  {tags.provenance}",
        f"unknown:     {', '.join(treatments(cls))} (labels; the first is the usual way)",
        f"version:     {registry.version(name, [kind])}",
    ]
    if tags.note:
        lines.append(f"note:        {tags.note}")
    lines += ["parameters:", *_parameters(cls)]
    if tags.search_space:
        lines += ["search space:", *(f"  {k}: {list(v)}" for k, v in tags.search_space.items())]
    return "\n".join(lines)


def _reference(cls: type) -> list[str]:
    """Return the reference of the docstring in wrapped lines, with its DOI if it has one."""
    text = " ".join(docstring(cls).sections.get("References", "").split())
    return textwrap.wrap(
        text,
        99,
        initial_indent="reference:   ",
        subsequent_indent=" " * 13,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _parameters(cls: type) -> Iterator[str]:
    """Yield each parameter with its default, followed by its description."""
    meaning = {one.name: one.text for one in docstring(cls).parameters}
    for one in inspect.signature(cls).parameters.values():
        yield f"  {_parameter(one)}"
        yield from textwrap.wrap(
            meaning.get(one.name, ""), 96, initial_indent=" " * 6, subsequent_indent=" " * 6
        )


def _parameter(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return f"{parameter.name} (needed)"
    return f"{parameter.name} = {parameter.default!r}"
