"""Lists for people: failures by cause, datasets, checks of own data, and what runs will take."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs import datasets
from mlfs.datasets import Dataset
from mlfs.engine.costs import Estimate
from mlfs.errors import UserError
from mlfs.report.lists import data_check, dataset_list, estimates, failure_list, method_list


def test_errors_that_differ_in_numbers_are_one_cause_told_by_the_first():
    failed = [("a", "no"), ("b", "3 rows of 0.5"), ("c", "12 rows of 4"), ("d", "13 rows of 0")]
    assert failure_list.by_cause(failed) == [("3 rows of 0.5", ["b", "c", "d"]), ("no", ["a"])]


def test_failures_are_listed_by_cause_with_some_of_their_cells(run, tmp_path):
    def rows(cell):
        if cell.label == "random":
            return f"ValueError: {cell.repeat} rows"
        return "no memory" if cell == next_to_last else [{"average_precision": 0.5}]

    from ..conftest import Made

    next_to_last = Made("business", 1, "MFSEF")
    store = run(rows)
    [many, one] = failure_list.causes(store)
    assert (many.reason, len(many.cells), many.traceback) == ("ValueError: 0 rows", 9, "")
    assert (one.reason, len(one.cells)) == ("no memory", 1)
    text = failure_list.as_text([store.folder])
    assert f"{store.folder}: 10 failed cells, 2 causes" in text
    assert "9 x ValueError: 0 rows" in text and "    and 4 more\n    (no traceback)" in text
    assert text.count("(no traceback)") == 2 and "1 x no memory" in text


def test_a_dataset_is_described_with_its_family():
    lines = dataset_list.about("arts").splitlines()
    assert lines[0].startswith("arts: 5000 instances, ")
    [family] = [line for line in lines if line.startswith("family: ")]
    assert family.startswith("family: yahoo (with business, ") and ", arts" not in family
    alone = dataset_list.about("emotions").splitlines()
    assert "family: emotions" in alone and not any(line.startswith("path: ") for line in alone)
    assert not any("unknown labels" in line for line in alone)


def test_own_data_are_described_by_how_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    table = "a,b,x,y\n" + "".join(f"{i},{i % 3},{i % 2},{i % 3 > 0:d}\n" for i in range(12))
    (tmp_path / "mine.csv").write_text(table)
    datasets.add("mine", datasets.UserData(path="mine.csv", labels=["x", "y"]))
    lines = dataset_list.about("mine").splitlines()
    assert "labels: ['x', 'y']" in lines
    assert lines[-1] == "Next: 'datasets: [mine]' in a config"


def made(X, Y, **changes):
    d, n_labels = X.shape[1], Y.shape[1]
    names = {"feature_names": list("abcdef"[:d]), "label_names": list("xyz"[:n_labels])}
    about = {"train": None, "test": None, "checksum": "", "notes": []} | changes
    return Dataset(name="made", X=X, Y=Y, **names, **about)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_a_check_names_what_may_be_wrong(form):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (30, 4)).astype(float)
    X[:, 1] = 7.0  # constant
    X[2, 3] = np.nan
    Y = np.zeros((30, 3))
    Y[:15, 0], Y[:9, 1], Y[:21, 2] = 1, 1, 1  # the last is absent from 9 rows
    text = data_check.checked(made(form(X), Y))
    assert "constant features: b\n" in text
    assert "missing values:    1, in d (1)\n" in text
    assert "rare labels:       y (9), z (9); fewer than 10 rows with or without them" in text
    assert "rows without a label: 9\n" in text


def test_rare_labels_of_a_given_split_are_those_that_a_part_lacks():
    X, Y = np.arange(24.0).reshape(12, 2), np.ones((12, 3))
    Y[[0, 11], 0] = 0  # absent once from each part
    Y[[0, 1], 1] = 0  # in all rows of the test part
    Y[:11, 2] = 0  # in no row of the training part
    text = data_check.checked(made(X, Y, train=np.arange(8), test=np.arange(8, 12)))
    assert "rare labels:       y (0), z (0); the training or test part has them" in text
    assert "official split:    8 training and 4 test rows" in text


def test_an_estimate_has_units_and_dashes_when_nothing_is_left():
    one = Estimate(cells=4, done=1, seconds=14400.0, dearest=100.0, memory=4e7, off=1.5)
    assert estimates._entries(one, 2) == ["4", "1", "4.0 h", "2.0 h", "40 MB", "1.50"]
    done = Estimate(cells=4, done=4, seconds=0.0, dearest=0.0, memory=0.0, off=float("nan"))
    assert estimates._entries(done, 2) == ["4", "4", "-", "-", "-", "-"]


def test_the_words_about_a_parameter_fill_lines_of_96_columns(tmp_path):
    words = " ".join(["letter"] * 60)  # lines of exactly 96
    (tmp_path / "wordy.py").write_text(
        f'''from sklearn.base import BaseEstimator


class Wordy(BaseEstimator):
    """Do nothing.

    Parameters
    ----------
    power : float
        {words}
    """

    def __init__(self, power=1.0):
        self.power = power

    def fit(self, X, Y):
        self.scores_ = X.sum(axis=0)
'''
    )
    text = method_list.about("wordy:Wordy", tmp_path)
    lines = text.partition("  power = 1.0\n")[2].splitlines()
    assert " ".join(text.split()).endswith(words)
    assert all(line.startswith(" " * 6) and len(line) <= 96 for line in lines)
    assert all(len(f"{line} letter") > 96 for line in lines[:-1])  # no more words would fit


def test_a_class_that_is_no_method_is_told_what_it_lacks(tmp_path):
    (tmp_path / "plain_class.py").write_text("class Plain:\n    pass\n")
    with pytest.raises(UserError, match="'plain_class:Plain' has no method 'fit'"):
        method_list.about("plain_class:Plain", tmp_path)
