"""The scorecard: counts, gaps and orders against figures worked out by hand."""

import json
import math
from dataclasses import replace

import pytest
from click.testing import CliRunner

from mlfs import papers
from mlfs.cli import main
from mlfs.config import shipped
from mlfs.report.reproduction import scorecard, scorecard_figure, scorecard_text
from mlfs.report.reproduction.audit import audit
from mlfs.report.reproduction.claim_verdicts import OUTCOMES
from mlfs.report.reproduction.read_columns import as_read

from .. import made

PACKED = list(shipped.reference().glob("*.jsonl.zst"))
PRINTED = [0.5094, 0.4909, 0.5363, 0.5364]  # on arts, of the columns below


def card_of(values, columns=("Original", "PMU", "MFSLS", "MFSEF"), datasets=("arts",)):
    """Of mfsef's tables 2 and 5; `values` gives a dataset and metric the scores of the columns."""
    metrics = ["average_precision", "one_error"]
    experiment = made.experiment("mfsef", ["2", "5"], datasets, columns, metrics)
    cells = {}
    for (dataset, metric), scores in values.items():
        for column, value in zip(columns, scores):
            if value is not None:
                cells.setdefault((dataset, 0.0, 0, column), {})[metric] = value
    return scorecard.score([made.results(experiment, cells)], "made")


def table(card, name):
    (found,) = [score for score in card.tables if score.name == name]
    return found


def invoke(*args):
    return CliRunner().invoke(main, ["scorecard", *map(str, args)])


def test_an_empty_folder_has_no_results_of_a_paper(tmp_path):
    result = invoke(tmp_path)
    assert result.exit_code == 0
    assert result.output.startswith(f"{tmp_path} has 0 experiments, and none of a paper.\nNext: ")


def test_without_results_nothing_is_compared():
    card = scorecard.score([])
    text = " ".join(scorecard_text.as_text(card).split())
    assert "1,536 printed values, 0 compared with a value of ours" in text
    assert "1,536 not: 0 not comparable, 1,459 not run, 77 not fetched." in text
    assert "75 printed values of rmfl VIII: pascal07: " in text
    assert "2 printed values of miml 2: bookmarks: " in text
    assert text.endswith("Next: mlfs run mfsef_original")


def test_a_folder_that_is_not_there_is_a_mistake(tmp_path):
    result = invoke(tmp_path / "nowhere")
    assert result.exit_code == 2 and "nowhere" in result.output


def test_the_printed_values_themselves_are_reproduced_but_for_misprints():
    card = scorecard.score(made.as_printed())
    wrong = {
        (one.paper, one.table, one.dataset, one.method, one.metric, one.ratio)
        for one in card.comparisons
        if one.status not in ("reproduced", "not comparable")
    }
    misprints = {
        (name, found.table, found.dataset, found.method, found.metric, found.ratio)
        for name in papers.names()
        for found in audit(papers.paper(name))
        if found.misprint
    }
    assert wrong == misprints
    # ten values are seconds on another machine
    assert card.total.counts["reproduced"] == 1536 - 10 - len(misprints) == 1516
    assert (card.total.printed, card.total.ours) == (1536, 1526)
    for score in card.tables:
        if score.name not in ("rmfl IX", "miml 2"):
            assert score.gap == 0
            assert math.isnan(score.tau) or score.tau == pytest.approx(1)


def test_counts_gaps_and_orders_of_a_table_are_worked_out():
    gaps = [0.0, 0.0002, -0.009, 0.011]
    card = card_of({("arts", "average_precision"): [p + gap for p, gap in zip(PRINTED, gaps)]})
    score = table(card, "mfsef 2")
    assert score.gap == pytest.approx(0.0202 / 4)
    assert (score.printed, score.ours, score.rows) == (42, 4, 1)
    assert (score.own, score.own_values, score.own_agree) == ("MFSEF", 1, 0)
    counts = {"reproduced": 2, "better": 1, "worse": 1, "not run": 38}
    assert {status: count for status, count in score.counts.items() if count} == counts
    assert score.experiments == ["mfsef_2_5"]


@pytest.mark.parametrize(
    ("scores", "tau"),
    [
        ([2, 1, 3, 4], 1.0),  # as printed
        ([1, 2, 3, 4], 1 - 2 * 1 / 6),  # one pair of six the other way round
        ([3, 4, 2, 1], -1.0),
    ],
)
def test_tau_counts_pairs_in_the_other_order(scores, tau):
    score = table(card_of({("arts", "average_precision"): scores}), "mfsef 2")
    assert score.tau == pytest.approx(tau) and score.rows == 1


def test_the_order_of_two_methods_and_of_equal_ones_is_none():
    two = card_of({("arts", "average_precision"): [4, 2, None, None]})
    equal = card_of({("arts", "average_precision"): [1, 1, 1, 1]})
    for card in (two, equal):
        assert table(card, "mfsef 2").rows == 0 and math.isnan(table(card, "mfsef 2").tau)


def test_tau_is_the_mean_over_rows_and_papers_sum_their_tables():
    values = {
        ("arts", "average_precision"): [4, 2, 3, 5],
        ("arts", "one_error"): [0.1, 0.2, 0.3, 0.4],
        ("health", "average_precision"): [0.1, 0.2, 0.3, 0.4],
    }
    card = card_of(values, datasets=("arts", "health"))
    (paper,) = [score for score in card.papers if score.paper == "mfsef"]
    first, second = table(card, "mfsef 2"), table(card, "mfsef 5")
    assert (first.rows, second.rows, paper.rows) == (2, 1, 3)
    assert paper.tau == pytest.approx((2 * first.tau + second.tau) / 3)
    assert paper.ours == first.ours + second.ours == card.total.ours == 12
    assert (paper.printed, card.total.printed) == (168, 1536)


def test_text_fits_80_columns_and_ends_with_the_next_command():
    text = scorecard_text.as_text(card_of({("arts", "average_precision"): [0.5, 0.5, 0.4, 0.6]}))
    assert max(map(len, text.splitlines())) <= 80
    assert text.splitlines()[-1] == "Next: mlfs report made"


def test_json_holds_every_cell_and_no_nan():
    card = card_of({("arts", "average_precision"): [0.5, 0.5, 0.4, 0.6]})
    content = json.loads(scorecard_text.as_json(card), parse_constant=pytest.fail)
    assert len(content["comparisons"]) == content["total"]["printed"] == 1536
    ours = [one for one in content["comparisons"] if one["ours"] is not None]
    assert [one["ours"] for one in ours] == [0.5, 0.5, 0.4, 0.6]
    assert all(one["ours_std"] is None for one in ours)


def two_readings():
    """A card with one printed value that has a run as stated and one as read."""
    made_up = []
    for name, reading, gap in (("a", "stated", 0.009), ("mfsef", "joint_entropy", 0.0)):
        experiment = made.experiment(
            "mfsef", ["2"], ["arts"], ["PMU"], ["average_precision"], name=name, reading=reading
        )
        value = {("arts", 0.0, 0, "PMU"): {"average_precision": 0.4909 + gap}}
        made_up.append(made.results(experiment, value))
    card = scorecard.score(made_up, "made")
    # one value of 28 is no reading of a column; here it shall count
    entry = next(one for one in card.columns if one.method == "PMU")
    read = [one for one in entry.read if one.repeats]
    stated = [one for one in entry.stated if one.repeats]
    counted = scorecard._scores(
        as_read(card.stated.comparisons, [replace(entry, read=read, stated=stated)])
    )
    return replace(
        card,
        comparisons=counted.comparisons,
        tables=counted.tables,
        papers=counted.papers,
        total=counted.total,
    )


def test_both_kinds_of_runs_are_counted():
    card = two_readings()
    (how, stated), (other, read) = card.runs(table(card, "mfsef 2"))
    assert (how, other) == ("as stated", "as read")
    assert (read.counts["explained"], read.counts["better"]) == (1, 0)
    assert read.experiments == ["mfsef"]
    assert (stated.counts["explained"], stated.counts["better"]) == (0, 1)
    assert stated.experiments == ["a"] and stated.gap == pytest.approx(0.009)
    assert [how for how, _ in card.runs(table(card, "mfsef 3"))] == ["both"]
    assert [how for how, _ in card.runs(card.total)] == ["as stated", "as read"]
    assert card.runs(card.total)[0][1] is card.stated.total


def test_text_markdown_and_json_show_both_counts():
    card = two_readings()
    for shown in (scorecard_text.as_text, scorecard_text.as_markdown):
        lines = [line.replace("|", " ").split() for line in shown(card).splitlines()]
        rows = [line for line in lines if line[:2] == ["mfsef", "as"] and line[3:4] == ["168"]]
        assert [line[2:9] for line in rows] == [
            ["stated", "168", "-", "-", "-", "1", "-"],
            ["read", "168", "-", "-", "1", "-", "-"],
        ]
        assert ["gmfs", "both", "98"] in [line[:3] for line in lines]
    glance = scorecard_text.at_a_glance(card)
    lines = [line.replace("|", " ").split() for line in glance.splitlines()]
    rows = [line for line in lines if line[:2] == ["mfsef", "as"]]
    assert [line[2:6] for line in rows] == [["stated", "-", "-", "1"], ["read", "-", "-", "1"]]
    assert max(map(len, scorecard_text.as_text(card).splitlines())) <= 80
    without = "1,535 not: 0 not comparable, 1,458 not run, 77 not fetched"
    assert scorecard_text.summary(card) == (
        "1,536 printed values. As stated: 1 compared with a value of ours (made): 0 reproduced, "
        f"0 within chance, 0 explained, 1 better, 0 worse; {without}. As read: 1 compared with a "
        "value of ours (made): 0 reproduced, 0 within chance, 1 explained, 0 better, 0 worse; "
        f"{without}."
    )
    content = json.loads(scorecard_text.as_json(card), parse_constant=pytest.fail)
    stated = content["stated"]
    assert content["total"]["counts"]["explained"] == stated["total"]["counts"]["better"] == 1
    assert len(stated["comparisons"]) == 1536
    (ours,) = [one for one in stated["comparisons"] if one["ours"] is not None]
    assert (ours["experiment"], ours["status"]) == ("a", "better")


def test_the_picture_is_about_the_values_as_read():
    card = two_readings()
    assert [one.experiment for one in card.comparisons if one.repeats] == ["mfsef"]
    (panel,) = scorecard_figure.picture(card).axes
    assert sum(len(mark.get_xdata()) for mark in panel.lines[:-1]) == 1


def test_results_here_come_before_those_of_mlfs(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    assert list(scorecard.find_stores([])) == [shipped.REFERENCE]
    (tmp_path / "results").mkdir()
    assert list(scorecard.find_stores([])) == [shipped.REFERENCE]
    assert len(scorecard._stores(shipped.REFERENCE)) == len(PACKED) > 0
    run(lambda one: None, name="results")  # a results folder of its own
    assert [str(path) for path in scorecard.find_stores([])] == ["results"]
    assert list(scorecard.find_stores([tmp_path])) == [tmp_path]


def test_claims_are_told_with_the_test_and_the_numbers():
    card = card_of({("arts", "average_precision"): [0.5, 0.5, 0.4, 0.6]})
    text = " ".join(scorecard_text.as_text(card).split())
    assert card.claims and sum(card.outcomes().values()) == len(card.claims)
    for claim in card.claims:
        about = f"{claim.paper}, {claim.place}: {claim.claim} In its words: "
        sure = "" if claim.p is None else f" (p = {claim.p:.2g})"
        assert f"{claim.verdict}{sure}: {about}" in text
        assert f"“{claim.quote}”. Asked: {claim.test}. Found: " in text
    content = json.loads(scorecard_text.as_json(card))
    assert [claim["verdict"] for claim in content["claims"]] == [c.verdict for c in card.claims]


def test_headings_of_two_lines_are_the_outcomes():
    first, second, *_ = scorecard_text._short_outcomes(scorecard.score([]))
    joined = [f"{a} {b}".replace("- ", "").strip() for a, b in zip(first, second)]
    assert joined == ["paper", "runs", *OUTCOMES]


def test_at_a_glance_counts_the_claims_that_are_decided():
    card = card_of({("arts", "average_precision"): [0.5, 0.5, 0.4, 0.6]})
    claim = replace(card.claims[0], paper="mfsef")
    found = [
        replace(claim, verdict=verdict)
        for verdict in ("holds", "contradicted", "contradicted", "not distinguishable", "not run")
    ]
    *_, mfsef, _, _, _, last = scorecard_text.at_a_glance(replace(card, claims=found)).splitlines()
    assert [line.split("|")[5].strip() for line in (mfsef, last)] == [
        "1 holds, 2 contradicted, 2 open"
    ] * 2
    more = replace(card, claims=[found[0], *found])
    last = scorecard_text.at_a_glance(more).splitlines()[-1]
    assert last.split("|")[5].strip() == "2 hold, 2 contradicted, 2 open"
    only = replace(card, claims=found[-1:])
    last = scorecard_text.at_a_glance(only).splitlines()[-1]
    assert last.split("|")[5].strip() == "1 open"


def test_the_picture_has_a_point_for_every_cell_of_ours(tmp_path):
    gaps = [0.0, 0.0002, -0.009, 0.011]
    card = card_of({("arts", "average_precision"): [p + gap for p, gap in zip(PRINTED, gaps)]})
    (panel,) = scorecard_figure.picture(card).axes
    *marks, line = panel.lines
    points = {tuple(point) for mark in marks for point in zip(*mark.get_data())}
    assert points == {(p, p + gap) for p, gap in zip(PRINTED, gaps)}
    assert [len(mark.get_xdata()) for mark in marks] == [2, 0, 0, 0, 1, 1]  # as in LOOKS
    assert list(line.get_xdata()) == list(line.get_ydata())
    file = scorecard_figure.write(card, tmp_path / "a.b.svg", "what it is")
    assert file == tmp_path / "a.b.svg" and "what it is" in file.read_text()
    assert panel.get_title(loc="left") == "mfsef: 4 of 168 values"


def test_a_picture_needs_cells_and_a_known_format(tmp_path):
    assert "nothing to draw" in invoke(tmp_path, "--picture", tmp_path / "a.svg").output
    result = invoke(tmp_path, "--picture", tmp_path / "a.gif")
    assert result.exit_code == 2 and ".svg, .png, .pdf" in result.output
