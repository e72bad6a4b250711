"""What a reader sees of a layout: axes hold their lines, and names are where they belong."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mlfs.datasets import Dataset
from mlfs.errors import UserError
from mlfs.report.figures import axes, curves, diagrams, plot_files, ranks, style, svg
from mlfs.report.figures.curves import Line
from mlfs.report.figures.drawing import Stroke, Text
from mlfs.report.figures.looks import looks
from mlfs.report.tables import significance

from ..conftest import table_of
from ..html_tree import parse
from .test_svg import view


@pytest.mark.parametrize(
    ("xs", "wide"),
    [([1, 100], False), ([1, 100.5], True), ([0, 1000], False), ([0.5, 2], False)],
)
def test_numbers_that_span_more_than_100_times_are_on_a_logarithmic_axis(xs, wide):
    assert axes.is_wide(xs) is wide


@pytest.mark.parametrize(("value", "air"), [(0.5, 0.025), (-2.0, 0.1), (0.0, 0.05)])
def test_a_level_line_has_air_above_and_below(value, air):
    line = Line("a", looks(["a"])["a"], [1.0, 2.0], [value] * 2, [math.nan] * 2)
    axis = axes.y_axis("score", [line])
    assert (axis.low, axis.high) == pytest.approx((value - air, value + air))


def test_numbers_are_left_of_the_panel_and_below_it_and_three_panels_are_beside_each_other():
    figure = curves.lay_out(view({"a": {10: [0.0], 20: [1.0], 30: [0.5]}}))
    assert figure.wide == 3
    [panel] = figure.panels
    texts = [one for one in panel.drawing().shapes if isinstance(one, Text)]
    ticks = [one for one in texts if one.words in {words for _, words in panel.y.ticks}]
    assert len(ticks) == len(panel.y.ticks)
    assert all(one.anchor == "end" and one.at[0] < axes.LEFT for one in ticks)
    below = [one for one in texts if one.words in ("10", "20", "30")]
    assert [one.anchor for one in below] == ["middle"] * 3
    assert all(one.at[1] > axes.HEIGHT - axes.BOTTOM for one in below)


def test_lines_of_repeats_have_no_names_beside_them():
    [figure] = curves._convergence({"a": [[1.0, 0.1], [0.9, 0.2]]})
    assert not figure.panels[0].named and [name for name, _ in figure.legend] == ["a"]


def diagram():
    means = pd.DataFrame(
        [[0.9, 0.8, 0.7, 0.6, 0.5]] * 8, columns=list("abcde"), index=[f"s{i}" for i in range(8)]
    )
    comparison = significance.tests_of(table_of(means))
    return comparison, ranks.ranks(comparison).shapes


def test_names_of_methods_are_outside_of_the_lines_that_lead_to_them():
    _, shapes = diagram()
    leads = [one.lines[0][-1] for one in shapes if isinstance(one, Stroke) and one.kind == "lead"]
    names = [one for one in shapes if isinstance(one, Text) and one.kind == "method"]
    assert len(leads) == len(names) == 5
    for (x, y), text in zip(leads, names):
        right = x > ranks.WIDTH / 2
        assert text.anchor == ("start" if right else "end")
        assert text.at[0] > x if right else text.at[0] < x
        assert 0 < text.at[1] - y < ranks.STEP / 2  # letters stand on a line a little below
    ticks = [one.at for one in shapes if isinstance(one, Text) and one.kind == "tick"]
    assert len(ticks) == 5 and all(y < ranks.AXIS - 6 for _, y in ticks)


def test_the_critical_difference_is_a_bar_with_two_ends_as_long_as_it_says():
    comparison, shapes = diagram()
    [bar] = [one for one in shapes if isinstance(one, Stroke) and one.kind == "cd"]
    (start, end), *ends = bar.lines
    unit = (ranks.WIDTH - 2 * ranks.SIDE) / 4  # of a rank
    assert end[0] - start[0] == pytest.approx(comparison.cd * unit)
    assert start[1] == end[1]
    for (x, top), (below, bottom) in ends:
        assert x == below and x in (start[0], end[0])
        assert start[1] - top == bottom - start[1] > 0


def test_the_mark_of_a_legend_is_in_the_middle_of_its_line():
    tree = parse(str(svg.sample(looks(["a"])["a"])))
    [mark] = tree.all("use")
    assert tree.all("path")[0].attrs["d"] == "M1 5H29"
    assert (mark.attrs["x"], mark.attrs["y"]) == ("15", "5")


def test_places_without_a_panel_are_empty():
    figure, panels = style.grid(4, 3, 1.0, 1.0)
    assert len(panels) == 4 and len(figure.axes) == 6
    assert [panel.get_visible() for panel in figure.axes] == [True] * 4 + [False] * 2
    plt.close(figure)


def test_the_axes_of_points_have_the_names_of_the_features():
    names = {"feature_names": ["u", "v"], "label_names": ["x"]}
    about = {"train": None, "test": None, "checksum": "", "notes": []}
    X, Y = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([[0], [1]])
    figure = diagrams.points(Dataset(name="made", X=X, Y=Y, **names, **about))
    panel = figure.axes[0]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("u", "v")
    plt.close(figure)


def test_one_experiment_without_a_figure_says_why_and_of_several_all_are_skipped(run, tmp_path):
    def made(name):
        return run(
            lambda cell: [{"average_precision": 0.5}],
            **{"name": name, "paper": None, "tables": None, "datasets": ["arts"]},
            methods=["random"],
        )

    one = made("one").folder
    with pytest.raises(UserError, match="'mlfs table' shows it best"):
        plot_files.write(one, tmp_path / "out", None)
    made("two")
    with pytest.raises(UserError, match=r"no results in .* have a figure"):
        plot_files.write(tmp_path, tmp_path / "out", None)
