"""Load classes that are not part of mlfs: from a file beside a config, or an installed package."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import json
import os
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module, metadata
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import MethodFailed, UserError, nearest
from ..system.stopping import raise_if_stopped

_BRIEF = 300  # characters of an error's text that are shown
# raised when adapters.py uses the classes of a package in another way
_ADAPTED = {"sklearn": 2}
_LOADED: dict[str, ModuleType] = {}  # by digest
_LOADING = threading.RLock()  # only one thread of a dask worker may load at a time


@dataclass(frozen=True)
class Source:
    """Hold the text of a Python file beside a config, for workers that cannot read the folder.

    Parameters
    ----------
    module : str
        The file's name without ``.py``.
    folder : str
        The folder of the file, for tracebacks.
    texts : mapping
        The text of this module and of the modules in the same folder that it imports, by name.
    """

    module: str
    folder: str
    texts: Mapping[str, str]

    @cached_property
    def digest(self) -> str:
        """A checksum of all texts."""
        return hashlib.sha256(json.dumps(self.texts, sort_keys=True).encode()).hexdigest()

    def load(self) -> ModuleType:
        """Run the text as a module, only once in each process."""
        with _LOADING:
            if self.digest not in _LOADED:
                shelf = _Shelf(dict(self.texts), Path(self.folder), reads=False)
                _LOADED[self.digest] = _guarded(f"{self.module}.py", lambda: shelf.run(self.module))
            return _LOADED[self.digest]


class _Shelf(MetaPathFinder, Loader):
    """Let a module import other modules of its folder while it is run.

    Python asks this finder last, so no file of the folder hides an installed module. If `reads`,
    files of the folder are read when they are imported, and their texts are kept.
    """

    def __init__(self, texts: dict[str, str], folder: Path, *, reads: bool):
        self.texts, self.folder, self.reads = texts, folder, reads

    def run(self, module: str) -> ModuleType:
        """Run a module under a unique name; remove the modules of its folder from sys.modules."""
        made = ModuleType(f"mlfs_own_{module}")
        sys.modules[made.__name__] = made  # before it runs: dataclasses look it up there
        aside = {name: sys.modules.pop(name) for name in self._neighbours()}
        sys.meta_path.append(self)
        try:
            self._execute(made, module)
        finally:
            sys.meta_path.remove(self)
            for name in self.texts:
                sys.modules.pop(name, None)
            sys.modules.update(aside)
        return made

    def _neighbours(self) -> list[str]:
        """Return modules of the folder that were imported before, perhaps with another text."""
        # by name first: there are thousands of modules, and in a process that was forked just now
        # looking into each takes long
        stems = {path.stem for path in self.folder.glob("*.py")}
        stems |= {self.folder.name} if "__init__" in stems else set()
        paths = {
            name: getattr(sys.modules[name], "__file__", None)
            for name in list(sys.modules)
            if name.rpartition(".")[2] in stems
        }
        return [name for name, path in paths.items() if path and Path(path).parent == self.folder]

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        if self.reads and fullname not in self.texts:
            path = self.folder / f"{fullname}.py"
            if path.is_file():
                self.texts[fullname] = _read(path)
        return ModuleSpec(fullname, self) if fullname in self.texts else None

    def exec_module(self, module: ModuleType) -> None:
        self._execute(module, module.__name__)

    def _execute(self, module: ModuleType, name: str) -> None:
        module.__file__ = str(self.folder / f"{name}.py")
        exec(compile(self.texts[name], module.__file__, "exec"), vars(module))


def beside(module: str, folder: Path | None) -> Source | None:
    """Return a module's file in the config's folder and the files it imports; None if missing."""
    path = folder.resolve() / f"{module}.py" if folder else None
    if path is None or not path.is_file():
        return None
    shelf = _Shelf({module: _read(path)}, path.parent, reads=True)
    with _LOADING:
        loaded = _guarded(path.name, lambda: shelf.run(module))
        source = Source(module, str(path.parent), shelf.texts)
        _LOADED[source.digest] = loaded
    return source


def _read(path: Path) -> str:
    try:
        return importlib.util.decode_source(path.read_bytes())
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {brief(error)}") from error


def _guarded(place: str, load: Callable[[], ModuleType]) -> ModuleType:
    """Run foreign code, which may do anything, such as call sys.exit; hide what it prints."""
    try:
        with (
            Path(os.devnull).open("w") as nowhere,
            redirect_stdout(nowhere),
            redirect_stderr(nowhere),
        ):
            return load()
    except (UserError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise_if_stopped()  # it may be that of a signal
        raise UserError(f"{place} cannot be imported: {brief(error)}") from error


def find(reference: str, source: Source | None, folder: Path | None) -> Any:
    """Return the object ``module:name`` from a file beside the config or an installed module."""
    module, _, name = reference.partition(":")
    if not module or not name:
        raise UserError(f"'{reference}' is not the name of a class: write module:Class")
    if module == "__main__" and source is None:
        raise UserError(
            f"workers cannot see classes of your script or notebook: move {name} into a file "
            f"beside the config, and write file:{name}"
        )
    try:
        code = source.load() if source else _guarded(module, lambda: import_module(module))
    except UserError as error:
        missing = getattr(error.__cause__, "name", None)
        if source is None and missing and f"{module}.".startswith(f"{missing}."):
            raise UserError(_not_found(module, folder)) from error
        raise
    try:
        return getattr(code, name)
    except AttributeError as error:
        names = [key for key in vars(code) if not key.startswith("_")]
        raise UserError(f"{module} has no '{name}'{nearest(name, names)}") from error


def _not_found(module: str, folder: Path | None) -> str:
    where = f"no file {module}.py in {folder.resolve()}, and " if folder else ""
    packed = folder is not None and (folder / module.partition(".")[0]).is_dir()
    hint = ": install the folder as a package, or use a single file" if packed else ""
    return f"there is {where}no installed module '{module}'{hint}"


def brief(error: BaseException) -> str:
    """Return the type and text of an error, in one line."""
    try:
        text = " ".join(str(error).split())
        text = text if len(text) <= _BRIEF else f"{text[:_BRIEF]} [...]"
    except BaseException:  # __str__ of a foreign class may do anything, also ask to end the process
        text = "its text cannot be shown"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def told(error: BaseException) -> str:
    """Return what happened in foreign code; whatever its error does when it is shown stays here."""
    if isinstance(error, MethodFailed):
        return error.text
    if isinstance(error, SystemExit):
        try:
            return f"it called sys.exit({error.code!r})"
        except BaseException:  # repr of a foreign object may do anything
            return "it called sys.exit"
    return str(error) if type(error) is UserError else brief(error)


def trace(error: BaseException | None = None) -> str:
    """Return the traceback of the error that is being handled; empty if it cannot be shown."""
    if isinstance(error, MethodFailed) and error.trace:
        return error.trace
    try:
        return traceback.format_exc()
    except BaseException:  # an error's text, notes and causes may be foreign code
        return ""


def version(cls: Any, source: Source | None) -> str:
    """Return a text that changes when the results of a class may change.

    Its parts are the ``version`` of the class (if it has none, that of how mlfs uses its
    package), the version of the installed package, and the checksum of the source file. Parts
    that do not exist are left out.
    """
    package = str(getattr(cls, "__module__", "")).partition(".")[0]
    parts = [str(getattr(cls, "version", _ADAPTED.get(package, 1)))]
    if source:
        return " ".join([*parts, f"sha256:{source.digest}"])
    for name in _distributions().get(package, [])[:1]:
        parts.append(f"{name} {metadata.version(name)}")
    try:
        text = importlib.util.decode_source(Path(inspect.getfile(cls)).read_bytes())
    except (OSError, TypeError, SyntaxError, UnicodeDecodeError):  # compiled or built-in code
        return " ".join(parts)
    return " ".join([*parts, f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"])


@cache
def _distributions() -> dict[str, list[str]]:
    return {name: sorted(set(names)) for name, names in metadata.packages_distributions().items()}
