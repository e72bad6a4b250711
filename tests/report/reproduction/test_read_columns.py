"""A reading explains a column only if it does much more than the words of the paper."""

import json
from collections import Counter

import pytest
from click.testing import CliRunner

from mlfs import papers
from mlfs.cli import main
from mlfs.report.reproduction import scorecard, scorecard_text
from mlfs.report.reproduction.explanation import explain_text, readings_text

from .. import made

DATASETS = ("health", "recreation", "arts", "reference", "entertainment", "business", "computers")
TABLES = {"2": "average_precision", "3": "hamming_loss", "4": "ranking_loss", "5": "one_error"}


def run(name, reading, right, columns=("PMU",)):
    """Results of mfsef: the first `right` values of each column are as printed, others far off."""
    experiment = made.experiment(
        "mfsef", list(TABLES), DATASETS, columns, list(TABLES.values()), name=name, reading=reading
    )
    printed = papers.paper("mfsef").printed().set_index(["method", "dataset", "metric"])["mean"]
    values = {}
    for column in columns:
        places = [(dataset, metric) for dataset in DATASETS for metric in TABLES.values()]
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
    assert (column.wanted, column.reproduced, column.reproduced_as_stated) == (28, read, stated)
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
    assert "mfsef joint_entropy PMU 2, 3, 4, 5 28 14 7 - explains" in listed
    sentence = "PMU: of 28 values 14 reproduced"
    assert (
        sentence in listed and "(7 of 28 reproduced as stated): it explains the column." in listed
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
    assert mine["counts"]["reproduced"] == 14 and mine["reproduced_as_stated"] == 7
    assert mine["explains"] and mine["fitted"]


def test_explain_names_the_columns_that_there_are(tmp_path):
    result = CliRunner().invoke(main, ["explain", "mfsef", "PMV", str(tmp_path)])
    assert result.exit_code == 2 and "did you mean 'PMU'" in result.output
    result = CliRunner().invoke(main, ["explain", "msef", "PMU", str(tmp_path)])
    assert result.exit_code == 2 and "unknown paper 'msef'" in result.output
    result = CliRunner().invoke(main, ["explain", "gmfs", "FSNM", str(tmp_path)])
    assert result.exit_code == 0 and "No reading of FSNM is run by a config." in result.output
