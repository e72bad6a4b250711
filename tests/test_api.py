"""The Python side: mlfs.run and mlfs.load_results give what the command line shows."""

import io

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import mlfs
from mlfs.cli import main
from mlfs.errors import UserError

from .helpers import python

CONFIG = """\
name: small
protocol: learning
datasets: [toy_gaussian, planted]
split: {kind: holdout, repeats: 2}
mask: {kind: drop_entries, ratio: [0, 0.4]}
methods: [mlknn, {mlknn: {k: 3}}, {rmfl: {n_factors: 100000000000000}, label: impossible}]
metrics: [average_precision, hamming_loss]
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    (folder / "small.yaml").write_text(CONFIG)
    return folder, mlfs.run(folder / "small.yaml", results=folder / "results", workers=1)


def test_results_are_frames(found):
    _, results = found
    frame = results.frame
    assert len(frame) == 2 * 2 * 2 * 2
    assert {"experiment", "dataset", "ratio", "repeat", "method", "hamming_loss"} <= set(frame)
    table = results.table("average_precision")
    assert list(table.columns) == ["mlknn", "mlknn(k=3)"]
    assert list(table.index.get_level_values("ratio")) == [0.0, 0.0, 0.4, 0.4]
    mine = frame[(frame.dataset == "planted") & (frame.ratio == 0.4) & (frame.method == "mlknn")]
    shown = table.loc[("small", 0.4, "planted"), "mlknn"]
    assert shown == pytest.approx(mine.average_precision.mean())


def test_what_failed_is_told(found):
    _, results = found
    assert len(results.missing) == 8
    assert results.missing.reason.str.contains("Unable to allocate").all()
    with pytest.raises(UserError, match="did you mean 'average_precision'"):
        results.table("average_precison")


def test_it_equals_what_the_command_line_prints(found):
    folder, results = found
    printed = CliRunner().invoke(
        main, ["table", str(folder / "results"), "--format", "csv", "--metric", "hamming_loss"]
    )
    cells = pd.read_csv(io.StringIO(printed.stdout))
    ours = results.entries("hamming_loss")
    assert np.allclose(cells["mean"], ours["mean"]) and cells.method.tolist() == list(ours.method)


def test_stored_results_are_read_again_and_nothing_is_run(found):
    folder, results = found
    again = mlfs.load_results(folder / "results")
    pd.testing.assert_frame_equal(again.frame, results.frame)
    assert results.tests("average_precision").empty  # two datasets are too few
    assert isinstance(results.plot(), dict)


def test_a_result_set_is_shown_in_a_line(found):
    _, results = found
    assert repr(results) == "ResultSet of small (16 cells done, 8 missing)"


SCRIPT = """\
import mlfs

print("hello")
results = mlfs.run("tiny.yaml", workers=1)
print(results, __spec__, __file__)
"""


def test_a_plain_script_runs_once_and_not_in_every_worker(tmp_path):
    """One without ``if __name__ == "__main__":`` would start a run in each of them."""
    (tmp_path / "tiny.yaml").write_text(
        "name: tiny\nprotocol: planted\nmethods: [all]\nmetrics: [relevant_found]\n"
    )
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    ran = python(script, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        "hello",
        "results/tiny: 1 done, 0 failed.  Next: mlfs table results/tiny",
        f"ResultSet of tiny (1 cells done, 0 missing) None {script}",
    ]


def test_the_package_offers_no_more_than_it_says():
    assert set(mlfs.__all__) == {"ResultSet", "compare", "load_results", "run"}
    packages = {"active", "classifiers", "datasets", "learners", "metrics", "selectors", "stats"}
    assert set(dir(mlfs)) == {*mlfs.__all__, *packages, "testing", "__version__"}
    assert all(getattr(mlfs, name) for name in dir(mlfs))
    with pytest.raises(AttributeError, match="no attribute 'walk'"):
        _ = mlfs.walk


def test_a_config_may_be_a_dict(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content = {
        "name": "given",
        "protocol": "learning",
        "datasets": ["toy_gaussian"],
        "methods": ["br_ridge"],
        "metrics": ["average_precision"],
    }
    found = mlfs.run(content, workers=1)
    assert len(found.frame) == 1 and (tmp_path / "results/given").is_dir()
    with pytest.raises(UserError, match=r"the config: .*did you mean 'methods'"):
        mlfs.run({**content, "method": ["br_ridge"]}, workers=1)
