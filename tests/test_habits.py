"""Facts that stand in two files are the same in both."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import yaml

import mlfs

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_there_is_one_version():
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert metadata.version("mlfs-bench") == mlfs.__version__
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
    assert cited == mlfs.__version__
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert newest[1] in (mlfs.__version__, "unreleased")


def test_hooks_install_the_versions_of_tools_that_the_project_uses():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    [local] = hooks["repos"]
    for hook in local["hooks"]:
        assert hook["language"] == "python"  # an environment of its own, not that of the project
        assert ".venv" not in hook["entry"]
        assert set(hook["additional_dependencies"]) <= set(
            PROJECT["project"]["optional-dependencies"]["dev"]
        )


def test_the_workflow_runs_on_three_systems_and_targets_that_exist():
    text = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert {"ubuntu-latest", "macos-latest", "windows-latest"} <= set(
        re.findall(r"\w+-latest", text)
    )
    steps = [step.get("run", "") for job in jobs.values() for step in job["steps"]]
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    wanted = [run.removeprefix("make ") for run in steps if run.startswith("make ")]
    assert wanted and set(wanted) <= set(targets)
