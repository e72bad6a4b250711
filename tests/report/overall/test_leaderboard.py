"""The leaderboard admits honest results, and refuses all others."""

import json
import random
import re
import shutil
from hashlib import sha256

import pytest
from click.testing import CliRunner

import mlfs
from mlfs import config
from mlfs.cli import main
from mlfs.config import shipped
from mlfs.errors import UserError
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.report.overall import leaderboard
from mlfs.results.cell_file import signed
from mlfs.results.packing import SUFFIX, Packed, pack
from mlfs.results.store import Store
from mlfs.system.atomic import compress, lines_of, sealed

GROUND = """
name: {name}
protocol: selection
datasets: [{datasets}]
split: {{kind: holdout, repeats: {repeats}}}
mask: {{kind: hide_positives, ratio: [0.0, 0.4]}}
methods: [{methods}]
evaluations: [{{classifier: mlknn}}, {{classifier: br_ridge}}]
sizes: [1, 2]
metrics: [average_precision]
"""
MODULE = """
import numpy as np
from sklearn.base import BaseEstimator


class Spread(BaseEstimator):
    version = 1

    def fit(self, X, Y):
        self.scores_ = np.ptp(X, axis=0)
        return self
"""


def write(folder, name="mine", methods="'my_module:Spread'", repeats=2, datasets="planted"):
    file = folder / f"{name}.yaml"
    text = GROUND.format(name=name, methods=methods, repeats=repeats, datasets=datasets)
    file.write_text(text)
    return file


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with the code of a method, and the packed results of an honest run."""
    folder = tmp_path_factory.mktemp("submission")
    (folder / "my_module.py").write_text(MODULE)
    mlfs.run(write(folder), results=folder / "results", workers=1)
    pack(Store(folder / "results" / "mine"), folder / f"mine{SUFFIX}")
    return folder


@pytest.fixture(autouse=True)
def ground(tmp_path, monkeypatch):
    """The only comparison that comes with mlfs; it has no results yet."""
    official = write(tmp_path, "grand_toy", "fsnm, random", datasets="planted, toy_gaussian")
    monkeypatch.setattr(shipped, "names", lambda: {"grand_toy": official})
    monkeypatch.setattr(shipped, "reference", lambda: tmp_path / "reference")
    return tmp_path


def changed(source, target, change):
    """Write a packed file whose lines ``change(header, lines)`` has changed."""
    header, *lines = lines_of(source)
    header = json.loads(header)
    lines = change(header, list(lines)) or lines
    header["cells"] = len(lines)
    with target.open("wb") as file, sealed(file) as stream:
        compress([json.dumps(header).encode()], stream)
        compress(lines, stream)
    return target


def other_score(line):
    """The line with another value of its first score."""
    return re.sub(
        rb'("average_precision": 0\.)(\d)', lambda m: m[1] + b"%d" % (9 - int(m[2])), line
    )


def resigned(line):
    """The line with a digest that fits its content."""
    key, _, content = line.partition(b"\t")
    return key + b"\t" + signed(content[: content.rindex(b', "digest"')])


def of_another_cell(line, change):
    """The line as that of the cell that ``change(cell)`` makes; its key and digest fit."""
    content = line.partition(b"\t")[2]
    cell = json.loads(content)["cell"]
    change(cell)
    text = json.dumps(cell, sort_keys=True, separators=(",", ":")).encode()
    record = content[content.index(b', "status"') : content.rindex(b', "digest"')]
    return sha256(text).hexdigest().encode() + b"\t" + signed(b'{"cell": ' + text + record)


def admit(file, board, code, **options):
    return leaderboard.admit(file, board, rerun=2, workers=1, code=code, **options)


def test_honest_results_are_admitted_and_shown(finished, tmp_path):
    board, site = tmp_path / "board", tmp_path / "site"
    arguments = ["leaderboard", "add", str(finished / f"mine{SUFFIX}"), "--board", str(board)]
    arguments += ["--rerun", "2", "--workers", "1", "--code", str(finished)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert "stands on the ground of grand_toy" in done.output
    assert "it has 1 of 2 datasets: ranks are for methods that have 2 or more" in done.output
    assert done.output.count("run again: the same scores") == 2
    assert "admitted.  Next: mlfs leaderboard build" in done.output
    assert len(Packed(board / f"mine{SUFFIX}").states()) == 4
    build = ["leaderboard", "build", "--board", str(board), "-o", str(site)]
    done = CliRunner().invoke(main, build)
    assert done.exit_code == 0, done.output
    names = ["grand_toy.csv", "grand_toy.json", "index.html"]
    assert sorted(file.name for file in site.iterdir()) == names
    page = (site / "index.html").read_text()
    assert "Submitted to grand_toy: Spread." in page
    assert "http" not in re.sub(r"http-equiv|http://www\.w3\.org/", "", page)
    [record] = json.loads((site / "grand_toy.json").read_text())
    assert [row["method"] for row in record["entrants"]] == ["Spread"]
    assert (site / "grand_toy.csv").read_text().count("\n") == 2


def test_without_any_results_there_is_nothing_to_show(tmp_path):
    done = CliRunner().invoke(main, ["leaderboard", "build", "--board", str(tmp_path / "none")])
    assert done.exit_code == 2 and "nothing to show" in done.output


def test_results_that_come_with_mlfs_stand_beside_them(finished, ground):
    [experiment] = config.load_all(ground / "grand_toy.yaml")
    store = Store(ground / "grand_toy")
    store.open(experiment)
    row = {"n_features": 1, "classifier": "mlknn", "train_on": "given", "average_precision": 0.5}
    for planned in plan(experiment):
        store.write(planned, Record(rows=[row]))
    pack(store, ground / "reference" / f"grand_toy{SUFFIX}")
    (ground / "board").mkdir()
    shutil.copy(finished / f"mine{SUFFIX}", ground / "board")
    for _ in range(2):  # a page that is there already is written again
        leaderboard.build(ground / "board", ground / "site")
    [record] = json.loads((ground / "site" / "grand_toy.json").read_text())
    left = " ".join(record["left_out"])
    assert {row["method"] for row in record["entrants"]} == {"fsnm", "random"}
    assert "Spread (knows) has results on only 1 of 2 datasets." in left


def test_one_changed_number_is_refused(finished, tmp_path):
    def change(header, lines):
        return [other_score(lines[0]), *lines[1:]]

    file = changed(finished / f"mine{SUFFIX}", tmp_path / f"mine{SUFFIX}", change)
    with pytest.raises(UserError, match=r"^not admitted: .*changed after it was written"):
        admit(file, tmp_path / "board", finished)
    assert not (tmp_path / "board").exists()


def test_a_changed_number_with_a_new_digest_is_found_by_running_the_cell_again(finished, tmp_path):
    def change(header, lines):
        return [resigned(other_score(line)) for line in lines]

    file = changed(finished / f"mine{SUFFIX}", tmp_path / f"mine{SUFFIX}", change)
    words = r"^not admitted: .* run again: average_precision is 0\.\d+ instead of 0\.\d+"
    with pytest.raises(UserError, match=words):
        admit(file, tmp_path / "board", finished, chosen=random.Random(0))


def test_a_foreign_key_is_refused(finished, tmp_path):
    """A cell of another experiment, under its own key and under a made-up one."""

    def add(line, key=b""):
        line = of_another_cell(line, lambda cell: cell.update(repeat=7))
        return key + line[64:] if key else line

    for key, words in ((b"", "the experiment does not have them"), (b"0" * 64, "")):
        file = changed(
            finished / f"mine{SUFFIX}",
            tmp_path / f"mine{SUFFIX}",
            lambda header, lines, key=key: [*lines, add(lines[0], key)],
        )
        with pytest.raises(UserError, match=rf"^not admitted: .*{words}"):
            admit(file, tmp_path / "board", finished)


def test_another_version_is_refused(finished, tmp_path):
    (tmp_path / "my_module.py").write_text(MODULE.replace("version = 1", "version = 2"))
    with pytest.raises(UserError, match=r"^not admitted: its methods have other versions here"):
        admit(finished / f"mine{SUFFIX}", tmp_path / "board", tmp_path)

    def change(header, lines):
        """All cells as if an earlier protocol had made them."""
        return [
            of_another_cell(line, lambda cell: cell["versions"].update(selection=1))
            for line in lines
        ]

    file = changed(finished / f"mine{SUFFIX}", tmp_path / f"mine{SUFFIX}", change)
    with pytest.raises(UserError, match=r"^not admitted: .*made by version 1 of selection"):
        admit(file, tmp_path / "board", finished)


def test_code_that_is_not_here_is_asked_for(finished, tmp_path):
    with pytest.raises(UserError, match=r"cannot be run again: .*name the folder .* with --code"):
        admit(finished / f"mine{SUFFIX}", tmp_path / "board", None)


def test_another_ground_is_refused_with_what_differs(finished, tmp_path, monkeypatch):
    other = write(tmp_path, "grand_other", "fsnm", repeats=5)
    monkeypatch.setattr(shipped, "names", lambda: {"grand_other": other})
    words = r"mine differs from every comparison that comes with mlfs in split: copy a config"
    with pytest.raises(UserError, match=words):
        admit(finished / f"mine{SUFFIX}", tmp_path / "board", finished)
    data = write(tmp_path, "grand_other", "fsnm", datasets="toy_gaussian")
    monkeypatch.setattr(shipped, "names", lambda: {"grand_other": data})
    with pytest.raises(UserError, match="in datasets: "):
        admit(finished / f"mine{SUFFIX}", tmp_path / "board", finished)
    monkeypatch.setattr(shipped, "names", dict)
    with pytest.raises(UserError, match="no comparison that comes with mlfs has the protocol"):
        admit(finished / f"mine{SUFFIX}", tmp_path / "board", finished)


def test_a_name_means_one_method_on_the_board(finished, tmp_path):
    board = tmp_path / "board"
    board.mkdir()
    shutil.copy(finished / f"mine{SUFFIX}", board / f"theirs{SUFFIX}")
    with pytest.raises(UserError, match="has a method 'Spread' already: rename yours"):
        admit(finished / f"mine{SUFFIX}", board, finished)


def test_a_baseline_of_the_comparison_is_nobodys_submission(finished, ground):
    """Kits of two authors both have the baselines, of which some are classes of other packages."""
    shutil.copy(finished / "my_module.py", ground)
    methods = "fsnm, random, 'my_module:Spread'"
    write(ground, "grand_toy", methods, datasets="planted, toy_gaussian")
    board = ground / "board"
    board.mkdir()
    shutil.copy(finished / f"mine{SUFFIX}", board / f"theirs{SUFFIX}")
    admit(finished / f"mine{SUFFIX}", board, finished)
    leaderboard.build(board, ground / "site")
    assert "Submitted to" not in (ground / "site" / "index.html").read_text()


def test_cells_of_the_submitted_method_are_run_again_before_those_of_baselines(tmp_path):
    folder = tmp_path / "submission"
    folder.mkdir()
    (folder / "my_module.py").write_text(MODULE)
    file = write(folder, methods="fsnm, random, 'my_module:Spread'")
    mlfs.run(file, results=folder / "results", workers=1)
    told = []
    leaderboard.admit(
        folder / "results" / "mine", tmp_path / "board", rerun=5, workers=1, code=folder,
        chosen=random.Random(0), tell=told.append,
    )  # fmt: skip
    again = [line for line in told if "run again" in line]
    assert len(again) == 5 and sum("Spread" in line for line in again) == 4  # all that it has
