"""docs/scaling.md: its recipes against the real programs and classes."""

import re
import shlex
from importlib import metadata
from pathlib import Path

import click
import pytest

from mlfs.cli import main

TEXT = (Path(__file__).parents[1] / "docs/scaling.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, flags=re.DOTALL)


def commands(program):
    """The arguments of every call of a program, in blocks and in tables."""
    shell = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]
    found = re.findall(rf"{program} [^`\"\n]*", "\n".join([*shell, *re.findall(r"`.*?`", TEXT)]))
    return [shlex.split(one.removeprefix(program)) for one in found]


def test_every_call_of_mlfs_is_one_that_mlfs_takes():
    calls = commands("mlfs run")
    assert len(calls) >= 6
    for args in calls:
        main.commands["run"].make_context("run", args)


def test_dask_ssh_takes_these_options():
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    [program] = metadata.entry_points(group="dask_cli", name="ssh")
    [args] = commands("dask ssh")
    taken = program.load().make_context("ssh", args).params
    assert taken["n_workers"] == 2 and taken["nthreads"] == 1
    assert taken["hostnames"] == ("alpha", "beta", "gamma")
    assert taken["scheduler_port"] == 8786 and "tcp://alpha:8786" in TEXT


def test_the_slurm_recipe_asks_slurm_for_what_the_text_says():
    pytest.importorskip("dask_jobqueue", reason="needs the extra 'dev'")
    [recipe] = [block for kind, block in BLOCKS if kind == "python"]
    scope = {"__name__": "recipe"}
    exec(compile(recipe, "slurm.py", "exec"), scope)
    cluster = scope["cluster"]
    try:
        script = cluster.job_script()
        assert callable(cluster.scale) and cluster.scheduler_address.startswith("tcp://")
    finally:
        cluster.close()
    for line in ("#SBATCH -p normal", "#SBATCH --cpus-per-task=8", "#SBATCH --mem=30G"):
        assert line in script.splitlines(), script
    assert "#SBATCH -t 08:00:00" in script
    assert "export MLFS_DATA=/shared/mlfs-data" in script
    assert "--nworkers 8" in script and "--nthreads 1" in script


def test_a_call_that_mlfs_does_not_take_is_noticed():
    with pytest.raises(click.UsageError):
        main.commands["run"].make_context("run", ["my.yaml", "--dask", "tcp://a:1"])
