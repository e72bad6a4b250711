"""``mlfs scorecard``: own results, or those that come with mlfs; some papers, or all."""

import json

from .conftest import assert_one_sentence

CONFIG = """
name: first
protocol: selection
datasets: [toy_gaussian]
split: {kind: holdout, repeats: 2}
methods: [all, random]
metrics: [average_precision]
"""


def test_own_results_and_those_of_mlfs_are_told_apart(mlfs, write):
    assert mlfs("run", write(CONFIG)).returncode == 0
    own = mlfs("scorecard")
    assert own.returncode == 0, own.stderr
    assert own.stdout.startswith("results has 1 experiment, and none of a paper.\n")
    assert "mlfs scorecard --reference" in own.stdout
    assert len(own.stdout.splitlines()) == 2
    plain = json.loads(mlfs("scorecard", "--format", "json").stdout)
    assert (plain["source"], plain["total"]["ours"]) == ("results", 0)

    card = mlfs("scorecard", "--reference", "--paper", "gmfs", "--paper", "semfs")
    assert card.returncode == 0, card.stderr
    assert card.stdout.startswith("98 printed values") and "(results/reference)" in card.stdout
    assert "semfs" in card.stdout and "rmfl" not in card.stdout
    named = mlfs("scorecard", "results/reference", "--paper", "gmfs", "--paper", "semfs")
    assert named.stdout == card.stdout
    assert_one_sentence(mlfs("scorecard", "--paper", "gmsf"), "unknown paper 'gmsf'", "'gmfs'")
