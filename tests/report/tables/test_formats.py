"""Texts of tables: Markdown in blocks, LaTeX that balances, JSON that holds the tests."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from mlfs.cli import main
from mlfs.report.tables import formats, latex, over_repeats, paper_tables, significance
from mlfs.report.tables.metric_facts import limits
from mlfs.results import read

from ..conftest import table_of
from ..html_tree import parse


@pytest.fixture
def table(run):
    def rows(cell):
        score = len(cell.label) / 20 + cell.repeat / 100
        return [{"n_features": 5, "average_precision": score, "hamming_loss": 1 - score}]

    return paper_tables.make_tables(read.read(run(rows)))[0]


@pytest.fixture
def wide():
    rng = np.random.default_rng(0)
    names = ["a_rather_long_name", *(f"method{i}" for i in range(9))]
    return table_of(pd.DataFrame(rng.random((4, 10)), list("wxyz"), names))


def test_the_printed_figure_and_the_gap_are_shown(table):
    text = formats.as_markdown(table, compare=True)
    entries = table.entries
    ours = entries[(entries.row == "health") & (entries.method == "MFSEF")].iloc[0]
    assert f"(.7280, -{abs(ours.gap):.4f})".replace("-0.", "-.") in text
    assert "mean absolute gap" in text and text.splitlines()[0].endswith("; ours (printed, gap)")


def test_markdown_lines_up(table):
    lines = formats.as_markdown(table, compare=True).splitlines()[2:]
    assert len({len(line) for line in lines}) == 1
    assert all(line.count("|") == 5 for line in lines)


@pytest.mark.parametrize("width", [40, 80, 100])
def test_a_wide_table_comes_in_blocks_that_fit(wide, width):
    blocks = formats.as_markdown(wide, compare=False, width=width).split("\n\n")[1:]
    assert len(blocks) > 1
    cells = [[line.split("|")[1:-1] for line in block.splitlines()] for block in blocks]
    assert max(len(line) for block in blocks for line in block.splitlines()) <= width
    names = [[text.strip() for text in lines[0]] for lines in cells]
    assert all(heads[0] == "dataset" for heads in names)
    assert [name for heads in names for name in heads[1:]] == wide.methods
    whole = formats.as_markdown(wide, compare=False).split("\n\n")[1]
    joined = [
        "|".join(["", lines[0][i][0], *(t for block in lines for t in block[i][1:]), ""])
        for lines in [cells]
        for i in range(len(cells[0]))
    ]
    assert joined == whole.splitlines()  # no column lost, none twice


def test_a_column_wider_than_the_terminal_stands_alone(wide):
    blocks = formats.as_markdown(wide, compare=False, width=20).split("\n\n")[1:]
    assert len(blocks) == 10


def test_json_holds_values_and_tests(table):
    comparison = significance.tests_of(table)
    found = json.loads(formats.as_json([table], [comparison]))
    assert len(found["values"]) == 9
    assert found["values"][0]["method"] == "Original" and found["values"][0]["count"] == 3
    (test,) = found["tests"]
    assert test["friedman"]["ranks"] == {"Original": 1, "random": 2, "MFSEF": 3}
    assert {"chi2", "F_F", "p"} <= set(test["friedman"]) and test["nemenyi"]["cd"] > 0
    assert len(test["wilcoxon"]) == 3 and test["wilcoxon"][0]["wins"] == 3


def balanced(text):
    """Braces open and close, dollars come in pairs, rows have as many cells as columns."""
    bare = re.sub(r"\\[{}$&#%_]", "", text)
    depth = 0
    for sign in bare:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0 and bare.count("$") % 2 == 0
    columns = re.search(r"\\begin\{tabular\}\{(l r*|lr*)\}", text).group(1)
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert all(re.sub(r"\\&", "", row).count("&") == len(columns) - 1 for row in rows)
    return rows


def test_latex_is_a_booktabs_tabular(table):
    table.entries.loc[0, "best"] = True
    text = latex.as_latex(table, compare=True, notes=["chi2 = 3, F_F = 2, p < 5 %"])
    rows = balanced(text)
    assert len(rows) == 1 + 3 + 2  # heading, datasets, ranks and gaps
    order = [r"\begin{tabular}{lrrr}", r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}"]
    places = [text.index(word) for word in order]
    assert places == sorted(places) and r"\hline" not in text
    assert text.count(r"\midrule") == 2
    assert r"$\pm$" in text and "±" not in text and r"\textbf{" in text
    caption = text.splitlines()[0]
    assert caption.startswith(r"% \caption{t: average precision (higher is better); at 5 features,")
    assert text.splitlines()[-1] == (
        r"\par\smallskip{\footnotesize $\chi^2$ = 3, $F_F$ = 2, p $<$ 5 \%\par}"
    )
    assert re.search(r"\(\.7280, \$-\$\.\d{4}\)", text)  # a true minus, not a hyphen


@pytest.mark.parametrize(
    ("datasets", "methods", "turned"), [(3, 11, True), (3, 10, False), (12, 11, False)]
)
def test_many_methods_stand_below_each_other_in_latex(datasets, methods, turned):
    names = [f"m{i}" for i in range(methods)]
    values = np.random.default_rng(1).random((datasets, methods))
    means = pd.DataFrame(values, [f"d{i}" for i in range(datasets)], names)
    heading, *rows = [
        row.removesuffix(r" \\").split(" & ")
        for row in balanced(latex.as_latex(table_of(means), compare=False, notes=[]))
    ]
    if not turned:
        assert heading == ["dataset", *names] and len(rows) == datasets + 1
        return
    assert heading == ["method", *means.index, "average rank"]
    assert [row[0] for row in rows] == names
    for row in rows:
        assert [float(text.split()[0]) for text in row[1:-1]] == list(means[row[0]].round(4))
        ranks = means.rank(axis=1, ascending=False)[row[0]]
        assert float(row[-1]) == pytest.approx(ranks.mean(), abs=0.006)


def test_signs_that_latex_reserves_are_escaped_in_names():
    names = ["a_b", "R&D", "50%", "#1", "x-{y}$"]
    means = pd.DataFrame(np.random.default_rng(1).random((4, 5)) - 2, list("wxyz"), names)
    text = latex.as_latex(table_of(means), compare=False, notes=[])
    (heading, *rows) = balanced(text)
    assert heading == r"dataset & a\_b & R\&D & 50\% & \#1 & x-\{y\}\$ \\"
    assert all(row.count("$-$") == 5 for row in rows[:4])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-.5", "$-$.5"),
        ("-12", "$-$12"),
        ("alpha=-1", "alpha=$-$1"),
        ("rcv1-2", "rcv1-2"),
        ("Li-Adaptive", "Li-Adaptive"),
        ("-", "-"),
        ("a\\b~c^d", r"a\textbackslash{}b\textasciitilde{}c\textasciicircum{}d"),
    ],
)
def test_characters_that_latex_knows_are_escaped(text, shown):
    assert latex.escape(text) == shown


def test_html_has_the_texts_of_the_markdown_table(folder, monkeypatch):
    monkeypatch.chdir(folder)

    def printed(kind, results="results/mfsef"):
        args = ["table", results, "--compare", "--format", kind]
        return CliRunner().invoke(main, args).output

    tree = parse(printed("html"))
    lines = [line for line in printed("md").splitlines() if line.startswith("| ")]
    plain = [[cell.strip().replace("**", "") for cell in line.split("|")[1:-1]] for line in lines]
    rows = [[cell.text for cell in row.all("th") + row.all("td")] for row in tree.all("tr")]
    assert rows == plain and len(tree.all("table")) == len(tree.all("caption")) > 1
    assert not tree.all("b") and not any("**" in line for line in lines)  # one repeat
    five = "results/reference/tox21_learning"
    lines = [line for line in printed("md", five).splitlines() if line.startswith("| ")]
    bold = [cell.strip() for line in lines for cell in line.split("|") if "**" in cell]
    assert len(parse(printed("html", five)).all("b")) == len(bold) > 0
    assert "<script" not in printed("html") and printed("html").startswith("<!doctype html>")


def test_metrics_have_limits():
    assert limits("hamming_loss") == (0.0, 1.0)
    assert limits("coverage") == (0.0, math.inf)
    assert limits("somebodys_own") == (-math.inf, math.inf)


def test_repeats_of_one_dataset_are_tested_if_they_are_random_splits(run):
    def fits(**changes):
        rows = [{"average_precision": 0.5, "hamming_loss": 0.1}]
        made = {"paper": None, "tables": None, "datasets": ["arts"]} | changes
        return over_repeats.fits(read.read(run(lambda cell: rows, **made)))

    assert fits() and fits(name="folds", split={"kind": "kfold", "folds": 3})
    assert not fits(name="two", split={"kind": "holdout", "repeats": 2})
    assert not fits(name="sets", datasets=["arts", "health"])
    ways = [{"classifier": "mlknn"}, {"classifier": "br_logistic"}]
    assert not fits(name="panels", evaluations=ways)
