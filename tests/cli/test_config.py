"""``mlfs config`` and ``mlfs methods``."""

import json
from pathlib import Path

from .conftest import assert_one_sentence

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))


def test_every_shipped_config_can_be_run(mlfs):
    result = mlfs("config", "check", *CONFIGS)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("good") == len(CONFIGS)


def test_check_tells_a_mistake_with_its_line(mlfs, write):
    path = write("name: x\nprotocol: selection\nmetric: [one_error]\n")
    assert_one_sentence(mlfs("config", "check", path), "line 3", "did you mean 'metrics'")


def test_schema_is_json(mlfs):
    schema = json.loads(mlfs("config", "schema").stdout)
    assert "sizes" in schema["selection"]["properties"]


def test_methods_are_listed_and_shown(mlfs):
    listed = mlfs("methods", "list").stdout
    assert "gmfs" in listed and "reconstructed" in listed and "Next: mlfs methods show" in listed
    shown = mlfs("methods", "show", "cmfs").stdout
    assert "beta = 0.1\n      β, the weight of the three correlation terms.\n" in shown
    assert "provenance:  reconstructed" in shown and "parameters:" in shown
    assert_one_sentence(mlfs("methods", "show", "gmsf"), "did you mean 'gmfs'")


def test_help_has_examples_and_a_misspelt_command_a_hint(mlfs):
    for command in ("run", "table", "plot"):
        assert f"mlfs {command} " in mlfs(command, "--help").stdout
    wrong = mlfs("tabel")
    assert wrong.returncode == 2 and "did you mean 'table'" in wrong.stderr


def test_shipped_configs_are_listed_run_by_name_and_copied(mlfs, tmp_path):
    listed = mlfs("config", "list").stdout
    assert all(path.stem in listed for path in CONFIGS) and "seven selectors on yeast" in listed
    assert "gmfs_yeast: yeast, all" in mlfs("run", "gmfs_yeast", "--dry-run").stdout
    assert_one_sentence(mlfs("run", "gmfs_yaest", "--dry-run"), "did you mean 'gmfs_yeast'")
    assert mlfs("config", "copy", "gmfs_yeast").returncode == 0
    source = next(path for path in CONFIGS if path.stem == "gmfs_yeast")
    assert (tmp_path / "gmfs_yeast.yaml").read_text() == source.read_text()
    assert_one_sentence(mlfs("config", "copy", "gmfs_yeast"), "exists already")
    assert_one_sentence(mlfs("config", "copy", "nothing"), "no file and no config 'nothing'")
    # a file of the user's own goes before a shipped config of that name
    (tmp_path / "gmfs_yeast").write_text("name: own\nprotocol: nonsense\n")
    assert_one_sentence(mlfs("run", "gmfs_yeast"), "protocol must be one of")


def test_every_config_is_checked_also_after_a_mistake(mlfs, write):
    good = "name: a\nprotocol: selection\ndatasets: [planted]\nmethods: [all]\n"
    good += "metrics: [average_precision]\n"
    first = write(good.replace("protocol", "protocl"), "first.yaml")
    second = write(good, "second.yaml")
    third = write(good + "mask: {ratio: 0.2}\n", "third.yaml")
    ran = mlfs("config", "check", first, second, third)
    assert ran.returncode == 2
    assert f"{second}: good, 1 cell. Next" in ran.stdout
    wrong = ran.stderr.splitlines()
    assert len(wrong) == 3 and "2 of 3 configs cannot be run" in wrong[2]
    assert "line 2: the key 'protocol' is missing; is 'protocl' a slip of the pen?" in wrong[0]
    assert "a mask with 'ratio: 0.2' needs a kind" in wrong[1] and "hide_positives" in wrong[1]
    assert_one_sentence(mlfs("config", "check", first), "'protocl'")
