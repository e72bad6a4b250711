"""``mlfs compare``: a config for the user, run, with its tables."""

import numpy as np
import pandas as pd
import pytest
import yaml

from .conftest import assert_one_sentence


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((40, 6)), columns=list("abcdef"))
    Y = pd.DataFrame({"x": X["a"] > 0, "y": X["b"] > 0.5}).astype("Int64")
    Y.iloc[::5, 0] = pd.NA
    X.to_csv(tmp_path / "X.csv", index=False)
    Y.to_csv(tmp_path / "Y.csv", index=False)
    return ("X.csv", "Y.csv")


def test_the_config_is_kept_run_and_shown(mlfs, files, tmp_path):
    args = ("compare", *files, "--methods", "fsnm,random", "--folds", 2, "--workers", 1)
    result = mlfs(*args)
    assert result.returncode == 0, result.stderr
    content = yaml.safe_load((tmp_path / "compare.yaml").read_text())
    assert content["datasets"] == [{"path": "X.csv", "labels": "Y.csv"}]
    by_label = {"fsnm": {}, "settings": {"missing": "available"}}
    assert content["methods"] == [by_label, "random"] and content["sizes"] == [1, 3]
    assert "protocol: selection" in result.stderr and "compare: 4 cells" in result.stderr
    assert "| features" in result.stdout and "| fsnm" in result.stdout
    assert result.stdout.endswith(
        "Next: edit compare.yaml and mlfs run compare.yaml, or mlfs plot results/compare\n"
    )
    again = mlfs(*args)  # the same config, and nothing is left to run
    assert again.returncode == 0 and "cells" not in again.stderr
    other = mlfs("compare", *files, "--methods", "fsnm,top_mi")
    assert_one_sentence(other, "compare.yaml exists and says something else", "--force")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--methods", "fsnm,"), "--methods fsnm, has an empty name"),
        (("--methods", "fsnm,fsnm"), "names 'fsnm' twice"),
        (("--methods", "fsnm", "--sizes", "5,x"), "--sizes has 'x'"),
        (("--methods", "fsnm", "--sizes", "7"), "7 features asked for, but there are 6"),
        (("--methods", "rmfl", "--sizes", "3"), "'sizes' is for selectors"),
        (("--methods", "fsnm", "--metrics", "micro_f2"), "did you mean 'micro_f1'"),
        (("--methods", "fsnm", "--config", "no/c.yaml"), "there is no folder no: make it first"),
    ],
)
def test_mistakes_are_one_sentence_and_leave_no_config(mlfs, files, tmp_path, options, told):
    assert_one_sentence(mlfs("compare", *files, *options), told)
    assert not list(tmp_path.glob("*.yaml"))
