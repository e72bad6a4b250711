"""``mlfs failures``: causes, how many cells each hit, and one traceback."""

import re

import pytest

from .conftest import assert_one_sentence

BROKEN = """\
name: broken
protocol: learning
datasets: [toy_gaussian]
split: {kind: holdout, repeats: 3}
methods:
  - {rmfl: {n_factors: 100000000000000}, label: too-many}
  - {rmfl: {n_factors: 110000000000000}, label: far-too-many}
metrics: [average_precision]
"""


@pytest.fixture
def broken(mlfs, write):
    result = mlfs("run", write(BROKEN), "--workers", 1)
    assert result.returncode == 1
    assert "0 done, 6 failed" in result.stdout
    assert "Next: mlfs failures" in result.stdout and "mlfs table" not in result.stdout
    return mlfs


def test_failures_of_one_cause_are_one_entry_with_one_traceback(broken):
    shown = broken("failures", "results/broken")
    assert shown.returncode == 0
    assert "6 failed cells, 1 causes" in shown.stdout
    assert re.search(r"6 x \S*MemoryError: Unable to allocate", shown.stdout)
    assert shown.stdout.count("Traceback (most recent call last)") == 1
    assert "toy_gaussian, too-many, repeat 0" in shown.stdout and "and 1 more" in shown.stdout


def test_a_table_of_failures_alone_says_why(broken):
    assert_one_sentence(broken("table", "results/broken"), "Unable to allocate", "mlfs failures")


def test_without_failures_it_says_so(mlfs, write):
    good = BROKEN.replace("  - {rmfl: {n_factors: 110000000000000}, label: far-too-many}\n", "")
    path = write(good.replace("n_factors: 100000000000000", "n_factors: 5"))
    result = mlfs("run", path, "--workers", 1)
    assert "3 done, 0 failed.  Next: mlfs table" in result.stdout
    assert "no failures" in mlfs("failures", "results").stdout
    assert_one_sentence(mlfs("failures", "nowhere"), "no results in nowhere")
