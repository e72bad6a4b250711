"""All pages, written and generated, and their menu."""

from __future__ import annotations

from functools import cache
from typing import Any

import commands
import methods
import papers
import rooms
import running
import which

import configs
import datasets
from mlfs.datasets.catalogue import shipped
from mlfs.methods import registry


@cache
def generated() -> dict[str, str]:
    """Return the text of every generated page or picture, by its path under docs/."""
    return {
        "commands.md": commands.commands_page(),
        "configs.md": configs.page(),
        "costs.md": running.page_of_costs(),
        "which-selector.md": which.page(),
        "rooms.svg": rooms.picture(),
        **methods.pages(),
        **datasets.pages(),
        **papers.pages(),
    }


def menu() -> list[Any]:
    """Return the menu in the form that mkdocs needs."""
    return [
        {"Home": "index.md"},
        {
            "Use it": [
                {"Start in five minutes": "start.md"},
                {"Which selector should I use?": "which-selector.md"},
                {"Your own data": "own-data.md"},
                {"Your own method": "own-method.md"},
                {"Missing labels": "missing-labels.md"},
                {"Your own paper": "own-paper.md"},
                {"Learning with missing labels": "learning.md"},
                {"Configs": "configs.md"},
                {"Commands": "commands.md"},
                {"As a library": "library.md"},
                {"Active learning on your data": "active.md"},
                {"From a laptop to a cluster": "scaling.md"},
                {"What mlfs trusts and promises": "security.md"},
                {"What runs cost": "costs.md"},
                {"Where data come from": "data.md"},
                {"Glossary": "glossary.md"},
            ]
        },
        {"Papers and our results": _section("papers")},
        {"Methods": ["methods/index.md", *_methods()]},
        {"Datasets": ["datasets/index.md", *_datasets()]},
        {"How it is built": [{"The design": "design.md"}, {"Python reference": "reference.md"}]},
    ]


def _methods() -> list[dict[str, list[str]]]:
    """Return the pages of methods by kind; a method of two kinds is with the first."""
    groups: dict[str, list[str]] = {}
    for path in _section("methods")[1:]:
        kind = registry.kinds_of(path.removeprefix("methods/").removesuffix(".md"))[0]
        groups.setdefault(methods.KINDS[kind], []).append(path)
    return [{name: groups[name]} for name in methods.KINDS.values() if name in groups]


def _datasets() -> list[dict[str, list[str]]]:
    """Return the pages of datasets by family, and those without a family together."""
    groups: dict[str, list[str]] = {}
    known = shipped()
    for path in _section("datasets")[1:]:
        family = known[path.removeprefix("datasets/").removesuffix(".md")].family
        groups.setdefault(family, []).append(path)
    alone = sorted(path for some in groups.values() if len(some) < 3 for path in some)
    large = [{name: some} for name, some in sorted(groups.items()) if len(some) > 2]
    return [*large, {"others": alone}]


def _section(folder: str) -> list[str]:
    found = [path for path in generated() if path.startswith(f"{folder}/")]
    index = f"{folder}/index.md"
    return [index, *sorted(path for path in found if path != index)]
