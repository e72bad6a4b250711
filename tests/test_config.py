"""Configs: every mistake is one sentence with file, line and key."""

from pathlib import Path

import pytest
import yaml

from mlfs import config
from mlfs.errors import UserError
from mlfs.protocols import NAMES, Experiment, protocol

CONFIGS = sorted((Path(__file__).parents[1] / "configs").glob("*.yaml"))
GOOD = """\
name: small
protocol: selection
datasets: [emotions, {name: rcv1subset2, clean: true}]
split: {kind: holdout, train: 0.5, repeats: 2}
mask: {kind: hide_positives, ratio: [0.2, 0.4]}
methods:
  - all
  - {random: {random_state: 3}, label: Chance}
sizes: [1/6, 10]
classifier: {mlknn: {k: 5}}
metrics: [average_precision]
"""


@pytest.fixture
def write(tmp_path):
    def save(text):
        path = tmp_path / "config.yaml"
        path.write_text(text)
        return path

    return save


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_shipped_config_is_good_and_named_after_its_file(path):
    experiments = config.load_all(path)
    if len(experiments) == 1:
        assert experiments[0].name == path.stem
    else:
        assert all(experiment.name.startswith(path.stem) for experiment in experiments)


def test_a_file_may_hold_several_experiments(write):
    path = write(f"{GOOD}\n---\n{GOOD.replace('name: small', 'name: large')}")
    assert [experiment.name for experiment in config.load_all(path)] == ["small", "large"]
    with pytest.raises(UserError, match="holds 2 experiments"):
        config.load(path)
    second = GOOD.replace("name: small", "name: large").replace("train: 0.5", "trian: 0.5")
    line = len(GOOD.splitlines()) + 5
    with pytest.raises(UserError, match=f"line {line}: unknown key 'trian'"):
        config.load_all(write(f"{GOOD.rstrip()}\n---\n{second}"))


def test_short_forms_are_read(write):
    experiment = config.load(write(GOOD))
    assert [d.name for d in experiment.datasets] == ["emotions", "rcv1subset2"]
    assert experiment.datasets[1].clean
    assert experiment.methods[1].label == "Chance"
    assert experiment.methods[1].params == {"random_state": 3}
    assert experiment.classifier.params == {"k": 5}
    assert experiment.sizes == ["1/6", "10"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: small", "name: [", "line 3: expected"),
        ("methods:", "name: twice\nmethods:", "line 6: key 'name' stands twice"),
        ("protocol: selection", "protocol: selektion", "line 2.*did you mean 'selection'"),
        ("datasets:", "dataset:", "line 3: unknown key 'dataset'; did you mean 'datasets'"),
        ("train: 0.5", "trian: 0.5", "line 4: unknown key 'trian'; did you mean 'train'"),
        ("train: 0.5", "train: 1.5", "line 4: 'split.holdout.train': .*less than 1"),
        ("kind: holdout", "kind: holdup", "line 4"),
        ("[emotions,", "[emotion,", "line 3: unknown dataset 'emotion'; did you mean 'emotions'"),
        ("- all", "- al", "unknown method 'al'; did you mean 'all'"),
        ("random_state: 3", "random_sate: 3", "no parameter 'random_sate'; did you mean"),
        ("mlknn", "mlkn", "unknown method 'mlkn'; did you mean 'mlknn'"),
        ("hide_positives", "hide_positive", "line 5: unknown mask.*did you mean"),
        ("ratio: [0.2, 0.4]", "ratio: 40", "line 5: .*use 0.4 for 40 %"),
        ("average_precision", "average_presicion", "unknown metric.*did you mean"),
        ("sizes: [1/6, 10]", "sizes: [many]", "line 9: size 'many' is neither"),
        ("name: small\n", "", "key 'name' is missing"),
        ("name: small", "name: ../away", "'name'"),
        ("metrics:", "paper: gmsf\nmetrics:", "unknown paper 'gmsf'; did you mean 'gmfs'"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_place(write, old, new, said):
    assert old in GOOD
    with pytest.raises(UserError, match=said) as caught:
        config.load(write(GOOD.replace(old, new, 1)))
    assert "\n" not in str(caught.value)


def test_files_that_are_no_configs(write, tmp_path):
    with pytest.raises(UserError, match="cannot read"):
        config.load(tmp_path / "absent.yaml")
    with pytest.raises(UserError, match="mapping of keys"):
        config.load(write("- a\n- b\n"))
    with pytest.raises(UserError, match="mapping of keys"):
        config.load(write(""))


def test_what_is_stored_reads_back_as_the_same_experiment(write):
    experiment = config.load(write(GOOD))
    stored = yaml.safe_load(yaml.safe_dump(experiment.model_dump(mode="json")))
    assert config.parse(stored, source="stored") == experiment


def test_the_schema_names_every_key_of_a_config():
    known = config.schema()["selection"]["properties"]
    assert set(yaml.safe_load(GOOD)) <= set(known)


@pytest.mark.parametrize("name", NAMES)
def test_every_key_of_a_protocol_decides_its_cells(name):
    model = protocol(name).Config
    own = set(model.model_fields) - set(Experiment.model_fields)
    assert set(model.cell_keys) == own
