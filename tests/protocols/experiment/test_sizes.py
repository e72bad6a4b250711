"""Numbers of features in a config: what is written, and how many features that means."""

import pytest
import yaml

from mlfs import config
from mlfs.protocols.experiment.sizes import expected, resolve, resolve_all, told

CONFIG = """
name: sizes
protocol: selection
datasets: [emotions]
methods: [random]
sizes: {sizes}
metrics: [average_precision]
"""


def made(sizes):
    return config.parse(yaml.safe_load(CONFIG.format(sizes=sizes)), source="a test")


@pytest.mark.parametrize(
    ("written", "counts"),
    [
        ("[1, 2, 4]", [1, 2, 4]),  # whole numbers are counts, the smallest one, too
        ("1", [1]),
        ("[0.5, 1.0]", [4, 8]),
        ("[1/4, all]", [2, 8]),
        ("all", [8]),
        ("{default: [1, all]}", [1, 8]),
    ],
)
def test_a_whole_number_is_a_count_and_a_decimal_a_share(written, counts):
    sizes = made(written).sizes
    sizes = sizes["default"] if isinstance(sizes, dict) else sizes
    assert resolve_all(sizes, 8) == counts
    assert sorted(expected(size, 8) for size in sizes) == counts


def test_one_feature_and_all_features_stay_apart_when_a_config_is_stored():
    for written in ("[1]", "[all]"):
        first = made(written)
        again = yaml.safe_dump(first.model_dump(mode="json")["sizes"], default_flow_style=True)
        assert made(again).sizes == first.sizes
    assert resolve("one", 8) == 1
    assert told(made("[1, 3, all]").sizes) == ["1", "3", "all"]
    assert told(made("{default: [all]}").sizes) == {"default": ["all"]}
