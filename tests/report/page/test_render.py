"""The page without a browser: well-formed, alone in the world, and true to the data."""

import math
import re
from itertools import pairwise
from urllib.parse import unquote

import pytest
import yaml

from mlfs import config, papers
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.report.page import render
from mlfs.report.page.experiments_section import PageBudget
from mlfs.report.reproduction import scorecard, scorecard_text
from mlfs.report.reproduction.claim_verdicts import OUTCOMES
from mlfs.report.reproduction.judgement import allowed
from mlfs.report.tables.paper_tables import make_tables
from mlfs.report.tables.texts import number, signed
from mlfs.results import read
from mlfs.results.store import Store

from .. import made
from ..conftest import EVIL
from ..html_tree import parse


def by_id(tree):
    ids = [node.attrs["id"] for node in tree.all() if "id" in node.attrs]
    assert len(ids) == len(set(ids)), "an id stands twice"
    return {node.attrs["id"]: node for node in tree.all() if "id" in node.attrs}


def test_the_page_asks_for_nothing_from_elsewhere(shown):
    *_, text, tree = shown
    for node in tree.all():
        for name in ("href", "src", "srcset", "action", "poster", "data"):
            value = node.attrs.get(name)
            assert value is None or value.startswith(("#", "data:")), (node.tag, name, value)
    assert not tree.all("iframe") and not tree.all("img") and len(tree.all("script")) == 2
    styles = "".join(node.text for node in tree.all("style"))
    assert "url(" not in styles and "@import" not in styles
    assert "http" not in re.sub(r"http-equiv|http://www\.w3\.org/", "", text)
    assert "default-src 'none'" in text


def test_every_link_and_label_has_its_target(shown):
    ids = by_id(shown[-1])
    for node in shown[-1].all():
        if node.attrs.get("href", "").startswith("#"):
            assert node.attrs["href"][1:] in ids, node.attrs["href"]
        for name in ("aria-labelledby", "aria-describedby"):
            assert all(one in ids for one in node.attrs.get(name, "").split())


def test_the_page_has_one_heading_above_all_and_none_is_left_out(shown):
    levels = [int(node.tag[1]) for node in shown[-1].all() if re.fullmatch(r"h\d", node.tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(shown[-1].all("main")) == 1 and len(shown[-1].all("nav")) == 1


def test_every_printed_cell_has_a_mark_that_tells_its_figures(shown):
    _, card, _, tree = shown
    ids = by_id(tree)
    marks = [node for one in tree.all("table", kind="map") for node in one.all("a")]
    assert len(marks) == len(card.comparisons) == 1536
    waiting = {}
    for node in marks:
        waiting.setdefault(node.attrs["aria-label"].split("; ")[0], []).append(node)
    seen = 0
    for cell in card.comparisons:
        hidden = f", {100 * cell.ratio:.0f} % to hide" if cell.ratio else ""
        metric = cell.metric.replace("_", " ").replace("hamming", "Hamming")
        node = waiting[f"{cell.method} on {cell.dataset}, {metric}{hidden}"].pop(0)
        parts = node.attrs["aria-label"].split("; ")
        assert parts[1] == cell.status and f"s-{cell.status.replace(' ', '-')}" in node.classes
        assert any(part.startswith(f"printed {number(cell.printed)}") for part in parts)
        target = ids[node.attrs["href"][1:]]
        if math.isnan(cell.ours):
            assert target.attrs["id"] == f"paper-{cell.paper}"
            assert not any(part.startswith(("ours", "gap")) for part in parts)
            continue
        seen += 1
        repeats = "one repeat" if cell.repeats == 1 else f"{cell.repeats} repeats"
        assert parts[2].startswith(f"ours {number(cell.ours)}") and parts[2].endswith(repeats)
        chance = number(allowed(*cell.sides, cell.unit))
        assert f"gap {signed(cell.gap)}, {chance} allowed by chance" in parts
        assert f"two methods of this row usually differ by {number(cell.distance)}" in parts
        assert node.attrs["data-e"] == cell.experiment
        assert float(target.attrs["data-v"]) == pytest.approx(cell.ours, rel=1e-5)
        assert f"s-{cell.status.replace(' ', '-')}" in target.classes
        assert number(cell.printed) in target.text and signed(cell.gap) in target.text
    assert seen == card.total.ours > 50


def test_tables_hold_the_figures_of_mlfs_table(shown):
    found, _, _, tree = shown
    for item in found:
        [part] = tree.all("details", id=f"e-{item.experiment.name}")
        tables = make_tables(item)
        shown_tables = part.all("table", kind="data")
        assert len(shown_tables) == len(tables) > 0
        for table, node in zip(tables, shown_tables):
            heads = [one.text for one in node.all("thead")[0].all("th")]
            assert heads == [table.heading, *table.methods]
            wide = table.entries.pivot(index="row", columns="method", values="mean")
            for row in node.all("tbody")[0].all("tr"):
                [name] = [one.text.removesuffix("*") for one in row.all("th")]
                for method, cell in zip(table.methods, row.all("td")):
                    mean = wide[method].get(name, math.nan) if method in wide else math.nan
                    if math.isnan(mean):
                        assert cell.text == "–" and "data-v" not in cell.attrs
                    else:
                        assert float(cell.attrs["data-v"]) == pytest.approx(mean, rel=1e-5)
                        assert cell.text.startswith(number(mean))


def test_sums_are_those_of_the_scorecard(shown):
    _, card, _, tree = shown
    [table] = tree.all("table", kind="sums")
    for score, row in zip(card.papers, table.all("tbody")[0].all("tr")):
        texts = [cell.text for cell in row.all("td")]
        assert texts.pop(0) == "both"  # no experiment here has a reading
        own = f"{score.own_agree} of {score.own_values}" if score.own_values else "–"
        tau = "–" if math.isnan(score.tau) else f"{score.tau:.2f}".replace("0.", ".")
        claims = scorecard_text.held(card, score.paper)
        counts = [f"{n:,}" for n in (score.printed, *score.counts.values())]
        swap = "–" if math.isnan(score.swap) else f"{100 * score.swap:.1f} %"
        assert texts == [own, tau, claims, *counts, swap]
        assert row.all("th")[0].text == score.paper
    chips = {chip.attrs["data-only"]: chip.text for chip in tree.all("button", kind="chip")}
    assert chips["reproduced"] == f"reproduced {card.total.counts['reproduced']:,}"


def test_the_page_counts_runs_as_stated_and_as_read_and_tells_the_readings():
    printed = papers.paper("mfsef").printed(["2", "3", "4", "5"])
    mine = printed[printed.method == "PMU"]
    found = []
    for name, reading, gap in (("a", "stated", 0.1), ("mfsef", "joint_entropy", 0.0)):
        sets, metrics = list(dict.fromkeys(mine.dataset)), list(dict.fromkeys(mine.metric))
        tables = ["2", "3", "4", "5"]
        experiment = made.experiment(
            "mfsef", tables, sets, ["PMU"], metrics, name=name, reading=reading
        )
        values = {}
        for line in mine.itertuples():
            values.setdefault((line.dataset, 0.0, 0, "PMU"), {})[line.metric] = line.mean + gap
        found.append(made.results(experiment, values))
    card = scorecard.score(found)
    tree = parse(render.render(found, card))
    [table] = tree.all("table", kind="sums")
    lines = [
        [row.all("th")[0].text, *(cell.text for cell in row.all("td"))]
        for row in table.all("tbody")[0].all("tr")
    ]
    assert [[line[1], *line[5:11]] for line in lines if line[0] == "mfsef"] == [
        ["as stated", "168", "0", "0", "0", "7", "21"],
        ["as read", "168", "0", "0", "28", "0", "0"],
    ]
    assert {line[1] for line in lines if line[0] != "mfsef"} == {"both"}
    told = " ".join(tree.all("p", kind="lead")[0].text.split())
    assert "As stated, 28 of them are compared with ours: 0 reproduced, 0 within chance" in told
    assert "swap rate" not in told  # a row of one column has none
    assert "As read, 28 of them are compared with ours: 0 reproduced, 28 explained" in told
    [part] = tree.all("article", id="paper-mfsef")
    [reading] = papers.paper("mfsef").readings()
    text = " ".join(part.text.split())
    assert f"Reading joint_entropy: {reading.summary}" in text
    assert all(line in text for column in reading.columns for line in column.lines)
    [pmu] = [one for one in card.columns if (one.paper, one.method) == ("mfsef", "PMU")]
    assert pmu.sentence in text and "it explains the column" in pmu.sentence
    page = " ".join(tree.text.split())
    assert all(line in page for line in scorecard_text.legend())
    assert all(line in page for line in scorecard_text.fitted(card))


def test_every_claim_is_told_with_its_verdict_and_numbers(shown):
    _, card, _, tree = shown
    [part] = tree.all("section", id="claims")
    items = [node for some in part.all("ul", kind="claims") for node in some.all("li")]
    known = card.claims
    assert len(items) == len(known) > 40
    counts = [sum(one.verdict == verdict for one in known) for verdict in OUTCOMES]
    assert sum(counts) == len(known) and min(counts[0], counts[1], counts[2], counts[4]) > 0
    assert f"{counts[0]} hold on our results, {counts[1]} are contradicted" in part.text
    assert f"{counts[2]} cannot be distinguished from chance" in part.text
    for node, one in zip(items, known):
        assert node.all("span", kind="badge")[0].text == one.verdict
        for text in (one.claim, one.place, one.quote, one.test, one.numbers):
            assert " ".join(text.split()) in node.text


def test_critical_differences_and_curves_are_drawn(shown):
    _, _, _, tree = shown
    [rmfl] = tree.all("details", id="e-rmfl_table4")
    names = [one.attrs["aria-label"] for one in rmfl.all("svg", role="img")]
    assert any(name.startswith("Average ranks, rmfl_table4") for name in names)
    [gmfs] = tree.all("details", id="e-gmfs_yeast")
    figure, by_ratio = gmfs.all("figure", kind="curves")
    assert "share of labels hidden" in by_ratio.text
    assert figure.all("h4")[0].text == "average precision by features kept"
    assert [one.text for one in figure.all("p")][1:3] == [
        "yeast, 20 % to hide",
        "yeast, 40 % to hide",
    ]


def test_changes_of_the_only_method_are_drawn(tmp_path):
    content = {"name": "fig5", "protocol": "learning", "paper": "rmfl", "datasets": ["yeast"]}
    content |= {"methods": ["rmfl"], "metrics": ["average_precision"]}
    store = Store(tmp_path / "fig5")
    store.open(config.parse(content, source="test"))
    [planned] = plan(store.experiment())
    changes = [1.0, 0.1, 0.01, 0.0]
    store.write(planned, Record(rows=[{"average_precision": 0.5}], info={"change": changes}))
    found = [read.read(store)]
    tree = parse(render.render(found, scorecard.score(found)))
    [figure] = tree.all("figure", kind="curves")
    assert figure.all("h4")[0].text == "change of the solution by iteration"
    dots = figure.all("div", kind="panel")[0].all("use")
    assert [dot.text for dot in dots] == ["yeast, 1: 1.000", "yeast, 2: .1000", "yeast, 3: .0100"]


def test_what_a_point_tells_is_what_the_rows_give(shown):
    found, *_, tree = shown
    [item] = [one for one in found if one.experiment.name == "gmfs_yeast"]
    [whole] = tree.all("details", id="e-gmfs_yeast")
    part = whole.all("figure", kind="curves")[0]  # along the sizes; the other is along the ratio
    told = {one.text for one in part.all("use", kind="dot")}
    rows = item.rows.dropna(subset="average_precision")
    expected = set()
    for (_, _, method, size), some in rows.groupby(["dataset", "ratio", "method", "n_features"]):
        values = some.average_precision
        around = f" ± {number(values.std())}" if len(values) > 1 else ""
        expected.add(f"{method}, {size:g}: {number(values.mean())}{around}")
    assert len(expected) > 10
    levels = {one.text for one in part.all("path", kind="line") if one.text}
    own = {one for one in told if one and "mean along the curve" not in one}
    assert own | levels == expected


def test_what_was_run_is_told(shown):
    [run] = shown[-1].all("details", id="r-chosen")
    text = run.text
    assert "9 of 12 cells" in text and "3 failed" in text and "13.5 min" in text
    assert "rank 9.0 min, evaluate 4.5 min" in text
    assert "a processor, 2 cores, Python 3.11.7 9 cells" in text and "numpy 2.1.0" in text
    assert "split: holdout (repeats 3, train 0.8)" in text and "a <note>" in text
    assert f"3 cells, such as emotions, again, repeat 0: {EVIL.replace('7', '0')}" in text


def test_a_config_comes_as_a_file_that_runs(shown):
    for item in shown[0]:
        name = item.experiment.name
        [link] = shown[-1].all("a", download=f"{name}.yaml")
        text = unquote(link.attrs["href"].removeprefix("data:application/yaml;charset=utf-8,"))
        assert config.parse(yaml.safe_load(text), source=name) == item.experiment
        [run] = shown[-1].all("details", id=f"r-{name}")
        assert " ".join(text.split()) == run.all("pre")[0].text


def test_chosen_features_are_told_with_their_stability(shown):
    [part] = shown[-1].all("details", id="e-chosen")
    stability, agreement = part.all("table", kind="heat")
    rows = {row.all("th")[0].text: row.all("td") for row in stability.all("tbody")[0].all("tr")}
    assert [cell.text for cell in rows["emotions"]] == ["1.00", "–"]
    same, other = rows["yeast"]
    assert same.text == "1.00" and 0 < float(other.text) < 1
    assert same.attrs["title"].startswith("3 of 20 features, 3 repeats, 95 % interval")
    # {0, 1, 2} and {0, 1, 2 + repeat}: 1, 2 / 4, 2 / 4
    assert [cell.text for cell in agreement.all("td")[-4:]] == ["1.00", "0.67", "0.67", "1.00"]
    [chosen] = part.all("table", kind="chosen")
    last = chosen.all("tr")[2]
    assert last.all("td")[0].text == "again" and last.text.count("100 %") == 2


def test_texts_of_others_stay_texts(shown):
    text = shown[2]
    assert "<script>alert" not in text and "What <b>random" not in text
    assert "What &lt;b&gt;random&lt;/b&gt; chooses" in text


def test_own_experiments_come_first_and_papers_that_were_not_run_are_folded(shown):
    found, card, text, tree = shown
    assert found[0].experiment.paper and not all(one.experiment.paper for one in found)
    places = [text.index(f'<section id="{name}"') for name in ("own", "scorecard", "experiments")]
    assert places == sorted(places)
    [own] = tree.all("section", id="own")
    mine = [one.experiment.name for one in found if not one.experiment.paper]
    shown_first = [
        one.attrs["id"].removeprefix("e-") for one in own.all("details", kind="experiment")
    ]
    assert shown_first == mine and "open" in own.all("details", kind="experiment")[0].attrs
    run = {one.experiment.paper for one in found}
    folded = {
        one.attrs["id"].removeprefix("paper-")
        for details in tree.all("details", kind="folded")
        for one in details.all("article")
    }
    assert folded == {score.paper for score in card.papers} - run


def test_without_own_experiments_the_scorecard_comes_first(run):
    found = [read.read(run(lambda cell: [{"average_precision": 0.5, "hamming_loss": 0.1}]))]
    tree = parse(render.render(found, scorecard.score(found)))
    assert not tree.all("section", id="own")
    assert tree.all("h1")[0].attrs["id"] == "h-scorecard"


def test_no_results_give_a_page_that_says_how_to_get_some():
    text = render.render([], scorecard.score([]))
    tree = parse(text)
    marks = [node for one in tree.all("table", kind="map") for node in one.all("a")]
    assert len(marks) == 1536
    assert {kind for node in marks for kind in node.classes} == {"s-not-run", "s-not-fetched"}
    assert not tree.all("section", id="experiments")[0].all("details")
    assert "hold by arithmetic alone, " in tree.all("section", id="claims")[0].text
    assert "mlfs run gmfs_yeast" in tree.all("section", id="experiments")[0].text
    by_id(tree)


@pytest.mark.slow
def test_a_page_of_all_cells_leads_from_each_to_its_figure():
    found = made.as_printed()
    card = scorecard.score(found)
    tree = parse(render.render(found, card))
    ids = by_id(tree)
    marks = [node for one in tree.all("table", kind="map") for node in one.all("a")]
    assert len(marks) == card.total.printed == 1536
    assert {ids[node.attrs["href"][1:]].tag for node in marks} == {"td"}
    assert len({node.attrs["href"] for node in marks}) == 1536


def test_what_is_too_much_is_left_out_and_said(shown):
    found, card, text, _ = shown
    small = render.render(found, card, PageBudget(entries=30, points=0, choices=0))
    tree = parse(small)
    cells = [node for one in tree.all("table", kind="data") for node in one.all("td")]
    assert sum("data-v" in node.attrs for node in cells) <= 30
    assert "tables are too large for this page: 'mlfs table'" in tree.text
    assert "figures are too large for this page: 'mlfs plot'" in tree.text
    assert "'mlfs features' lists them" in tree.text
    assert not tree.all("table", kind="heat") and len(small) < len(text)
    by_id(tree)


def test_missing_cells_leave_a_table_of_what_is_there(run):
    store = run(lambda cell: [{"average_precision": 0.5}] if cell.dataset == "arts" else None)
    found = [read.read(store)]
    tree = parse(render.render(found, scorecard.score(found)))
    [part] = tree.all("details", id="e-t")
    assert [row.all("th")[0].text for row in part.all("tbody")[0].all("tr")] == ["arts"]
    assert "9 of 27 cells" in part.text


def test_experiments_as_stated_come_before_readings():
    experiments = [
        made.experiment("mfsef", ["2"], ["arts"], ["X"], ["hamming_loss"], name=name, reading=how)
        for name, how in (("first", "joint_entropy"), ("second", "stated"))
    ]
    results = [made.results(one, {}) for one in experiments]
    tree = parse(render.render(results, scorecard.score(results)))
    titles = [node.text for node in tree.all("h3") if node.text.split()[0] in ("first", "second")]
    assert titles and list(dict.fromkeys(title.split()[0] for title in titles)) == [
        "second",
        "first",
    ]


def test_the_swap_rate_stands_beside_the_counts(shown):
    _, card, _, tree = shown
    [section] = tree.all("section", id="scorecard")
    told = " ".join(section.all("p", kind="lead")[0].text.split())
    for _, one in card.runs(card.total):
        assert f"worse; the swap rate is {100 * one.swap:.1f} %." in told
