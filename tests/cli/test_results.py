"""``mlfs results``: pack, unpack and check; every command reads a packed file like its folder."""

import io
import re
import shutil

import pandas as pd

from mlfs.results.cell_file import signed

from .conftest import assert_one_sentence

CONFIG = """\
name: small
protocol: selection
datasets: [toy_gaussian]
split: {kind: holdout, repeats: 2}
sizes: [1, 2]
classifier: mlknn
methods: [all, random]
metrics: [average_precision]
"""


def test_a_packed_file_stands_for_its_folder(mlfs, write, tmp_path):
    assert mlfs("run", write(CONFIG), "--workers", 1).returncode == 0
    commands = [
        ("table", "results/small"),
        ("table", "results/small", "--long"),
        ("features", "results/small"),
        ("failures", "results"),
    ]
    before = [mlfs(*command).stdout for command in commands]
    packed = mlfs("results", "pack", "results/small")
    assert packed.returncode == 0 and "4 cells" in packed.stdout
    shutil.move(tmp_path / "results/small", tmp_path / "moved")
    after = [mlfs(*command).stdout.replace(".jsonl.zst", "") for command in commands]
    assert after == before
    assert mlfs("plot", "results/small").returncode == 0
    assert_one_sentence(mlfs("run", write(CONFIG), "--results", "results/small.jsonl.zst"), "small")
    unpacked = mlfs("results", "unpack", "results/small.jsonl.zst")
    assert unpacked.returncode == 0 and "4 cells" in unpacked.stdout
    again = mlfs("run", write(CONFIG), "--workers", 1, "--dry-run")
    assert again.stdout.count("(done)") == 4


def test_finished_cells_are_taken_from_packed_results_and_the_others_run(mlfs, write, tmp_path):
    """The packed cells hold figures that no run gives, so a cell that was run would tell."""
    path = write(CONFIG)
    assert mlfs("run", path, "--workers", 1, "--only", "repeat=0").returncode == 0
    for file in (tmp_path / "results/small/cells").iterdir():
        start = file.read_text().partition(', "digest"')[0]
        changed = re.sub(r'"average_precision": [0-9.]+', '"average_precision": 2.5', start)
        file.write_bytes(signed(changed.encode()) + b"\n")
    assert mlfs("results", "pack", "results/small", "--output", "kept").returncode == 0
    result = mlfs("run", path, "--workers", 1, "--results", "other", "--reuse", "kept")
    assert result.returncode == 0, result.stderr
    assert "small: 2 finished cells taken from kept" in result.stderr
    rows = pd.read_csv(
        io.StringIO(mlfs("table", "other/small", "--long", "--format", "csv").stdout)
    )
    assert (rows.average_precision[rows.repeat == 0] == 2.5).all()
    assert (rows.average_precision[rows.repeat == 1] <= 1).all() and set(rows.repeat) == {0, 1}
    assert_one_sentence(mlfs("run", path, "--reuse", "kept", "--force"), "--reuse")
    assert_one_sentence(mlfs("run", path, "--reuse", "nowhere"), "no results in nowhere")


def test_a_cell_that_lacks_a_wanted_metric_is_not_taken_from_other_results(mlfs, write, tmp_path):
    path = write(CONFIG)
    assert mlfs("run", path, "--workers", 1).returncode == 0
    for file in (tmp_path / "results/small/cells").iterdir():
        file.write_text(file.read_text().replace("ranking_loss", "another"))
    more = write(
        CONFIG.replace("[average_precision]", "[average_precision, ranking_loss]"), "b.yaml"
    )
    result = mlfs("run", more, "--workers", 1, "--results", "other", "--reuse", "results")
    assert "small: 0 finished cells taken" in result.stderr
    assert "4 done" in result.stdout


def test_reused_cells_bring_the_tuning_that_they_rest_on(mlfs, write):
    tuned = (
        CONFIG.replace("[all, random]", "[fsnm]")
        + "tune: {strategy: grid, per: dataset, folds: 2}\n"
    )
    path = write(tuned)
    assert mlfs("run", path, "--workers", 1, "--only", "repeat=0").returncode == 0
    result = mlfs("run", path, "--workers", 1, "--results", "other", "--reuse", "results")
    assert "small: 1 cell, 1 worker" in result.stderr  # no tuning is left to do
    again = mlfs("run", path, "--workers", 1, "--results", "third")
    assert again.returncode == 0
    assert mlfs("table", "other/small").stdout == mlfs("table", "third/small").stdout


def test_results_that_come_with_mlfs_are_found_from_any_folder(mlfs):
    """A name below results/reference stands for what is shipped where there is no such folder."""
    from mlfs.config import shipped

    name = next(shipped.reference().glob("*.jsonl.zst")).name.removesuffix(".jsonl.zst")
    result = mlfs("table", f"results/reference/{name}")
    assert result.returncode == 0, result.stderr
    assert name in result.stdout


def test_packing_nothing_is_one_sentence(mlfs):
    assert_one_sentence(mlfs("results", "pack", "results"), "no results in results")


def test_small_differences_on_another_processor_are_rounding(mlfs, write, tmp_path):
    """The same difference is a fault where the arithmetic is that of this machine."""
    assert mlfs("run", write(CONFIG), "--workers", 1).returncode == 0
    [file, *_] = sorted((tmp_path / "results/small/cells").glob("*.json"))
    start = file.read_text().partition(', "digest"')[0]
    score = re.search(r'"average_precision": ([0-9.]+)', start)
    other = float(score[1]) + (0.009 if float(score[1]) < 0.9 else -0.009)
    moved = start[: score.start(1)] + str(other) + start[score.end(1) :]
    again = ("results", "check", "results", "--rerun", 4, "--workers", 1)
    for made, name in (('"blas": "[^"]*"', "blas"), ('"scipy": "[^"]*"', "scipy")):
        elsewhere, count = re.subn(made, f'"{name}": "0.1, of old"', moved)
        file.write_bytes(signed(elsewhere.encode()) + b"\n")
        sound = mlfs(*again)
        assert count == 1 and sound.returncode == 0, sound.stdout
        why = f"as rounding can make it ({name} 0.1, of old, here"
        assert f"instead of {other}, {why}" in sound.stdout
        assert sound.stdout.count("run again: the same scores") == 3
    file.write_bytes(signed(moved.encode()) + b"\n")
    faulty = mlfs(*again)
    assert faulty.returncode == 1 and "rounding" not in faulty.stdout


def test_results_are_checked_and_run_again(mlfs, write, tmp_path):
    """One whose scores were changed and signed again is found by running it again."""
    path = write(CONFIG)
    assert mlfs("run", path, "--workers", 1).returncode == 0
    sound = mlfs("results", "check", "results", "--rerun", 9, "--workers", 1)
    assert sound.returncode == 0, sound.stdout + sound.stderr
    assert "4 of 4 cells done, 0 failed, all intact" in sound.stdout
    assert sound.stdout.count("run again: the same scores") == 4
    [file, other, *_] = sorted((tmp_path / "results/small/cells").glob("*.json"))
    start = other.read_text().partition(', "digest"')[0]
    older, count = re.subn(r', "exact_match": [0-9.]+', "", start)  # a metric that came later
    other.write_bytes(signed(older.encode()) + b"\n")
    sound = mlfs("results", "check", "results", "--rerun", 4, "--workers", 1)
    assert count and sound.stdout.count("run again: the same scores") == 4
    start = file.read_text().partition(', "digest"')[0]
    changed = re.sub(r'"average_precision": [0-9.]+', '"average_precision": 0.25', start, count=1)
    file.write_bytes(signed(changed.encode()) + b"\n")
    assert mlfs("results", "check", "results").returncode == 0
    found = mlfs("results", "check", "results", "--rerun", 4, "--workers", 1)
    assert found.returncode == 1 and found.stdout.count("instead of 0.25") == 1
    elsewhere = re.sub(r'"blas": "[^"]*"', '"blas": "openblas Prescott"', changed)
    file.write_bytes(signed(elsewhere.encode()) + b"\n")
    found = mlfs("results", "check", "results", "--rerun", 4, "--workers", 1)
    assert elsewhere != changed and found.returncode == 1 and "rounding" not in found.stdout
    other.write_text(other.read_text().replace("0.", "1.", 1))
    found = mlfs("results", "check", "results/small")
    assert found.returncode == 1 and found.stderr == ""
    assert f"{other.name} was changed" in found.stdout and "toy_gaussian" in found.stdout
