"""The configs that come with mlfs: of a checkout, or those inside an installed package."""

from __future__ import annotations

from pathlib import Path

from .errors import UserError, nearest


def folder() -> Path:
    """Where the configs lie: ``configs/`` of the checkout, else inside the package."""
    package = Path(__file__).resolve().parent
    checkout = package.parent / "configs"
    return checkout if (package.parent / "pyproject.toml").is_file() else package / "configs"


def names() -> dict[str, Path]:
    """All configs by name."""
    return {path.stem: path for path in sorted(folder().glob("*.yaml"))}


def locate(path: Path) -> Path:
    """The file that a user means: a path, or the name of a config that comes with mlfs."""
    if path.exists() or path.suffix or len(path.parts) != 1:
        return path
    known = names()
    if path.name not in known:
        raise UserError(
            f"there is no file '{path}', and no config of that name{nearest(path.name, known)} "
            "('mlfs config list' shows all)"
        )
    return known[path.name]
