"""``mlfs run``: kill it, resume it, break it; results depend on the config alone."""

import json
import os
import signal
import subprocess

import pytest

from mlfs.results.cell_file import signed

from ..helpers import LONG, members, start_python, wait_until
from .conftest import assert_one_sentence

pytestmark = pytest.mark.usefixtures("benchmarks")

SMALL = """\
name: small
protocol: selection
datasets: [emotions]
split: {kind: holdout, repeats: 6}
mask: {kind: hide_positives, ratio: [0.2]}
methods: [all, random, top_mi]
sizes: [1/6, 1/2]
metrics: [average_precision, hamming_loss]
"""


STOPPED = "stopped; finished work is kept, run again to continue"


def rows(folder):
    """All scores by cell, without the seconds that a run happened to take."""
    records = [json.loads(path.read_text()) for path in sorted((folder / "cells").iterdir())]
    return {json.dumps(record["cell"]): record["rows"] for record in records}


def test_any_number_of_workers_gives_the_same_results(mlfs, write, tmp_path):
    config = write(SMALL)
    one = mlfs("run", config, "--results", "one", "--workers", 1)
    two = mlfs("run", config, "--results", "two", "--workers", 2)
    assert one.returncode == two.returncode == 0, one.stderr + two.stderr
    assert "18 done, 0 failed" in one.stdout
    assert "Next: mlfs table" in one.stdout
    assert rows(tmp_path / "one/small") == rows(tmp_path / "two/small")
    assert len(rows(tmp_path / "one/small")) == 18


def test_killed_in_the_middle_it_goes_on_where_it_stopped(mlfs, write, tmp_path):
    config = write(SMALL)
    whole = mlfs("run", config, "--results", "whole")
    assert whole.returncode == 0, whole.stderr
    cells = tmp_path / "cut/small/cells"
    command = ["-m", "mlfs", "run", config, "--results", "cut", "--workers", 1]
    quiet = {"stderr": subprocess.DEVNULL, "start_new_session": True}
    process = start_python(*command, cwd=tmp_path, **quiet)
    wait_until(lambda: len(list(cells.glob("*.json"))) >= 3, "three cells are done")
    os.kill(process.pid, signal.SIGKILL)
    process.wait(LONG)
    wait_until(lambda: not members(process.pid), "no worker outlives the run")
    before = {path.name: path.stat().st_mtime_ns for path in cells.glob("*.json")}
    assert 3 <= len(before) < 18, "killed too late to show anything"
    again = mlfs("run", config, "--results", "cut")
    assert again.returncode == 0, again.stderr
    assert f"small: {18 - len(before)} cells" in again.stderr
    after = {path.name: path.stat().st_mtime_ns for path in cells.glob("*.json")}
    assert {name: after[name] for name in before} == before
    tables = [mlfs("table", tmp_path / folder / "small").stdout for folder in ("whole", "cut")]
    assert tables[0] == tables[1] and "average precision" in tables[0]


def test_failing_and_slow_cells_are_recorded_and_the_others_finish(mlfs, write, tmp_path):
    config = write(
        """\
name: broken
protocol: learning
datasets: [yeast]
scale: standard
methods:
  - mlknn
  - {rmfl: {n_factors: 100000000000000}, label: too-many}
  - {libsvm: {C: 1.0e+6, gamma: 1.0e-4}, label: too-slow}
metrics: [average_precision]
"""
    )
    # without a limit, since a busy machine may take long for what is fast
    mlfs("run", config, "--only", "method=mlknn,too-many")
    result = mlfs("run", config, "--timeout", 8)
    assert result.returncode == 1
    assert "1 done, 2 failed.  Next: mlfs failures results/" in result.stdout
    assert ", mlfs table results/" in result.stdout
    assert "Traceback" not in result.stderr
    records = [json.loads(p.read_text()) for p in (tmp_path / "results/broken/cells").iterdir()]
    errors = {str(r["cell"]["method"]["params"]): r["error"] for r in records}
    assert "Unable to allocate" in errors["{'n_factors': 100000000000000}"]
    assert "time limit of 8 s" in errors["{'C': 1000000.0, 'gamma': 0.0001}"]
    assert errors["{}"] == ""
    table = mlfs("table", "results/broken")
    assert table.returncode == 0
    assert "missing: 2 cells" in table.stdout
    assert "too-slow, repeat 0: exceeded the time limit" in table.stdout
    again = mlfs("run", config, "--retry-failed", "--only", "method=too-many")
    assert again.returncode == 1 and "broken: 1 cell," in again.stderr


def test_a_dry_run_lists_the_cells_and_writes_nothing(mlfs, write, tmp_path):
    result = mlfs("run", write(SMALL), "--dry-run", "--only", "method=all")
    assert result.returncode == 0
    assert result.stdout.count("small: emotions, all, 20 % to hide, repeat") == 6
    assert "6 cells, 6 to run" in result.stdout
    assert not (tmp_path / "results").exists()


def test_a_dry_run_tells_what_is_taken_from_other_results_and_what_is_forced(mlfs, write, tmp_path):
    run = ("run", write(SMALL), "--only", "method=all")
    assert mlfs(*run, "--only", "repeat=0,1", "--results", "other").returncode == 0
    taken = mlfs(*run, "--dry-run", "--reuse", "other").stdout
    assert taken.count("(from other)") == 2 and "6 cells, 4 to run" in taken
    assert not (tmp_path / "results").exists()
    again = mlfs(*run, "--dry-run", "--results", "other", "--force").stdout
    assert "(done)" not in again and "6 cells, 6 to run" in again


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SMALL.replace("datasets: [", "datasets: [["), ["line 4: expected"]),
        (SMALL.replace("sizes", "size"), ["line 7", "unknown key 'size'", "did you mean 'sizes'"]),
        (SMALL.replace("emotions", "emotion"), ["did you mean 'emotions'"]),
        (SMALL.replace("top_mi", "top_my"), ["did you mean 'top_mi'"]),
        (SMALL.replace("emotions", "pascal07"), ["pascal07", "put"]),
    ],
    ids=["yaml", "key", "dataset", "method", "unavailable"],
)
def test_a_mistake_is_one_sentence_and_nothing_is_written(mlfs, write, tmp_path, text, words):
    result = mlfs("run", write(text))
    assert_one_sentence(result, *words)
    assert not (tmp_path / "results").exists()


def test_an_unwritable_results_folder_is_refused_in_one_sentence(mlfs, write, tmp_path):
    (tmp_path / "file").write_text("")
    assert_one_sentence(mlfs("run", write(SMALL), "--results", "file"), "cannot write to")


def test_the_results_folder_of_another_experiment_is_left_as_it_is(mlfs, write, tmp_path):
    only = ("--only", "method=all", "--only", "repeat=0")
    assert mlfs("run", write(SMALL), *only).returncode == 0
    before = sorted(tmp_path.rglob("*"))
    result = mlfs("run", write(SMALL + "seed: 3\n"), *only)
    assert_one_sentence(result, "1 finished cells", "differs in seed")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.fixture
def offline(tmp_path):
    """No mirror, an empty cache and no network."""
    proxies = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    empty = {"MLFS_MIRROR": None, "MLFS_DATA": str(tmp_path / "cache"), "PIP_NO_INDEX": "1"}
    return empty | dict.fromkeys(proxies, "http://127.0.0.1:9")


def test_a_run_without_any_data_says_how_to_get_them(mlfs, write, offline):
    assert_one_sentence(mlfs("run", write(SMALL), env=offline), "emotions", "MLFS_MIRROR")


def test_a_damaged_file_in_the_mirror_is_refused_first(mlfs, write, tmp_path, offline, mirror):
    bad = tmp_path / "mirror"
    bad.mkdir()
    for name in ("emotions-train.arff", "emotions-test.arff", "emotions.xml"):
        (bad / name).write_bytes((mirror / name).read_bytes())
    damaged = bad / "emotions-test.arff"
    damaged.write_bytes(damaged.read_bytes()[:-5000])
    result = mlfs("run", write(SMALL), "--mirror", bad, env=offline)
    assert_one_sentence(result, "emotions-test.arff", "sha256")
    assert not (tmp_path / "results").exists()


def test_a_metric_added_to_a_config_reaches_cells_that_are_done(mlfs, write, tmp_path):
    """Cells as an earlier version left them, without one_error, are run again for it."""
    only = ("--only", "repeat=0", "--only", "method=random,all")
    assert mlfs("run", write(SMALL), *only).returncode == 0
    cells = sorted((tmp_path / "results/small/cells").iterdir())
    for path in cells:
        record = json.loads(path.read_text())
        for row in record["rows"]:
            del row["one_error"]
        cell = json.dumps(record.pop("cell"), sort_keys=True, separators=(",", ":"))
        del record["digest"]
        path.write_bytes(signed(f'{{"cell": {cell}, {json.dumps(record)[1:-1]}'.encode()) + b"\n")
    again = mlfs("run", write(SMALL), *only)
    assert "cells, " not in again.stderr  # nothing was to be done
    wanted = SMALL.replace("hamming_loss]", "hamming_loss, one_error]")
    more = mlfs("run", write(wanted), *only)
    assert more.returncode == 0 and "small: 2 cells" in more.stderr
    assert "one error" in mlfs("table", "results/small").stdout


def test_force_runs_again_what_is_done(mlfs, write, tmp_path):
    only = ("--only", "repeat=0", "--only", "method=all")
    assert mlfs("run", write(SMALL), *only).returncode == 0
    [path] = (tmp_path / "results/small/cells").iterdir()
    before = path.stat().st_mtime_ns
    assert mlfs("run", write(SMALL), *only).returncode == 0
    assert path.stat().st_mtime_ns == before
    forced = mlfs("run", write(SMALL), *only, "--force")
    assert "small: 1 cell," in forced.stderr and path.stat().st_mtime_ns > before


def test_a_truncated_cell_is_named_and_run_again(mlfs, write, tmp_path):
    only = ("--only", "repeat=0", "--only", "method=all")
    assert mlfs("run", write(SMALL), *only).returncode == 0
    [path] = (tmp_path / "results/small/cells").iterdir()
    path.write_text(path.read_text()[:50])
    assert f"{path.name} is cut off" in mlfs("failures", "results/small").stdout
    again = mlfs("run", write(SMALL), *only)
    assert f"{path.name} is cut off or unreadable: it is run again" in again.stderr
    assert again.returncode == 0 and "small: 1 cell," in again.stderr


def test_a_quick_look_does_not_stand_in_the_way_of_the_whole(mlfs, write, tmp_path):
    tuned = SMALL + "tune: {strategy: random, budget: 2}\n"
    assert mlfs("run", write(tuned), "--quick").returncode == 0
    assert mlfs("run", write(tuned), "--only", "repeat=0", "--only", "method=all").returncode == 0
    assert {path.name for path in (tmp_path / "results").iterdir()} == {"small", "small-quick"}


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_quietly_and_keeps_what_is_done(write, tmp_path, mlfs, sign, code):
    """Ctrl-C goes to the whole group of processes, SIGTERM to the runner alone."""
    (tmp_path / "endless.py").write_text(
        "import time\n\nfrom sklearn.base import BaseEstimator, ClassifierMixin\n\n\n"
        "class Endless(ClassifierMixin, BaseEstimator):\n"
        "    def fit(self, X, Y):\n        time.sleep(3600)\n\n"
        "    def decision_function(self, X):\n        return X\n"
    )
    config = write(
        "name: long\nprotocol: learning\ndatasets: [emotions]\n"
        "methods: [mlknn, endless:Endless]\nmetrics: [average_precision]\n"
    )
    cells = tmp_path / "results/long/cells"
    process = start_python(
        *("-m", "mlfs", "run", config, "--workers", 2),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a test run in the background of a script ignores Ctrl-C, and so would its children
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_until(lambda: list(cells.glob("*.json")) or process.poll() is not None, "a cell is done")
    if sign == signal.SIGINT:
        os.killpg(process.pid, sign)
    else:
        os.kill(process.pid, sign)
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == code
    lines = said.strip().splitlines()
    assert lines == ["long: 2 cells, 2 workers", f"mlfs: {STOPPED}"]
    assert len(list(cells.glob("*.json"))) == 1
    wait_until(lambda: not members(process.pid), "no worker outlives the run")
