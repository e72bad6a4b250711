"""Find the methods of a package by importing its files; there is no list to maintain."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any


@cache
def methods(package: str, base: type) -> dict[str, Any]:
    """Return the methods in the files of a package, by the names that configs use.

    A method is a subclass of `base` that sets ``tags``. Its name is the name of the class in
    lower case, unless the class sets ``name``.
    """
    found: dict[str, Any] = {}
    for info in pkgutil.iter_modules(import_module(package).__path__):
        module = import_module(f"{package}.{info.name}")
        for cls in vars(module).values():
            if _is_method(cls, base) and cls.__module__ == module.__name__:
                found[vars(cls).get("name", cls.__name__.lower())] = cls
    return found


def _is_method(cls: Any, base: type) -> bool:
    return isinstance(cls, type) and issubclass(cls, base) and "tags" in vars(cls)


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
