"""``mlfs calibrate``: runs the no-selection column and writes the nearest setting."""

import pytest

from mlfs import calibrate, config

from .conftest import assert_one_sentence

CONFIG = """\
# a comment that stays
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


@pytest.mark.usefixtures("benchmarks")
def test_the_setting_nearest_to_print_is_found_and_written(mlfs, write, monkeypatch):
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
    result = mlfs("calibrate", path, "--workers", 1, "--write")
    assert result.returncode == 0, result.stderr
    lines = [line for line in result.stdout.splitlines() if " auto " in line]
    gaps = [float(line.split()[7]) for line in lines]
    assert len(gaps) == 4 and gaps == sorted(gaps)
    chosen = config.load(path)
    best = lines[0].split()
    assert chosen.scale == best[1] and chosen.split.train == float(best[2])
    assert chosen.classifier.params == {"C": 10.0, "gamma": "auto"}
    assert path.read_text().startswith("# a comment that stays")
    assert "# open" in path.read_text()


def test_a_config_without_a_printed_column_is_refused(mlfs, write):
    path = write(CONFIG.replace('tables: ["2"]\n', ""))
    assert_one_sentence(mlfs("calibrate", path), "no printed column")


@pytest.mark.usefixtures("benchmarks")
def test_a_mask_that_is_not_opened_stays_as_the_config_has_it(mlfs, write):
    path = write(CONFIG.replace("ratio: 0.2}", "ratio: 0.2, keep_one: true}"))
    result = mlfs("calibrate", path, "--workers", 1, "--open", "scale", "--write")
    assert result.returncode == 0, result.stderr
    lines = [line.split() for line in result.stdout.splitlines() if " auto " in line]
    assert {line[5] for line in lines} == {"keep_one"}
    [mask] = config.load(path).mask
    assert mask.keep_one


@pytest.mark.usefixtures("benchmarks")
def test_only_the_opened_setting_is_tried_and_the_mask_is_written(mlfs, write):
    path = write(CONFIG)
    result = mlfs("calibrate", path, "--workers", 1, "--open", "mask", "--write")
    assert result.returncode == 0, result.stderr
    lines = [line.split() for line in result.stdout.splitlines() if " auto " in line]
    assert {tuple(line[1:5]) for line in lines} == {("minmax", "0.8000", "3.0000", "auto")}
    assert {line[5] for line in lines} == {"exact", "replace", "keep_one"}
    assert len({line[7] for line in lines}) == 3  # they do differ
    [mask] = config.load(path).mask
    found = {"replace": mask.replace, "keep_one": mask.keep_one, "exact": True}
    assert found[lines[0][5]] and mask.ratio == 0.2
    again = path.read_text()
    calibrate.write(path, {"scale": "none", "train": 0.5, "C": 1.0, "gamma": 1.0, "mask": "exact"})
    [mask] = config.load(path).mask
    assert not mask.replace and not mask.keep_one and path.read_text() != again
