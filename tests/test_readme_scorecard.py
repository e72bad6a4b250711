"""README's answers, scorecard and pictures are those of the reference results: `make readme`."""

import importlib.util
import re
from pathlib import Path

import pandas as pd
import pytest

from mlfs import config
from mlfs.config import shipped
from mlfs.report.reproduction import scorecard
from mlfs.results.read import Results

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def readme():
    spec = importlib.util.spec_from_file_location("readme", ROOT / "docs" / "readme.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_readme_shows_the_reference_results_as_they_are(readme):
    card = scorecard.make([shipped.REFERENCE])
    (found,) = readme.BLOCK.finditer(readme.README.read_text(encoding="utf-8"))
    assert found[0] == found[1] + readme.block(card) + found[2], "run 'make readme'"
    assert readme.digest(card) in readme.PICTURE.read_text(encoding="utf-8"), "run 'make readme'"
    assert "docs/scorecard.svg" in readme.README.read_text(encoding="utf-8")


def test_readme_has_the_answers_of_the_reference_results(readme):
    found, lacking = readme.comparisons()
    text = readme.README.read_text(encoding="utf-8")
    (marks,) = readme.ANSWERS.finditer(text)
    assert marks[0] == marks[1] + readme.answers(found, lacking) + marks[2], "run 'make readme'"
    digest = readme.digest_of_ranks(readme.plain_selection(found))
    assert digest in readme.SELECTORS.read_text(encoding="utf-8"), "run 'make readme'"
    assert "docs/selectors.svg" in text
    assert "Which selector? Nothing hidden: " in marks[0] and "Which learner? " in marks[0]
    told = re.search(r"Not run in full yet: (.*)\.", marks[0])
    assert (told[1].split(", ") if told else []) == lacking


def test_the_digest_knows_cells_and_looks(readme, monkeypatch):
    none, few = scorecard.score([]), scorecard.score(made_up())
    assert readme.digest(none) == readme.digest(none) != readme.digest(few)
    before = readme.digest(none)
    monkeypatch.setitem(readme.style.RC, "font.size", 20)
    assert readme.digest(none) != before


def test_the_picture_is_the_same_whenever_it_is_drawn(readme, tmp_path, monkeypatch):
    card = scorecard.score(made_up())
    drawn = []
    for name, epoch in (("a.svg", "0"), ("b.svg", "1700000000")):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)  # the clock, as matplotlib reads it
        readme.scorecard_figure.write(card, tmp_path / name, readme.digest(card))
        drawn.append((tmp_path / name).read_bytes())
    assert drawn[0] == drawn[1] and b"<dc:date>" not in drawn[0]


def made_up():
    """One cell of a printed table."""
    content = {
        "name": "m",
        "paper": "mfsef",
        "tables": ["2"],
        "protocol": "selection",
        "datasets": ["arts"],
        "methods": ["all"],
        "metrics": ["average_precision"],
    }
    row = {"dataset": "arts", "ratio": 0.0, "repeat": 0, "method": "Original"}
    rows = pd.DataFrame([row | {"average_precision": 0.5}])
    return [Results(config.parse(content, source="made up"), rows, [], [], [])]


def test_the_configs_that_a_quick_reproduction_leaves_out_are_there():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("DEAR := ")]
    assert all((ROOT / name).is_file() for name in line.split()[2:])
