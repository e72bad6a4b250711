"""What methods leave behind in memory, in data and in generators reaches no number."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs import config
from mlfs.engine.workers.run_cell import run_cell
from mlfs.methods import registry
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.untouched import own_copy, read_only

from ..helpers import environment
from .common import records, run, start
from .misbehaving import BODIES

SELECTION = (
    "name: wild\nprotocol: selection\ndatasets: [planted]\nsizes: [5]\n"
    "metrics: [average_precision]\nsplit: {{kind: holdout, repeats: {repeats}}}\n"
)
WRITING = ["WritesX", "WritesIntoViews", "WritesY", "WritesTheBase", "ForcesTheFlag"]
WRITING += ["WritesByAddress", "FindsTheFrame"]
CHANGING = ["SetsConfig", "ReplacesArgsort", "ReplacesMean", "ReplacesAll", "ReplacesMetrics"]
CHANGING += ["ReplacesBuiltins", "ReplacesPickle", "RaisesOnWarnings", "Seeds"]


def test_who_writes_into_its_data_does_not_change_its_score(tmp_path):
    names = [f"{own}{name}" for own in ("", "Own") for name in (*WRITING, *CHANGING)]
    found = run(tmp_path, ["Good", *names], "--workers", 2, config=SELECTION)
    right = found.rows("Good")
    assert right[0]
    for name in names:
        assert found.errors(name) != [""] or found.rows(name) == right, name
    done = {name for name in names if found.errors(name) == [""]}
    assert {"WritesX", "OwnWritesX", "WritesY", "WritesByAddress", "ReplacesArgsort"} <= done


LINEAR = "sklearn.linear_model:LinearRegression"


def test_scikit_learn_in_place_scores_as_with_a_copy():
    """The selector that changed its own score: the classifier was trained on what it had left."""
    text = {
        "name": "w",
        "protocol": "selection",
        "datasets": ["planted"],
        "sizes": [5],
        "metrics": ["average_precision"],
        "methods": [{LINEAR: {"copy_X": copy}, "label": str(copy)} for copy in (True, False)],
    }
    kept, changed = (run_cell(one.cell) for one in plan(config.parse(text, source="test")))
    assert kept.status == changed.status == "done"
    assert changed.rows == kept.rows


CLASSIFIERS = """\
from mlfs.classifiers import MultiLabelClassifier
from mlfs.methods.tags import Tags
from sklearn.neighbors import KNeighborsClassifier


class Near(KNeighborsClassifier):
    pass


class NearWrites(Near):
    def fit(self, X, Y):
        super().fit(X.copy(), Y.copy())
        X[:] = 0.0
        Y[:] = 1
        return self

    def predict_proba(self, X):
        found = super().predict_proba(X)
        X[:] = 0.0
        return found


class Own(MultiLabelClassifier):
    tags = Tags(paper="none")

    def _fit(self, X, Y):
        self.n_labels_, self.means_ = Y.shape[1], X.T @ (Y - Y.mean(axis=0))

    def _scores(self, X):
        return X @ self.means_


class OwnWrites(Own):
    def _fit(self, X, Y):
        super()._fit(X, Y)
        X[:] = 0.0
        Y[:] = 1.0

    def _scores(self, X):
        found = super()._scores(X)
        X[:] = 0.0
        return found
"""


@pytest.mark.parametrize("base", ["Near", "Own"])
@pytest.mark.parametrize("protocol", ["learning", "selection"])
def test_a_classifier_that_writes_scores_as_one_that_does_not(tmp_path, protocol, base):
    (tmp_path / "mine.py").write_text(CLASSIFIERS)
    found = []
    for name in (base, f"{base}Writes"):
        text = f"name: c\nprotocol: {protocol}\ndatasets: [toy_gaussian]\nmetrics: [coverage]\n"
        if protocol == "learning":
            text += f"methods: [mine:{name}]\n"
        else:
            text += f"methods: [random]\nsizes: ['1/2', '1']\nclassifier: mine:{name}\n"
        (tmp_path / "c.yaml").write_text(text)
        [cell] = plan(config.load(tmp_path / "c.yaml"))
        found.append(run_cell(cell.cell))
    assert found[0].status == found[1].status == "done", found[1].error
    assert found[0].rows == found[1].rows


def matrices():
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(size=(6, 4)))
    yield X
    yield sp.csr_matrix(np.where(X > 0, X, 0.0))
    unsorted = sp.csr_matrix(([1.0, 2.0, 3.0], [3, 0, 0], [0, 2, 3]), shape=(2, 4))
    assert not unsorted.has_canonical_format
    yield unsorted


@pytest.mark.parametrize("X", list(matrices()), ids=["dense", "sparse", "unsorted"])
def test_read_only_data_are_equal_and_cannot_be_written_to(X):
    locked = read_only(X)
    same = (locked != X).nnz == 0 if sp.issparse(X) else (locked == X).all()
    assert same and type(locked) is type(X) and locked.dtype == X.dtype
    parts = [locked.data, locked.indices, locked.indptr] if sp.issparse(X) else [locked]
    for part in parts:
        with pytest.raises(ValueError, match="read-only"):
            part[:] = 0
        for view in (part.T, part[..., ::2], part.reshape(-1, order="A"), part.view()):
            with pytest.raises(ValueError, match="read-only"):
                view[...] = 0
    before = own_copy(locked)
    mine = own_copy(locked)
    if sp.issparse(mine):
        mine.data[:] = -1.0
    else:
        assert mine.flags.f_contiguous, "another order in memory gives other sums"
        mine[:] = -1.0
    after = own_copy(locked)
    assert (before != after).nnz == 0 if sp.issparse(X) else (before == after).all()


KINDS = ("selector", "learner", "classifier")
OURS = [(kind, name) for kind in KINDS for name in registry.methods([kind])]


@pytest.mark.parametrize(("kind", "name"), OURS)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_methods_of_mlfs_need_no_data_that_they_can_write_to(kind, name, sparse):
    """And give the same to the last bit."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 12)) * (rng.random((40, 12)) < 0.7)
    Y = (rng.random((40, 3)) < 0.4).astype(float)
    Y[:3], Y[3:6] = 1.0, 0.0
    X = sp.csr_matrix(X) if sparse else X
    few = {"max_samples": 20, "n_trees": 10}
    known = registry.methods([kind])[name]().get_params()
    params = {key: most for key, most in few.items() if key in known}
    found = []
    for data in ((X, Y), (read_only(X), read_only(Y))):
        with np.errstate(all="ignore"):
            method = registry.build(name, params, [kind], seed=1)
            if kind == "selector":
                found.append(method.fit(*data).ranking_)
            else:
                found.append(method.fit(*data).decision_function(data[0]))
    np.testing.assert_array_equal(*found)


def test_no_process_is_used_again_after_code_that_is_not_of_mlfs(tmp_path):
    """Others got other numbers from a replaced function, and failed by a setting of a library."""
    names = ["fsnm", "Good", "ReplacesArgsort", "SetsConfig", "ReplacesAll", "OwnReplacesMean"]
    clean = run(tmp_path / "clean", names[:2], "--workers", 1, repeats=2)
    mixed = run(tmp_path / "mixed", names[::-1], "--workers", 1, repeats=2)
    for name in names[:2]:
        assert mixed.rows(name) == clean.rows(name)
    for name in names[2:]:
        for row, error in zip(mixed.rows(name), mixed.errors(name)):
            assert error or row in clean.rows("Good"), name


@pytest.mark.slow
def test_a_leak_is_no_part_of_what_the_next_cell_needs(tmp_path):
    found = run(tmp_path, ["Leaks", "Good"], "--workers", 1, repeats=5)
    memory = [record["memory"] for record in found.records["Leaks"]]
    assert max(memory) - min(memory) < 12.0, memory  # each leaks 16 MB


DRAWING = """\
import random
import numpy as np
from sklearn.base import BaseEstimator


class Draws(BaseEstimator):
    def fit(self, X, Y):
        names = {f"feature {i}" for i in range(X.shape[1])}
        order = [int(name.split()[1]) for name in names]
        self.scores_ = np.random.random(X.shape[1]) + random.random()
        self.scores_[order] += np.arange(len(order)) * 1e-3 + np.random.random()
"""


def test_generators_of_numpy_and_python_and_the_order_of_sets_come_from_the_cell(tmp_path):
    (tmp_path / "mine.py").write_text(DRAWING)
    (tmp_path / "config.yaml").write_text(
        "name: wild\nprotocol: planted\nmetrics: [relevant_found]\nrepeats: 3\n"
        "methods: [mine:Draws]\n"
    )
    found = []
    for seed in ("1", "2"):
        process = start(tmp_path, "--force", env=environment(PYTHONHASHSEED=seed))
        assert process.wait() == 0, process.stderr.read()
        found.append([one["features"] for one in records(tmp_path)["Draws"]])
    assert found[0] == found[1]
    assert len(set(map(str, found[0]))) == 3, "every repeat has a seed of its own"


def test_the_misbehaving_are_all_tried_somewhere():
    known = set(itertools.chain(WRITING, CHANGING))
    assert known <= set(BODIES)
