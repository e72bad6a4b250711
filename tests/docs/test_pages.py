"""The written pages: their blocks run in an empty folder, from top to bottom."""

import re
import sys
from pathlib import Path

import pytest

from mlfs.protocols.names import NAMES

sys.path.insert(0, str(Path(__file__).parent))
import blocks

DOCS = Path(__file__).parents[2] / "docs"
TEXT = {path.name: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
TEXT["configs.md"] = (DOCS / "_pages/configs.md").read_text(encoding="utf-8")
PROMISED = {
    "start.md": ["first: average precision", "missing: nothing", "stability", "figures/"],
    "own-data.md": [
        "mine: average precision",
        "compare, X: average precision",
        "whole.csv: 60 rows",
        "60 instances",
        "['x', 'y', 'z'] (60, 4)",
    ],
    "own-method.md": ["Spread", "SelectKBest", "few: average precision", "missing: nothing"],
    "own-paper.md": ["mine: 3 printed values", "(.7900", "12 claims", "mine   -"],
    "library.md": ["average_precision", "Widest", "fsnm__n_features_to_select"],
    "missing-labels.md": [
        "unknown labels:    1",
        "scored on the known labels (29 % of X not known)",
        "look at these zeros again",
        "test_macro_auc",
        "own_metric.yaml: good, 2 cells",
        "one-error: 0.",
        "every_learning: average precision",
    ],
    "active.md": ["rank,id,gain", "rank,id,label,gain"],
    "data.md": ["planted"],
}
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
ELSEWHERE = {"scaling.md"}  # its recipes need hosts: tests/test_scaling.py


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """An empty folder, with no catalogue and no results of the user's own."""
    monkeypatch.setenv("MLFS_CATALOG", str(tmp_path / "catalog.yaml"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", [name for name in TEXT if name not in ELSEWHERE])
def test_a_reader_can_follow_the_page_word_by_word(name, empty):
    printed = "\n".join(blocks.follow(TEXT[name], empty))
    for promised in PROMISED.get(name, []):
        assert promised in printed


def test_a_command_that_no_test_can_run_is_noticed(empty):
    with pytest.raises(AssertionError, match="not run by any test"):
        blocks.follow("```sh\nrm -rf results\n```\n", empty)
    with pytest.raises(AssertionError, match="no-such-command"):
        blocks.follow("```sh\nmlfs no-such-command\n```\n", empty)


def test_the_glossary_is_in_order_and_names_every_protocol():
    words = re.findall(r"^\| ([^|]+) \|", TEXT["glossary.md"], re.M)[2:]
    assert len(words) > 20 and words == sorted(words)
    assert f"the kind of an experiment: {', '.join(NAMES)} |" in TEXT["glossary.md"]


@pytest.mark.parametrize("name", [path.name for path in sorted(DOCS.glob("*.md"))])
def test_links_lead_to_files_of_the_repository(name):
    for target in LINK.findall(TEXT[name]):
        assert (DOCS / target).is_file(), f"{name}: {target}"
