"""Find the configs and results that come with mlfs, in a checkout or an installed package."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import UserError, nearest

REFERENCE = Path("results/reference")  # how users name the results that come with mlfs
_NAME = re.compile(r"^name: *(\S+)", re.M)
_PACKAGE = Path(__file__).resolve().parents[1]


def folder() -> Path:
    """Return the folder of configs: ``configs/`` of the checkout, else inside the package."""
    return _of_checkout("configs") or _PACKAGE / "configs"


def reference() -> Path:
    """Return the folder of the results that come with mlfs."""
    return _of_checkout(str(REFERENCE)) or _PACKAGE / "reference"


def results_at(path: Path) -> Path:
    """Return the path that a user means: ``results/reference`` can be used in any folder."""
    if path.is_relative_to(REFERENCE) and not REFERENCE.exists():
        return reference() / path.relative_to(REFERENCE)
    return path


def _of_checkout(name: str) -> Path | None:
    top = _PACKAGE.parent
    return top / name if (top / "pyproject.toml").is_file() else None


def names() -> dict[str, Path]:
    """Return the files of all configs, by name."""
    return {path.stem: path for path in sorted(folder().glob("*.yaml"))}


def experiments(config: str) -> list[str]:
    """Return the names of the experiments of a config that comes with mlfs; none if none does."""
    file = names().get(config)
    return _NAME.findall(file.read_text(encoding="utf-8")) if file else []


def locate(path: Path) -> Path:
    """Return the file that a user means: a path, or the name of a config that comes with mlfs."""
    if path.exists() or path.suffix or len(path.parts) != 1:
        return path
    shipped = names()
    if path.name not in shipped:
        raise UserError(
            f"there is no file and no config '{path}'{nearest(path.name, shipped)} "
            "('mlfs config list' shows all configs)"
        )
    return shipped[path.name]
