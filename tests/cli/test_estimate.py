"""``mlfs estimate``: cells, hours, and how far off."""

from .conftest import assert_one_sentence

CONFIG = """\
name: small
protocol: learning
datasets: [toy_gaussian]
split: {kind: holdout, repeats: 3}
methods: [mlknn]
metrics: [average_precision]
"""


def test_an_estimate_is_made_from_the_repeats_that_were_run(mlfs, write):
    path = write(CONFIG)
    before = mlfs("estimate", path).stdout.splitlines()
    assert before[1].split()[:3] == ["small", "3", "0"] and before[1].split()[-1] == "-"
    assert mlfs("run", path, "--only", "repeat=0,1", "--workers", 1).returncode == 0
    after = mlfs("estimate", path, "--workers", 4).stdout.splitlines()
    assert after[0].split()[-7:] == ["on", "4", "memory", "of", "a", "cell", "off"]
    assert after[1].split()[-2] == "GB" and 0.1 <= float(after[1].split()[-3]) < 2
    assert after[1].split()[:3] == ["small", "3", "2"]
    assert 0.1 < float(after[1].split()[-1]) < 10
    assert after[-1] == f"Next: mlfs run {path}"
    assert mlfs("run", path, "--workers", 1).returncode == 0
    assert mlfs("estimate", path).stdout.endswith("\n\nNext: mlfs table results/small\n")


def test_an_unknown_config_is_one_sentence(mlfs):
    assert_one_sentence(mlfs("estimate", "nowhere"), "nowhere")
