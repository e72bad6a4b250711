"""Docstrings of public names: complete by numpydoc's rules, and their examples run."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import mlfs
from mlfs import active, classifiers, datasets, learners, metrics, selectors, stats
from mlfs.methods import registry
from mlfs.methods.docstrings import docstring
from mlfs.testing import check_method

validate = pytest.importorskip("numpydoc.validate", reason="needs the extra 'dev'")

# beside what `make lint` checks everywhere: every parameter and result of a public name
CHECKS = {"GL08", "PR01", "PR02", "PR03", "PR04", "PR07", "PR09", "RT01", "RT03", "SS03"}


def public():
    """Classes and functions that users import, by the name to import them by."""
    rooms = [active, classifiers, learners, selectors]
    found = {f"{room.__name__}.{name}": getattr(room, name) for room in rooms for name in dir(room)}
    for module in (datasets, metrics, stats):
        found |= {f"{module.__name__}.{name}": getattr(module, name) for name in module.__all__}
    found |= {"mlfs.run": mlfs.run, "mlfs.load_results": mlfs.load_results}
    found["mlfs.testing.check_method"] = check_method
    return {
        name: thing
        for name, thing in sorted(found.items())
        if inspect.isfunction(thing) or inspect.isclass(thing)
        if thing.__module__.startswith("mlfs") and not thing.__name__.startswith("_")
    }


PUBLIC = public()
METHODS = {cls.__qualname__: cls for cls in registry.methods().values()}
# facts that other functions return: their fields are explained, and there is nothing to call
RECORDS = {"DataSource", "File", "FileCheck", "Planted"}


def members(thing):
    """A class or function, and the public methods that a class writes itself."""
    yield thing
    if inspect.isclass(thing):
        for name, member in vars(thing).items():
            if not name.startswith("_") and inspect.isfunction(member):
                yield member


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_and_result_is_explained(name):
    for thing in members(PUBLIC[name]):
        path = f"{thing.__module__}.{thing.__qualname__}"
        found = validate.validate(path)["errors"]
        wanted = [(code, text) for code, text in found if code in CHECKS]
        # numpydoc takes a first parameter called cls for that of a class method
        mistakes = [f"{path}: {code} {text}" for code, text in wanted if "{'cls'}" not in text]
        assert not mistakes, "\n".join(mistakes)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_explains_its_parameters_cites_and_shows_an_example(name):
    cls = METHODS[name]
    parts = docstring(cls)
    assert {one.name for one in parts.parameters} == set(inspect.signature(cls).parameters)
    assert all(one.text for one in parts.parameters)
    assert "Examples" in parts.sections
    assert "References" in parts.sections or cls.tags.paper in ("chance", "no selection")


def test_every_public_class_shows_an_example():
    for name, thing in PUBLIC.items():
        if inspect.isclass(thing) and thing.__name__ not in RECORDS:
            assert "Examples" in docstring(thing).sections, name


def modules():
    for found in pkgutil.walk_packages(mlfs.__path__, "mlfs."):
        if not found.name.startswith("mlfs.configs") and not found.name.endswith("__main__"):
            yield found.name


def examples():
    for name in modules():
        for test in doctest.DocTestFinder().find(importlib.import_module(name)):
            if test.examples:
                yield pytest.param(test, id=test.name)


@pytest.mark.parametrize("test", list(examples()))
def test_examples_in_docstrings_run(test):
    failed, attempted = doctest.DocTestRunner().run(test)
    assert attempted and not failed
