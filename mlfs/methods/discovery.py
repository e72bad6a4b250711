"""Find the methods of a package in its files; there is no list to maintain."""

from __future__ import annotations

import ast
import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .docstrings import stated


@cache
def methods(package: str, base: type) -> dict[str, Any]:
    """Return the methods in the files of a package, by the names that configs use.

    A method is a subclass of `base` that sets ``tags``. Its name is the name of the class in
    lower case, unless the class sets ``name``.
    """
    by_name: dict[str, Any] = {}
    for info in pkgutil.iter_modules(import_module(package).__path__):
        module = import_module(f"{package}.{info.name}")
        for cls in vars(module).values():
            if _is_method(cls, base) and cls.__module__ == module.__name__:
                by_name[vars(cls).get("name", cls.__name__.lower())] = cls
    return by_name


def _is_method(cls: Any, base: type) -> bool:
    return isinstance(cls, type) and issubclass(cls, base) and "tags" in vars(cls)


@dataclass(frozen=True)
class Outline:
    """Hold what the source of a method says, without importing it.

    Parameters
    ----------
    module : str
        The module of the class.
    class_name : str
        The name of the class.
    version : int
        The version that the class sets, or 1.
    tuned : list of str, optional
        The parameters of its search space; None if the source computes them.
    time : tuple of str
        The terms of the time that its docstring states for a fit.
    """

    module: str
    class_name: str
    version: int
    tuned: tuple[str, ...] | None = ()
    time: tuple[str, ...] = ()

    def load(self) -> Any:
        """Import the class."""
        return getattr(import_module(self.module), self.class_name)


@cache
def outline(package: str, name: str) -> Outline | None:
    """Find one method of a package by the name that configs use; import nothing.

    Only files that contain the name are parsed: it is the name of the class, or a text in it.
    """
    signs = f"class {name}", f'"{name}"'
    for stem, text in _sources(package).items():
        low = text.lower()
        if any(sign in low for sign in signs):
            for node in ast.parse(text).body:
                if isinstance(node, ast.ClassDef):
                    constants = _constants(node)
                    if "tags" in constants and constants.get("name", node.name.lower()) == name:
                        version = constants.get("version", 1)
                        time = stated(ast.get_docstring(node) or "", "time")
                        return Outline(f"{package}.{stem}", node.name, version, _tuned(node), time)
    return None


@cache
def _sources(package: str) -> dict[str, str]:
    """Return the text of every module of a package, by the name of the module."""
    top, *inside = package.split(".")
    spec = find_spec(top)  # that of an inner package would import the packages around it
    folders = (spec and spec.submodule_search_locations) or []
    places = (Path(folder, *inside) for folder in folders)
    files = (path for place in places for path in sorted(place.glob("*.py")))
    return {path.stem: path.read_text(encoding="utf-8") for path in files}


def _constants(node: ast.ClassDef) -> dict[str, Any]:
    """Return what a class sets in its body: the values of constants, None for what is computed."""
    constants: dict[str, Any] = {}
    for line in node.body:
        if isinstance(line, ast.Assign | ast.AnnAssign) and line.value is not None:
            targets = line.targets if isinstance(line, ast.Assign) else [line.target]
            value = line.value.value if isinstance(line.value, ast.Constant) else None
            constants |= {target.id: value for target in targets if isinstance(target, ast.Name)}
    return constants


def _tuned(node: ast.ClassDef) -> tuple[str, ...] | None:
    """Return the keys of ``tags = Tags(search_space={...})``; None if they are computed."""
    calls = [
        line.value
        for line in node.body
        if isinstance(line, ast.Assign)
        and isinstance(line.value, ast.Call)
        and any(isinstance(target, ast.Name) and target.id == "tags" for target in line.targets)
    ]
    for word in (word for call in calls for word in call.keywords):
        if word.arg == "search_space":
            keys = word.value.keys if isinstance(word.value, ast.Dict) else [None]
            names = [key.value if isinstance(key, ast.Constant) else None for key in keys]
            return None if None in names else tuple(map(str, names))
    return () if calls else None


def attribute(package: str, base: type, name: str) -> Any:
    """Find a method by the name of its class, for ``__getattr__`` of a package of methods."""
    if not name.startswith("_"):  # Python itself asks for names such as __path__
        for cls in methods(package, base).values():
            if cls.__name__ == name:
                return cls
    raise AttributeError(f"module '{package}' has no attribute '{name}'")


def names(package: str, base: type) -> list[str]:
    """Return the names of the classes that `attribute` finds, for ``__dir__``."""
    return sorted(cls.__name__ for cls in methods(package, base).values())
