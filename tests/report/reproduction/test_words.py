"""Words of claims and of runs, and the steps that a scorecard counts."""

from dataclasses import replace
from pathlib import Path

import pytest

from mlfs import config
from mlfs.papers import claims
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.report.page.papers_section import label
from mlfs.report.reproduction import claim_verdicts
from mlfs.report.reproduction.comparison import compare_stated, run_values
from mlfs.report.reproduction.run_facts import hidden_shares
from mlfs.report.reproduction.scorecard import steps_of
from mlfs.results.read import read
from mlfs.results.store import Store

from ..tables.test_captions import CONFIG, WORDS
from .test_read_columns import run as values_of

WHERE = {"method": "GMFS", "over": ["PMU"], "tables": ["2"], "metrics": ["one_error"]}


@pytest.mark.parametrize(
    ("keys", "amounts", "question"),
    [
        (
            {"kind": "ahead", "low": 0.02},
            {0.0: "+0", 0.013: "+.013", -0.5: "-.5"},
            "GMFS ahead of PMU by .02 of the score or more",
        ),
        (
            {"kind": "ahead", "low": 0.1, "slack": 0.05, "relative": True},
            {0.0: "+0.0%", -0.125: "-12.5%"},
            "GMFS ahead of PMU by 10 % of theirs (less .05) or more",
        ),
        (
            {"kind": "faster", "factor": 4.0, "slack": 0.25},
            {0.0: "1.00 times"},
            "GMFS at least 3 times as fast as PMU",
        ),
    ],
)
def test_amounts_and_questions_of_claims_are_said_in_words(keys, amounts, question):
    kind = {"ahead": claims.Ahead, "faster": claims.Faster}[keys["kind"]]
    rule = kind.model_validate(WHERE | keys)
    for value, text in amounts.items():
        assert claim_verdicts._amount(rule, value) == text
    assert claim_verdicts._question(rule) == question


def test_a_scorecard_reads_every_store_and_compares_once():
    assert steps_of({Path("a"): [1, 2], Path("b"): [3]}).total == 4


def test_the_share_that_really_was_hidden_is_told_of_the_experiments_that_count(tmp_path):
    experiment = config.parse(CONFIG, source="test")
    store = Store(tmp_path / "t")
    store.open(experiment)
    for planned in plan(experiment):
        info = {"hidden": {"labels": 0.55, "positives": 0.5}} if planned.cell.settings.ratio else {}
        store.write(planned, Record(rows=[{"one_error": 0.5}], info=info))
    results = [read(store)]
    assert hidden_shares(results, {"t"}) == [f"t: {WORDS}: 55 % of the labels really missing."]
    assert hidden_shares(results, {"another"}) == []


def test_a_printed_value_is_described_with_its_repeats():
    stated = compare_stated(run_values([values_of("a", "stated", 5)]))
    one = next(one for one in stated if one.repeats)
    assert "; ours " in label(one) and ", one repeat; printed " in label(one)
    assert ", 2 repeats; printed " in label(replace(one, repeats=2))
