"""A page for every method: what it does, parameters, cost, reference, an example, its checks."""

from __future__ import annotations

import ast
import inspect
from typing import Any

from text import ROOT, block, page, prose, table

from mlfs.methods import registry
from mlfs.methods.docstrings import docstring
from mlfs.protocols.steps.by_label import treatments

_PROVENANCE = {
    "paper": "We wrote it from the formulas of the paper and compared it with them.",
    "author code": "We wrote it from the paper and compared it with the authors' own code.",
    "reconstructed": "The paper does not state everything: this is our reconstruction of it.",
}
KINDS = {
    "selector": "Selectors",
    "learner": "Learners",
    "classifier": "Classifiers",
    "strategy": "Query strategies",
}
_ROOMS = {"selector": "selectors", "learner": "learners", "classifier": "classifiers"}


def pages() -> dict[str, str]:
    """Return the index and the page of every method that comes with mlfs."""
    found = {name: cls for name, cls in registry.methods().items() if _ours(cls)}
    made = {f"methods/{name}.md": _page(name, cls) for name, cls in found.items()}
    return {"methods/index.md": _index(found), **made}


def _ours(cls: Any) -> bool:
    return bool(cls.__module__.startswith("mlfs."))


def _index(found: dict[str, Any]) -> str:
    parts = [
        "# Methods",
        "Every method is a scikit-learn style class, and a name in configs. "
        "`mlfs methods list` names them, and `mlfs methods show NAME` prints what a page says. "
        "Unknown labels are treated in one of these ways, of which the first is the usual one: the "
        "method's own way; available (each label is learnt where it is known); zero (they become "
        "0); complete (they are filled in first).",
    ]
    for kind in registry.KINDS:
        rows = [
            [
                f"[{name}]({name}.md)",
                docstring(cls).summary,
                cls.tags.paper,
                ", ".join(treatments(cls)),
                "yes" if cls.tags.supports_sparse else "made dense",
            ]
            for name, cls in found.items()
            if kind in registry.kinds_of(name)
        ]
        heads = ["method", "what it does", "paper", "unknown labels", "sparse features"]
        parts += [f"## {KINDS[kind]}", table(heads, rows)]
    return page(*parts)


def _page(name: str, cls: Any) -> str:
    parts, tags = docstring(cls), cls.tags
    defaults = inspect.signature(cls).parameters
    rows = [
        [f"`{one.name}`", f"`{defaults[one.name].default!r}`", one.text]
        for one in parts.parameters
        if one.name in defaults
    ]
    attributes = [[f"`{one.name}`", one.type, one.text] for one in parts.attributes]
    space = [[f"`{key}`", ", ".join(map(str, values))] for key, values in tags.search_space.items()]
    return page(
        f"# {cls.__name__}",
        f"`{name}` in configs; `from {_import(cls)} import {cls.__name__}` in Python.",
        f"**{parts.summary}**",
        prose(parts.body),
        "## Parameters" if rows else "",
        table(["parameter", "default", "meaning"], rows) if rows else "It has none.",
        "## What a fit keeps" if attributes else "",
        table(["attribute", "type", "meaning"], attributes) if attributes else "",
        "## What tuning tries" if space else "",
        table(["parameter", "values"], space) if space else "",
        "## Cost",
        prose(parts.sections.get("Notes", "Not measured.")),
        "## Reference",
        prose(parts.sections.get("References", tags.paper)),
        "## Example" if "Examples" in parts.sections else "",
        block("pycon", parts.sections.get("Examples", "")) if "Examples" in parts.sections else "",
        "## How our code was checked",
        _PROVENANCE[tags.provenance] + (f" Note: {tags.note}." if tags.note else ""),
        *_checks(cls),
    )


def _import(cls: Any) -> str:
    return ".".join(cls.__module__.split(".")[:2])


def _checks(cls: Any) -> list[str]:
    """List what the method's own tests check, from the names of the tests."""
    room, module = cls.__module__.split(".")[1:3]
    found = []
    for path in sorted((ROOT / "tests" / room).glob(f"test_{module}*.py")):
        if path.stem not in (f"test_{module}", f"test_{module}_loop"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    names = [name.removeprefix("test_").replace("_", " ") for name in found if name[:5] == "test_"]
    general = "It passes scikit-learn's own checks and the contract of `mlfs.testing.check_method`."
    if not names:
        return [general]
    listed = "\n".join(f"- {name}" for name in names)
    return [f"{general} Its own tests say:", listed]
