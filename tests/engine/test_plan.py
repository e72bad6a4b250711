"""The plan: which cells there are, what their keys depend on, and what they do not."""

import pytest

from mlfs import config
from mlfs.engine.plan import only, plan
from mlfs.errors import UserError
from mlfs.protocols.choice import setting

BASE = {
    "name": "p",
    "protocol": "learning",
    "datasets": ["emotions", "yeast"],
    "split": {"kind": "holdout", "repeats": 3},
    "mask": {"kind": "drop_entries", "ratio": [0, 0.4]},
    "methods": ["mlknn", {"libsvm": {"C": 2.0}}],
    "metrics": ["average_precision"],
}


def cells(**changes):
    return plan(config.parse(BASE | changes, source="test"))


def keys(planned):
    return [cell.key for cell in planned]


def test_there_is_one_cell_for_each_dataset_ratio_repeat_and_method():
    planned = cells()
    assert len(planned) == 2 * 2 * 3 * 2
    assert len(set(keys(planned))) == len(planned)


def test_what_is_only_shown_does_not_change_a_key():
    assert keys(cells()) == keys(cells(name="q", metrics=["one_error"], title="x", cost=9))


def test_adding_repeats_datasets_or_methods_keeps_the_old_keys():
    old = set(keys(cells()))
    assert old < set(keys(cells(split={"kind": "holdout", "repeats": 4})))
    assert old < set(keys(cells(datasets=["emotions", "yeast", "scene"])))
    assert old < set(keys(cells(methods=[*BASE["methods"], {"mlknn": {"k": 3}}])))


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"scale": "standard"},
        {"split": {"kind": "holdout", "train": 0.7, "repeats": 3}},
        {"mask": {"kind": "drop_entries", "ratio": [0.1, 0.2]}},
        {"methods": [{"mlknn": {"k": 9}}, {"libsvm": {"C": 3.0}}]},
        {"tune": {"strategy": "grid"}},
    ],
)
def test_what_decides_the_numbers_changes_every_key(change):
    assert not set(keys(cells())) & set(keys(cells(**change)))


def test_a_methods_own_search_changes_its_key_alone():
    grid = {"strategy": "grid"}
    plain = keys(cells(tune=grid))
    methods = ["mlknn", {"libsvm": {"C": 2.0}, "search": {"gamma": [0.1, 1.0]}}]
    searched = keys(cells(tune=grid, methods=methods))
    assert [a == b for a, b in zip(plain, searched)] == [True, False] * 12
    with pytest.raises(UserError, match="no parameter 'gama'"):
        cells(methods=[{"libsvm": None, "search": {"gama": [1.0]}}])


def test_a_sweep_gives_a_cell_for_each_value_of_each_parameter():
    planned = cells(methods=["mlknn"], vary={"k": [5, 10], "s": [0.5]}, datasets=["emotions"])
    assert [cell.varied for cell in planned[:3]] == [{"k": 5}, {"k": 10}, {"s": 0.5}]
    assert planned[0].cell.method.params == {"k": 5}
    assert len(planned) == 3 * 2 * 3


def test_a_key_of_the_config_can_be_swept():
    planned = cells(methods=["mlknn"], vary={"scale": ["none", "minmax"]}, datasets=["emotions"])
    assert [one.cell.settings.scale for one in planned[:2]] == ["none", "minmax"]
    assert planned[0].cell.method.params == {} and planned[0].varied == {"scale": "none"}


def test_a_slice_is_one_dataset_ratio_and_repeat_untuned():
    experiment = config.parse(
        BASE | {"tune": {"strategy": "grid"}, "vary": {"scale": ["none", "unit", "minmax"]}},
        source="test",
    ).slice()
    planned = plan(experiment)
    assert {one.cell.data.name for one in planned} == {"emotions"}
    assert [cell.varied["scale"] for cell in planned] == ["none", "minmax"] * 2
    assert {one.cell.settings.tune.strategy for one in planned} == {"none"}


def test_only_keeps_what_fits():
    planned = cells()
    assert len(only(planned, ("dataset=yeast", "repeat=0,1"))) == 8
    assert len(only(planned, ("method=mlknn", "ratio=0.4"))) == 6
    assert only(planned, ("ratio=.40",)) == only(planned, ("ratio=0.4",)) != []
    with pytest.raises(UserError, match="cannot read --only colour=red"):
        only(planned, ("colour=red",))


def test_labels_come_from_the_config_the_name_or_the_parameters():
    assert {one.label for one in cells(paper="mfsef")} == {"mlknn", "libsvm"}
    variants = [{"mlknn": {"k": 5}}, {"mlknn": {"k": 9, "s": 0.5}}, "mlknn"]
    labels = [one.label for one in cells(methods=[*variants, {"libsvm": {}, "label": "SVM"}])]
    assert labels[:4] == ["mlknn(k=5)", "mlknn(k=9, s=0.5)", "mlknn", "SVM"]


def test_one_tuning_cell_serves_all_repeats():
    planned = cells(
        protocol="selection",
        methods=["all", "mifs"],
        tune={"strategy": "random", "per": "dataset"},
        datasets=["emotions"],
        mask={"kind": "none"},
    )
    tuners = {cell.tuner.key for cell in planned if cell.tuner}
    assert len(planned) == 6 and len(tuners) == 1  # 'all' has nothing to tune


def test_a_setting_is_shown_in_its_shortest_form():
    assert [setting("a", value) for value in (10.0, 1e-5, 3, "x", True, None)] == [
        *("a=10", "a=1e-05", "a=3", "a=x", "a=True", "a=None")
    ]
