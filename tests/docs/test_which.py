"""The page "Which selector should I use?" follows the results, and says if there are none."""

import sys
from pathlib import Path

import pandas as pd

from mlfs.report.overall.cases import KNOWS, ZERO, Entrant, ResultGroup
from mlfs.report.overall.contest import Contest
from mlfs.report.overall.overall_text import Overall

sys.path.insert(0, str(Path(__file__).parents[2] / "docs/_pages"))
import which

SETS = ["emotions", "yeast", "scene", "image", "enron"]


def made(lead):
    entrants = [Entrant("alpha", ZERO), Entrant("beta", KNOWS), Entrant("gamma", ZERO)]
    names = [one.name for one in entrants]
    index = pd.MultiIndex.from_product([SETS, [0.4]], names=["dataset", "ratio"])
    rows = [[0.5 + i / 100 + lead * (j == 1) + j / 1000 for j in range(3)] for i in range(5)]
    group = ResultGroup(
        experiments=["grand_made"],
        protocol="selection",
        kind="visible: labels unknown",
        tuned=False,
        panel="given",
        metric="average_precision",
        larger=True,
        values=pd.DataFrame(rows, index, names),
        seconds=dict.fromkeys(names, 1.0),
        stability=dict.fromkeys(names, 0.5),
        families={name: name for name in SETS},
        entrants=entrants,
    )
    return Overall([Contest(group)])


def test_without_results_it_says_how_to_get_them():
    text = which.page_of(None)
    assert text.startswith("# Which selector should I use?")
    assert "was not run yet: `mlfs run grand_selection` runs it" in text


def test_another_winner_is_another_answer():
    first, second = which.page_of(made(0.1)), which.page_of(made(-0.1))
    assert "beta (knows) has the best average rank, 1.00" in first
    assert "gamma (zero-filled) has the best average rank, 1.00" in second
    assert "## Selection, visible: labels unknown, classifiers trained on given labels" in first
    assert "- Which selector? Labels unknown: beta (knows), " in first
    assert "- Which selector? Labels unknown: gamma (zero-filled), " in second
    assert "Friedman" in first and "| entrant |" in first
