"""Figures that can be read: words fit and do not touch, and a plot looks as the page does."""

import re
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mlfs.datasets import Dataset
from mlfs.report.figures import curves, diagrams, plots, ranks
from mlfs.report.figures.drawing import Drawing, Stroke
from mlfs.report.figures.style import Print
from mlfs.report.page import render
from mlfs.report.tables import significance

from ..conftest import table_of
from .test_svg import view


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def comparison():
    means = pd.DataFrame([[0.9, 0.8, 0.7, 0.6, 0.5]] * 8, columns=list("abcde"))
    return significance.tests_of(table_of(means.rename(index="set{}".format)))


def box(text):
    """Where a text is on its sheet, in units of the drawing: left, top, right, bottom."""
    ends = text.axes.transData.inverted().transform(text.get_window_extent())
    (left, bottom), (right, top) = ends
    return left, top, right, bottom


CAPTION = (
    "Regularized matrix factorization for multilabel learning with missing labels, table VIII: "
    "average precision, 80 % of the labels to hide; mean of 30 repeats that have other splits; "
    "higher is better"
)


@pytest.mark.parametrize("width", [0.0, 3.5, 7.0])
def test_the_caption_of_ranks_fits_the_sheet_and_touches_nothing(width):
    drawing = ranks.ranks(comparison(), width * 100 or ranks.WIDTH)
    figure = plots.ranks(drawing, CAPTION, Print(width=width))
    figure.canvas.draw()
    head = [text for text in figure.axes[0].texts if text.get_weight() == "bold"]
    assert " ".join(text.get_text() for text in head) == CAPTION
    for left, top, right, _ in map(box, figure.axes[0].texts):
        assert left >= 0 and top >= 0 and right <= drawing.width
    lines = [text.get_position()[1] for text in head]
    below = [text.get_position()[1] for text in figure.axes[0].texts if text not in head]
    apart = {round(after - before, 6) for before, after in pairwise(lines)}
    assert len(apart) == 1 and min(below) - lines[-1] > apart.pop()  # it is a text of its own


def test_strokes_are_as_thick_in_plots_as_on_the_page():
    css = (Path(render.__file__).parent / "templates" / "figures.css").read_text()
    page = {}
    for kinds, rule in re.findall(r"^((?:svg \.\w+(?:, )?)+) \{(.*)\}$", css, re.M):
        for kind in re.findall(r"\.(\w+)", kinds):
            page.setdefault(kind, 1.0)  # as svg has it
            if found := re.search(r"stroke-width: ([\d.]+)", rule):
                page[kind] = float(found[1])
    _, axes = plots._sheet(100, 100)
    for kind in plots._STROKES:
        plots.draw(axes, Drawing(9, 9, "", "", [Stroke([[(0, 0), (9, 9)]], kind)]))
    thick = [line.get_linewidth() / plots._point(axes) for line in axes.lines]
    assert dict(zip(plots._STROKES, thick)) == pytest.approx(
        {kind: page[kind] for kind in plots._STROKES}
    )


def scattered(width, sets=3):
    rows = pd.DataFrame(
        {"dataset": np.repeat([f"set{i}" for i in range(sets)], 2), "ratio": 0.0, "repeat": 0}
    ).assign(x=[0.2, 0.6] * sets, y=[0.3, 0.5] * sets)
    figure = diagrams.scatter(rows, "x", "y", ["ratio"], Print(width=width))
    figure.canvas.draw()
    return figure


@pytest.mark.parametrize(("width", "beside"), [(3.5, 1), (5.0, 2), (7.2, 3), (11.0, 3)])
def test_panels_of_a_scatter_are_below_each_other_where_a_print_is_narrow(width, beside):
    tops = [round(panel.get_position().y1, 6) for panel in scattered(width).axes[:3]]
    assert tops.count(max(tops)) == beside


def test_the_line_of_a_scatter_is_where_both_are_equal():
    for panel in scattered(7.2).axes:
        _, equal = panel.lines
        (x0, y0), (x1, y1) = panel.transData.inverted().transform(
            equal.get_transform().transform([(0, 0), (1, 1)])
        )
        assert (x0, x1) == pytest.approx((y0, y1)) and x0 != x1


def pointed(count=40):
    rng = np.random.default_rng(0)
    names = {"feature_names": ["u", "v"], "label_names": list("abc")}
    about = {"train": None, "test": None, "checksum": "", "notes": []}
    X, Y = rng.random((count, 2)), rng.integers(0, 2, (count, 3))
    return diagrams.points(Dataset(name="made", X=X, Y=Y, **names, **about))


def test_points_are_on_a_square_field_and_show_their_shade():
    figure = pointed()
    figure.canvas.draw()
    panel = figure.axes[0]
    wide, tall = panel.get_window_extent().size
    assert 2 / 3 < wide / tall < 3 / 2
    [dots] = panel.collections
    [area], [edge] = dots.get_sizes(), dots.get_linewidths()
    across = np.sqrt(area)
    inside = (across - edge) ** 2 / (across + edge) ** 2  # half of the edge is outside
    assert inside > 0.5


def test_a_legend_hides_no_curve():
    X = np.random.default_rng(0).random((6, 30))
    figure = diagrams.waterfall(X, "x", (0, 1))
    assert not figure.axes[0].get_legend().get_frame_on()


def test_points_without_a_score_are_not_drawn_and_count_for_no_mean():
    values = {"a": {10: [0.2, 0.4, np.nan], 20: [0.5] * 3, 30: [np.nan] * 3}}
    figure = curves.lay_out(view(values))
    [line] = figure.panels[0].lines
    assert line.x == [10, 20] and line.mean == pytest.approx([0.3, 0.5])
    assert figure.caption.startswith("mean of 2 to 3 repeats")
    figure.panels[0].drawing()  # with finite places
