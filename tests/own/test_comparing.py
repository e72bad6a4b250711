"""The configs of comparisons, and ``mlfs.compare`` on arrays, tables and estimator objects."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import yaml
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression

import mlfs
from mlfs.datasets import UserData
from mlfs.errors import UserError
from mlfs.own.comparing import (
    as_yaml,
    content_of,
    dataset_of,
    protocol_of,
    save_config,
    usual_sizes,
)
from mlfs.selectors import FSNM
from mlfs.stats import holm, paired_t


class First(BaseEstimator):
    """A class that no worker process can import."""

    def fit(self, X, y):
        self.scores_ = -np.arange(X.shape[1])
        return self


class Broken(First):
    def fit(self, X, y):
        raise RuntimeError("boom")


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    Y = (X[:, :3] + 0.5 * rng.standard_normal((60, 3)) > 0).astype(float)
    return X, Y


def test_objects_and_names_stand_in_one_table(arrays):
    found = mlfs.compare(
        *arrays,
        ["fsnm", SelectKBest(f_classif), First(), FSNM(gamma=1.0), FSNM],
        sizes=[3, 6],
        folds=3,
    )
    table = found.table()
    assert list(table) == ["fsnm", "SelectKBest", "First", "FSNM", "FSNM 2"]
    assert found.missing.empty and len(found.frame) == 5 * 3 * 2
    # a class stands for its object with default parameters, which is the method of this name
    assert (table["fsnm"] == table["FSNM 2"]).all()
    by_size = found.table("micro_f1", by="size")
    assert list(by_size.index.get_level_values("row")) == ["3", "6"]
    kept = {(row.method, row.repeat): row for row in found.frame.itertuples()}
    assert len(kept) == 15


def test_the_chosen_features_are_those_of_the_object(arrays):
    X, Y = arrays
    [item] = mlfs.compare(X, Y, [First()], sizes=[2, 3], folds=2).experiments
    for _, record in item.records:
        assert record.features == [[0, 1, 2]] and record.n_features == 8


def test_data_may_be_sparse_or_a_frame_with_words_and_unknown_labels(arrays):
    X, Y = arrays
    given = {"sizes": [3], "folds": 2, "metrics": ["macro_auc"], "scale": "none"}
    dense = mlfs.compare(X, Y, [First()], **given).table()
    sparse = mlfs.compare(sp.csr_matrix(X), sp.csr_matrix(Y), [First()], **given).table()
    named = [f"f{j}" for j in range(8)]
    frame = mlfs.compare(pd.DataFrame(X, columns=named), pd.DataFrame(Y), [First()], **given)
    pd.testing.assert_frame_equal(dense, sparse)
    pd.testing.assert_frame_equal(dense, frame.table())
    words = pd.DataFrame(X, columns=named).assign(colour=["red", "blue"] * 30)
    assert mlfs.compare(words, Y, [First()], **given).experiments[0].records[0][1].n_features == 10
    holes = pd.DataFrame(Y).astype("Int64")
    holes.iloc[::4, 0] = pd.NA
    assert mlfs.compare(X, holes, [First()], **given).missing.empty


def test_learners_are_compared_by_their_own_predictions(arrays):
    found = mlfs.compare(
        *arrays, [LogisticRegression(), LogisticRegression(C=1e-6), "br_ridge"], folds=3
    )
    assert found.experiments[0].experiment.protocol == "learning"
    table = found.table("micro_f1")
    assert list(table) == ["LogisticRegression", "LogisticRegression 2", "br_ridge"]
    assert table["LogisticRegression"].item() > table["LogisticRegression 2"].item()


def test_tests_over_folds_use_the_larger_variance_of_shared_rows(arrays):
    found = mlfs.compare(*arrays, [FSNM(), First(), SelectKBest()], sizes=[2, 4], folds=4)
    tests = found.tests("micro_f1")
    values = found.frame.groupby(["repeat", "method"]).micro_f1.mean().unstack()
    assert list(zip(tests.method, tests.versus)) == [
        ("FSNM", "First"),
        ("FSNM", "SelectKBest"),
        ("First", "SelectKBest"),
    ]
    expected = [
        paired_t(values[a], values[b], overlap=1 / 3).p for a, b in zip(tests.method, tests.versus)
    ]
    assert tests.p.tolist() == pytest.approx(expected)
    assert tests.p_holm.tolist() == pytest.approx(list(holm(expected)))
    assert (tests.differs == (tests.p_holm < 0.05)).all() and (tests.repeats == 4).all()
    assert tests.difference[0] == pytest.approx((values["FSNM"] - values["First"]).mean())


def test_a_notebook_shows_the_tables_and_figures_are_drawn(arrays, capsys):
    found = mlfs.compare(*arrays, [FSNM(), First()], sizes=[2], folds=3)
    shown = found._repr_html_()
    for metric in ("average_precision", "macro_auc", "micro_f1"):
        assert f"<p>{metric}</p>" in shown
    assert f"{found.table('micro_f1')['FSNM'].item():.4f}" in shown
    figures = found.plot()
    assert list(figures) == [
        f"compare/means_{metric}" for metric in ("average_precision", "macro_auc", "micro_f1")
    ]
    assert capsys.readouterr().out == ""  # the temporary folder is not named


def test_an_object_that_fails_is_told_and_the_others_continue(arrays):
    found = mlfs.compare(*arrays, [First(), Broken()], sizes=[2], folds=2)
    assert found.missing.reason.tolist() == ["RuntimeError: boom"] * 2
    assert len(found.frame) == 2 and list(found.table()) == ["First"]


@pytest.mark.parametrize(
    ("methods", "told"),
    [
        ("fsnm", "methods must be a list"),
        ([], "methods must be a list"),
        (["fsnn"], "did you mean 'fsnm'"),
        ([3], "int is neither a name, a selector nor a classifier"),
        (["fsnm", "rmfl"], "'rmfl' predicts labels and 'fsnm' ranks features"),
        (["miml"], "'miml' is a strategy"),
    ],
)
def test_methods_that_cannot_be_compared_are_refused(arrays, methods, told):
    with pytest.raises(UserError, match=told):
        mlfs.compare(*arrays, methods)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"X": [["a"], ["b"]]}, "X has words"),
        ({"X": np.zeros(4)}, "X has 1 dimensions"),
        ({"Y": [["red"], ["blue", "red"]]}, "MultiLabelBinarizer"),
        ({"Y": np.full((60, 3), 2.0)}, "a label must be 1"),
        ({"sizes": [9]}, "9 features asked for, but there are 8"),
        ({"metrics": ["micro_f2"]}, "micro_f2"),
    ],
)
def test_bad_data_and_settings_are_refused(arrays, change, told):
    given = {"X": arrays[0], "Y": arrays[1]} | change
    with pytest.raises(UserError, match=told):
        mlfs.compare(methods=["fsnm"], **given)


def test_an_overlap_of_rows_widens_the_t_test():
    """With overlap r the statistic shrinks by sqrt((1/n) / (1/n + r))."""
    a, b = np.array([1.0, 2.0, 4.0, 3.0]), np.array([0.0, 1.5, 1.0, 2.5])
    plain, wide = paired_t(a, b), paired_t(a, b, overlap=0.25)
    assert wide.statistic == pytest.approx(plain.statistic / np.sqrt(2))
    assert wide.p > plain.p


# ---- the config


def test_the_protocol_follows_from_the_kinds():
    assert protocol_of({"a": ["selector"], "b": ["selector", "classifier"]}) == "selection"
    assert protocol_of({"a": ["learner"], "b": ["selector", "classifier"]}) == "learning"


def test_usual_sizes_are_at_most_half_of_the_features_and_twenty():
    assert usual_sizes(100) == [5, 10, 20]
    assert usual_sizes(9) == [1, 2, 4] and usual_sizes(1) == [1]


def test_the_text_of_a_config_is_its_content(tmp_path):
    own = UserData(path=str(tmp_path / "in/X.csv"), labels=("a", "b"), id="name")
    content = content_of(
        "mine",
        dataset_of(own, tmp_path),
        {"fsnm": ["selector"]},
        d=40,
        unknown=False,
        sizes=None,
        metrics=(),
        folds=5,
        scale="standard",
        seed=3,
    )
    assert content["datasets"] == [{"path": "in/X.csv", "labels": ["a", "b"], "id": "name"}]
    text = as_yaml(content, "mlfs compare X.csv")
    assert text.startswith("# made by: mlfs compare X.csv\nname: mine\n")
    assert yaml.safe_load(text) == content and content["seed"] == 3


def test_with_unknown_labels_what_can_is_used_label_by_label():
    given = {"d": 40, "sizes": None, "metrics": (), "folds": 5, "scale": "standard"}
    kinds = {"mlknn": ["classifier"], "rmfl": ["learner"]}
    whole = content_of("a", {"path": "X.csv"}, kinds, unknown=False, **given)
    assert whole["methods"] == ["mlknn", "rmfl"] and "evaluations" not in whole
    holes = content_of("a", {"path": "X.csv"}, kinds, unknown=True, **given)
    assert holes["methods"] == [{"mlknn": {}, "settings": {"missing": "available"}}, "rmfl"]
    judged = content_of("a", {"path": "X.csv"}, {"fsnm": ["selector"]}, unknown=True, **given)
    assert judged["evaluations"] == [{"classifier": "mlknn", "missing": "available"}]


def test_a_config_of_the_user_is_not_replaced(tmp_path):
    path = tmp_path / "a.yaml"
    save_config(path, "# one\nname: a\n", force=False)
    save_config(path, "# two\nname: a\n", force=False)  # the same but for the comment
    with pytest.raises(UserError, match="exists and says something else"):
        save_config(path, "name: b\n", force=False)
    assert path.read_text() == "# two\nname: a\n"
    save_config(path, "name: b\n", force=True)
    assert path.read_text() == "name: b\n"
