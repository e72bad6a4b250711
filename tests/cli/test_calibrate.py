"""``mlfs calibrate``: runs the no-selection column and prints the nearest setting."""

import pytest
import yaml

from mlfs import calibrate, config

from .conftest import assert_one_sentence

CONFIG = """\
name: cal
paper: gmfs
tables: ["2"]
protocol: selection
datasets: [emotions]
split: {kind: holdout, train: 0.8, repeats: 5}
mask: {kind: hide_positives, ratio: 0.2}
scale: minmax                # open
methods: [all, gmfs]
classifier: {libsvm: {C: 3.0, gamma: auto}}
metrics: [average_precision]
"""


def printed(result):
    """The experiment with the keys that the command says to set."""
    assert result.returncode == 0, result.stderr
    *_, keys, after = result.stdout.strip().split("\n\n")
    assert after.startswith("Next: set these keys in ")
    return config.parse(yaml.safe_load(CONFIG) | yaml.safe_load(keys), source="printed")


@pytest.mark.usefixtures("benchmarks")
def test_the_setting_nearest_to_print_is_found_and_printed(mlfs, write, monkeypatch):
    monkeypatch.setattr(
        calibrate,
        "OPEN",
        {
            "scale": ["none", "standard"],
            "train": [0.5, 0.8],
            "C": [10.0],
            "gamma": ["auto"],
            "mask": ["exact"],
        },
    )
    path = write(CONFIG)
    result = mlfs("calibrate", path, "--workers", 1)
    chosen = printed(result)
    lines = [line for line in result.stdout.splitlines() if " auto " in line]
    gaps = [float(line.split()[7]) for line in lines]
    assert len(gaps) == 4 and gaps == sorted(gaps)
    best = lines[0].split()
    assert chosen.scale == best[1] and chosen.split.train == float(best[2])
    assert chosen.classifier.params == {"C": 10.0, "gamma": "auto"}
    assert chosen.split.repeats == 5 and path.read_text() == CONFIG


def test_a_config_without_a_printed_column_is_refused(mlfs, write):
    path = write(CONFIG.replace('tables: ["2"]\n', ""))
    assert_one_sentence(mlfs("calibrate", path), "no printed column")


@pytest.mark.usefixtures("benchmarks")
def test_a_mask_that_is_not_opened_stays_as_the_config_has_it(mlfs, write):
    path = write(CONFIG.replace("ratio: 0.2}", "ratio: 0.2, keep_one: true}"))
    result = mlfs("calibrate", path, "--workers", 1, "--open", "scale")
    chosen = printed(result)
    lines = [line.split() for line in result.stdout.splitlines() if " auto " in line]
    assert {line[5] for line in lines} == {"keep_one"}
    [mask] = chosen.mask
    assert mask.keep_one


@pytest.mark.usefixtures("benchmarks")
def test_only_the_opened_setting_is_tried_and_the_mask_is_printed(mlfs, write):
    path = write(CONFIG)
    result = mlfs("calibrate", path, "--workers", 1, "--open", "mask")
    chosen = printed(result)
    lines = [line.split() for line in result.stdout.splitlines() if " auto " in line]
    assert {tuple(line[1:5]) for line in lines} == {("minmax", "0.8000", "3.0000", "auto")}
    assert {line[5] for line in lines} == {"exact", "replace", "keep_one"}
    assert len({line[7] for line in lines}) == 3  # they do differ
    [mask] = chosen.mask
    wanted = {"replace": (True, False), "keep_one": (False, True), "exact": (False, False)}
    assert (mask.replace, mask.keep_one) == wanted[lines[0][5]] and mask.ratio == 0.2
