"""Papers as folders: complete, in names that the rest of the project knows, and open to users."""

import hashlib

import numpy as np
import pytest

from mlfs import config, datasets, papers
from mlfs.config import shipped
from mlfs.errors import UserError
from mlfs.papers import density

SHIPPED = ["gmfs", "mfsef", "miml", "rmfl", "semfs"]
CELL = ["paper", "table", "dataset", "method", "metric"]
NUMBERS = ["missing_ratio", "mean", "std", "printed_rank"]
# of the cells as they were typed from the papers, in any order
DIGEST = "351302385ad7d069c5a09e22e2f8a7fe6e300b91b32367ab6d209686f63dfc87"


def test_the_shipped_papers_are_found():
    assert papers.names() == SHIPPED


def test_a_report_may_speak_of_some_papers_only():
    with papers.only(["rmfl", "mfsef"]):
        assert papers.names() == ["mfsef", "rmfl"]
        assert set(papers.printed_values().paper) == {"mfsef", "rmfl"}
        assert papers.paper("gmfs").name == "gmfs"  # results of others can still be read
    with papers.only([]):
        assert papers.names() == SHIPPED
    with papers.only(["semfs"]):
        assert papers.printed_values().empty
    with pytest.raises(UserError, match="unknown paper 'rmlf'"), papers.only(["rmlf"]):
        pass
    assert papers.names() == SHIPPED


def test_all_printed_values_are_there():
    cells = papers.printed_values()
    assert len(cells) == 1536
    assert cells["mean"].notna().all()
    assert cells.groupby("paper").size().to_dict() == {
        "gmfs": 98,
        "mfsef": 168,
        "miml": 10,
        "rmfl": 1260,
    }
    assert not cells.duplicated([*CELL, "missing_ratio"]).any()


def test_the_printed_values_are_the_same_set_as_ever():
    cells = papers.printed_values()
    lines = [
        "|".join([*row[: len(CELL)], *("" if np.isnan(v) else f"{v:g}" for v in row[len(CELL) :])])
        for row in cells[CELL + NUMBERS].itertuples(index=False)
    ]
    assert hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest() == DIGEST


@pytest.mark.parametrize("name", SHIPPED)
def test_every_paper_says_who_wrote_it_and_what_it_prints(name):
    paper = papers.paper(name)
    assert paper.name == name and paper.folder.name == name
    assert paper.title and paper.authors and paper.venue and paper.year > 2000
    assert paper.methods and (paper.tables or paper.figures)
    assert set(paper.printed().table) <= set(paper.tables)
    assert set(" ".join(paper.statistics().tables).split()) <= set(paper.tables)


@pytest.mark.parametrize("name", ["gmfs", "mfsef", "rmfl", "miml"])
def test_printed_sets_are_sets_of_the_catalogue(name):
    paper = papers.paper(name)
    printed = set(paper.printed().dataset)
    assert printed <= set(datasets.catalog())
    away = {name for name in printed if not datasets.catalog()[name].available}
    assert away | (printed & {"bookmarks"}) == set(paper.not_fetched)  # its file is large


def test_printed_tables_have_known_figures_under_our_names():
    gmfs = papers.paper("gmfs").printed(["2"])
    cell = gmfs[(gmfs.dataset == "rcv1subset1_top944") & (gmfs.method == "GMFS")]
    assert cell["mean"].item() == 0.554
    rmfl = papers.paper("rmfl").printed(["II"])
    assert set(rmfl.metric) == {
        "average_precision",
        "hamming_loss",
        "ranking_loss",
        "one_error",
        "normalized_coverage",
    }
    assert set(rmfl.table) == {"II"}


def test_what_was_printed_is_kept_where_it_is_corrected():
    cells = papers.paper("rmfl").printed()
    corrected = cells[cells.as_printed.notna()]
    assert set(corrected.table) == {"IX"} and set(corrected.method) == {"RMFL"}
    assert len(corrected) == 10
    assert np.allclose(corrected.as_printed * 10, corrected["mean"])


def test_bold_marks_are_known_where_the_text_has_them():
    cells = papers.printed_values()
    known = cells[cells.bold.notna()]
    assert known.groupby("paper").size().to_dict() == {"mfsef": 168, "rmfl": 1260}
    marked = known[(known.table == "2") & known.bold.astype(bool)]
    assert list(marked.method) == ["MFSEF"] * 5 + ["Original", "MFSEF"]


def test_the_statistics_that_rmfl_prints_are_all_there():
    found = papers.paper("rmfl").statistics()
    assert found.groupby("statistic").size().to_dict() == {
        "average_rank": 115,
        "critical_difference": 2,
        "critical_value": 2,
        "friedman": 10,
    }
    value = found[(found.statistic == "friedman") & (found.metric == "normalized_coverage")]
    assert list(value.value) == [7.41, 6.79]


def test_the_density_of_a_set_is_that_of_the_catalogue():
    assert density("yeast") == pytest.approx(4.237 / 14)
    assert density("no such set") is None


@pytest.mark.parametrize("name", ["gmfs", "mfsef", "rmfl"])
def test_every_reading_is_run_by_configs_that_have_its_columns_and_tables(name):
    paper = papers.paper(name)
    assert paper.readings()
    for reading in paper.readings():
        for column in reading.columns:
            tables = set()
            for config_name in column.configs:
                experiments = config.load_all(shipped.names()[config_name])
                (made,) = (one for one in experiments if one.name == config_name)
                assert (made.paper, made.reading) == (name, reading.name)
                assert set(column.headings) <= set(papers.headings(made)), column
                tables |= set(made.tables)
            assert not column.configs or tables >= set(column.covers.tables), column


@pytest.mark.parametrize(("name", "unread"), [("mfsef", {"MDDMspc", "MDDMproj"}), ("rmfl", set())])
def test_every_printed_column_is_read_once(name, unread):
    """Each column of each table that is read has one entry; only MDDM's have no config."""
    paper = papers.paper(name)
    (reading,) = paper.readings()
    found = [
        (table, method, bool(one.configs))
        for one in reading.columns
        for table in one.covers.tables
        for method in one.covers.columns
    ]
    printed = set(zip(paper.printed().table, paper.printed().method))
    nothing_open = {"IX"} if name == "rmfl" else set()  # one run follows the words, and is all
    read = {entry for entry in printed if entry[0] not in nothing_open}
    assert sorted(entry[:2] for entry in found) == sorted(read)
    assert {method for _, method, runs in found if not runs} == unread


def test_a_config_follows_the_words_or_a_reading_of_its_paper():
    known = {name: {one.name for one in papers.paper(name).readings()} for name in SHIPPED}
    for path in shipped.names().values():
        for made in config.load_all(path):
            assert made.reading in (None, "stated") or made.reading in known[made.paper]


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder of the user's own papers that holds one."""
    folder = tmp_path / "papers" / "mine"
    folder.mkdir(parents=True)
    (folder / "paper.yaml").write_text(
        "title: Mine\nauthors: [Me]\nvenue: here\nyear: 2024\ntables: {'1': scores}\n"
        "datasets: {yeast: Yeast}\n"
    )
    (folder / "printed.csv").write_text(
        "table,dataset,method,metric,missing_ratio,mean\n1,Yeast,A,one_error,0,0.25\n"
    )
    monkeypatch.setenv("MLFS_PAPERS", str(folder.parent))
    return folder


def test_a_users_own_paper_is_found(own):
    assert papers.names() == [*SHIPPED, "mine"]
    cells = papers.paper("mine").printed()
    assert cells.loc[0, ["dataset", "mean"]].tolist() == ["yeast", 0.25]
    assert np.isnan(cells["std"][0]) and cells.bold.isna().all() and cells.note[0] == ""
    assert len(papers.printed_values()) == 1537
    assert papers.paper("mine").statistics().empty
    experiment = config.parse(
        {
            "name": "tried",
            "protocol": "selection",
            "datasets": ["yeast"],
            "methods": ["random"],
            "sizes": [3],
            "metrics": ["one_error"],
            "paper": "mine",
            "tables": ["1"],
        },
        source="tried.yaml",
    )
    assert experiment.paper == "mine"


def test_a_folder_without_a_description_is_no_paper(own):
    (own.parent / "drafts").mkdir()
    assert papers.names() == [*SHIPPED, "mine"]


def test_a_paper_of_a_known_name_is_refused(own):
    own.rename(own.parent / "gmfs")
    with pytest.raises(UserError, match="mlfs has a paper 'gmfs' already: rename the folder"):
        papers.names()


def test_an_unknown_paper_and_an_absent_folder_are_refused(monkeypatch, tmp_path):
    with pytest.raises(UserError, match="unknown paper 'gmsf'; did you mean 'gmfs'"):
        papers.paper("gmsf")
    monkeypatch.setenv("MLFS_PAPERS", str(tmp_path / "away"))
    with pytest.raises(UserError, match="which is not a folder"):
        papers.names()


@pytest.mark.parametrize(
    "old, new, told",
    [
        ("venue: here", "venu: here", r"paper.yaml, line 3: unknown key 'venu' \(and 1 more"),
        ("venue: here\n", "", "paper.yaml, line 1: key 'venue' is missing"),
        ("year: 2024", "year: soon", r"paper.yaml, line 4: 'year': input should be .*got 'soon'"),
        ("title: Mine", "title: Mine\nname: me", "paper.yaml, line 2: leave out 'name'"),
        ("title: Mine", "title: [", "paper.yaml, line .*correct the YAML there"),
        ("title: Mine", "title: Mine\n---\na: 1\n---", "3 documents"),
    ],
)
def test_a_mistake_in_a_description_is_told_with_its_line(own, old, new, told):
    path = own / "paper.yaml"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(UserError, match=told):
        papers.paper("mine")


READING = """# how it is read
readings:
  - name: as_run
    summary: As its program does.
    columns:
      - covers: {tables: ["1"], columns: [A], metrics: [one_error], datasets: [yeast]}
        configs: [tried]
        column: A, as run
        summary: With threshold 0.
        known: The release was read.
        chosen: The threshold.
        tried: 3
        ruled_out: [With threshold 1.]
"""


def test_a_reading_says_what_it_covers_and_what_speaks_for_it(own):
    assert papers.paper("mine").readings() == []
    (own / "readings.yaml").write_text(READING)
    (reading,) = papers.paper("mine").readings()
    (column,) = reading.columns
    assert reading.name == "as_run" and column.headings == ["A, as run"]
    assert column.lines == [
        "With threshold 0.",
        "Run by tried, column A, as run.",
        "Known from outside: The release was read.",
        "Chosen by printed values: The threshold.",
        "Readings that were tried: 3.",
        "Ruled out: With threshold 1.",
    ]


@pytest.mark.parametrize(
    "old, new, told",
    [
        ("summary: As", "sumary: As", r"line 4: unknown key 'readings.0.sumary' \(and 1 more"),
        ("    summary: As its program does.\n", "", "line 3: key 'readings.0.summary' is missing"),
        ("tried: 3", "tried: 0", "line 12: 'readings.0.columns.0.tried': .*got 0"),
        ("name: as_run", "name: As run", "line 3: 'readings.0.name': .*got 'As run'"),
        ("name: as_run", "name: stated", "'stated' is what the paper says: give the reading an"),
        ("        configs: [tried]\n", "", "line 6: 'column' is a column of a config: add the key"),
        ('["1"]', '["2"]', r"line 6: 'tables': nothing is printed for '2' \(printed: 1\)"),
        ("[A]", "[B]", r"line 6: 'columns': nothing is printed for 'B' \(printed: A\)"),
        ("one_error", "one_eror", "line 6: 'metrics': .* for 'one_eror'; did you mean 'one_error'"),
        ("[yeast]", "[Yeast]", "line 6: 'datasets': nothing is printed for 'Yeast'"),
        ("readings:", "readings: [", "correct the YAML there"),
    ],
)
def test_a_mistake_in_the_readings_is_told_with_its_line_and_key(own, old, new, told):
    assert old in READING
    (own / "readings.yaml").write_text(READING.replace(old, new))
    with pytest.raises(UserError, match=rf"readings.yaml.*{told}"):
        papers.paper("mine").readings()


def test_two_readings_of_one_name_are_refused(own):
    (own / "readings.yaml").write_text(READING + READING[READING.index("  - name") :])
    with pytest.raises(UserError, match="two readings are called 'as_run': rename one"):
        papers.paper("mine").readings()


def test_a_file_of_readings_without_the_list_is_refused(own):
    (own / "readings.yaml").write_text("- a\n")
    with pytest.raises(UserError, match="it must have the key 'readings', with a list"):
        papers.paper("mine").readings()


@pytest.mark.parametrize(
    "given, told",
    [
        ({"reading": "as_run"}, None),
        ({"reading": "stated"}, None),
        (
            {"reading": "as_ran"},
            r"mine has no reading 'as_ran'; did you mean 'as_run'.*stated, as_",
        ),
        ({"reading": "stated", "paper": None}, "a reading belongs to a paper: add the key 'paper'"),
        ({"reading": ""}, "'reading': .* at least 1 character"),
    ],
)
def test_a_config_names_a_reading_of_its_paper(own, given, told):
    (own / "readings.yaml").write_text(READING)
    content = {"name": "tried", "protocol": "selection", "datasets": ["yeast"], "paper": "mine"}
    content |= {"methods": ["random"], "sizes": [3], "metrics": ["one_error"], **given}
    content = {key: value for key, value in content.items() if value is not None}
    if told is None:
        made = config.parse(content, source="tried.yaml")
        assert made.reading == given["reading"]
        assert not hasattr(made.settings({})[0], "reading")  # never part of a cell's key
        return
    with pytest.raises(UserError, match=told):
        config.parse(content, source="tried.yaml")


def test_a_description_that_is_no_mapping_is_refused(own):
    (own / "paper.yaml").write_text("- a\n")
    with pytest.raises(UserError, match="a paper is a mapping of keys"):
        papers.paper("mine")


@pytest.mark.parametrize(
    "old, new, told",
    [
        ("mean", "maen", r"line 1: unknown column 'maen'; did you mean 'mean'\?"),
        (",mean", "", "line 1: column 'mean' is missing"),
        ("0.25", "high", r"line 2: 'mean' must be a number \(got 'high'\)"),
        ("0.25", "inf", r"line 2: 'mean' must be a number \(got 'inf'\)"),
        ("0.25", "", "line 2: 'mean' is empty"),
        ("0.25", "0.25,7", "line 2: more fields than the first line has columns"),
        ("1,Yeast", "\n2,Yeast", r"line 3: paper.yaml has no table '2' \(its tables: 1\)"),
        ("1,Yeast", '1,"Yeast', "line 2: .*correct the CSV there"),
    ],
)
def test_a_mistake_in_the_printed_values_is_told_with_its_line(own, old, new, told):
    path = own / "printed.csv"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(UserError, match=rf"printed.csv, {told}"):
        papers.paper("mine").printed()


def test_a_cell_that_stands_twice_is_refused(own):
    path = own / "printed.csv"
    path.write_text(path.read_text() + "1,Yeast,A,one_error,0.0,0.26\n")
    with pytest.raises(UserError, match=r"printed.csv, line 3: this value is already above"):
        papers.paper("mine").printed()


@pytest.mark.parametrize(
    "line, told",
    [
        (
            "here,median,1,one_error,A,0.3",
            r"unknown statistic 'median' \(known: average_rank, mean",
        ),
        ("here,mean,1 2,one_error,A,0.3", r"paper.yaml has no table '2' \(its tables: 1\)"),
    ],
)
def test_a_mistake_in_the_statistics_is_told_with_its_line(own, line, told):
    header = "place,statistic,tables,metric,method,value"
    (own / "statistics.csv").write_text(f"{header}\n{line}\n")
    with pytest.raises(UserError, match=rf"statistics.csv, line 2: {told}"):
        papers.paper("mine").statistics()


def test_a_bold_mark_is_1_or_0(own):
    path = own / "printed.csv"
    path.write_text(
        "table,dataset,method,metric,missing_ratio,mean,bold\n"
        "1,Yeast,A,one_error,0,0.25,1\n1,Yeast,B,one_error,0,0.25,\n1,Yeast,C,one_error,0,0.25,2\n"
    )
    with pytest.raises(UserError, match=r"line 4: 'bold' must be 1 or 0 \(got '2'\)"):
        papers.paper("mine").printed()


def test_a_text_in_another_encoding_is_refused(own):
    (own / "printed.csv").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(UserError, match=r"cannot read .*printed.csv: it is not a UTF-8 text file"):
        papers.paper("mine").printed()
