"""The README's lines on data of your own, pasted into a shell as printed."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]


def block(heading):
    """The first indented block under a heading of the README."""
    section = (ROOT / "README.md").read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return textwrap.dedent(re.search(r"(?:^    .*\n)+", section, re.M)[0])


def test_own_data_in_ten_lines(tmp_path):
    script = block("Your own data")
    assert len(script.splitlines()) == 10
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    np.savetxt(tmp_path / "X.csv", X, delimiter=",", header="a,b,c,d", comments="")
    np.savetxt(tmp_path / "Y.csv", X[:, :3] > 0, "%d", ",", header="x,y,z", comments="")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin/mlfs"  # this checkout's, whatever is installed
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mlfs "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PYTHONPATH": str(ROOT), "PATH": path}
    shell = ["sh", "-e", "-c", script]
    ran = subprocess.run(shell, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "mine: average precision" in ran.stdout and "| X " in ran.stdout
    assert "fsnm" in ran.stdout and "missing: nothing" in ran.stdout
