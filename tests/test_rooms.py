"""The order of rooms: a module imports only from its own room and from those above it."""

import ast
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter

import pytest

from mlfs.methods import registry

from .helpers import ROOT, python

PACKAGE = ROOT / "mlfs"
# from the ground up; names in one line stand on one floor and do not import each other
FLOORS = [
    ["types"],
    ["errors"],
    ["system", "yaml_lines", "label_values"],
    ["numerics", "metrics", "stats"],
    ["methods"],
    ["datasets"],
    ["classifiers", "selectors", "learners", "active"],
    ["testing"],
    ["protocols"],
    ["papers"],
    ["config"],
    ["results"],
    ["engine"],
    ["progress", "steps_shown"],
    ["report"],
    ["own"],
    ["api"],
    ["calibrate"],
    ["cli"],
    ["__main__"],
]
FLOOR = {room: i for i, floor in enumerate(FLOORS) for room in floor}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@cache
def tree(path):
    """What a file says; several tests read it."""
    return ast.parse(path.read_text(encoding="utf-8"))


def room(module):
    """The room of ``mlfs.engine.workers.pool`` is engine."""
    return module.split(".")[1]


@cache
def name_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def named(path, node):
    """The module behind ``from`` in an import of a file, with its dots resolved."""
    here = name_of(path).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    base = package[: len(package) - node.level + 1] if node.level else []
    return ".".join([*base, *([node.module] if node.module else [])])


def imported(path):
    """Modules of mlfs that a file imports anywhere, also inside functions."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("mlfs"))
        if isinstance(node, ast.ImportFrom):
            module = named(path, node)
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
    assert {"mlfs.engine", "mlfs.report.figures.draw"} <= set(imported(PACKAGE / "api.py"))
    assert {"mlfs.datasets"} <= set(imported(PACKAGE / "engine/memory_needs.py"))


def test_the_engine_prints_nothing():
    for path in (PACKAGE / "engine").rglob("*.py"):
        names = {node.id for node in ast.walk(tree(path)) if isinstance(node, ast.Name)}
        assert not names & {"print", "click", "tqdm"}, path.name


# where a name is a default that the user can change, or what a command is about
NAMED = {
    "protocols/selection.py": {"mlknn"},
    "calibrate.py": {"all", "libsvm"},
    "cli/work/active.py": {"miml"},
    "cli/work/complete.py": {"rmfl"},
    "cli/work/select.py": {"fsnm"},
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
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert node.value not in names - allowed, f"{inside} knows '{node.value}'"
            if isinstance(node, ast.Name):
                assert node.id not in classes, f"{inside} knows {node.id}"


def test_no_module_is_longer_than_500_lines():
    for path in PACKAGE.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 500, path


def test_every_folder_of_modules_is_a_package_so_that_it_travels_in_the_wheel():
    for path in MODULES:
        assert (path.parent / "__init__.py").exists(), path


FILE_PER_METHOD = {PACKAGE / "selectors", PACKAGE / "learners"}


def test_a_folder_has_at_most_15_modules():
    for folder in {path.parent for path in MODULES} - FILE_PER_METHOD:
        assert len(list(folder.glob("*.py"))) <= 15, folder


def test_no_two_modules_share_a_name():
    """Commands and protocols are named after what users type."""
    names = [
        path.stem
        for path in MODULES
        if path.stem not in ("__init__", "base")
        if path.relative_to(PACKAGE).parts[0] not in ("cli", "protocols")
    ]
    assert sorted(names) == sorted(set(names))


def test_no_two_public_classes_share_a_name():
    """One name, one meaning."""
    places = defaultdict(list)
    for path in MODULES:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name_of(path))
    for name, modules in places.items():
        assert len(modules) == 1, f"{name} is a class of {' and '.join(modules)}"


def _at_once(path, modules):
    """Modules of mlfs that importing a file imports at once, not inside functions."""
    for node in tree(path).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            module = named(path, node)
            for alias in node.names:
                whole = f"{module}.{alias.name}"
                yield whole if whole in modules else module


def test_no_module_needs_itself_by_way_of_others():
    modules = {name_of(path) for path in MODULES}
    needed = {name_of(path): set(_at_once(path, modules)) for path in MODULES}
    list(TopologicalSorter(needed).static_order())  # it raises CycleError


IMPORTS = """\
import sys
import mlfs.results.packing, mlfs.results.read, mlfs.results.leases
assert not any(name.startswith("mlfs.engine") for name in sys.modules), "results need the engine"
import mlfs.progress, mlfs.engine.runner, mlfs.cli.work.run
assert not any(name.startswith("mlfs.report") for name in sys.modules), "a run needs the report"
"""


def test_results_are_read_without_the_engine_and_a_run_does_not_import_the_report():
    ran = python("-c", IMPORTS)
    assert ran.returncode == 0, ran.stderr
