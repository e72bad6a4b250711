"""What comes with mlfs, in a checkout or inside an installed package: configs and results."""

from __future__ import annotations

from pathlib import Path

from .errors import UserError, nearest

REFERENCE = Path("results/reference")  # what users call the results that come with mlfs
_PACKAGE = Path(__file__).resolve().parent


def folder() -> Path:
    """Where the configs lie: ``configs/`` of the checkout, else inside the package."""
    return _of_checkout("configs") or _PACKAGE / "configs"


def reference() -> Path:
    """Where the results lie that come with mlfs."""
    return _of_checkout(str(REFERENCE)) or _PACKAGE / "reference"


def results_at(path: Path) -> Path:
    """Return the path that a user means: ``results/reference`` is there wherever mlfs is."""
    if path.is_relative_to(REFERENCE) and not REFERENCE.exists():
        return reference() / path.relative_to(REFERENCE)
    return path


def _of_checkout(name: str) -> Path | None:
    top = _PACKAGE.parent
    return top / name if (top / "pyproject.toml").is_file() else None


def names() -> dict[str, Path]:
    """All configs by name."""
    return {path.stem: path for path in sorted(folder().glob("*.yaml"))}


def locate(path: Path) -> Path:
    """Return the file that a user means: a path, or the name of a config that comes with mlfs."""
    if path.exists() or path.suffix or len(path.parts) != 1:
        return path
    known = names()
    if path.name not in known:
        raise UserError(
            f"there is no file '{path}', and no config of that name{nearest(path.name, known)} "
            "('mlfs config list' shows all)"
        )
    return known[path.name]
