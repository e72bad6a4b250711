"""The examples: each runs in an empty folder, and shows what it promises."""

import contextlib
import io
import json
import re
import runpy
import shutil
from pathlib import Path

import matplotlib
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PROMISED = {
    "active_loop.py": r"MIML 0\.\d+ .*\nRandom 0\.\d+ ",
    "add_selector.py": r"Correlation",
    "compare_selectors.py": r"(?s)top_mi.*flowers.*rank",
    "missing_labels.py": r"(?s)known labels: AUC 0\.9.*by scikit-learn: AUC 0\.9.*\[0\.",
    "read_results.py": r"(?s)fsnm\s+2 .*random",
    "tune_and_nest.py": r"(?s)untuned.*nested: 0\.\d+",
}


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """The examples in a folder of the test's own."""
    for path in EXAMPLES.glob("*.*"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    return tmp_path


def printed(action):
    heard = io.StringIO()
    with contextlib.redirect_stdout(heard):
        action()
    return heard.getvalue()


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_every_script_runs_and_prints_what_it_promises(name, copied):
    text = printed(lambda: runpy.run_path(str(copied / name), run_name="__main__"))
    assert re.search(PROMISED[name], text), text
    assert (copied / "curves.png").exists() == (name == "read_results.py")


def test_every_cell_of_the_notebook_runs_in_order(copied):
    book = json.loads((copied / "first_steps.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    scope = {"__name__": "__main__"}

    def run():
        for number, cell in enumerate(cells):
            exec(compile(cell, f"cell {number}", "exec"), scope)

    text = printed(run)
    assert scope["found"].table("average_precision").shape == (1, 3) and "steps" in text
    assert list(copied.glob("*.png")) and set(scope["selector"].ranking_[:2]) == {0, 1}


def test_every_example_is_listed():
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for path in EXAMPLES.glob("*.*"):
        assert path.name == "README.md" or f"`{path.name}`" in text
