"""Drawings of the page: where scales, lines, names and ranks lie."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from mlfs.report.figures import axes, curves, drawing, ranks, svg
from mlfs.report.figures.curves import Line
from mlfs.report.figures.looks import looks
from mlfs.report.figures.views import View
from mlfs.report.tables import significance

from ..conftest import table_of
from ..html_tree import parse


@pytest.mark.parametrize(
    ("ends", "values", "decimals"),
    [
        ((0.0, 1.0), [0, 0.2, 0.4, 0.6, 0.8, 1.0], 1),
        ((0.0, 5.0), [0, 1, 2, 3, 4, 5], 0),
        ((0.44, 0.55), [0.45, 0.475, 0.5, 0.525, 0.55], 3),
        ((17, 86), [20, 40, 60, 80], 0),
        ((-3, 3), [-2, 0, 2], 0),
        ((7, 7), [7], 2),
    ],
)
def test_ticks_are_round_and_told_apart(ends, values, decimals):
    found, shown = drawing.nice(*ends)
    assert found == pytest.approx(values)
    assert shown == decimals
    assert len({f"{value:.{shown}f}" for value in found}) == len(found)


def test_ticks_of_many_decades_are_thinned():
    assert drawing.decades(0.5, 2000) == [1, 10, 100, 1000]
    assert drawing.decades(2.0, 6.0) == []
    found = drawing.decades(1e-5, 1e5)
    assert found == pytest.approx([1e-5, 1e-2, 10, 1e4])


def test_names_that_would_touch_move_apart_around_their_middle():
    assert drawing.spread([10, 50], 12, 0, 100) == [10, 50]
    assert drawing.spread([50, 50, 50], 10, 0, 100) == [40, 50, 60]
    assert drawing.spread([1, 2], 10, 0, 100) == [0, 10]
    assert drawing.spread([99, 99], 10, 0, 100) == [90, 100]
    places = drawing.spread(sorted(np.random.default_rng(0).uniform(0, 90, 8)), 11, 0, 100)
    assert all(after - before >= 11 - 1e-9 for before, after in pairwise(places))


def view(values, x="n_features", **changes):
    """A view of one dataset; `values` gives the repeats of each line at each x."""
    rows = [
        {"dataset": "d", "ratio": 0.0, "repeat": repeat, "line": name, "score": score} | {x: at}
        for name, points in values.items()
        for at, scores in points.items()
        for repeat, score in enumerate(scores)
    ]
    about = {"name": "curve", "metric": "score", "x": x, "keys": [] if x == "ratio" else ["ratio"]}
    return View(rows=pd.DataFrame(rows), lines=list(values), **about | changes)


def drawn(values, own="", **changes):
    """The panel of a view, the tree of its SVG, and the places of its points."""
    [panel] = curves.lay_out(view(values, **changes), own).panels
    tree = parse(str(svg.write(panel.drawing())))
    dots = [(float(one.attrs["x"]), float(one.attrs["y"])) for one in tree.all("use", kind="dot")]
    return panel, tree, dots


def test_points_lie_where_their_values_say():
    _, tree, dots = drawn({"a": {10: [0.0], 20: [1.0], 30: [0.5]}})
    (x0, y0), (x1, y1), (x2, y2) = dots
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2)
    height = axes.HEIGHT - axes.BOTTOM - axes.TOP
    assert y0 - y1 == pytest.approx(height / 1.08, abs=0.2)  # a margin of 4 % above and below
    assert y2 == pytest.approx((y0 + y1) / 2, abs=0.1)
    assert [one.text for one in tree.all("title")][1:] == [
        "a, 10: .0000",
        "a, 20: 1.000",
        "a, 30: .5000",
    ]
    assert tree.all("svg")[0].attrs["role"] == "img"
    assert tree.all("desc")[0].text == "score by features kept of a"


def test_a_wide_range_of_x_is_drawn_in_decades():
    _, tree, [(x0, _), (x1, _), (x2, _)] = drawn({"a": {0.01: [1], 1: [2], 100: [3]}})
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2)
    assert {"0.01", "1", "100"} <= {one.text for one in tree.all("text", kind="tick")}


def test_ticks_are_the_values_where_they_fit():
    few = {"a": {k: [0.5] for k in (10, 20, 30)}}
    assert [text for _, text in drawn(few)[0].x.ticks] == ["10", "20", "30"]
    close = {"a": {k: [0.5] for k in (10, 11, 300)}}
    assert [text for _, text in drawn(close)[0].x.ticks] == ["100", "200", "300"]


def test_what_has_one_point_is_a_level_that_does_not_stretch_the_axis():
    values = {"a": {1: [1], 2: [2], 3: [3]}, "all": {400: [2.4, 2.6]}}
    panel, tree, dots = drawn(values)
    assert len(dots) == 3 and dots[-1][0] < panel.right < dots[-1][0] + 10
    [level] = [one for one in tree.all("path", kind="line") if "l1" in one.classes]
    assert level.text == "all, 400: 2.500 ± .1414"
    assert re.fullmatch(rf"M{axes.LEFT} [\d.]+H{panel.right}", level.attrs["d"])
    [band] = tree.all("polygon")
    assert {pair.split(",")[0] for pair in band.attrs["points"].split()} == {
        str(axes.LEFT),
        str(panel.right),
    }


@pytest.mark.parametrize(("count", "kind"), [(3, "bar"), (8, "band")])
def test_bars_and_bands_are_one_deviation_wide(count, kind):
    panel, tree, dots = drawn({"a": {k: [0.25, 0.75] for k in range(1, count + 1)}})
    up = panel.y.scale(axes.HEIGHT - axes.BOTTOM, axes.TOP)
    std = np.std([0.25, 0.75], ddof=1)
    [shape] = tree.all(kind=kind)
    if kind == "bar":
        ends = re.findall(r"M([\d.]+) ([\d.]+)V([\d.]+)", shape.attrs["d"])
        assert [float(x) for x, *_ in ends] == pytest.approx([x for x, _ in dots])
        ys = {(float(low), float(high)) for _, low, high in ends}
    else:
        points = [tuple(map(float, pair.split(","))) for pair in shape.attrs["points"].split()]
        assert [x for x, _ in points[:count]] == pytest.approx([x for x, _ in dots])
        ys = {(points[-1][1], points[0][1])}
    [(low, high)] = ys
    assert (low, high) == pytest.approx((up(0.5 - std), up(0.5 + std)), abs=0.1)


def test_many_points_are_thinned_on_the_page_and_keep_both_ends():
    many = view({"a": {k: [k] for k in range(1, 201)}})
    [panel] = curves.lay_out(many, limits=curves.Limits(points=60)).panels
    [line] = panel.lines
    assert len(line.x) <= 60 and line.x[0] == 1 and line.x[-1] == 200 and line.mean == line.x
    assert len(curves.lay_out(many).panels[0].lines[0].x) == 200


def test_the_papers_own_method_stands_out_and_printed_values_are_hollow():
    columns = {"dataset": "d", "ratio": [0.2, 0.3], "line": "a", "value": [0.5, 2.0]}
    values = {"a": {0.1: [0.0], 0.2: [0.5], 0.3: [1.0]}, "b": {0.1: [0.5], 0.2: [0.5], 0.3: [0.5]}}
    _, tree, dots = drawn(values, "a", x="ratio", printed=pd.DataFrame(columns))
    assert [one.text for one in tree.all("text", kind="strong")] == ["a"]
    assert {tuple(one.classes) for one in tree.all("path", kind="line")} == {
        ("line", "own"),
        ("line", "l0"),
    }
    near, far = tree.all("use", kind="hollow")
    assert (float(near.attrs["x"]), float(near.attrs["y"])) == dots[1]
    assert float(far.attrs["y"]) < dots[2][1] and float(far.attrs["y"]) > axes.TOP
    assert far.text == "a, printed: 2.000"


def test_names_that_are_letters_of_html_stay_text():
    text = str(drawn_text({"<b>&": {1: [1], 2: [2]}}))
    assert "<b>" not in text
    assert parse(text).all("text")[-1].text == "<b>&"


def drawn_text(values):
    [panel] = curves.lay_out(view(values)).panels
    return svg.write(panel.drawing())


def test_dashes_are_as_long_as_their_look_says():
    dashed = looks(["a", "b"])["b"]
    line = Line("b", dashed, [1.0], [1.0], [1.0])
    [path] = parse(str(svg.sample(line.look))).all("path")
    assert path.attrs["stroke-dasharray"] == "7.5 3"  # 5 and 2 widths of 1.5


def ranks_of(**changes):
    """a is best on all sets, b second, and so on: average ranks 1 to 4."""
    means = pd.DataFrame(
        [[0.9, 0.8, 0.7, 0.6]] * 6, columns=list("abcd"), index=[f"set{i}" for i in range(6)]
    )
    comparison = significance.tests_of(table_of(means, **changes))
    return comparison, parse(str(svg.write(ranks.ranks(comparison))))


def test_ranks_lie_on_the_axis_and_groups_are_joined():
    comparison, tree = ranks_of()
    assert comparison.cd == pytest.approx(1.915, abs=0.001)  # 2.569 sqrt(4 * 5 / (6 * 6))
    at = drawing.scale(1, 4, ranks.SIDE, ranks.WIDTH - ranks.SIDE)
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
