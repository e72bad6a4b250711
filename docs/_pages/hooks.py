"""Hooks that mkdocs calls: they generate pages and check that no other host is needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pages
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

_GENERATED = {
    "Configs": "configs.md",
    "Commands": "commands.md",
    "Methods": "methods/index.md",
    "Datasets": "datasets/index.md",
    "Papers and our results": "papers/index.md",
    "What runs cost": "costs.md",
}
_LOADED = re.compile(r"<(?:link|script|img|iframe)[^>]*(?:href|src)=\"(?:https?:)?//", re.I)
_NAVIGATION = re.compile(r"<link rel=\"(?:canonical|prev|next|alternate)\"", re.I)


def on_config(config: Any) -> Any:
    """Put every page into the menu, so that none is forgotten."""
    config.nav = pages.menu()
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages."""
    for path, text in pages.generated().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn "the page *Configs*" into a link; in the repository there is no such file."""
    up = "../" * page.file.src_uri.count("/")

    def link(found: re.Match[str]) -> str:
        return f"[{found[1]}]({up}{_GENERATED[found[1]]})"

    markdown = markdown.replace("the picture *Rooms*.", f"![What imports what]({up}rooms.svg)")
    return re.sub(rf"the page \*({'|'.join(_GENERATED)})\*", link, markdown)


def on_post_build(config: Any) -> None:
    """Raise an error if a page loads anything from another host."""
    for page in Path(config.site_dir).rglob("*.html"):
        for found in _LOADED.finditer(page.read_text(encoding="utf-8")):
            if not _NAVIGATION.match(found[0]):
                raise PluginError(f"{page} loads {found[0]}: keep the site free of other hosts")
