"""Drawings of the page: where scales, lines, names and ranks lie."""

import math
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from mlfs.report import significance, svg, svg_curves, svg_ranks
from mlfs.report.svg_curves import Line, Panel

from .conftest import table_of
from .html_tree import parse

NAN = math.nan


@pytest.mark.parametrize(
    ("ends", "values", "decimals"),
    [
        ((0.0, 1.0), [0, 0.2, 0.4, 0.6, 0.8, 1.0], 1),
        ((0.44, 0.55), [0.45, 0.475, 0.5, 0.525, 0.55], 3),
        ((17, 86), [20, 40, 60, 80], 0),
        ((-3, 3), [-2, 0, 2], 0),
        ((7, 7), [7], 2),
    ],
)
def test_ticks_are_round_and_told_apart(ends, values, decimals):
    found, shown = svg.nice(*ends)
    assert found == pytest.approx(values)
    assert shown == decimals
    assert len({f"{value:.{shown}f}" for value in found}) == len(found)


def test_ticks_of_many_decades_are_thinned():
    assert svg.decades(0.5, 2000) == [1, 10, 100, 1000]
    found = svg.decades(1e-5, 1e5)
    assert found == pytest.approx([1e-5, 1e-2, 10, 1e4])


def test_names_that_would_touch_move_apart_around_their_middle():
    assert svg.spread([10, 50], 12, 0, 100) == [10, 50]
    assert svg.spread([50, 50, 50], 10, 0, 100) == [40, 50, 60]
    assert svg.spread([1, 2], 10, 0, 100) == [0, 10]
    assert svg.spread([99, 99], 10, 0, 100) == [90, 100]
    places = svg.spread(sorted(np.random.default_rng(0).uniform(0, 90, 8)), 11, 0, 100)
    assert all(after - before >= 11 - 1e-9 for before, after in pairwise(places))


def points(drawing, kind="dot"):
    tree = parse(str(drawing))
    return tree, [(float(one.attrs["cx"]), float(one.attrs["cy"])) for one in tree.all(kind=kind)]


def test_points_lie_where_their_values_say():
    line = Line("a", [10, 20, 30], [0.0, 1.0, 0.5], [NAN] * 3)
    tree, dots = points(svg_curves.curves(Panel("t", "x", "y", [line], low=0.0, high=1.0)))
    (x0, y0), (x1, y1), (x2, y2) = dots
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2)
    assert y0 == svg_curves.HEIGHT - svg_curves.BOTTOM and y1 == svg_curves.TOP
    assert y2 == pytest.approx((y0 + y1) / 2, abs=0.1)
    assert [one.text for one in tree.all("title")][1:] == [
        "a, 10: .0000",
        "a, 20: 1.000",
        "a, 30: .5000",
    ]
    assert tree.all("svg")[0].attrs["role"] == "img" and tree.all("desc")[0].text == "y by x of a"


def test_a_wide_range_of_x_is_drawn_in_decades():
    line = Line("a", [0.01, 1, 100], [1, 2, 3], [NAN] * 3)
    _, [(x0, _), (x1, _), (x2, _)] = points(svg_curves.curves(Panel("t", "x", "y", [line])))
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2)


def test_what_has_one_point_is_a_level_that_does_not_stretch_the_axis():
    lines = [
        Line("a", [1, 2, 3], [1, 2, 3], [0.5, 0.5, 0.5]),
        Line("all", [400], [2.5], [0.1], 1),
    ]
    tree, dots = points(svg_curves.curves(Panel("t", "x", "y", lines)))
    right = svg_curves.WIDTH - svg_curves.LABEL - 6
    assert len(dots) == 3 and dots[-1][0] == right
    [level] = [one for one in tree.all("path", kind="line") if "l1" in one.classes]
    assert level.text == "all, 400: 2.500 ± .1000"
    assert re.fullmatch(rf"M{svg_curves.LEFT} [\d.]+H{right + 6}", level.attrs["d"])
    assert [one.text for one in tree.all("text", kind="tick")][-2:] == ["a", "all"]


def test_a_band_is_one_deviation_wide_and_only_where_lines_are_few():
    def drawn(count):
        lines = [Line(f"m{i}", [1, 2], [0.5, 0.5], [0.25, 0.25], i) for i in range(count)]
        return parse(str(svg_curves.curves(Panel("t", "x", "y", lines, low=0.0, high=1.0))))

    [band] = drawn(1).all("polygon")
    ys = [float(pair.split(",")[1]) for pair in band.attrs["points"].split()]
    height = svg_curves.HEIGHT - svg_curves.BOTTOM - svg_curves.TOP
    assert max(ys) - min(ys) == pytest.approx(height / 2, abs=0.2)
    assert len(drawn(5).all("polygon")) == 5 and not drawn(6).all("polygon")


def test_the_papers_own_method_stands_out_and_printed_figures_are_squares():
    lines = [
        Line("a", [1, 3], [0.0, 1.0], [NAN] * 2, own=True, printed=((2, 0.5), (3, 2.0))),
        Line("b", [1, 3], [0.5, 0.5], [NAN] * 2, 1),
    ]
    panel = Panel("t", "x", "y", lines)
    tree, dots = points(svg_curves.curves(panel))
    assert [one.text for one in tree.all("text", kind="strong")] == ["a"]
    assert {tuple(one.classes) for one in tree.all(kind="own") if "line" in one.classes} == {
        ("line", "l0", "own")
    }
    near, far = tree.all("rect")
    middle = [(float(one.attrs["x"]) + 3.5, float(one.attrs["y"]) + 3.5) for one in (near, far)]
    assert middle[0] == pytest.approx(np.mean(dots[:2], axis=0), abs=0.2)
    assert middle[1][1] < dots[1][1]  # the axis has room for it
    assert far.text == "a, printed: 2.000"


def test_changes_over_magnitudes_are_drawn_in_decades():
    line = Line("a", [1, 2, 3], [1.0, 1e-2, 1e-4], [NAN] * 3)
    tree, [(_, y0), (_, y1), (_, y2)] = points(
        svg_curves.curves(Panel("", "iteration", "change", [line], decades=True))
    )
    assert y1 - y0 == pytest.approx(y2 - y1, abs=0.2)
    assert {"1", "0.01", "0.0001"} <= {one.text for one in tree.all("text", kind="tick")}


def test_names_that_are_letters_of_html_stay_text():
    line = Line("<b>&", [1, 2], [1, 2], [NAN, NAN])
    text = str(svg_curves.curves(Panel("<i>", "x<y", "a&b", [line])))
    assert "<b>" not in text and "<i>" not in text
    assert parse(text).all("title")[0].text == "<i>"


def ranks_of(**changes):
    """a is best on all sets, b second, and so on: average ranks 1 to 4."""
    means = pd.DataFrame(
        [[0.9, 0.8, 0.7, 0.6]] * 6, columns=list("abcd"), index=[f"set{i}" for i in range(6)]
    )
    comparison = significance.compare(table_of(means, **changes))
    return comparison, parse(str(svg_ranks.ranks(comparison)))


def test_ranks_lie_on_the_axis_and_groups_are_joined():
    comparison, tree = ranks_of()
    assert comparison.cd == pytest.approx(1.915, abs=0.001)  # 2.569 sqrt(4 * 5 / (6 * 6))
    at = svg.scale(1, 4, svg_ranks.SIDE, svg_ranks.WIDTH - svg_ranks.SIDE)
    starts = [float(one.attrs["d"].split()[0][1:]) for one in tree.all("path", kind="lead")]
    assert starts == pytest.approx([at(1), at(2), at(3), at(4)], abs=0.1)
    texts = [one.text for one in tree.all("text", kind="method")]
    assert texts == ["a 1.00", "b 2.00", "3.00 c", "4.00 d"]
    bars = [one.attrs["d"] for one in tree.all("path", kind="join")]
    ends = [[float(x) for x in re.match(r"M([\d.]+) \d+H([\d.]+)", bar).groups()] for bar in bars]
    assert ends == [pytest.approx([at(low) - 4, at(low + 1) + 4], abs=0.1) for low in (1, 2, 3)]
    assert "Nemenyi: critical difference 1.91" in tree.text


def test_a_control_is_bold_and_has_one_group():
    comparison, tree = ranks_of(control="a")
    assert [one.text for one in tree.all("text", kind="strong")] == ["a 1.00"]
    assert len(tree.all("path", kind="join")) == 1
    assert f"Bonferroni-Dunn, control a: critical difference {comparison.dunn_cd:.2f}" in tree.text
