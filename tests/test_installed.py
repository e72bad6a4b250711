"""The wheel in an empty environment, outside any checkout: own method and data, also on dask."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from contextlib import contextmanager

import numpy as np
import pytest

from .helpers import LONG, ROOT, wait_until

BLOCK = re.compile(r"```(python|yaml|sh)\n(.*?)```", re.S)
FOREIGN = ("PYTHONPATH", "PYTHONSAFEPATH", "VIRTUAL_ENV")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A virtual environment with the wheel in it, and the dependencies of the tests beside it."""
    pytest.importorskip("build", reason="needs the extra 'dev'")
    folder = tmp_path_factory.mktemp("installed")
    source, dist = folder / "source", folder / "dist"
    for name in ("mlfs", "configs", "results/reference"):
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=skipped)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    env = {key: value for key, value in os.environ.items() if key not in FOREIGN}
    run = {"check": True, "capture_output": True, "env": env, "timeout": LONG}
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(dist)]
    subprocess.run(build, cwd=source, **run)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], **run)
    python = folder / "venv/bin/python"
    [wheel] = dist.iterdir()
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps"]
    subprocess.run([*pip, "--no-index", str(wheel)], **run)
    shutil.rmtree(source)
    # .pth files in there, such as that of an editable mlfs, are not read again
    [site] = (folder / "venv/lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return Shell(folder / "venv/bin", env)


class Shell:
    """Runs commands as a user of the environment would."""

    def __init__(self, programs, env):
        self.programs = programs
        self.env = env | {"PATH": f"{programs}{os.pathsep}{env['PATH']}"}

    def __call__(self, folder, command):
        usual = {"capture_output": True, "text": True, "timeout": LONG}
        return subprocess.run(command, shell=True, cwd=folder, env=self.env, **usual)

    def start(self, folder, *args):
        command = [str(self.programs / "python"), *args]
        return subprocess.Popen(command, cwd=folder, env=self.env, stderr=subprocess.DEVNULL)


@pytest.fixture
def printed(tmp_path_factory):
    """Make a folder with the files of README's section; give the commands that it prints, too."""
    folder = tmp_path_factory.mktemp("mine")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text[text.index("## Your own data and method") :]
    section = section[: section.index("\n## ", 5)]
    commands = []
    for kind, block in BLOCK.findall(section):
        if kind == "sh":
            commands += block.splitlines()
            continue
        assert len(block.splitlines()) <= 10
        (folder / block.splitlines()[0].removeprefix("# ")).write_text(block)
    with_files(folder)
    # what must neither break nor hijack a run
    (folder / "yaml.py").write_text("raise SystemExit('hijacked')\n")
    (folder / "mlfs").mkdir()
    (folder / "mlfs/__init__.py").write_text("raise SystemExit('hijacked')\n")
    return folder, commands


def with_files(folder, unknown=False):
    """Write X.csv and Y.csv; a tenth of the labels may be unknown."""
    X = np.random.default_rng(0).standard_normal((60, 4))
    Y = np.where(X[:, :3] > 0, "1", "0")
    Y[np.random.default_rng(1).random(Y.shape) < 0.1 * unknown] = ""
    np.savetxt(folder / "X.csv", X, delimiter=",", header="a,b,c,d", comments="")
    np.savetxt(folder / "Y.csv", Y, "%s", ",", header="x,y,z", comments="")


# what docs/start.md says that its commands show
PROMISED = {
    "mlfs run first.yaml": "results/first: 12 done, 0 failed.",
    "mlfs table results/first": "missing: nothing.",
    "mlfs features results/first": "stability",
    "mlfs plot results/first": "results/first/figures/",
    "mlfs config list": "mfsef_original",
    "mlfs run mfsef_original --dry-run": "7 cells, 7 to run. Next: run without --dry-run",
    "mlfs estimate mfsef_original": "mfsef_original  7      0",
    "mlfs scorecard --reference": "(results/reference)",
}


@pytest.mark.slow
def test_the_first_page_is_true_from_the_first_line_to_the_last(installed, tmp_path):
    """Type docs/start.md in an empty folder."""
    folder = tmp_path
    typed = []
    for kind, block in BLOCK.findall((ROOT / "docs/start.md").read_text(encoding="utf-8")):
        if kind == "yaml":
            (folder / block.splitlines()[0].removeprefix("# ")).write_text(block)
            continue
        for command in block.splitlines():
            ran = installed(folder, command)
            assert ran.returncode == 0, f"{command}: {ran.stderr}"
            assert PROMISED[command] in " ".join(ran.stdout.split("\n")), f"{command}: {ran.stdout}"
            typed.append(command)
    assert typed == list(PROMISED)
    own = installed(folder, "mlfs scorecard")
    assert own.stdout.startswith("results has 1 experiment, and none of a paper.")
    drawn = installed(folder, "mlfs plot results/reference/mfsef_curve --metric hamming_loss")
    assert drawn.stdout.startswith("figures/mfsef_curve/"), drawn.stderr
    first = installed(folder, "mlfs --help").stdout
    assert "configs/" not in first and "mlfs run mfsef_original" in first


# what README says that its commands show; a make needs a checkout
README_PROMISED = {
    "mlfs run mfsef_original": "results/mfsef_original: 7 done, 0 failed.",
    "mlfs table results/mfsef_original --compare": "ours (printed, gap)",
    "mlfs run mine.yaml": "results/mine: 4 done, 0 failed.",
    "mlfs table results/mine": "missing: nothing.",
    "mlfs data check X.csv Y.csv": "11 of 180 (6.11 %)",
    "mlfs select X.csv Y.csv --method gmfs --n 3": "stability: ",
    "mlfs complete X.csv Y.csv -o Y_complete.csv": "11 unknown labels, learnt from 169 known",
    "mlfs table results/reference/grand_selection --overall": "Which selector?",
    "mlfs scorecard --reference": "(results/reference)",
    "mlfs report": "report.html",
    "mlfs audit": "misprinted values",
    "mlfs --help": "Commands:",
}
TYPED = re.compile(
    r"```(?P<kind>python|yaml|sh)\n(?P<block>.*?)```"  # a file, or lines to type
    r"|^ {4}(?P<line>(?:mlfs|make|pip) [^#\n]*)"  # a line to type
    r"|`(?P<word>mlfs [^`A-Z]+)`",  # a command in a sentence, without words to replace
    re.S | re.M,
)


def scores(text, *columns):
    """Some columns of the first table of a page that begins with papers, as a list of rows."""
    lines = text[text.index("| paper ") :].split("\n")
    end = next(i for i, line in enumerate(lines) if not line.startswith("| ") and i > 1)
    heads, _, *rows = [[word.strip() for word in line.split("|")] for line in lines[:end]]
    places = [heads.index(name) for name in ("paper", *columns)]
    return [[row[place] for place in places] for row in rows]


@pytest.mark.slow
def test_readme_is_true_from_the_first_line_to_the_last(installed, tmp_path):
    """Type README in an empty folder, with some labels that are not known."""
    with_files(tmp_path, unknown=True)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    typed = []
    for found in TYPED.finditer(text):
        kind, block = found["kind"], found["block"]
        if kind in ("python", "yaml"):
            (tmp_path / block.splitlines()[0].removeprefix("# ")).write_text(block)
            continue
        for command in (block or found["line"] or found["word"]).splitlines():
            command = command.strip()
            if command.startswith(("make ", "pip ")) or command in typed:
                continue
            ran = installed(tmp_path, command)
            assert ran.returncode == 0, f"{command}: {ran.stderr}"
            shown = " ".join(ran.stdout.split("\n"))
            assert README_PROMISED[command] in shown, f"{command}: {ran.stdout}"
            typed.append(command)
    assert sorted(typed) == sorted(README_PROMISED)
    # README has the numbers that a user gets
    told = scores(text, "runs", "own method", "order", "swap rate")
    shown = installed(tmp_path, "mlfs scorecard --reference --format md").stdout
    assert len(told) > 5 and told == scores(shown, "runs", "values", "order", "swap rate")
    assert "nan" not in (tmp_path / "Y_complete.csv").read_text()


@pytest.mark.slow
def test_the_wheel_has_all_results_and_writes_a_page_of_them(installed, tmp_path):
    scored = installed(tmp_path, "mlfs scorecard")
    assert scored.returncode == 0, scored.stderr
    first = " ".join(scored.stdout.split())
    assert first.startswith("1,536 printed values") and "results/reference" in first
    assert "1,536 printed values, 0 with a value" not in first
    kept = sorted((ROOT / "results/reference").glob("*.jsonl.zst"))[0].name
    paged = installed(tmp_path, f"mlfs report results/reference/{kept}")
    assert paged.returncode == 0, paged.stderr
    assert "</html>" in (tmp_path / "report.html").read_text(encoding="utf-8")


# what docs/missing-labels.md types for labels that are really unknown, on a csv with 30 % of them
HOLES = (
    "mlfs data check",
    "mlfs select",
    "mlfs compare",
    "mlfs complete",
    "mlfs active suggest",
    "mlfs run every.yaml",
    "mlfs table results/every_learning",
)


@pytest.mark.slow
def test_the_page_on_unknown_labels_is_true_with_every_protocol(installed, tmp_path):
    """Type its section on a csv with 30 % empty labels: each command, and a config with all."""
    folder = tmp_path
    text = (ROOT / "docs/missing-labels.md").read_text(encoding="utf-8")
    section = text[: text.index("## Zeros that may be hidden")]
    typed = []
    for kind, block in BLOCK.findall(section):
        if kind == "sh":
            typed += block.splitlines()
            continue
        name = block.splitlines()[0].removeprefix("# ") if kind == "yaml" else "make.py"
        (folder / name).write_text(block)
    made = installed(folder, "python make.py")
    assert made.returncode == 0, made.stderr
    assert len(typed) == len(HOLES)
    for command, start in zip(typed, HOLES):
        assert command.startswith(start)
        ran = installed(folder, command)
        assert ran.returncode == 0, f"{command}: {ran.stderr}"
    every = {path.name for path in (folder / "results").iterdir()}
    protocols = ("selection", "learning", "completion", "active")
    assert {f"every_{name}" for name in protocols} <= every


def rows(folder):
    """All scores by cell, without the seconds that a run happened to take."""
    records = [json.loads(path.read_text()) for path in (folder / "cells").iterdir()]
    assert records and all(record["status"] == "done" for record in records)
    return {json.dumps(record["cell"]): record["rows"] for record in records}


@contextmanager
def cluster(installed, folder):
    """The address of a scheduler with two workers, which run in a folder of their own."""
    known = folder / "scheduler.json"
    file = ("--scheduler-file", str(known), "--no-dashboard")
    worker = ("-m", "distributed.cli.dask_worker", *file, "--nthreads=1", "--no-nanny")
    started = [installed.start(folder, "-m", "distributed.cli.dask_scheduler", *file, "--port=0")]
    started += [installed.start(folder, *worker) for _ in range(2)]
    try:
        wait_until(known.exists, "the scheduler has written its address")
        yield json.loads(known.read_text())["address"]
    finally:
        for process in started:
            process.kill()
            process.wait(LONG)


def test_the_wheel_runs_own_methods_and_data_here_and_on_a_cluster(installed, printed, tmp_path):
    """README's lines as printed, on a csv pair."""
    folder, commands = printed
    assert len(commands) == 2
    for command in commands:
        ran = installed(folder, command)
        assert ran.returncode == 0, ran.stderr
    own = ["fsnm", "random", "Spread", "SelectKBest"]
    heading = next(line for line in ran.stdout.splitlines() if line.startswith("| dataset"))
    assert [name.strip() for name in heading.split("|")[2:-1]] == own
    assert "| X " in ran.stdout and "missing: nothing" in ran.stdout

    listed = installed(tmp_path, "mlfs config list")
    assert listed.returncode == 0, listed.stderr
    names = {path.stem for path in (ROOT / "configs").glob("*.yaml")}
    assert names <= {line.split()[0] for line in listed.stdout.splitlines()}

    cells = "from mlfs import papers; print(len(papers.printed_values()))"
    counted = installed(tmp_path, f'python -c "{cells}"')
    assert counted.stdout == "1536\n", counted.stderr
    kept = sorted((ROOT / "results/reference").glob("*.jsonl.zst"))[0].name
    shown = installed(tmp_path, f"mlfs table results/reference/{kept} --compare")
    assert shown.returncode == 0, shown.stderr
    assert kept.removesuffix(".jsonl.zst") in shown.stdout

    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    with cluster(installed, tmp_path) as address:
        ran = installed(
            folder, f"{commands[0]} --executor dask --scheduler {address} --results there"
        )
    assert ran.returncode == 0, ran.stderr
    assert rows(folder / "there/mine") == rows(folder / "results/mine")
