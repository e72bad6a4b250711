"""``mlfs results``: pack and unpack; every command reads a packed file like its folder."""

import shutil

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


def test_packing_nothing_is_one_sentence(mlfs):
    assert_one_sentence(mlfs("results", "pack", "results"), "no results in results")
