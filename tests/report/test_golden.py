"""What commands print of a small stored run, against what they printed when it was last read.

``MLFS_GOLDEN=write pytest tests/report/test_golden.py`` writes the files anew: read the difference.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from mlfs.cli import main

GOLDEN = Path(__file__).parent / "golden"
COMMANDS = {
    "scorecard.txt": "scorecard results",
    "scorecard.md": "scorecard results --format md",
    "scorecard.json": "scorecard results --format json",
    "overview.md": "table results",
    "table.md": "table results --compare --all",
    "table.html": "table results/mfsef --compare --format html",
    "table.csv": "table results --format csv",
    "table.json": "table results/gmfs_yeast --format json",
    "table.tex": "table results --compare --format latex",
    "sizes.md": "table results/gmfs_yeast --by size",
    "at.csv": "table results/gmfs_yeast --at 17 --format csv",
    "tests.md": "table results --tests --width 100",
    "tests.csv": "table results/mfsef --tests --format csv",
    "pool.md": "table results/rmfl_table4 --pool",
}


def printed(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 0, result.output
    return result.output


def rounded(text):
    """The text with its long figures cut: their last digits differ from machine to machine."""
    return re.sub(r"-?\d+\.\d{7,}(e-?\d+)?", lambda found: f"{round(float(found[0]), 6):g}", text)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_what_it_printed_before(folder, monkeypatch, name):
    text = printed(folder, monkeypatch, COMMANDS[name])
    if name == "scorecard.json":  # 1,536 values are a little much to read
        content = json.loads(text)
        stated = {"total": content["stated"]["total"]}
        few = {"comparisons": content["comparisons"][:3], "claims": content["claims"][:1]}
        less = {**few, "stated": stated, "readings": content["readings"][:1]}
        text = json.dumps({**content, **less}, indent=1) + "\n"
    elif name.startswith("scorecard"):  # the claims have tests of their own
        text = text[: text.index("Claims in numbers")]
    text = rounded(text)
    file = GOLDEN / name
    if os.environ.get("MLFS_GOLDEN") == "write":
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


DOCUMENT = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""


def test_latex_has_as_many_cells_in_every_line_as_it_says():
    for table in (GOLDEN / "table.tex").read_text(encoding="utf-8").split(r"\end{tabular}")[:-1]:
        columns = re.search(r"\\begin\{tabular\}\{(l+r+)\}", table)[1]
        lines = [line for line in table.splitlines() if line.endswith(r"\\")]
        assert len(lines) > 1
        for line in lines:
            assert len(re.findall(r"(?<!\\)&", line)) == len(columns) - 1
            assert line.count("{") == line.count("}")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_pdflatex_takes_the_tables(tmp_path):
    text = (GOLDEN / "table.tex").read_text(encoding="utf-8")
    (tmp_path / "tables.tex").write_text(DOCUMENT % text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "tables.pdf").stat().st_size > 5000
