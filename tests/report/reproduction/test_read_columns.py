"""A reading explains a column only if it does much more than the words of the paper."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from click.testing import CliRunner

from mlfs import papers
from mlfs.cli import main
from mlfs.report.reproduction import scorecard, scorecard_text
from mlfs.report.reproduction.comparison import compare_stated, run_values
from mlfs.report.reproduction.explanation import explain_text, readings_text
from mlfs.report.reproduction.judgement import AGREE, JUDGED
from mlfs.report.reproduction.read_columns import as_read, read_rows

from .. import made

DATASETS = ("health", "recreation", "arts", "reference", "entertainment", "business", "computers")
TABLES = {"2": "average_precision", "3": "hamming_loss", "4": "ranking_loss", "5": "one_error"}


def run(name, reading, right, columns=("PMU",), datasets=DATASETS):
    """Results of mfsef: the first `right` values of each column are as printed, others far off.

    Only `datasets` of the experiment were run, four values each.
    """
    experiment = made.experiment(
        "mfsef", list(TABLES), DATASETS, columns, list(TABLES.values()), name=name, reading=reading
    )
    printed = papers.paper("mfsef").printed().set_index(["method", "dataset", "metric"])["mean"]
    values = {}
    for column in columns:
        places = [(dataset, metric) for dataset in datasets for metric in TABLES.values()]
        for i, (dataset, metric) in enumerate(places):
            value = printed[column, dataset, metric] + (0.0 if i < right else 0.3)
            values.setdefault((dataset, 0.0, 0, column), {})[metric] = value
    return made.results(experiment, values)


def column_of(card, method="PMU"):
    (found,) = [one for one in card.columns if (one.paper, one.method) == ("mfsef", method)]
    return found


@pytest.mark.parametrize(
    ("read", "stated", "objection"),
    [
        (14, 7, None),
        (13, 0, "less than half"),
        (14, 8, "less than twice"),
        (28, 14, None),
        (28, 15, "less than twice"),
    ],
)
def test_a_reading_must_reproduce_half_and_twice_as_much_as_the_words(read, stated, objection):
    card = scorecard.score([run("a", "stated", stated), run("mfsef", "joint_entropy", read)])
    column = column_of(card)
    assert (column.wanted, column.reproduced, len(column.both)) == (28, read, 28)
    assert column.reproduced_of_both == (read, stated)
    assert column.explains == (objection is None)
    assert objection is None or [objection in text for text in column.objections] == [True]
    mine = [one for one in card.comparisons if (one.paper, one.method) == ("mfsef", "PMU")]
    counts = Counter(one.status for one in mine)
    if column.explains:  # the whole column is read, and what the words give needs no reading
        assert (counts["reproduced"], counts["explained"]) == (stated, read - stated)
        assert {one.experiment for one in mine} == {"mfsef"}
    else:
        assert counts["explained"] == 0 and {one.experiment for one in mine} == {"a"}
    assert [one.experiment for one in card.stated.comparisons if one.repeats] == ["a"] * 28


@pytest.mark.parametrize(
    ("sets", "stated", "explains"),
    [(2, 4, True), (2, 5, False), (2, 8, False), (1, 0, True), (1, 2, True), (1, 3, False)],
)
def test_a_table_partly_run_as_stated_is_compared_where_both_were_run(sets, stated, explains):
    """The reading gives 20 of 28 values; the words were run for some sets, of four values each."""
    words = run("a", "stated", stated, datasets=DATASETS[:sets])
    card = scorecard.score([words, run("mfsef", "joint_entropy", 20)])
    column = column_of(card)
    assert (column.wanted, column.reproduced, len(column.both)) == (28, 20, 4 * sets)
    assert column.reproduced_of_both == (4 * sets, stated)
    assert column.explains == explains
    if not explains:
        assert column.sentence.endswith("so it counts only where these were not run.")
    mine = [one for one in card.comparisons if (one.paper, one.method) == ("mfsef", "PMU")]
    counts = Counter((one.experiment, one.status in AGREE) for one in mine)
    if explains:
        assert counts == {("mfsef", True): 20, ("mfsef", False): 8}
    else:  # the words where they were run, the reading elsewhere: no value is lost
        assert counts == {
            ("a", True): stated,
            ("mfsef", True): 20 - 4 * sets,
            ("mfsef", False): 8,
            **({("a", False): 4 * sets - stated} if stated < 4 * sets else {}),
        }
    assert sum(one.status == "reproduced" for one in mine) == stated
    assert card.stated.of("mfsef").counts["not run"] == 168 - 4 * sets


def test_a_run_as_stated_never_takes_a_value_from_the_runs_as_read():
    """Partial runs as stated of a column, against the same column without any."""
    weak = column_of(scorecard.score([run("mfsef", "joint_entropy", 13)]))
    for right in (28, 20, 14, 13, 0):
        read = [
            replace(one, status="reproduced" if i < right else "worse")
            for i, one in enumerate(weak.read)
        ]
        alone = as_read(weak.stated, [replace(weak, read=read)])
        for run_as_stated in (1, 2, 13, 27, 28):
            for reproduced in {0, run_as_stated // 2, run_as_stated // 2 + 1, run_as_stated}:
                statuses = ["reproduced"] * reproduced + ["better"] * (run_as_stated - reproduced)
                stated = [
                    replace(one, status=status, repeats=1, experiment="a")
                    for one, status in zip(weak.stated, statuses)
                ]
                stated += weak.stated[run_as_stated:]
                found = as_read(stated, [replace(weak, read=read, stated=stated)])
                assert all(one.status in JUDGED for one in found[:run_as_stated])
                rest = [(one.status, one.experiment) for one in found[run_as_stated:]]
                assert rest == [(one.status, one.experiment) for one in alone[run_as_stated:]]
                used = {one.experiment for one in found[:run_as_stated]}
                better = right >= 14 and min(right, run_as_stated) >= 2 * reproduced
                assert used <= ({"mfsef"} if better else {"a"})


def test_a_reading_that_explains_comes_before_one_that_only_fits():
    stated = run("a", "stated", 8, datasets=DATASETS[:2])
    weak = column_of(scorecard.score([stated, run("mfsef", "joint_entropy", 28)]))
    better = replace(weak, stated=[replace(one, status="worse") for one in weak.stated])
    assert not weak.misfits and weak.objections and better.explains
    later = [replace(one, experiment="later") for one in better.read]
    columns = [weak, replace(better, read=later)]
    mine = [one for one in as_read(weak.stated, columns) if one.paper == "mfsef"]
    assert {one.experiment for one in mine} == {"later"}


def test_a_reading_that_passes_as_often_as_other_columns_explains_nothing():
    columns = ("PMU", "MFSLS")
    experiment = run("mfsef", "joint_entropy", 28, columns)
    printed = papers.paper("mfsef").printed().set_index(["method", "dataset", "metric"])["mean"]
    for metric in TABLES.values():  # both columns of ours have the printed values of PMU
        experiment.rows[metric] = [printed["PMU", name, metric] for name in experiment.rows.dataset]
    column = column_of(scorecard.score([experiment]))
    assert (column.reproduced, column.swap) == (28, 1.0)
    assert column.objections == ["values of other columns pass as often"]


def test_what_a_reading_alone_gives_is_not_run_as_stated():
    card = scorecard.score([run("mfsef", "joint_entropy", 28)])
    assert column_of(card).explains and card.of("mfsef").counts["explained"] == 28
    assert card.stated.of("mfsef").counts["not run"] == 168
    weak = scorecard.score([run("mfsef", "joint_entropy", 13)])
    assert weak.of("mfsef").counts["not run"] == 168
    told = " ".join(scorecard_text.as_text(weak).split())
    assert "the reading 'joint_entropy' was run, but does not explain the column" in told


def test_the_own_method_is_counted_for_itself():
    card = scorecard.score([run("mfsef", "joint_entropy", 20, ("PMU", "MFSEF"))])
    score = card.of("mfsef")
    assert (score.own, score.own_values, score.own_agree) == ("MFSEF", 28, 20)
    assert (card.total.own_values, card.total.own_agree) == (28, 20)


def test_readings_are_listed_with_their_counts_and_a_column_is_shown_value_by_value():
    card = scorecard.score([run("a", "stated", 7), run("mfsef", "joint_entropy", 14)])
    listed = " ".join(readings_text(card).split())
    assert "mfsef joint_entropy PMU 2, 3, 4, 5 28 14 28 14 7 - explains" in listed
    sentence = "PMU: of 28 values 14 reproduced"
    assert (
        sentence in listed
        and "(14 of 28 where both were run, 7 as stated): it explains the column." in listed
    )
    text = explain_text(card, "mfsef", "PMU")
    lines = [line.split() for line in text.splitlines()]
    health = [
        "health",
        "average",
        "precision",
        ".6709",
        ".6709",
        "reproduced",
        ".6709",
        "reproduced",
    ]
    assert health in lines
    assert sum(line[-1:] == ["better"] or line[-1:] == ["worse"] for line in lines) == 14
    record = json.loads(scorecard_text.as_json(card))["readings"]
    (mine,) = [one for one in record if (one["paper"], one["column"]) == ("mfsef", "PMU")]
    assert mine["counts"]["reproduced"] == 14 and mine["run_both_ways"] == 28
    assert mine["reproduced_of_both"] == {"read": 14, "stated": 7}
    assert mine["explains"] and mine["fitted"]


def test_explain_names_the_columns_that_there_are(tmp_path):
    result = CliRunner().invoke(main, ["explain", "mfsef", "PMV", str(tmp_path)])
    assert result.exit_code == 2 and "did you mean 'PMU'" in result.output
    result = CliRunner().invoke(main, ["explain", "msef", "PMU", str(tmp_path)])
    assert result.exit_code == 2 and "unknown paper 'msef'" in result.output
    result = CliRunner().invoke(main, ["explain", "gmfs", "FSNM", str(tmp_path)])
    assert result.exit_code == 0 and "No reading of FSNM is run by a config." in result.output


def test_rows_are_those_of_readings_where_there_are_some_and_else_as_stated():
    runs = run_values(
        [run("a", "stated", 5), run("mfsef", "joint_entropy", 28, datasets=DATASETS[:2])]
    )
    stated = compare_stated(runs)
    assert read_rows(runs[:1], stated) == stated
    found = {one.place: one for one in read_rows(runs, stated) if one.paper == "mfsef"}
    for one in stated:
        if (one.paper, one.method) == ("mfsef", "PMU") and one.table in TABLES:
            name = "mfsef" if one.dataset in DATASETS[:2] else "a"
            assert found[one.place].experiment == name
