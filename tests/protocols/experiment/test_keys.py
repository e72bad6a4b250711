"""Every number of a config: what it is when left out, what it may be, and what it may not."""

import pytest

from mlfs import config
from mlfs.errors import UserError
from mlfs.protocols import MethodChoice
from mlfs.protocols.experiment.dataset_choice import DatasetChoice

SELECTION = {
    "name": "k",
    "protocol": "selection",
    "datasets": ["emotions"],
    "methods": ["fsnm"],
    "metrics": ["average_precision"],
}
BASES = {
    "selection": SELECTION,
    "active": SELECTION | {"protocol": "active", "methods": ["miml"], "metrics": ["precision"]},
    "planted": {
        "name": "k",
        "protocol": "planted",
        "methods": ["fsnm"],
        "metrics": ["relevant_found"],
    },
    "zeroshot": SELECTION | {"protocol": "zeroshot", "datasets": ["digits"], "metrics": ["acc"]},
}
# protocol, key, value when left out, values at the edge of what is allowed, values beyond it
KEYS = [
    ("selection", "seed", 0, [0], [-1]),
    ("selection", "cost", 1, [1], [0]),
    ("selection", "split.repeats", 1, [1], [0]),
    ("selection", "split.train", 0.8, [0.01, 0.99], [0, 1]),
    ("selection", "tune.folds", 3, [2], [1]),
    ("selection", "tune.budget", None, [1], [0]),
    ("selection", "tune.rows", None, [20], [19]),
    ("selection", "tune.refine", False, [False], []),
    ("selection", "sizes", ["1"], ["1"], [[]]),
    ("active", "repeats", 1, [1], [0]),
    ("active", "pool", 4000, [2], [1]),
    ("active", "test", 2000, [1], [0]),
    ("active", "start.default", 500, [1], [0]),
    ("active", "budget", 200, [1], [0]),
    ("active", "step", 10, [1], [0]),
    ("active", "hold_out", False, [True], []),
    ("planted", "relevant", 10, [1], [0]),
    ("planted", "redundant", 0, [0], [-1]),
    ("planted", "noise", 50, [0], [-1]),
    ("zeroshot", "n_seen", None, [1], [0]),
    ("zeroshot", "labelled", 1.0, [0.01, 1], [0, 1.01]),
    ("zeroshot", "test_rows", None, [2], [1]),
    ("zeroshot", "n_starts", 20, [1], [0]),
    ("zeroshot", "best_of_grid", False, [True], []),
    ("zeroshot", "sizes", [str(5 * i) for i in range(1, 11)], ["5"], [[]]),
]


def parse(protocol, key=None, value=None):
    content = dict(BASES[protocol])
    if key is not None:
        outer, _, inner = key.partition(".")
        content[outer] = {inner: value} if inner else value
        if outer == "split":
            content[outer]["kind"] = "holdout"
    return config.parse(content, source="test")


def found(experiment, key):
    outer, _, inner = key.partition(".")
    value = getattr(experiment, outer)
    if not inner:
        return value
    return value[inner] if isinstance(value, dict) else getattr(value, inner)


@pytest.mark.parametrize(("protocol", "key", "default", "allowed", "refused"), KEYS)
def test_a_number_has_its_default_and_its_limits(protocol, key, default, allowed, refused):
    assert found(parse(protocol), key) == default
    for value in allowed:
        given = found(parse(protocol, key, value), key)
        assert given == ([value] if key == "sizes" else value)
    for value in refused:
        with pytest.raises(UserError, match=key.partition(".")[0]):
            parse(protocol, key, value)


@pytest.mark.parametrize("key", ["datasets", "methods", "metrics"])
def test_an_empty_list_is_no_experiment(key):
    with pytest.raises(UserError, match=key):
        parse("selection", key, [])


def test_data_are_as_published_and_columns_ranked_unless_told():
    assert DatasetChoice.model_validate("emotions") == DatasetChoice(name="emotions", clean=False)
    assert not DatasetChoice(name="emotions").clean
    assert not MethodChoice.model_validate("fsnm").extra
