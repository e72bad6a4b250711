"""Every module that is mutated has tests that could kill its mutants."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULE = runpy.run_path(str(Path(__file__).with_name("rule.py")))
ROOMS = (*RULE["INNER"], *RULE["OUTER"])
MODULES = RULE["modules"](ROOT, ROOMS)


@pytest.mark.parametrize("module", MODULES)
def test_every_module_finds_test_files(module):
    files, word = RULE["tests_of"](ROOT, module)
    assert files
    assert all((ROOT / file).is_file() for file in files)
    assert word is None or any(word in Path(file).stem for file in files)


def test_a_method_has_its_own_files_and_a_helper_those_of_its_room():
    files, word = RULE["tests_of"](ROOT, "mlfs/selectors/fsnm.py")
    assert word == "fsnm" and "tests/selectors/test_fsnm_loop.py" in files
    assert "tests/selectors/test_sfus.py" not in files
    assert "tests/test_contract.py" in files
    files, word = RULE["tests_of"](ROOT, "mlfs/protocols/steps/seeds.py")
    assert word is None and "tests/protocols/test_leaks.py" in files
    files = [f"tests/stats/test_{name}.py" for name in ("bayesian", "stability_index", "stats")]
    assert RULE["tests_of"](ROOT, "mlfs/stats/paired.py") == (files, None)


def test_all_rooms_are_there():
    assert {RULE["room_of"](module) for module in MODULES} == set(ROOMS)
