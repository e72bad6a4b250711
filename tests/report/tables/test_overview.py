"""The overview of a folder: a line for each experiment, true to its tables."""

import json
from dataclasses import replace

import pytest

from mlfs.report import kept
from mlfs.report.tables import overview
from mlfs.report.tables.formats import average_ranks
from mlfs.report.tables.paper_tables import average_ranks_of, make_tables
from mlfs.results.packing import find, pack
from mlfs.results.read import read


def rows(cell):
    """Scores in which 'mfsef' is best, twice before 'all'."""
    if cell.dataset == "arts" and cell.label == "random" and cell.repeat == 2:
        return None
    best = {"Original": 0.5, "random": 0.2, "MFSEF": 0.6}[cell.label]
    if cell.dataset == "business":
        best = {"Original": 0.7, "random": 0.2, "MFSEF": 0.6}[cell.label]
    value = best + 0.01 * cell.repeat
    return [{"average_precision": value, "hamming_loss": 1 - value}]


def test_average_ranks_are_those_of_the_table(run):
    found = read(run(rows))
    for metric in ("average_precision", "hamming_loss"):
        [table] = make_tables(found, [metric])
        count, ranks = average_ranks(table)
        assert count == 3
        assert average_ranks_of(found, metric) == pytest.approx(ranks)
    # the rows of several ratios count alike
    two = {"mask": {"kind": "hide_positives", "ratio": [0.2, 0.4]}, "name": "two"}
    assert average_ranks_of(read(run(rows, **two)), "hamming_loss") == pytest.approx(ranks)
    assert average_ranks_of(found, "no_such_metric") == {}


def test_a_row_without_some_method_does_not_count(run):
    store = run(
        lambda cell: None if (cell.dataset, cell.label) == ("arts", "Original") else rows(cell)
    )
    found = read(store)
    assert average_ranks_of(found, "average_precision") == {
        "Original": 1.5,
        "random": 3,
        "MFSEF": 1.5,
    }


def test_a_line_says_what_is_best_and_what_to_do_next(run):
    store = run(rows, title="three selectors")
    found = read(store)
    line = overview.line(found, store)
    assert (line.name, line.about) == ("t", "three selectors")
    assert (line.done, line.cells, line.failed) == (26, 27, 0)
    assert line.best == "MFSEF (average precision)"
    assert line.command == f"mlfs table {store.folder} --compare"
    nothing = overview.line(replace(found, records=[], rows=found.rows[:0]), store)
    assert (nothing.best, nothing.command) == ("", "mlfs run t")
    broken = replace(found, missing=[(found.missing[0][0], "ValueError: no")])
    assert overview.line(broken, store).failed == 1
    assert overview.line(broken, store).command == f"mlfs failures {store.folder}"


def test_an_experiment_without_a_title_is_described(run):
    store = run(rows)
    assert overview.line(read(store), store).about == "selection: 3 methods on 3 datasets"


def test_lines_fit_the_terminal():
    one = overview.OverviewLine(
        "name", "words " * 30, 3, 4, 1, "fsnm (f1)", "mlfs failures results/name"
    )
    for width in (80, 100, 150):
        text = overview.as_text([one], width)
        assert max(map(len, text.splitlines())) <= width
        assert "3/4, 1 failed" in text and "mlfs failures results/name" in text
    assert len(overview.as_text([one, one], 150).splitlines()) == 3
    assert overview.as_text([one, one], 70).splitlines()[2] == "  mlfs failures results/name"


def test_all_results_that_come_with_mlfs_are_read_without_scikit_learn_in_the_overview(
    tmp_path, monkeypatch
):
    from ...cli.test_light import HEAVY, loaded

    monkeypatch.setenv("MLFS_DATA", str(tmp_path))  # no lines are kept from an earlier overview
    modules, text = loaded("table", "results/reference")
    stores = {store.folder.name: store.experiment() for store in find("results/reference")}
    by_paper = sorted(stores, key=lambda name: stores[name].paper or "")
    names = [name.removesuffix(".jsonl.zst") for name in by_paper]
    lines = [line for line in text.splitlines() if not line.startswith("  ")]
    # what follows the words of a paper comes before what follows a reading of it
    seen = [line.split()[0] for line in lines[1 : len(names) + 1]]
    assert sorted(seen) == sorted(names)
    order = [(stores[f"{name}.jsonl.zst"].paper or "", name) for name in seen]
    assert [paper for paper, _ in order] == sorted(paper for paper, _ in order)
    assert seen.index("mfsef_stated") < seen.index("mfsef")
    assert seen.index("rmfl_table2_stated") < seen.index("rmfl_table2")
    assert seen.index("completion") < seen.index("gmfs_yeast")
    assert "mlfs table results/reference/gmfs_yeast --compare" in text
    assert lines[-1].endswith("mlfs table results/reference --all for all tables")
    assert not modules & (HEAVY | {"scipy.stats"})  # scipy 1.15 imports scipy.sparse for special


def test_ties_share_the_first_place(run):
    store = run(lambda cell: [{"average_precision": 0.5, "hamming_loss": 0.1}])
    assert overview.best(read(store)) == "Original and 2 more (average precision)"


@pytest.fixture
def packed(run, tmp_path, monkeypatch):
    """Three selectors in a packed file, and a cache of its own."""
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "cache"))
    file = tmp_path / "packed" / "t.jsonl.zst"
    file.parent.mkdir()
    pack(run(rows, title="three selectors"), file)
    return file


@pytest.fixture
def read_files(monkeypatch):
    """The names of the stores that are read."""
    names = []
    monkeypatch.setattr(
        overview.stored, "read", lambda store: names.append(store.folder.name) or read(store)
    )
    return names


def test_a_packed_file_is_read_once_and_its_line_stays_the_same(packed, read_files, tmp_path):
    first = overview.lines(find(packed))
    assert first == [overview.line(read(find(packed)[0]), find(packed)[0])]
    assert overview.lines(find(packed)) == first
    assert read_files == ["t.jsonl.zst"]
    # elsewhere it has the same line, with another command
    other = packed.replace(tmp_path / "other.jsonl.zst")
    [moved] = overview.lines(find(other))
    assert moved == replace(first[0], command=f"mlfs table {tmp_path / 'other'} --compare")
    assert len(read_files) == 1


def test_a_kept_line_ends_with_a_byte_of_the_file_or_of_mlfs(
    packed, read_files, tmp_path, monkeypatch
):
    store = find(packed.parent.parent / "t")[0]
    [whole] = overview.lines(find(packed))
    for path in sorted((store.folder / "cells").glob("*.json"))[:9]:
        path.unlink()
    pack(store, packed)
    [less] = overview.lines(find(packed))
    assert (less.done, whole.done) == (17, 26)
    changed = tmp_path / "mlfs"
    changed.mkdir()
    monkeypatch.setattr(kept, "_PACKAGE", changed)
    for count in (3, 3):
        assert overview.lines(find(packed)) == [less]
        assert len(read_files) == count
    (changed / "new.py").write_text("")
    assert overview.lines(find(packed)) == [less]
    assert len(read_files) == 4


@pytest.mark.parametrize("damage", ["", "[]", '{"made_by": 1}', None, "list", "number"])
def test_a_damaged_file_of_kept_lines_is_as_good_as_none(packed, read_files, tmp_path, damage):
    [line] = overview.lines(find(packed))
    file = tmp_path / "cache" / overview.KEPT
    content = json.loads(file.read_text())
    [key] = content["contents"]
    if damage == "list":
        content["contents"][key] = [1]
    elif damage == "number":
        content["contents"][key]["done"] = "many"
    file.write_text(json.dumps(content) if damage in ("list", "number") else damage or "{}")
    assert overview.lines(find(packed)) == [line]
    assert len(read_files) == 2


def test_a_cache_that_cannot_be_written_only_takes_longer(packed, read_files, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert overview.lines(find(packed)) == overview.lines(find(packed))
    assert len(read_files) == 2


def test_folders_are_always_read(run, read_files, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "cache"))
    store = run(rows)
    assert overview.lines([store]) == overview.lines([store])
    assert len(read_files) == 2


def test_descriptions_take_all_the_room_that_is_left():
    """A text of single letters can be cut to one letter: of two widths, one is filled exactly."""
    for name in ("name", "names"):
        one = overview.OverviewLine(
            name, "x " * 90, 3, 4, 0, "fsnm (f1)", "mlfs table results/name"
        )
        for width in (100, 60):  # in the narrow one, commands have lines of their own
            texts = {size: overview.as_text([one], size) for size in (width, width + 1)}
            free = {size - max(map(len, text.splitlines())) for size, text in texts.items()}
            assert free == {0, 1}
        assert overview.as_text([one]) == overview.as_text([one], 150)


def test_results_that_cannot_be_read_are_a_line_and_do_not_stop_the_others(packed, run):
    good = find(packed)
    damaged = packed.with_name("other.jsonl.zst")
    content = bytearray(packed.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    folder = packed.parent / "broken"
    folder.mkdir()
    (folder / "experiment.yaml").write_text("methods: [")
    lines = {line.name: line for line in overview.lines(find(packed.parent))}
    assert lines.pop("t") == overview.lines(good)[0]
    assert [(line.done, line.cells) for line in lines.values()] == [(0, 0), (0, 0)]
    assert lines["broken"].command == f"mlfs results check {folder}"
    assert lines["other"].command == f"mlfs results check {packed.parent / 'other'}"
    assert "experiment.yaml, line 1" in lines["broken"].about
    assert "other.jsonl.zst is damaged" in lines["other"].about
    text = overview.as_text(list(lines.values()))
    assert text.count("unreadable") == 2
