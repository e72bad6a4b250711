"""``mlfs report``: a file, and one line that says what is in it."""

import re

from click.testing import CliRunner

from mlfs.cli import main


def report(*args):
    return CliRunner().invoke(main, ["report", *args], prog_name="mlfs")


def test_report_writes_a_page_of_the_results(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = report(str(folder / "results/rmfl_table4"), "-o", "pages/mine.html")
    assert made.exit_code == 0, made.output
    line = r"pages/mine.html: \d+ of 1,536 printed values, 1 experiment, 0\.\d MB\.  Next: .+\n"
    assert re.fullmatch(line, made.stdout)
    text = (tmp_path / "pages/mine.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and 'id="e-rmfl_table4"' in text


def test_an_empty_folder_has_a_page_and_one_that_is_not_there_has_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert report("empty").exit_code == 0
    assert (tmp_path / "report.html").is_file()
    lost = report("nowhere")
    assert lost.exit_code == 2 and "no results in nowhere" in lost.stderr


def test_a_file_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    refused = report("empty", "-o", "file/x.html")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("mlfs: cannot write file/x.html (")
    assert len(refused.stderr.splitlines()) == 1


def test_a_page_of_own_runs_alone_says_nothing_of_printed_values(run, folder, tmp_path):
    own = run(
        lambda cell: [{"average_precision": 0.5, "hamming_loss": 0.1}], paper=None, tables=None
    )
    pages = {}
    for name, results in (("own", own.folder), ("paper", folder / "results/rmfl_table4")):
        assert report(str(results), "-o", str(tmp_path / name)).exit_code == 0
        pages[name] = (tmp_path / name).read_text(encoding="utf-8")
    for words in (
        'id="compare"',
        "the printed value, the gap",
        "How values are judged",
        'class="sums"',
    ):
        assert words in pages["paper"] and words not in pages["own"], words
    assert "None of them was run here" in pages["own"]
    # to open all, and to find one, also among the user's own
    assert '"#own details.experiment, #experiments details.experiment"' in pages["own"]
