"""The kit for authors: its config, its words, its references, and the zip to deposit."""

import zipfile

import numpy as np
import pandas as pd
import pytest
import yaml

from mlfs import config
from mlfs.config import shipped
from mlfs.errors import UserError
from mlfs.methods import registry
from mlfs.methods.docstrings import docstring
from mlfs.methods.registry import Scope
from mlfs.own import author_kit

from ..helpers import ROOT

MODULE = """\
import numpy as np
from sklearn.base import BaseEstimator


class Widest(BaseEstimator):
    def fit(self, X, Y):
        X = np.asarray(X)
        self.scores_ = X.max(axis=0) - X.min(axis=0)
        return self
"""
GROUND = {
    "name": "grand_selection_full",
    "protocol": "selection",
    "datasets": ["planted"],
    "split": {"kind": "stratified", "train": 0.6, "repeats": 2},
    "scale": "standard",
    "methods": ["all", "random", {"top_mi": {}, "label": "top"}],
    "evaluations": [{"classifier": "mlknn", "missing": "zero"}, {"classifier": "br_ridge"}],
    "sizes": [0.1, 0.5],
    "metrics": ["average_precision"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_config_differs_from_the_comparison_only_in_methods_and_datasets(folder):
    with Scope(folder=folder):
        content = author_kit.content_of("my_module:Widest", [], None, quick=False)
        quick = author_kit.content_of("my_module:Widest", ["yeast"], None, quick=True)
    ground = author_kit.grounds()["grand_selection_full"]
    own = {"name", "title", "datasets", "methods", "control", "cost"}
    assert {key for key in content if content[key] != ground.get(key)} == own
    assert content["datasets"] == list(author_kit.DATASETS)
    assert content["methods"] == [*ground["methods"], {"my_module:Widest": {}, "label": "Widest"}]
    assert quick["datasets"] == ["yeast"] and quick["split"]["repeats"] == 1
    assert ground["split"]["repeats"] == 3


def test_mistakes_are_sentences(folder):
    with Scope(folder=folder):
        with pytest.raises(UserError, match="has no dataset 'yeats'; did you mean 'yeast'"):
            author_kit.content_of("my_module:Widest", ["yeats"], None, quick=False)
        with pytest.raises(UserError, match="'grand_learning_full' is no comparison for"):
            author_kit.content_of("my_module:Widest", [], "grand_learning_full", quick=False)
        with pytest.raises(UserError, match="my_module has no 'Widst'"):
            author_kit.content_of("my_module:Widst", [], None, quick=False)


def test_every_reference_of_a_docstring_becomes_an_entry():
    """With its title, its DOI and its year; methods of mlfs without one are controls."""
    for kind in ("selector", "learner", "classifier"):
        for name, cls in registry.methods([kind]).items():
            text = " ".join(docstring(cls).sections.get("References", "").split())
            entries = list(author_kit._references(name, cls))
            whole = "\n".join(entries)
            assert len(entries) == text.count('"') // 2, name
            for part in text.split("https://doi.org/")[1:]:
                assert part.split()[0].rstrip(".,;)") in whole, name
            for title in text.split('"')[1::2]:
                assert f"title = {{{title.rstrip(',')}}}" in whole, name
            assert whole.count("author = {") == len(entries), name


def test_rank_biserial_is_the_balance_of_signed_ranks():
    assert author_kit.rank_biserial(np.array([0.1, 0.2, 0.3])) == 1.0
    assert author_kit.rank_biserial(np.array([-0.1, -0.2])) == -1.0
    assert author_kit.rank_biserial(np.array([0.0, 0.0])) == 0.0
    # ranks 1, 2, 3: (3 + 1 - 2) / 6
    assert author_kit.rank_biserial(np.array([0.1, -0.2, 0.3])) == pytest.approx(2 / 6)


def test_the_paragraph_says_what_the_config_says(folder):
    experiment = next(
        one
        for one in config.load_all(shipped.names()["grand_selection"])
        if one.name == "grand_selection_hidden"
    ).model_copy(update={"control": "gmfs (own way)"})
    text = author_kit.paragraph(experiment)
    assert "We compare gmfs (own way) with 51 methods" in text and "on 16 data sets" in text
    assert "yeast (2,417 instances, 103 features, 14 labels)" in text
    assert "iteratively stratified splits (60 % of the rows are used for training, 3 rep" in text
    assert "(mask 'hide positives': 40 % and 70 %)" in text
    assert "br_logistic trained on the full labels (unknown ones: available)" in text
    assert "scaled (standard)" in text


def test_the_title_is_that_of_the_citation():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["title"] == author_kit.TITLE
    assert cited["authors"] == [{"name": author_kit.AUTHORS}]


def test_a_tiny_method_gets_its_kit_and_the_zip_is_accepted(folder, monkeypatch):
    from click.testing import CliRunner

    from mlfs.cli import main

    monkeypatch.setattr(author_kit, "grounds", lambda: {GROUND["name"]: GROUND})
    monkeypatch.setattr(author_kit, "DATASETS", ("planted",))
    made = CliRunner().invoke(main, ["kit", "my_module:Widest", "--workers", "1"])
    assert made.exit_code == 0, made.output
    with zipfile.ZipFile(folder / "kit/deposit.zip") as archive:
        names = set(archive.namelist())
        archive.extractall(folder / "received")
    assert names == {"kit_Widest.jsonl.zst", "config.yaml", "experiment.yaml", "my_module.py"}
    checked = CliRunner().invoke(main, ["results", "check", "received/kit_Widest.jsonl.zst"])
    assert checked.exit_code == 0 and "intact" in checked.output
    latex = (folder / "kit/table.tex").read_text()
    assert "\\begin{tabular}" in latex and "Widest" in latex and "planted" in latex
    said = (folder / "kit/statistics.txt").read_text()
    shown = CliRunner().invoke(main, ["table", "kit/results/kit_Widest", "--format", "csv"])
    (folder / "t.csv").write_text(shown.stdout)
    table = pd.read_csv("t.csv")
    table = table[table.method.isin(["Widest", "top"])]
    first = table[table.panel == table.panel.iloc[0]] if "panel" in table else table.iloc[:2]
    gap = first.set_index("method")["mean"]
    assert f"Widest against top: {gap['Widest'] - gap['top']:+.4f} on average" in said
    assert "@software{mlfs," in (folder / "kit/references.bib").read_text()
    again = CliRunner().invoke(main, ["kit", "my_module:Widest", "--workers", "1"])
    assert again.exit_code == 0, again.output  # finished cells are not run again
