"""The order of rooms: a module imports only from its own room and from those above it."""

import ast
import tomllib
from pathlib import Path

import pytest

from mlfs import registry

PACKAGE = Path(__file__).parents[1] / "mlfs"
# from the ground up; names in one line stand on one floor and do not import each other
FLOORS = [
    ["types"],
    ["errors"],
    ["docstrings", "shipped", "yamltext"],
    ["metrics", "stats"],
    ["labels", "splits"],
    ["targets"],
    ["linalg"],
    ["params"],
    ["graphs", "information", "zeroshot"],
    ["tags"],
    ["datasets"],
    ["discovery", "own"],
    ["classifiers"],
    ["selectors", "learners"],
    ["adapters"],
    ["active"],
    ["registry"],
    ["testing"],
    ["protocols"],
    ["papers"],
    ["config"],
    ["engine"],
    ["report"],
    ["progress"],
    ["api"],
    ["calibrate"],
    ["cli"],
    ["__main__"],
]
FLOOR = {room: i for i, floor in enumerate(FLOORS) for room in floor}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def room(module):
    """The room of ``mlfs.engine.plan`` is engine."""
    return module.split(".")[1]


def name_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imported(path):
    """Modules of mlfs that a file imports anywhere, also inside functions."""
    here = name_of(path).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("mlfs"))
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module == "mlfs":  # from .. import datasets
                names = (alias.name for alias in node.names)
                yield from (f"mlfs.{name}" for name in names if name != "__version__")
            elif module.startswith("mlfs"):
                yield module


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_upwards_only(path):
    mine = room(name_of(path))
    for module in imported(path):
        other = room(module)
        assert other == mine or FLOOR[other] < FLOOR[mine], f"{name_of(path)} imports {module}"


def test_imports_inside_functions_and_packages_are_seen():
    found = set(imported(PACKAGE / "protocols/choice.py"))
    assert {"mlfs.registry", "mlfs.errors", "mlfs.protocols"} <= found


def test_the_engine_prints_nothing():
    for path in (PACKAGE / "engine").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not names & {"print", "click", "tqdm"}, path.name


# where a name is a default that the user can change, or what a command is about
NAMED = {
    "protocols/selection.py": {"mlknn"},
    "calibrate.py": {"all", "libsvm"},
    "cli/active.py": {"miml"},
}


def test_no_module_but_a_methods_own_knows_it_by_name():
    """Neither its name as a text nor its class, outside the rooms of methods."""
    names = set(registry.methods())
    classes = {cls.__name__ for cls in registry.methods().values()}
    common = {"all", "random"}  # words that mean other things too
    for path in MODULES:
        inside = str(path.relative_to(PACKAGE))
        if inside.split("/")[0] in ("classifiers", "selectors", "learners", "active", "papers"):
            continue
        allowed = NAMED.get(inside, set()) | common
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert node.value not in names - allowed, f"{inside} knows '{node.value}'"
            if isinstance(node, ast.Name):
                assert node.id not in classes, f"{inside} knows {node.id}"


def test_no_module_is_longer_than_300_lines():
    for path in PACKAGE.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 300, path


def test_every_package_travels_in_the_wheel():
    text = (PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    listed = tomllib.loads(text)["tool"]["setuptools"]["packages"]
    found = {name_of(path) for path in PACKAGE.rglob("__init__.py")}
    assert set(listed) == found | {"mlfs.configs", "mlfs.reference"}
