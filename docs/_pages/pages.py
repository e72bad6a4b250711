"""All pages, written and generated, and their menu."""

from __future__ import annotations

from functools import cache
from typing import Any

import commands
import methods
import papers
import rooms
import running

import configs
import datasets


@cache
def generated() -> dict[str, str]:
    """Return the text of every generated page or picture, by its path under docs/."""
    return {
        "commands.md": commands.commands_page(),
        "configs.md": configs.page(),
        "costs.md": running.page_of_costs(),
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
                {"Your own data": "own-data.md"},
                {"Your own method": "own-method.md"},
                {"Your own paper": "own-paper.md"},
                {"Configs": "configs.md"},
                {"Commands": "commands.md"},
                {"As a library": "library.md"},
                {"Active learning on your data": "active.md"},
                {"From a laptop to a cluster": "scaling.md"},
                {"What mlfs trusts and promises": "security.md"},
                {"What runs cost": "costs.md"},
                {"Where data come from": "data.md"},
            ]
        },
        {"Papers and our results": _section("papers")},
        {"Methods": _section("methods")},
        {"Datasets": _section("datasets")},
        {"How it is built": [{"The design": "design.md"}, {"Python reference": "reference.md"}]},
    ]


def _section(folder: str) -> list[str]:
    found = [path for path in generated() if path.startswith(f"{folder}/")]
    index = f"{folder}/index.md"
    return [index, *sorted(path for path in found if path != index)]
