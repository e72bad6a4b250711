"""scikit-learn's private parts: only one module has them, and the versions that were tried."""

import ast
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

import mlfs
from mlfs.numerics import sklearn_private

PACKAGE = Path(mlfs.__file__).parent


def private(path):
    """The private modules and names of scikit-learn that a file imports or calls."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            paths = [f"{node.module}.{alias.name}" for alias in node.names if not node.level]
        elif isinstance(node, ast.Import):
            paths = [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            paths = ["sklearn._validate_params"] if node.func.attr == "_validate_params" else []
        else:
            continue
        for one in paths:
            first, *others = one.split(".")
            if first == "sklearn" and any(part.startswith("_") for part in others):
                yield one


def test_only_one_module_uses_private_parts():
    users = {path for path in PACKAGE.rglob("*.py") if list(private(path))}
    assert users == {Path(sklearn_private.__file__)}


def test_private_parts_are_recognised(tmp_path):
    text = """
        from sklearn.utils._param_validation import Interval
        from sklearn.svm import _base, SVC
        import sklearn._loss.link, sklearn.base
        estimator._validate_params()
        from ._own import thing
    """
    (tmp_path / "some.py").write_text("\n".join(line.strip() for line in text.splitlines()))
    assert sorted(private(tmp_path / "some.py")) == [
        "sklearn._loss.link",
        "sklearn._validate_params",
        "sklearn.svm._base",
        "sklearn.utils._param_validation.Interval",
    ]


def test_a_version_is_allowed_only_if_it_was_tried():
    """These tests run with the lowest and the newest version that the package allows."""
    needs = [Requirement(text) for text in metadata.requires("mlfs-bench")]
    [ours] = [one for one in needs if one.name == "scikit-learn"]
    assert Version(metadata.version("scikit-learn")) in ours.specifier
    newest = Version("1.9.1")  # the newest version that the whole suite has passed with
    assert newest in ours.specifier
    assert Version(f"{newest.major}.{newest.minor + 1}") not in ours.specifier
