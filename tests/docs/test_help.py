"""The examples of --help: mlfs takes them, and what they name exists."""

import re
import shlex
import sys
from pathlib import Path

import click
import pytest

from mlfs import papers
from mlfs.cli import main
from mlfs.config import shipped
from mlfs.datasets.catalogue import shipped as catalogue
from mlfs.engine import runner
from mlfs.methods import registry
from mlfs.metrics import METRICS
from mlfs.own import author_kit

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "docs/_pages"), str(Path(__file__).parent)]
import blocks  # noqa: E402
import commands  # noqa: E402

# what a reader has of their own
OWN = {"my.yaml", "mine.yaml", "results/mine", "my_module:MyRanker", "mine", "my-photos"}
OWN |= {"my_module:MyMethod", "my_module:MyLearner"}


def a_config(value):
    return shipped.locate(Path(value)).exists()


def a_dataset(value):
    return value in catalogue()


def a_method(value):
    return value in registry.methods() or registry.kinds_of(value)


def results(value):
    """The folder of all results, of those that come with mlfs, or of a config."""
    path = Path(value)
    name = path.name.removesuffix(".jsonl.zst")
    return path.parts[0] == "results" and name in {"results", "reference", *shipped.names()}


def a_column(value):
    return value in set(papers.printed_values().method)


def anything(value):
    return True


# what the arguments of a command name, and the options that name something
NAMED = {
    "run": {"configs": a_config, "reuse": results},
    "estimate": {"configs": a_config},
    "calibrate": {"file": a_config},
    "paper check": {"folder": anything},
    "paper new": {"name": anything},
    "config check": {"files": a_config},
    "config copy": {"name": a_config},
    "config export-splits": {"files": a_config},
    "methods show": {"name": a_method},
    "audit": {"chosen": papers.names().__contains__},
    "data info": {"name": a_dataset},
    "data fetch": {"names": a_dataset},
    "data features": {"source": a_dataset},
    "data import": {"directory": anything},
    "data check": {"files": anything},
    "select": {"files": anything, "methods": a_method},
    "complete": {"files": anything, "method": a_method},
    "compare": {"files": anything},
    "active suggest": {"files": anything},
    "data add": {"name": anything, "files": anything},
    "table": {"results": results, "metric": METRICS.__contains__},
    "features": {"results": results},
    "plot": {"results": results, "metrics": METRICS.__contains__, "waterfall": a_dataset},
    "failures": {"results": results},
    "report": {"results": results},
    "scorecard": {"results": results},
    "explain": {"paper": papers.names().__contains__, "column": a_column, "results": results},
    "leaderboard add": {"file": anything},
    "kit": {"method": a_method, "ground": author_kit.grounds().__contains__},
    "results pack": {"folders": results, "output": results},
    "results unpack": {"files": results},
    "results check": {"places": anything},
}


def examples():
    """Every example, without what follows it on its line."""
    helps = [commands.help_of(command)[1] for _, command in [("", main), *commands.commands(main)]]
    lines = [line.strip() for text in helps for line in text.splitlines()]
    return [re.split(r"  |#|>", line)[0].strip() for line in lines]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Stand in the checkout, with a folder of downloads at home."""
    (tmp_path / "Downloads").mkdir()
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("line", examples())
def test_an_example_is_taken_and_what_it_names_exists(line, checkout, tmp_path):
    words = [word.replace("~", str(tmp_path)) for word in shlex.split(line)]
    words = [one for word in words for one in (ROOT.glob(word) if "*" in word else [word])]
    words = [str(word) for word in words[words.index("mlfs") + 1 :]]
    name, values = blocks.parsed(words)
    for key, exists in NAMED.get(name, {}).items():
        value = values[key]
        for one in value if isinstance(value, tuple) else [value]:
            assert one is None or str(one) in OWN or exists(str(one)), f"{key}: {one}"
    if values.get("only"):
        configs = values.get("configs") or (values["file"],)
        assert runner.gather(configs, tmp_path, values["only"])


def test_every_command_has_an_example_whose_names_are_checked():
    for name, command in commands.commands(main):
        assert f"mlfs {name}" in commands.help_of(command)[1], name
        arguments = {one.name for one in command.params if isinstance(one, click.Argument)}
        assert arguments <= set(NAMED.get(name, ())), f"{name}: say what {arguments} name"
