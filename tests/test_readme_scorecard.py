"""README's scorecard and picture are those of the reference results: else run `make readme`."""

import importlib.util
from pathlib import Path

import pytest

from mlfs import shipped
from mlfs.report import scorecard

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


def test_the_digest_knows_cells_and_code(readme, monkeypatch, tmp_path):
    card = scorecard.score([])
    before = readme.digest(card)
    assert readme.digest(card) == before
    other = tmp_path / "style.py"
    other.write_text("colours = 1\n")
    monkeypatch.setattr(readme.style, "__file__", str(other))
    assert readme.digest(card) != before


def test_the_configs_that_a_quick_reproduction_leaves_out_are_there():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("DEAR := ")]
    assert all((ROOT / name).is_file() for name in line.split()[2:])
