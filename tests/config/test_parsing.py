"""Configs: every mistake is one sentence with file, line and key."""

import time
from pathlib import Path

import pytest
import yaml

from mlfs import config
from mlfs.config import shipped
from mlfs.errors import UserError
from mlfs.protocols import NAMES, Experiment, protocol
from mlfs.yaml_lines import parse_yaml

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))
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


def refuse(write, old, new, said):
    """A change of the good config is refused with one sentence."""
    assert old in GOOD
    with pytest.raises(UserError, match=said) as caught:
        config.load(write(GOOD.replace(old, new, 1)))
    assert "\n" not in str(caught.value)


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
    with pytest.raises(UserError, match="has 2 experiments"):
        config.load(path)
    second = GOOD.replace("name: small", "name: large").replace("train: 0.5", "trian: 0.5")
    line = len(GOOD.splitlines()) + 5
    with pytest.raises(UserError, match=f"line {line}: unknown key 'trian'"):
        config.load_all(write(f"{GOOD.rstrip()}\n---\n{second}"))


def test_short_forms_are_read(write):
    experiment = config.load(write(GOOD))
    assert [d.name for d in experiment.datasets] == ["emotions", "rcv1subset2"]
    assert [d.clean for d in experiment.datasets] == [False, True]
    assert experiment.methods[1].label == "Chance"
    assert experiment.methods[1].params == {"random_state": 3}
    assert experiment.classifier.params == {"k": 5}
    assert experiment.sizes == ["1/6", "10"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: small", "name: [", "line 3: expected"),
        ("methods:", "name: twice\nmethods:", "line 6: key 'name' is there twice"),
        ("protocol: selection", "protocol: selektion", "line 2.*did you mean 'selection'"),
        ("datasets:", "dataset:", "line 3: unknown key 'dataset'; did you mean 'datasets'"),
        ("train: 0.5", "trian: 0.5", "line 4: unknown key 'trian'; did you mean 'train'"),
        ("train: 0.5", "train: 1.5", "line 4: 'split.holdout.train': .*less than 1"),
        ("kind: holdout", "kind: holdup", "line 4: unknown split 'holdup'; did you mean 'holdout'"),
        ("ratio: [", "ratoi: [", "line 5: unknown key 'ratoi'; did you mean 'ratio'"),
        ("[emotions,", "[emotion,", "line 3: unknown dataset 'emotion'; did you mean 'emotions'"),
        ("- all", "- al", "unknown method 'al'; did you mean 'all'"),
        ("random_state: 3", "random_sate: 3", "no parameter 'random_sate'; did you mean"),
        ("mlknn", "mlkn", "unknown method 'mlkn'; did you mean 'mlknn'"),
        ("hide_positives", "hide_positive", "line 5: unknown mask.*did you mean"),
        ("ratio: [0.2, 0.4]", "ratio: 40", "line 5: .*write 0.4 for 40 %"),
        ("average_precision", "average_presicion", "unknown metric.*did you mean"),
        ("sizes: [1/6, 10]", "sizes: [many]", "line 9: size 'many' must be"),
        ("name: small\n", "", "key 'name' is missing$"),
        ("kind: holdout, ", "", "key 'split.kind' is missing; 'mlfs config schema' lists"),
        ("name: small\n", "sede: 1\n", r"key 'sede'.*\(and 1 more mistake\)$"),
        ("name: small", "name: ../away", "'name'"),
        ("metrics:", "paper: gmsf\nmetrics:", "unknown paper 'gmsf'; did you mean 'gmfs'"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_place(write, old, new, said):
    refuse(write, old, new, said)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("sizes: [1/6, 10]", "sizes: [1/6, 5000]", "line 9: size 5000 is more than the 72"),
        ("sizes:", "tune: {strategy: grid, metric: nonsense}\nsizes:", "line 9: unknown metric"),
        ("sizes:", "control: nobody\nsizes:", "line 9: no column is called 'nobody'"),
        ("sizes:", "paper: gmfs\ntables: ['2', '99']\nsizes:", "line 10: gmfs has no table 99"),
        ("sizes:", "tables: ['2']\nsizes:", "line 9: table 2 belongs to no paper: add"),
        ("sizes:", "reading: stated\nsizes:", "line 9: a reading belongs to a paper: add the key"),
        ("sizes:", "paper: gmfs\nreading: ''\nsizes:", "line 10: 'reading': .*at least 1 char"),
        ("sizes:", "paper: gmfs\nreading: [stated]\nsizes:", "line 10: 'reading': .*valid string"),
        ("sizes:", "paper: gmfs\nfigures: ['9']\nsizes:", "line 10: gmfs has no figure 9"),
        ("sizes:", "vary: {scale: [none, nonsense]}\nsizes:", "line 9: 'scale' cannot be 'non"),
        ("sizes:", "vary: {random_state: []}\nsizes:", "line 9: .*at least 1"),
        ("repeats: 2", "repeats: 10000000000", "line 4: .*less than or equal to 1000000"),
        ("name: small", f"name: {'g' * 300}", "line 1: .*at most 100 characters"),
        ("sizes: ", "sizes: ['1e300000000']  # ", "size '1e300000000' must be a count"),
        ("- all", "- fsnm: {gamma: 2020-01-01}", "line 7: The 'gamma' parameter of FSNM must be"),
        ("sizes:", "vary: {colour: [1]}\nsizes:", "line 9: method 'all' has no parameter 'colour'"),
        ("sizes:", "vary: {split: [official]}\nsizes:", "has no parameter 'split'"),
        ("- all", "- fsnm: {gamma: high}", "line 7: The 'gamma' parameter of FSNM must be a float"),
        ("- all", "- {fsnm: {}, search: {gamma: [1.0, -1.0]}}", "line 7: The 'gamma' parameter"),
        ("- all", "- {all: {}, label: Chance}", "line 8: two columns are called 'Chance'"),
        ("- all", "- random: {random_state: 3}\n  - random: {random_state: 3}", "line 8: two col"),
        ("- all", "- rmfl", "line 7: 'rmfl' is a learner, .* learning or completion runs it"),
        ("{k: 5}", "{k: 0}", "line 10: The 'k' parameter of MLkNN must be an int"),
        ("{mlknn: {k: 5}}", "fsnm", "line 10: 'fsnm' is a selector, not a classifier or learner"),
        ("ratio: [0.2, 0.4]", "ratio: [0.2, 0.2]", "line 5: ratio 0.2 is listed twice"),
        ("[emotions,", "[digits,", "line 3: 'digits' has classes, and protocol selection needs"),
        ("[emotions,", "[emotions, emotions,", "line 3: dataset 'emotions' is listed twice"),
        ("{kind: holdout, train: 0.5, repeats: 2}", "official", "line 3: rcv1subset2 has no"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(write, old, new, said):
    refuse(write, old, new, said)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("by_dataset: {yeats: {gamma: 1.0}}", "line 7: 'yeats' is not one of this config's data"),
        ("by_dataset: {emotion: {gamma: 1.0}}", "line 7: .*did you mean 'emotions'"),
        ("by_dataset: {emotions: {gama: 1.0}}", "line 7: .*no parameter 'gama'; did you mean"),
        ("by_dataset: {emotions: {gamma: -1.0}}", "line 7: The 'gamma' parameter of FSNM"),
        ("by_dataset: {emotions: 3}", "line 7: .*valid dictionary"),
        ("starts: [{gama: 1.0}]", "line 7: .*no parameter 'gama'; did you mean"),
        ("starts: [{gamma: -1.0}]", "line 7: The 'gamma' parameter of FSNM"),
        ("starts: [{max_iter: 7}]", r"line 7: 'max_iter' is not tuned \(tuned: gamma"),
        ("starts: [{}]", "line 7: .*at least 1 item"),
        ("starts: [{gamma: 1.0}, {gamma: 2.0}]", "line 7: a budget of 2 has no room for the de"),
        ("settings: {tune: {strategy: none}}, starts: [{gamma: 1.0}]", "line 7: 'starts' are poi"),
        ("settings: {tune: {per: {yeats: repeat}}}", "line 7: 'yeats' is not one of this config"),
        ("settings: {mask: {kind: drop_entries, ratio: 0.4}}", "line 7: .*of its table, 0.2: l"),
        ("settings: {split: {kind: kfold, folds: 2, repets: 3}}", "line 7: 'split' cannot be"),
        ("settings: {split: {kind: holdout, repeats: 1}}", "line 7: this split has 1 parts for 2"),
    ],
)
def test_mistakes_in_what_a_column_has_of_its_own_are_named(write, column, said):
    tune = "tune: {strategy: random, budget: 2}\nmetrics:"
    good = GOOD.replace("metrics:", tune)
    with pytest.raises(UserError, match=said) as caught:
        config.load(write(good.replace("- all", f"- {{fsnm: {{}}, {column}}}")))
    assert "\n" not in str(caught.value)


def test_a_start_must_be_free_and_a_protocol_must_tune(write):
    fixed = GOOD.replace("- all", "- {fsnm: {gamma: 1.0}, starts: [{gamma: 2.0}]}")
    with pytest.raises(UserError, match="line 7: 'gamma' has one value in this column"):
        config.load(write(fixed + "tune: {strategy: grid}\n"))
    text = OTHERS["zeroshot"].replace("lasso", "[{lasso: {}, starts: [{alpha: 1.0}]}]")
    with pytest.raises(UserError, match="line 4: protocol zeroshot does not tune"):
        config.load(write(text))


def test_how_often_to_tune_names_only_datasets_of_the_config(write):
    for per, said in [
        ("{yeats: dataset}", "line 12: 'yeats' is not one of this config's datasets"),
        ("{emotions: never}", "line 12: 'per' cannot be 'never': write repeat or dataset"),
        ("never", "line 12: 'per' cannot be 'never': write repeat or dataset"),
    ]:
        with pytest.raises(UserError, match=said):
            config.load(write(f"{GOOD}tune: {{strategy: grid, per: {per}}}\n"))
    experiment = config.load(write(f"{GOOD}tune: {{strategy: grid, per: {{emotions: dataset}}}}\n"))
    stored = yaml.safe_load(yaml.safe_dump(experiment.model_dump(mode="json")))
    assert config.parse(stored, source="stored") == experiment


OTHERS = {
    "planted": "name: p\nprotocol: planted\nmethods: [fsnm]\nmetrics: [relevant_found]\n",
    "active": "name: a\nprotocol: active\ndatasets: yeast\nmethods: miml\nmetrics: precision\n",
    "zeroshot": "name: z\nprotocol: zeroshot\ndatasets: digits\nmethods: lasso\nmetrics: acc\n",
}


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("planted", "datasets: [yeast]", "protocol planted generates its own data"),
        ("planted", "split: official", "'split'.*write 'repeats: 5'"),
        ("active", "mask: {kind: hide_positives, ratio: 0.4}", "does not use 'mask'"),
        ("active", "split: {kind: holdout, repeats: 5}", "'split'.*write 'repeats: 5'"),
        ("zeroshot", "mask: {kind: hide_positives, ratio: 0.4}", "does not use 'mask'"),
        ("zeroshot", "split: {kind: holdout}", "does not use 'split'"),
        ("zeroshot", "tune: {strategy: grid}", "does not use 'tune'"),
        ("active", "start: {yeats: 30}", "'yeats' is not one of this config's datasets"),
        ("active", "model: {kernel: cubic}", "The 'kernel' parameter"),
        ("active", "mode: seconds", "these settings do not compute 'precision'"),
        ("active", "mode: diagnosis\nstep: 5", "mode diagnosis does not use 'step'"),
    ],
)
def test_a_protocol_accepts_only_what_it_uses(write, name, line, said):
    config.load(write(OTHERS[name]))
    with pytest.raises(UserError, match=said):
        config.load(write(OTHERS[name] + line + "\n"))


def test_diagnosis_needs_strategies_that_choose_labels(write):
    text = OTHERS["active"].replace("methods: miml", "methods: li_adaptive")
    text = text.replace("metrics: precision", "metrics: f1")
    with pytest.raises(UserError, match="line 4: 'li_adaptive' chooses points, not labels"):
        config.load(write(text + "mode: diagnosis\n"))


def test_plain_strings_stand_for_the_long_forms(write):
    short = GOOD.replace("{kind: holdout, train: 0.5, repeats: 2}", "official")
    short = short.replace("metrics: [average_precision]", "metrics: average_precision")
    experiment = config.load(write(short.replace(", {name: rcv1subset2, clean: true}", "")))
    assert experiment.split.kind == "official"
    assert experiment.metrics == ["average_precision"]


def test_the_regularisers_of_table_ix_are_switched_off_as_printed():
    """In RMFL's equation 8, lam1 weighs the instances and lam2 the labels."""
    path = next(path for path in CONFIGS if path.stem == "rmfl_table9")
    params = {choice.label: choice.params for choice in config.load(path).methods}
    assert params["RMFL-no-instance-reg"] == {"lam1": 0.0}
    assert params["RMFL-no-label-reg"] == {"lam2": 0.0}


def test_files_that_are_no_configs_are_refused(write, tmp_path):
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
    model = protocol(name).experiment
    own = set(model.model_fields) - set(Experiment.model_fields) - {"repeats"}
    told = {"protocol", "own_metrics"}  # the user's own ones among `metrics`
    assert own == set(model.cell_settings.model_fields) - told


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi")
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "more than 100000 keys and values"),
        ("a: " + "[" * 300 + "]" * 300, "too deep"),
        ("a: " + "[" * 3000, "too deep"),
        ("? [a, b]\n: 1", "a key must be a word or a number"),
        ("k: " + "1" * 5000, "too long"),
        ("k: !!binary aGk=", "binary"),
        ("k: !!set {a}", "set"),
        ("k: !!python/object:os.system x", "python/object"),
        ("a: &a [*a]", "an alias contains itself"),
        ("a: \ud800", "not YAML"),
    ],
)
def test_yaml_that_would_hang_or_break_is_one_sentence(text, said):
    began = time.process_time()
    with pytest.raises(UserError, match=said):
        parse_yaml(text, "x.yaml")
    assert time.process_time() - began < 5


def test_a_date_is_a_text_and_merge_keys_are_written_out(tmp_path):
    text = "a: 2020-01-01\nb: &b {c: 1, d: 2}\ne: {<<: *b, d: 3}\n"
    [(content, lines)] = parse_yaml(text, "x.yaml")
    assert content["a"] == "2020-01-01"
    assert content["e"] == {"c": 1, "d": 3}
    assert lines["e", "d"] == 3 and lines["b", "c"] == 2


def test_columns_of_classes_are_headed_by_the_class_unless_two_share_its_name():
    one, inner = "sklearn.feature_selection", "sklearn.feature_selection._univariate_selection"
    content = yaml.safe_load(GOOD)

    def headings(*methods):
        return config.parse(content | {"methods": list(methods)}, source="x").labels

    assert headings("fsnm", f"{one}:SelectKBest") == ["fsnm", "SelectKBest"]
    assert headings(f"{one}:SelectFdr", f"{one}:SelectKBest") == ["SelectFdr", "SelectKBest"]
    both = [f"{one}:SelectKBest", f"{inner}:SelectKBest"]
    assert headings(*both) == both
    assert headings({both[0]: {}, "label": "mine"}, both[1]) == ["mine", "SelectKBest"]


@pytest.mark.parametrize(
    ("keys", "budget"),
    [
        ({"mode": "points", "budget": 200, "step": 10}, 20),
        ({"mode": "points", "budget": 200, "step": 50}, 50),
        ({"mode": "points", "budget": 5, "step": 10}, 5),
        ({"mode": "diagnosis", "budget": 300, "metrics": ["f1"]}, 30),
        ({"mode": "seconds", "budget": 250, "metrics": ["selection_seconds"]}, 250),
    ],
)
def test_a_quick_look_at_active_learning_buys_a_tenth(keys, budget):
    content = {
        "name": "a",
        "protocol": "active",
        "datasets": ["yeast", "medical"],
        "methods": ["random"],
        "metrics": ["precision"],
        "repeats": 3,
    }
    quick = config.parse(content | keys, source="test").quick_version()
    assert (quick.budget, quick.repeats, len(quick.datasets)) == (budget, 1, 1)
    config.parse(quick.model_dump(mode="json"), source="stored")  # it is read back from its folder


@pytest.mark.parametrize("path", shipped.names().values(), ids=lambda path: path.stem)
def test_a_quick_look_at_every_config_can_be_read_back(path):
    for experiment in config.load_all(path):
        quick = experiment.quick_version()
        assert config.parse(quick.model_dump(mode="json"), source="stored") == quick
