"""What an earlier page showed of packed files is not computed again, and is the same."""

import json
import re

import pytest
from click.testing import CliRunner

from mlfs import papers
from mlfs.cli import main
from mlfs.report import kept
from mlfs.report.page import experiments_section
from mlfs.results import read as stored
from mlfs.results.packing import find, pack

from ..conftest import choose
from ..made import grand


@pytest.fixture
def packs(folder, tmp_path, monkeypatch):
    """Packed files: of papers, with chosen features, and two of a comparison; an empty cache."""
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "cache"))
    choose(tmp_path / "made")
    for name in ("grand_made", "other"):
        grand(tmp_path / "made", name)
    packed = tmp_path / "packed"
    for store in [*find(folder / "results"), *find(tmp_path / "made")]:
        pack(store, packed / f"{store.folder.name}.jsonl.zst")
    return packed


@pytest.fixture
def cells_read(monkeypatch):
    """The names of the experiments whose cells are read."""
    names, cells = [], stored._cells
    monkeypatch.setattr(
        stored, "_cells", lambda made, store: names.append(made.name) or cells(made, store)
    )
    return names


def page(*roots):
    """The page of results, without the line that says where they were."""
    output = roots[0].parent / "page.html"
    done = CliRunner().invoke(main, ["report", *map(str, roots), "-o", str(output)])
    assert done.exit_code == 0, done.output
    return re.sub("Made by mlfs.*", "", output.read_text(encoding="utf-8"))


def test_the_second_page_reads_no_cells_and_is_the_same(packs, cells_read):
    first = page(packs)
    own = {"chosen", "grand_made", "other"}
    assert own < set(cells_read) and len(cells_read) == len(set(cells_read))
    cells_read.clear()
    assert page(packs) == first
    assert not cells_read
    for words in ("gmfs (knows) *", 'class="heat"', 'data-e="rmfl_table4"', 'class="curves'):
        assert words in first, words


def test_a_scorecard_is_kept_for_the_papers_that_it_is_about(packs, cells_read):
    def card(*more):
        return CliRunner().invoke(main, ["scorecard", str(packs), "--format", "json", *more]).output

    whole, part = card(), card("--paper", "rmfl")
    assert json.loads(whole)["tables"] != json.loads(part)["tables"]
    cells_read.clear()
    assert (card(), card("--paper", "rmfl")) == (whole, part)
    assert not cells_read


def test_a_page_of_folders_is_that_of_their_packed_files(packs, folder, cells_read, tmp_path):
    assert page(folder / "results", tmp_path / "made") == page(packs)
    cells_read.clear()
    page(tmp_path / "made")
    assert sorted(cells_read) == ["chosen", "grand_made", "other"]  # folders are always read
    assert (tmp_path / "cache" / kept.VIEWS).is_file()


def test_views_depend_on_the_other_results_of_the_page(packs, tmp_path):
    """Places of values, statuses and the room that is left follow from the whole page."""
    some = [packs / "rmfl_table4.jsonl.zst", packs / "chosen.jsonl.zst"]
    page(packs)
    warm = page(*some)
    (tmp_path / "cache" / kept.VIEWS).unlink()
    assert page(*some) == warm


def test_damaged_views_are_made_again(packs, cells_read, tmp_path):
    first = page(packs)
    file = tmp_path / "cache" / kept.VIEWS
    content = json.loads(file.read_text())
    no_views = {key: {"view": 1} for key in content["contents"]}
    others = [{**content, "contents": no_views}, {**content, "made_by": "0"}]
    for damaged in ("no json", "[]", *map(json.dumps, others)):
        file.write_text(damaged)
        cells_read.clear()
        assert page(packs) == first, damaged[:20]
        assert "grand_made" in cells_read, damaged[:20]


def test_of_too_much_only_what_the_last_page_used_is_kept(packs, tmp_path, monkeypatch):
    page(packs)
    file = tmp_path / "cache" / kept.VIEWS
    before = json.loads(file.read_text())["contents"].keys()
    monkeypatch.setattr(kept, "_LARGEST", 1000)
    page(packs / "other.jsonl.zst")
    after = json.loads(file.read_text())["contents"].keys()
    of_papers = 2 * len(papers.names())  # what an audit finds, and claims on printed values
    assert len(before & after) == of_papers < len(before)
    assert len(after - before) == 2  # its view, and a scorecard without results


def test_a_large_experiment_of_a_comparison_is_only_summed_up(packs, monkeypatch):
    def of(name, text):
        return re.search(rf'<details class="experiment" id="e-{name}".*?</details>', text, re.S)[0]

    whole = page(packs)
    monkeypatch.setattr(experiments_section, "SUMMED_UP", 3)
    short = page(packs / "grand_made.jsonl.zst", packs / "other.jsonl.zst", packs.parent / "made")
    assert "<table" in of("grand_made", whole) and "too large" not in of("grand_made", whole)
    assert "<table" not in of("grand_made", short) and "<svg" not in of("grand_made", short)
    assert 'It is too large for this page: <a href="#overall">' in of("grand_made", short)
    assert "<table" in of("other", short)  # nothing else shows it
