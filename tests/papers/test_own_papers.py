"""Papers of the user: a folder that a config names, a starter, and what is missing."""

from typing import get_args

import pytest
import yaml
from click.testing import CliRunner

from mlfs import config, papers
from mlfs.cli import main
from mlfs.errors import UserError
from mlfs.papers import claims, completeness, starter
from mlfs.results.store import Store

from ..helpers import ROOT


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    starter.write(tmp_path / "mine")
    return tmp_path / "mine"


def call(*args):
    return CliRunner().invoke(main, list(args), prog_name="mlfs")


def test_a_config_names_the_folder_and_results_find_it_again(mine, tmp_path, monkeypatch):
    experiment = config.load(tmp_path / "mine.yaml")
    assert experiment.paper == "mine" and papers.folders()["mine"] == mine.resolve()
    store = Store(tmp_path / "results/mine")
    store.open(experiment)
    papers._OWN.clear()  # as in another process
    assert "mine" not in papers.names()
    monkeypatch.chdir("/")
    assert Store(tmp_path / "results/mine").experiment() == experiment
    assert papers.paper("mine").folder == mine.resolve()
    papers._OWN.clear()
    mine.rename(tmp_path / "moved")
    with pytest.raises(UserError, match=r"folder of its paper, .*mine, is not there any more"):
        Store(tmp_path / "results/mine").experiment()


def test_a_paper_of_mlfs_leaves_no_trace_in_results(tmp_path):
    store = Store(tmp_path / "gmfs_yeast")
    store.open(config.load(ROOT / "configs/gmfs_yeast.yaml"))
    assert "paper" not in yaml.safe_load((tmp_path / "gmfs_yeast/experiment.yaml").read_text())


def test_a_folder_without_a_paper_or_with_a_taken_name_is_refused(mine, tmp_path):
    text = (tmp_path / "mine.yaml").read_text()
    (tmp_path / "lost.yaml").write_text(text.replace("paper: ./mine", "paper: ./lost"))
    with pytest.raises(
        UserError, match=r"lost\.yaml, line 4: .*/lost has no paper\.yaml: 'mlfs paper"
    ):
        config.load(tmp_path / "lost.yaml")
    mine.rename(tmp_path / "gmfs")
    with pytest.raises(UserError, match="there is a paper 'gmfs' in"):
        papers.add(tmp_path / "gmfs")


def test_the_starter_is_complete_and_never_overwrites(mine):
    made = call("paper", "check", "mine")
    assert made.exit_code == 0, made.output
    assert "3 printed values in 1 table, 0 statistics, 3 claims (1 sentence cannot" in made.output
    assert "missing: nothing" in made.output
    again = call("paper", "new", "mine")
    assert again.exit_code == 2 and "exists already" in again.stderr
    assert call("audit", "--paper", "./mine").output.startswith("mine: 3 printed values")


def test_what_is_missing_is_listed(mine):
    def change(file, old, new):
        text = (mine / file).read_text()
        assert old in text
        (mine / file).write_text(text.replace(old, new))

    change("paper.yaml", "repeats: 5 ", "# ")
    change("paper.yaml", "  top_mi: MI\n", "")
    change("paper.yaml", '  "1": average', '  "7": a table without values\n  "1": average')
    change("paper.yaml", '  "2": average precision against', '  "3": average precision against')
    change("printed.csv", "planted", "planned")
    change("claims.yaml", "over: [Random]", "over: [Rnadom]")
    (mine / "readings.yaml").unlink()
    found = list(completeness.lacks(papers.paper(papers.add(mine))))
    for part in ("'repeats'", "method 'MI'", "table 7", "figure 2", "'planned'", "'Rnadom'"):
        assert any(part in text for text in found), part
    assert len(found) == 6


def test_a_mistake_is_named_with_its_line(mine):
    (mine / "claims.yaml").write_text("claims:\n  - claim: x\n    plaice: y\n")
    made = call("paper", "check", "mine")
    assert made.exit_code == 2 and "claims.yaml, line 3" in made.stderr
    assert len(made.stderr.splitlines()) == 1


def test_an_unknown_kind_of_rule_is_named_as_a_rule(mine):
    text = (mine / "claims.yaml").read_text()
    (mine / "claims.yaml").write_text(text.replace("kind: beats", "kind: beat"))
    assert "unknown rule 'beat'; did you mean 'beats'" in call("paper", "check", "mine").stderr


def test_the_page_on_own_papers_has_an_example_of_every_kind_of_claim():
    kinds = {get_args(rule.model_fields["kind"].annotation)[0] for rule in rules()}
    text = (ROOT / "docs/own-paper.md").read_text(encoding="utf-8")
    block = next(part for part in text.split("```yaml\n") if part.startswith("# mine/claims.yaml"))
    given = yaml.safe_load(block.split("```")[0])
    found = claims.Claims.model_validate(given)
    assert {claim.rule.kind for claim in found.claims} == kinds and len(kinds) == 12


def rules():
    return get_args(get_args(claims.Rule)[0])
