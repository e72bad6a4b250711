"""What papers claim in numbers: complete against their texts, and in names that are known."""

import re
from pathlib import Path

import pytest

from mlfs import config, datasets, papers
from mlfs.errors import UserError
from mlfs.papers import claims as rules
from mlfs.report.reproduction.claim_verdicts import on_printed
from mlfs.report.tables.metric_facts import directions

from .claim_sentences import judging_sentences, running_text

TEXTS = Path(__file__).parents[3] / "shared/papers"  # of those who have them
CONFIGS = Path(__file__).parents[2] / "configs"
SHIPPED = ["gmfs", "mfsef", "miml", "rmfl", "semfs"]


def test_the_sentences_that_judge_in_numbers_are_found():
    text = (
        "# Title with 3 words\n"
        "We are 5 % better (Jian 2016). See Fig. 3, which shows all. Set k to 5.\n"
        "It is best [12].\n1\t2\tbest\n$$better 3$$\nRows of $a=3$ are worse.\n"
        "# References\nbest of 7 papers.\n"
    )
    assert list(judging_sentences(text)) == [
        "We are 5 % better (Jian 2016).",
        "Rows of $a=3$ are worse.",
    ]


@pytest.mark.skipif(not TEXTS.is_dir(), reason="needs the papers' texts")
@pytest.mark.parametrize("name", SHIPPED)
def test_every_sentence_with_a_number_is_claimed_or_said_not_to_be_checked(name):
    text = (TEXTS / f"{name}.txt").read_text(encoding="utf-8")
    found = papers.paper(name).claims()
    anchors = [anchor for item in (*found.claims, *found.unchecked) for anchor in item.anchors]
    sentences = list(judging_sentences(text))
    assert len(sentences) > 10
    whole = running_text(text)
    assert [anchor for anchor in anchors if anchor not in whole] == []
    assert [s for s in sentences if not any(anchor in s for anchor in anchors)] == []


@pytest.mark.parametrize("name", SHIPPED)
def test_claims_are_told_in_our_words_with_their_place(name):
    found = papers.paper(name).claims()
    assert len(found.claims) >= 7
    for claim in found.claims:
        assert claim.claim.endswith((".", ")")) and claim.place
        assert all(len(anchor) < 60 for anchor in claim.anchors)  # a few words, no sentences
    assert all(item.reason for item in found.unchecked)


def experiments(name):
    for path in sorted(CONFIGS.glob(f"{name}*.yaml")):
        yield from (item for item in config.load_all(path) if item.paper == name)


@pytest.mark.parametrize("name", SHIPPED)
def test_rules_are_about_what_is_printed_or_what_our_configs_show(name):
    paper, known = papers.paper(name), datasets.catalog()
    ours = list(experiments(name))
    for claim in paper.claims().claims:
        rule = claim.rule
        if not isinstance(rule, rules.Where):
            continue
        wanted = {getattr(rule, "method", None), *(getattr(rule, "over", None) or ())} - {None}
        assert set(rule.metrics or ()) <= set(directions())
        if rule.tables:
            cells = paper.printed(rule.tables)
            assert set(rule.tables) <= set(paper.tables) and wanted <= set(cells.method)
            assert set(rule.datasets or ()) <= set(cells.dataset)
            continue
        assert rule.figure in paper.figures
        assert set(rule.datasets) <= set(known) | {"msrc"}
        names = rule.experiments or [item.name for item in ours]
        fit = [item for item in ours if rule.figure in item.figures and item.name in names]
        heads = {head for item in fit for head in papers.headings(item)}
        assert fit and wanted <= heads, claim.claim
        along = getattr(rule, "along", "axis")
        assert along in ("axis", "ratio") or any(along in item.vary for item in fit)


@pytest.mark.skipif(not TEXTS.is_dir(), reason="needs the papers' texts")
@pytest.mark.parametrize("name", SHIPPED)
def test_every_claim_quotes_words_of_its_paper(name):
    text = " ".join((TEXTS / f"{name}.txt").read_text(encoding="utf-8").split())
    quotes = [claim.quote for claim in papers.paper(name).claims().claims]
    assert [quote for quote in quotes if quote not in text] == []


def test_shares_are_counts_of_the_paper_and_most_means_the_same_everywhere():
    """Only claims with a number of their own have a share; 'generally' and 'most' are one word."""
    for name in SHIPPED:
        for claim in papers.paper(name).claims().claims:
            share = getattr(claim.rule, "at_least", 1.0)
            if re.search(r"\bmost\b|\bgenerally\b|多数占优", claim.quote):
                assert share == rules.MOST, claim.claim
            assert share == rules.MOST or share > 0.3


def test_what_papers_print_bears_out_some_of_their_claims():
    """And where a paper's own tables contradict it, that is said."""
    found = [item for name in SHIPPED for item in on_printed(papers.paper(name))]

    def verdict(name, part):
        [one] = [item for item in found if item.paper == name and part in item.claim]
        return one

    against = {(item.paper, item.claim) for item in found if item.verdict == "contradicted"}
    assert against == {
        ("rmfl", "The critical difference of 8 methods on 8 sets is 3.27."),
        ("miml", "All sets except delicious have fewer than 3 labels per instance on average."),
    }
    assert sum(item.verdict == "holds" for item in found) == 8
    first = verdict("rmfl", "72.5 %")
    assert "by the means alone 25 would be favourable" in first.numbers
    assert first.test == "RMFL better than all others, in at least 72.5% of the cases"
    assert first.place == "section V-B1"
    assert verdict("rmfl", "is 3.27").numbers == "3.712"
    assert verdict("rmfl", "FastTag and LEML in most").verdict == "holds"
    assert verdict("mfsef", "45 %").numbers.startswith("11 of 20 are significantly favourable")


@pytest.fixture
def own(tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "paper.yaml").write_text("title: M\nauthors: [Me]\nvenue: here\nyear: 2024\n")
    monkeypatch.setenv("MLFS_PAPERS", str(tmp_path))
    return folder


START = (
    "claims:\n  - claim: It is good.\n    place: here\n    quote: good\n    anchors: [good]\n"
    "    rule: "
)


@pytest.mark.parametrize(
    "text, told",
    [
        (START + "{kind: wins, method: A}", "line 6: .*'wins'.*"),
        (
            START + "{kind: beats, method: A}",
            "line 6: a rule needs either 'tables' or a 'figure'",
        ),
        (
            START + "{kind: beats, method: A, figure: '1'}",
            "line 6: .*needs 'datasets' and 'metrics'",
        ),
        (START + "{kind: friedman, tables: ['1'], over: [B]}", "line 6: unknown key .*over"),
        (
            START + "{kind: peak, method: A, tables: ['1'], along: axis, at: 3}",
            "line 6: a rule about a curve needs a 'figure'",
        ),
        ("claims:\n  - claim: It is good.\n", "line 2: key 'claims.0.place' is missing"),
        ("- a\n", "it must have the keys 'claims' and 'unchecked'"),
    ],
)
def test_a_mistake_in_claims_is_told_with_its_line(own, text, told):
    (own / "claims.yaml").write_text(text)
    with pytest.raises(UserError, match=rf"claims.yaml(, |: ){told}"):
        papers.paper("mine").claims()


def test_a_paper_without_claims_claims_nothing(own):
    assert papers.paper("mine").claims() == rules.Claims()
    assert on_printed(papers.paper("mine")) == []
