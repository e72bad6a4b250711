"""Which modules are mutated, and which tests judge each of them: the one place that says it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

# a sample is taken of the rooms of methods and numbers, and one of those around them
INNER = (
    *("selectors", "learners", "active", "classifiers"),
    *("metrics", "stats", "methods", "protocols"),
)
OUTER = ("datasets", "papers", "engine", "report")
# one test file per method there, and these run over all methods by name
OF_METHODS = {
    "selectors": ("tests/test_contract.py", "tests/numerics/test_params.py"),
    "learners": ("tests/test_contract.py", "tests/numerics/test_params.py"),
    "classifiers": ("tests/test_contract.py", "tests/numerics/test_params.py"),
}
ALSO = {
    **OF_METHODS,
    "active": ("tests/numerics/test_params.py",),
    "methods": ("tests/config/test_parsing.py", "tests/test_contract.py"),
    "protocols": ("tests/config/test_parsing.py", "tests/protocols/test_plan.py"),
}


def room_of(module: str) -> str:
    """The room of ``mlfs/stats/paired.py`` is stats; a module at the top is a room of its own."""
    return Path(module).parts[1].removesuffix(".py")


def modules(root: Path, rooms: Sequence[str]) -> list[str]:
    """The files of rooms, as paths from the root of the checkout."""
    files = sorted((root / "mlfs").rglob("*.py"))
    found = [file.relative_to(root).as_posix() for file in files]
    return [module for module in found if room_of(module) in rooms]


def tests_of(root: Path, module: str) -> tuple[list[str], str | None]:
    """Test files of a module, and the word that their tests must have in their names.

    A method has test files of its own name, and its share of the tests that run over all methods.
    Any other module is judged by all tests of its room.
    """
    room, name = room_of(module), Path(module).stem
    found = list(root.glob(f"tests/{room}/**/test_*.py"))
    whole = found + list(root.glob(f"tests/test_{room}*.py"))
    own = [path for path in whole if path.stem.startswith(f"test_{name}")]
    alone = room in OF_METHODS and bool(own)
    files = {path.relative_to(root).as_posix() for path in (own if alone else whole)}
    return sorted(files | set(ALSO.get(room, ()))), name if alone else None
