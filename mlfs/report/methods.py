"""What ``mlfs methods`` prints: all methods that have a name, or all about one."""

from __future__ import annotations

import inspect
from pathlib import Path

from .. import registry
from ..tags import Tags


def columns(lines: list[list[str]]) -> str:
    """Lines of texts, each column as wide as its longest."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines
    )


def listed() -> str:
    """One line per method that has a name."""
    lines = [["method", "kind", "paper", "provenance", "missing labels", "sparse"]]
    for kind in registry.KINDS:
        for name, cls in registry.methods([kind]).items():
            if kind in registry.kinds_of(name):
                lines.append([name, kind, *_abilities(cls.tags)])
    lines += [[name, "?", reason, "", "", ""] for name, reason in registry.broken().items()]
    own = "Your own: module:Class, see 'mlfs methods show --help'."
    return f"{columns(lines)}\n\n{own}  Next: mlfs methods show NAME"


def _abilities(tags: Tags) -> list[str]:
    return [
        tags.paper,
        tags.provenance,
        "yes" if tags.handles_missing else "as 0",
        "yes" if tags.supports_sparse else "made dense",
    ]


def about(name: str, folder: Path) -> str:
    """All that is to be known of one method; a module is looked for in `folder` first."""
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
        *inspect.cleandoc(cls.__doc__ or "no description").splitlines()[:1],
        "",
        f"paper:       {tags.paper}",
        f"provenance:  {tags.provenance}",
        f"version:     {registry.version(name, [kind])}",
    ]
    if tags.note:
        lines.append(f"note:        {tags.note}")
    known = inspect.signature(cls).parameters.values()
    lines += ["parameters:", *(f"  {_parameter(one)}" for one in known)]
    if tags.search_space:
        lines += ["search space:", *(f"  {k}: {list(v)}" for k, v in tags.search_space.items())]
    return "\n".join(lines)


def _parameter(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return f"{parameter.name} (needed)"
    return f"{parameter.name} = {parameter.default!r}"
