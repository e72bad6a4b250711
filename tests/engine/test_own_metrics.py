"""Metrics of the user's own: beside the config, in a package, on any worker, in tables."""

import shutil
import sys

import numpy as np
import pytest

from mlfs import config
from mlfs.engine.workers.run_cell import run_cell
from mlfs.errors import UserError
from mlfs.methods import registry
from mlfs.metrics import METRICS, Metric, hamming_loss, macro_auc, own_metrics
from mlfs.protocols.plan import plan
from mlfs.report.tables.paper_tables import make_tables
from mlfs.results.read import read
from mlfs.results.store import Store

from ..installed_package import installed_package

MODULE = """\
import numpy as np


def accuracy(Y, P):
    known = ~np.isnan(Y)
    return (Y == P)[known].mean()


def spread(Y, S):
    return S.std()


def half_loss(Y, y_pred):
    return np.mean(Y != y_pred) / 2


def both(Y, S):
    return S.std(axis=0)


def three(Y, S, k):
    return k


NUMBER = 3
"""
CONFIG = """\
name: mine
protocol: learning
datasets: [planted]
split: {kind: holdout, repeats: 1}
methods: [br_ridge]
metrics: [my_metrics:accuracy, my_metrics:spread, my_metrics:half_loss, hamming_loss]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/my_metrics.py").write_text(MODULE)
    (tmp_path / "mine/config.yaml").write_text(CONFIG)
    return tmp_path / "mine"


def test_cells_compute_them_and_tables_show_them_without_the_file(folder, tmp_path):
    experiment = config.load(folder / "config.yaml")
    store = Store(tmp_path / "results")
    store.open(experiment)
    [planned] = plan(experiment)
    shutil.rmtree(folder)  # as on another machine
    record = run_cell(planned.cell)
    assert record.error == ""
    [row] = record.rows
    assert row["my_metrics:accuracy"] == pytest.approx(1 - row["hamming_loss"])
    assert row["my_metrics:half_loss"] == pytest.approx(row["hamming_loss"] / 2)
    assert row["my_metrics:spread"] > 0 and set(METRICS) < set(row)
    store.write(planned, record)
    results = read(Store(tmp_path / "results"))
    assert not results.missing
    tables = {table.metric: table for table in make_tables(results)}
    assert tables["my_metrics:accuracy"].larger_is_better
    assert not tables["my_metrics:half_loss"].larger_is_better
    assert "my metrics:accuracy (higher is better)" in tables["my_metrics:accuracy"].title


def test_their_source_is_part_of_the_key_and_other_cells_keep_theirs(folder):
    def keys():
        return [one.key for one in plan(config.load(folder / "config.yaml"))]

    mine = keys()
    (folder / "my_metrics.py").write_text(MODULE + "\n# another text\n")
    assert keys() != mine
    (folder / "config.yaml").write_text(CONFIG.replace("my_metrics:", "#"))
    text = CONFIG.replace(CONFIG.splitlines()[-1], "metrics: [hamming_loss]")
    (folder / "config.yaml").write_text(text)
    [plain] = plan(config.load(folder / "config.yaml"))
    content = plain.cell.to_json()
    assert "own_metrics" not in content["settings"]
    assert set(content["versions"]) == {"learning", "br_ridge"}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("my_metrics:acuracy", "my_metrics has no 'acuracy'; did you mean 'accuracy'"),
        ("my_metrics:NUMBER", "'my_metrics:NUMBER' is not a function"),
        ("my_metrics:three", "does not take two arguments"),
        ("lost:found", "no file lost.py"),
        ("mikro_f1", "unknown metric 'mikro_f1'; did you mean 'micro_f1'"),
    ],
)
def test_mistakes_are_named_with_their_line(folder, name, told):
    (folder / "config.yaml").write_text(CONFIG.replace("my_metrics:spread", name))
    with pytest.raises(UserError, match=r"config\.yaml, line 6") as error:
        config.load(folder / "config.yaml")
    assert told in str(error.value)


def test_a_metric_that_returns_no_number_fails_its_cell(folder):
    (folder / "config.yaml").write_text(CONFIG.replace("my_metrics:spread", "my_metrics:both"))
    [planned] = plan(config.load(folder / "config.yaml"))
    assert "metric 'my_metrics:both' must return one number" in run_cell(planned.cell).error


def test_protocols_with_scores_of_their_own_refuse_them(folder):
    text = "name: a\nprotocol: active\ndatasets: [planted]\nmethods: [random]\n"
    (folder / "config.yaml").write_text(text + "metrics: [my_metrics:spread]\n")
    with pytest.raises(UserError, match=r"line 5.*protocol active cannot compute"):
        config.load(folder / "config.yaml")


def test_functions_tell_what_they_take_and_which_way_is_better():
    from sklearn.metrics import coverage_error, zero_one_loss

    found = own_metrics.as_metric("a", coverage_error)
    assert (found.needs, found.larger_is_better) == ("scores", False)
    found = own_metrics.as_metric("a", zero_one_loss)
    assert (found.needs, found.larger_is_better) == ("labels", False)
    assert found.function(np.eye(2), np.eye(2)) == 0.0

    def odd(Y, given):
        return 1

    odd.needs, odd.larger_is_better = "labels", False
    found = own_metrics.as_metric("a", odd)
    assert (found.needs, found.larger_is_better, found.name) == ("labels", False, "a")
    odd.needs = "both"
    with pytest.raises(UserError, match="set 'needs' to 'scores' or 'labels'"):
        own_metrics.as_metric("a", odd)
    whole = Metric("x", macro_auc, True, "scores", fewest=2)
    assert own_metrics.as_metric("a", whole) == Metric("a", macro_auc, True, "scores", fewest=2)


@pytest.fixture
def offered(tmp_path, folder, monkeypatch):
    """An installed package that offers two metrics, one of them under a name of mlfs."""
    points = (
        "[mlfs.metrics]\nknown_accuracy = own_scores:accuracy\nhamming_loss = own_scores:spread\n"
    )
    module = folder / "my_metrics.py"
    with installed_package(tmp_path / "site", "own_scores", module, points, monkeypatch):
        yield


def test_packages_offer_metrics_by_name(offered, folder, tmp_path):
    text = CONFIG.replace(CONFIG.splitlines()[-1], "metrics: [known_accuracy, hamming_loss]")
    (folder / "config.yaml").write_text(text)
    experiment = config.load(folder / "config.yaml")
    [planned] = plan(experiment)
    assert planned.cell.versions["known_accuracy"].startswith("1 own-scores 1.2 sha256:")
    record = run_cell(planned.cell)
    assert record.rows[0]["known_accuracy"] == pytest.approx(1 - record.rows[0]["hamming_loss"])
    assert registry.metric("hamming_loss").function is hamming_loss  # mlfs's names stay mlfs's
    store = Store(tmp_path / "results")
    store.open(experiment)
    store.write(planned, record)
    sys.path.remove(str(tmp_path / "site"))  # results outlive the package
    own_metrics.offered.cache_clear()
    found = read(Store(tmp_path / "results"))
    assert found.experiment.measured["known_accuracy"] and not found.missing
