"""The plan: which cells there are, what their keys depend on, and what they do not."""

import pytest

from mlfs import config
from mlfs.errors import UserError
from mlfs.protocols.experiment.method_choice import setting
from mlfs.protocols.plan import only, plan

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
    assert keys(cells()) == keys(cells(paper="rmfl", reading="stated"))


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
    ).quick_version()
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


def column(**about):
    """Return the cells of one column on both datasets and ratios, by repeat."""
    return cells(methods=[{"mlknn": None, **about}])


def test_a_column_may_have_its_own_mask_at_the_ratios_of_the_table():
    mask = {"kind": "hide_per_instance", "rows": 0.8}
    found = [one.cell.settings.mask for one in column(settings={"mask": mask})]
    assert [one.ratio for one in found] == ([0.0] * 3 + [0.4] * 3) * 2
    assert {type(one).__name__ for one in found} == {"NoMask", "HidePerInstance"}
    assert {one.rows for one in found if one.ratio} == {0.8}
    plain = cells(methods=["mlknn"], mask={**mask, "ratio": [0, 0.4]})
    assert keys(plain) == keys(column(settings={"mask": mask}))


def test_a_column_may_have_its_own_split_with_the_repeats_of_the_config():
    planned = column(settings={"split": {"kind": "kfold", "folds": 4}})
    assert [one.repeat for one in planned] == [0, 1, 2] * 4
    folds = plan(
        config.parse(
            BASE | {"methods": ["mlknn"], "split": {"kind": "kfold", "folds": 4}}, source="test"
        )
    )
    assert {*keys(planned)} < {*keys(folds)}
    holdout = column(settings={"split": {"kind": "holdout", "train": 0.5}})
    assert [one.repeat for one in holdout] == [0, 1, 2] * 4
    assert holdout[0].cell.settings.split.repeats == 1
    twice = {"kind": "kfold", "folds": 2, "repeats": 2}
    assert len(column(settings={"split": twice})) == 12


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"mask": {"kind": "drop_entries", "ratio": 0.2}}, "ratio of its table, 0: leave out"),
        ({"mask": "none"}, "cannot have mask 'none' in a table with hidden labels"),
        ({"mask": {"kind": "drop_some"}}, "'mask' cannot be .*drop_some"),
        ({"mask": {"rows": 0.8}}, "'mask' cannot be"),
        ({"mask": None}, "'mask' cannot be"),
        ({"mask": {"kind": "hide_per_instance", "rows": 8}}, "mask rows 8 is not more than 0"),
        ({"split": {"kind": "kfold", "folds": 2}}, "has 2 parts for 3 repeats of the config"),
        ({"split": {"kind": "holdout", "repeats": 2}}, "has 2 parts for 3 repeats of the config"),
        ({"split": "sometimes"}, "'split' cannot be 'sometimes'"),
        ({"split": None}, "'split' cannot be"),
        ({"protocol": "selection"}, "no key 'protocol' can be changed"),
    ],
)
def test_a_mask_or_split_that_does_not_fit_the_table_is_refused(settings, said):
    with pytest.raises(UserError, match=said) as caught:
        column(settings=settings)
    assert "\n" not in str(caught.value)


def test_an_official_split_of_a_column_needs_datasets_that_have_one():
    own = {"methods": [{"mlknn": None, "settings": {"split": "official"}}]}
    assert len(cells(**own)) == 12
    with pytest.raises(UserError, match="rcv1subset2 has no official split"):
        cells(**own, datasets=["emotions", "rcv1subset2"])


def test_parameters_of_some_datasets_are_set_there_alone():
    planned = column(by_dataset={"yeast": {"k": 7}})
    params = {one.cell.data.name: one.cell.method.params for one in planned}
    assert params == {"emotions": {}, "yeast": {"k": 7}}
    plain, given = cells(methods=["mlknn"]), cells(methods=[{"mlknn": {"k": 7}}])
    assert keys(planned) == keys(plain)[:6] + keys(given)[6:]
    over = cells(methods=[{"mlknn": {"k": 5, "s": 2.0}, "by_dataset": {"yeast": {"k": 7}}}])
    assert over[-1].cell.method.params == {"k": 7, "s": 2.0}
    swept = cells(methods=[{"mlknn": {}, "by_dataset": {"yeast": {"k": 7}}}], vary={"k": [2, 3]})
    assert {one.cell.method.params["k"] for one in swept} == {2, 3}


def test_given_points_are_part_of_the_key_only_where_there_are_some():
    grid = {"strategy": "grid"}
    about = {"mlknn": None, "search": {"k": [3, 5], "s": [1.0]}}
    plain = cells(methods=[about], tune=grid)
    given = cells(methods=[about | {"starts": [{"k": 4}]}], tune=grid)
    assert not {*keys(plain)} & {*keys(given)}
    assert given[0].cell.starts == [{"k": 4}]
    assert "starts" not in plain[0].cell.to_json()
    assert given[0].key == given[0].cell.key


def test_how_often_to_tune_may_differ_by_dataset():
    """Cells have a plain word, so that their keys are those of a config with that word."""
    about = {"methods": [{"mlknn": None, "search": {"k": [3, 5]}}]}
    tune = {"strategy": "grid", "per": {"default": "dataset", "yeast": "repeat"}}
    mixed = cells(**about, tune=tune)
    words = [cells(**about, tune=tune | {"per": word}) for word in ("dataset", "repeat")]
    assert keys(mixed) == keys(words[0])[:6] + keys(words[1])[6:]
    assert [one.tuner is None for one in mixed] == [False] * 6 + [True] * 6
    alone = {"tune": tune | {"per": {"yeast": "dataset"}}}
    mixed = cells(methods=[{**about["methods"][0], "settings": alone}])
    assert keys(mixed) == keys(words[1])[:6] + keys(words[0])[6:]


def test_a_slice_keeps_only_what_is_said_of_its_dataset():
    tune = {"strategy": "random", "budget": 5, "per": {"yeast": "dataset"}}
    method = {
        "mlknn": None,
        "search": {"k": [3, 5]},
        "starts": [{"k": 4}],
        "settings": {"tune": tune, "mask": "drop_per_instance", "scale": "minmax"},
        "by_dataset": {"emotions": {"s": 2.0}, "yeast": {"s": 3.0}},
    }
    quick = config.parse(BASE | {"methods": [method], "tune": tune}, source="test").quick_version()
    assert config.parse(quick.model_dump(mode="json"), source="stored") == quick
    [one] = plan(quick)
    assert one.cell.settings.tune.strategy == "none" and one.cell.starts == []
    assert one.cell.method.params == {"s": 2.0} and one.cell.settings.scale == "minmax"
