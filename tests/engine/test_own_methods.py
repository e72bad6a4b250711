"""Methods of the user's own: found beside the config, on any worker, known by their source."""

import json
import os
import re
import shutil
import signal
import sys

import pytest

from mlfs import config
from mlfs.engine.execute import Finished, run_cells
from mlfs.engine.workers.executor import local
from mlfs.engine.workers.run_cell import run_cell
from mlfs.errors import UserError
from mlfs.methods import registry
from mlfs.protocols.plan import plan, tuners
from mlfs.report.lists import method_list
from mlfs.results.store import Store
from mlfs.selectors import FSNM

from ..installed_package import installed_package

MODULE = '''\
import numpy as np
from sklearn.base import BaseEstimator


class Spread(BaseEstimator):
    """Rank features by their spread."""

    def __init__(self, power=1.0):
        self.power = power

    def fit(self, X, Y):
        self.scores_ = X.std(axis=0) ** self.power


class Bare:
    pass
'''
CONFIG = """\
name: mine
protocol: selection
datasets: [planted]
methods:
  - fsnm
  - my_module:Spread
  - {my_module:Spread: {power: -1.0}, label: backwards}
  - sklearn.feature_selection:SelectKBest
sizes: [5]
metrics: [average_precision]
"""


@pytest.fixture
def folder(tmp_path):
    """A folder of a user's, with a module and a config."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/my_module.py").write_text(MODULE)
    (tmp_path / "mine/config.yaml").write_text(CONFIG)
    return tmp_path / "mine"


def run(experiment, store, executor):
    """The records of an experiment's cells, by label."""
    store.open(experiment)
    with executor as place:
        cells = plan(experiment)
        events = list(run_cells(cells, store, place, tuners(cells)))
    return {e.planned.label: e.record for e in events if isinstance(e, Finished)}


def test_workers_need_the_cells_alone(folder, tmp_path):
    """The folder is gone before the first cell runs, as if it were on another machine."""
    (folder / "helping_hand.py").write_text("POWER = 2.0\n")
    text = MODULE.replace("import numpy as np", "from helping_hand import POWER")
    (folder / "my_module.py").write_text(text.replace("** self.power", "** (POWER * self.power)"))
    experiment = config.load(folder / "config.yaml")
    cells = plan(experiment)
    shutil.rmtree(folder)
    store = Store(tmp_path / "results")
    store.open(experiment)
    with local(1, None) as place:
        events = list(run_cells(cells, store, place))
    found = {e.planned.label: e.record for e in events if isinstance(e, Finished)}
    assert [record.error for record in found.values()] == [""] * 4
    assert set(found) == {"fsnm", "Spread", "backwards", "SelectKBest"}
    assert found["Spread"].features != found["backwards"].features


def keys(folder):
    return {one.label: one.key for one in plan(config.load(folder / "config.yaml"))}


def test_the_key_knows_the_source_and_the_version_but_not_the_place(folder, tmp_path):
    before = keys(folder)
    moved = tmp_path / "elsewhere"
    shutil.copytree(folder, moved)
    assert keys(moved) == before
    (folder / "my_module.py").write_text(MODULE.replace("std", "var"))
    after = keys(folder)
    changed = {label for label in before if before[label] != after[label]}
    assert changed == {"Spread", "backwards"}
    [spread] = [one for one in plan(config.load(moved / "config.yaml")) if one.label == "Spread"]
    version = spread.cell.versions["my_module:Spread"]
    assert version == f"1 sha256:{spread.cell.code['my_module'].digest}"
    assert "text" not in json.dumps(spread.cell.to_json())


def test_the_class_says_its_version_and_a_package_its_own(folder):
    import sklearn

    text = MODULE.replace("    def __init__", "    version = 3\n\n    def __init__", 1)
    (folder / "my_module.py").write_text(text)
    cells = {one.label: one.cell for one in plan(config.load(folder / "config.yaml"))}
    assert cells["Spread"].versions["my_module:Spread"].startswith("3 sha256:")
    theirs = cells["SelectKBest"].versions["sklearn.feature_selection:SelectKBest"]
    assert theirs.startswith(f"2 scikit-learn {sklearn.__version__} sha256:")
    assert cells["fsnm"].versions["fsnm"] == FSNM.version


def test_tables_need_neither_the_module_nor_its_text_of_then(folder, tmp_path):
    experiment = config.load(folder / "config.yaml")
    store = Store(tmp_path / "results")
    run(experiment, store, local(1, None))
    earlier = plan(experiment)
    (folder / "my_module.py").unlink()
    found = plan(store.experiment())
    assert [one.key for one in found] == [one.key for one in earlier]
    assert all(store.read(one).status == "done" for one in found)


def test_an_edited_module_is_run_again_in_the_same_folder(folder, tmp_path):
    store = Store(tmp_path / "results")
    run(config.load(folder / "config.yaml"), store, local(1, None))
    (folder / "my_module.py").write_text(MODULE.replace("std", "var"))
    edited = config.load(folder / "config.yaml")
    store.open(edited)  # nothing is hidden: cells of the earlier text are stale
    done = {one.label for one in plan(edited) if store.get(one)}
    assert done == {"fsnm", "SelectKBest"}
    fewer = CONFIG.replace("  - fsnm\n", "")
    (folder / "config.yaml").write_text(fewer)
    with pytest.raises(UserError, match="has 1 finished cells"):
        store.open(config.load(folder / "config.yaml"))


def test_a_file_goes_before_an_installed_module_for_the_config_alone(folder):
    (folder / "yaml.py").write_text(MODULE)
    text = CONFIG.replace("my_module", "yaml")
    (folder / "config.yaml").write_text(text)
    assert len(plan(config.load(folder / "config.yaml"))) == 4
    import yaml

    assert hasattr(yaml, "safe_load") and not hasattr(yaml, "Spread")


def test_neighbours_are_part_of_the_source_and_of_nothing_else(folder, tmp_path):
    """Two folders with a helper of one name, and a stray yaml.py that is nobody's helper."""
    text = MODULE.replace("import numpy as np", "import yaml\nfrom helping_hand import POWER")
    found = []
    for power in (1.0, 2.0):
        other = tmp_path / f"folder{power}"
        other.mkdir()
        (other / "config.yaml").write_text(CONFIG)
        (other / "yaml.py").write_text("raise SystemExit('hijacked')\n")
        (other / "helping_hand.py").write_text(f"POWER = {power}\n")
        (other / "my_module.py").write_text(text)
        cell = plan(config.load(other / "config.yaml"))[1].cell
        assert set(cell.code["my_module"].texts) == {"my_module", "helping_hand"}
        assert power == cell.code["my_module"].load().POWER
        found.append(cell.key)
    assert found[0] != found[1]
    assert "helping_hand" not in sys.modules
    assert not [path for path in sys.path if path.startswith(str(tmp_path))]


def test_a_module_that_was_imported_before_stays_as_it_was(folder, monkeypatch, request):
    """As in a notebook whose folder is on the path: the file may have changed since."""
    monkeypatch.syspath_prepend(folder)
    (folder / "helping_hand.py").write_text("POWER = 2.0\n")
    import helping_hand

    request.addfinalizer(lambda: sys.modules.pop("helping_hand"))
    (folder / "helping_hand.py").write_text("POWER = 30.0\n")
    text = MODULE.replace("import numpy as np", "from helping_hand import POWER")
    (folder / "my_module.py").write_text(text)
    cell = plan(config.load(folder / "config.yaml"))[1].cell
    assert cell.code["my_module"].load().POWER == 30.0
    assert sys.modules["helping_hand"] is helping_hand and helping_hand.POWER == 2.0


@pytest.mark.parametrize(
    ("name", "module", "words"),
    [
        ("my_modul:Spread", MODULE, "no file my_modul.py in .*, and no installed module"),
        ("my_module:Spraed", MODULE, "my_module has no 'Spraed'; did you mean 'Spread'"),
        ("my_module:Bare", MODULE, "'my_module:Bare' has no method 'fit'"),
        ("my_module:np", MODULE, "'my_module:np' is not a class"),
        ("my_module:Spread", "def (", "my_module.py cannot be imported: SyntaxError"),
        ("my_module:Spread", "1 / 0", "my_module.py cannot be imported: ZeroDivisionError"),
        ("my_module:Spread", "import sys; sys.exit(3)", "cannot be imported: SystemExit: 3"),
        ("my_module:Spread", "print('NOISE' * 10**6); 1 / 0", "cannot be imported: ZeroDivision"),
        ("my_module:Spread", "import not_there", "cannot be imported: ModuleNotFound.*not_there"),
        ("my_module:Spread", "\ud800", "cannot read .*my_module.py"),
        ("my_package:Spread", MODULE, "install the folder as a package, or use a single file"),
        ("sklearn.nothing:Spread", MODULE, "no installed module 'sklearn.nothing'"),
        ("mlfs.learners:RMFL", MODULE, "'mlfs.learners:RMFL' is a classifier, not a selector"),
        ("my_module:Spread:x", MODULE, "my_module has no 'Spread:x'"),
        (":Spread", MODULE, "':Spread' is not the name of a class: write module:Class"),
        ("my_module:", MODULE, "not the name of a class"),
        ("__main__:Spread", MODULE, "workers cannot see classes of your script.*file:Spread"),
        ("fsmn", MODULE, "unknown method 'fsmn'; did you mean 'fsnm'"),
    ],
)
def test_a_method_that_cannot_be_had_is_one_sentence(folder, name, module, words, capsys):
    (folder / "my_package").mkdir()
    (folder / "my_module.py").write_bytes(module.encode("utf-8", "surrogatepass"))
    (folder / "config.yaml").write_text(CONFIG.replace("  - my_module:Spread", f"  - '{name}'"))
    with pytest.raises(UserError, match=words) as error:
        config.load(folder / "config.yaml")
    assert "config.yaml, line 6" in str(error.value) and "\n" not in str(error.value)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("{my_module:Spread: {pover: 1}}", "no parameter 'pover'; did you mean 'power'"),
        ("{my_module:Raising: {}}", "'my_module:Raising' cannot be made: OSError: no"),
    ],
)
def test_wrong_parameters_are_said_before_the_run(folder, method, words):
    raising = "\n\nclass Raising(Spread):\n    def __init__(self):\n        raise OSError('no')\n"
    (folder / "my_module.py").write_text(MODULE + raising)
    (folder / "config.yaml").write_text(CONFIG.replace("my_module:Spread\n", method + "\n", 1))
    with pytest.raises(UserError, match=words):
        config.load(folder / "config.yaml")


TUNED = (
    MODULE
    + """

from mlfs.selectors import Ranker
from mlfs.methods.tags import Tags


class Tuned(Ranker):
    tags = Tags(paper="none", search_space={"power": (1.0, -1.0)})
    _parameter_constraints = {**Ranker._parameter_constraints, "power": [float]}

    def __init__(self, power=1.0, n_features_to_select=None):
        self.power = power
        self.n_features_to_select = n_features_to_select

    def _rank(self, X, Y):
        return X.std(axis=0) ** self.power
"""
)


def test_a_ranker_with_a_search_space_is_tuned_and_read_again(folder, tmp_path):
    (folder / "my_module.py").write_text(TUNED)
    tune = "tune: {strategy: grid, folds: 2, per: dataset}\n"
    text = CONFIG.replace("- my_module:Spread", "- my_module:Tuned") + tune
    (folder / "config.yaml").write_text(text)
    experiment = config.load(folder / "config.yaml")
    store = Store(tmp_path / "results")
    assert {record.status for record in run(experiment, store, local(1, None)).values()} == {"done"}
    [tuned] = [one for one in plan(experiment) if one.label == "Tuned"]
    assert store.read(tuned.tuner).tuned["chosen"].keys() == {"power"}
    (folder / "my_module.py").unlink()
    found = plan(store.experiment())
    assert [one.key for one in found] == [one.key for one in plan(experiment)]
    assert next(one for one in found if one.label == "Tuned").tuner.key == tuned.tuner.key


STRATEGY = """
import numpy as np
from mlfs.active import QueryStrategy
from mlfs.methods.tags import Tags


class First(QueryStrategy):
    tags = Tags(paper="none")

    def _query(self, pool, model, n):
        return np.arange(n), np.full(n, np.nan)
"""


def test_a_strategy_of_ones_own_buys_labels(folder, tmp_path):
    (folder / "my_module.py").write_text(STRATEGY)
    text = (
        "name: mine\nprotocol: active\ndatasets: [toy_gaussian]\nmethods: [my_module:First]\n"
        "start: 20\npool: 60\ntest: 40\nbudget: 10\nmodel: {gamma: 1.0, sigma2: 0.1, chi2: 0.1}\n"
        "metrics: [precision]\n"
    )
    (folder / "config.yaml").write_text(text)
    store = Store(tmp_path / "results")
    found = run(config.load(folder / "config.yaml"), store, local(1, None))
    assert found["First"].error == "" and found["First"].rows[-1]["n_bought"] == 10
    (folder / "my_module.py").unlink()
    assert store.read(plan(store.experiment())[0]).status == "done"
    (folder / "my_module.py").write_text(STRATEGY)
    (folder / "config.yaml").write_text(text + "mode: diagnosis\n")
    with pytest.raises(UserError, match="'my_module:First' chooses points, not labels"):
        config.load(folder / "config.yaml")


def test_a_classifier_of_anyones_runs_in_the_selection_protocol(folder, tmp_path):
    text = CONFIG + "classifier: {sklearn.neighbors:KNeighborsClassifier: {n_neighbors: 3}}\n"
    (folder / "config.yaml").write_text(text)
    found = run(config.load(folder / "config.yaml"), Store(tmp_path / "r"), local(1, None))
    assert [record.status for record in found.values()] == ["done"] * 4
    wrong = CONFIG + "classifier: my_module:Spread\n"
    (folder / "config.yaml").write_text(wrong)
    with pytest.raises(UserError, match=r"line 11.*has neither predict_proba nor decision_fun"):
        config.load(folder / "config.yaml")


@pytest.fixture
def offered(tmp_path, folder, monkeypatch):
    """An installed package that offers two methods, one of which cannot be imported."""
    points = (
        "[mlfs.methods]\nspread = own_rankers:Spread\nlost = own_losers:Lost\n"
        "fsnm = own_rankers:Bare\n"
    )
    module = folder / "my_module.py"
    with installed_package(tmp_path / "site", "own_rankers", module, points, monkeypatch):
        yield


def test_entry_points_are_methods_by_name(offered, tmp_path, folder):
    (folder / "config.yaml").write_text(CONFIG.replace("my_module:Spread", "spread"))
    experiment = config.load(folder / "config.yaml")
    store = Store(tmp_path / "results")
    found = run(experiment, store, local(1, None))
    assert [record.error for record in found.values()] == [""] * 4
    cells = {one.label: one.cell for one in plan(experiment)}
    assert cells["backwards"].versions["spread"].startswith("1 own-rankers 1.2 sha256:")
    assert cells["fsnm"].versions["fsnm"] == FSNM.version  # a name of mlfs's own stays mlfs's
    listed = method_list.listed()
    assert re.search(r"^spread +selector ", listed, re.M)
    assert "no installed module 'own_losers'" in listed
    assert "version:     1 own-rankers 1.2" in method_list.about("spread", folder)
    with pytest.raises(UserError, match="no installed module 'own_losers'"):
        registry.method("lost", ["selector"])
    with pytest.raises(UserError, match="'spread' has neither predict_proba nor"):
        registry.method("spread", ["classifier"])
    # results outlive the package
    registry._entry_points.cache_clear()
    sys.path.remove(str(tmp_path / "site"))
    assert all(store.read(one).status == "done" for one in plan(store.experiment()))


def test_scikit_multilearns_mlknn_agrees_with_ours_on_yeast(benchmarks, tmp_path):
    """To the last digit where it leaves an instance out of its own neighbours while training.

    As it comes it counts every training instance among its own neighbours, and differs a little.
    """
    (tmp_path / "theirs.py").write_text(
        "from skmultilearn.adapt import MLkNN\n\n\n"
        "class LeftOut(MLkNN):\n"
        "    def fit(self, X, Y):\n"
        "        self.ignore_first_neighbours = 1\n"
        "        super().fit(X, Y)\n"
        "        self.ignore_first_neighbours = 0\n"
        "        return self\n"
    )
    (tmp_path / "config.yaml").write_text(
        "name: neighbours\nprotocol: learning\ndatasets: [yeast]\nsplit: {kind: official}\n"
        "methods: [mlknn, skmultilearn.adapt:MLkNN, theirs:LeftOut]\n"
        "metrics: [average_precision, hamming_loss]\n"
    )
    found = run(config.load(tmp_path / "config.yaml"), Store(tmp_path / "r"), local(1, None))
    ours, theirs, left_out = (found[name].rows[0] for name in ("mlknn", "MLkNN", "LeftOut"))
    assert left_out == pytest.approx(ours, abs=1e-12)
    assert theirs["average_precision"] == pytest.approx(ours["average_precision"], abs=0.007)
    assert theirs["hamming_loss"] == pytest.approx(ours["hamming_loss"], abs=0.012)


def test_a_child_that_a_method_forks_ends_within_the_cell(folder):
    """It would go on as a second worker, and take cells from the first."""
    forking = MODULE.replace("        self.scores_ =", "        os.fork()\n        self.scores_ =")
    (folder / "my_module.py").write_text("import os\n" + forking)
    [cell] = [c for c in plan(config.load(folder / "config.yaml")) if c.label == "Spread"]
    here = os.getpid()
    record = run_cell(cell.cell)
    if os.getpid() != here:
        os._exit(7)  # the child must not come this far
    assert record.status == "done"
    _, status = os.wait()
    # it ends by itself, or is ended with what the cell leaves behind if the machine is busy
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)
