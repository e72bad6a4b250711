"""Figures: what is drawn equals the tables, nothing is pooled unsaid, and each says what it is."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from mlfs import config, datasets, stats
from mlfs.errors import UserError
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.report.figures import axes as axes_of
from mlfs.report.figures import (
    curves,
    diagrams,
    draw,
    looks,
    plot_files,
    plots,
    seconds,
    style,
    svg,
)
from mlfs.report.figures.drawing import Text
from mlfs.report.figures.ranks import ranks
from mlfs.report.figures.style import Print
from mlfs.report.figures.views import axis_name
from mlfs.report.tables import significance
from mlfs.report.tables.paper_tables import make_tables
from mlfs.results import read
from mlfs.results.store import Store

from ..html_tree import parse

SIZES = (1, 2, 4)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def noise(cell, point=0):
    """A figure that depends on all that tells two cells apart, the same in every run."""
    inner = cell.cell
    words = [inner.data.name, inner.settings.ratio, inner.repeat, cell.label]
    return np.random.default_rng([*str([*words, cell.varied, point]).encode()]).random()


def alike(cell):
    """Scores that rank the methods alike on every dataset."""
    order = ["random", "fsnm", "top_mi", "mfsls"]
    return [{"n_features": 5, "average_precision": order.index(cell.label) / 4}]


def along_sizes(cell):
    sizes = [50] if cell.label == "all" else SIZES
    return [{"n_features": k, "average_precision": noise(cell, k)} for k in sizes]


def stored(tmp_path, rows=along_sizes, *, skip=lambda cell: False, info=lambda cell: {}, **changes):
    """Results of a made-up run: `rows` gives a cell's rows, `skip` the cells that are not run."""
    content = {
        "name": "f",
        "protocol": "selection",
        "datasets": ["arts", "health", "social"],
        "methods": ["random", "top_mi", "mfsls"],
        "metrics": ["average_precision"],
    } | changes
    experiment = config.parse(content, source="test")
    store = Store(tmp_path / content["name"])
    store.open(experiment)
    for cell in plan(experiment):
        if not skip(cell):
            store.write(cell, Record(rows=rows(cell), info=info(cell)))
    return read.read(store)


def drawn(found):
    """The figures of curves, by the names of their files."""
    return {figure.name: figure for figure in curves.figures(found)}


def plotted(found):
    """The files' figures as matplotlib draws them."""
    return dict(draw.figures_of(found))


def panels(figure):
    return {panel.title: panel for panel in figure.panels}


def lines(panel):
    """The y values of each line by its name."""
    return {line.name: np.array(line.mean) for line in panel.lines}


def spans(line):
    """The lower and upper ends of a line's bars or band."""
    return np.transpose([line.span(place) for place in range(len(line.x))])


def masked(ratios, repeats=3):
    return {
        "mask": {"kind": "hide_positives", "ratio": ratios},
        "split": {"kind": "holdout", "train": 0.8, "repeats": repeats},
    }


def cells_of(found, ratio):
    """The figures that the table of a ratio prints, by row and method."""
    (table,) = [t for t in make_tables(found, ["average_precision"]) if t.ratio == ratio]
    return table.entries.set_index(["row", "method"])


def test_a_curve_shows_the_tables_figures_of_its_own_ratio(tmp_path):
    found = stored(tmp_path, methods=["all", "random", "top_mi"], **masked([0.2, 0.4]))
    figure = drawn(found)["curve_average_precision"]
    shown = panels(figure)
    assert list(shown) == [
        f"{name}, {share} % to hide" for name in ("arts", "health", "social") for share in (20, 40)
    ]
    around = "band or bars ± one standard deviation"
    assert figure.caption == f"mean of 3 repeats, {around}; higher is better"
    for (name, ratio), panel in zip(
        [(name, ratio) for name in ("arts", "health", "social") for ratio in (0.2, 0.4)],
        shown.values(),
    ):
        at = [cells_of(found.at(size), ratio).loc[name] for size in SIZES]
        level = cells_of(found.at(50), ratio).loc[name, "all"]
        expected = {m: np.array([cells["mean"][m] for cells in at]) for m in ("random", "top_mi")}
        assert lines(panel).keys() == {"all", *expected}
        for method, values in expected.items():
            assert lines(panel)[method] == pytest.approx(values)
        by_name = {line.name: line for line in panel.lines}
        for method in ("random", "top_mi"):
            std = np.array([cells["std"][method] for cells in at])
            low, high = spans(by_name[method])
            assert low == pytest.approx(expected[method] - std)
            assert high == pytest.approx(expected[method] + std)
            assert by_name[method].around == "bars" and by_name[method].x == list(SIZES)
        flat = by_name["all"]
        assert flat.level and flat.around == "band" and flat.mean == pytest.approx([level["mean"]])
        assert flat.std == pytest.approx([level["std"]])


def test_the_ratios_of_a_dataset_have_one_scale_and_datasets_their_own(tmp_path):
    def rows(cell):
        base = {"arts": 0.0, "health": 10.0}[cell.cell.data.name] + 5 * cell.cell.settings.ratio
        return [{"n_features": k, "average_precision": base + noise(cell, k)} for k in SIZES]

    found = stored(tmp_path, rows, datasets=["arts", "health"], **masked([0.2, 0.4]))
    shown = panels(drawn(found)["curve_average_precision"])
    low, high = shown["arts, 20 % to hide"], shown["arts, 40 % to hide"]
    assert low.y == high.y
    bottom, top = low.y.low, low.y.high
    values = np.concatenate([*lines(low).values(), *lines(high).values()])
    assert bottom < values.min() < values.max() < top
    assert top < 5 < shown["health, 20 % to hide"].y.low


def test_along_the_ratio_a_repeat_is_first_averaged_along_its_curve(tmp_path):
    ratios = [0, 0.2, 0.4]
    found = stored(tmp_path, datasets=["arts"], **masked(ratios, repeats=4))
    figure = drawn(found)["ratio_average_precision"]
    panel = panels(figure)["arts"]
    assert "mean of 4 repeats, each the mean along its curve" in figure.caption
    for method, line in zip(found.methods, panel.lines):
        table = [cells_of(found, ratio).loc[("arts", method), "mean"] for ratio in ratios]
        assert (line.name, line.mean) == (method, pytest.approx(table))
        for ratio, mean, low, high in zip(ratios, table, *spans(line)):
            mine = [
                [noise(cell, k) for k in SIZES]
                for cell in plan(found.experiment)
                if cell.cell.settings.ratio == ratio and cell.label == method
            ]
            spread = np.std(np.mean(mine, axis=1), ddof=1)
            assert (low, high) == pytest.approx((mean - spread, mean + spread))


def test_sweeps_pool_neither_datasets_nor_ratios(tmp_path):
    found = stored(
        tmp_path,
        methods=["mfsls"],
        vary={"bins": [2, 3, 4], "discretise": ["width", "mean", "frequency"]},
        datasets=["arts", "health"],
        **masked([0.2, 0.4]),
    )
    made = drawn(found)
    assert set(made) == {
        *(f"curve_{name}_average_precision" for name in ("bins", "discretise")),
        *(f"ratio_{name}_average_precision" for name in ("bins", "discretise")),
        "sweep_average_precision",
    }
    sweep = panels(made["sweep_average_precision"])
    titles = [f"{name}, {share} % to hide" for name in ("arts", "health") for share in (20, 40)]
    for name in found.experiment.vary:
        shown = {
            title.removesuffix(f", {name}"): panel
            for title, panel in sweep.items()
            if title.endswith(f", {name}")
        }
        assert list(shown) == titles
        for title, panel in shown.items():
            dataset, ratio = title.split(", ")[0], 0.2 if "20 %" in title else 0.4
            table = cells_of(found, ratio)["mean"].items()
            start = f"{dataset}, {name}="
            expected = [mean for (row, _), mean in table if row.startswith(start)]
            assert len(expected) == 3 == len(set(expected))
            assert lines(panel) == {"mfsls": pytest.approx(expected)}
    words = sweep["arts, 20 % to hide, discretise"]
    assert words.x.ticks == [(0, "width"), (1, "mean"), (2, "frequency")]


def test_curves_of_a_sweep_have_a_line_for_each_value(tmp_path):
    found = stored(tmp_path, vary={"random_state": [7, 1]}, methods=["random"])
    (panel, *_) = panels(drawn(found)["curve_random_state_average_precision"]).values()
    for value in (7, 1):
        row = f"arts, random_state={value}"
        expected = [cells_of(found.at(k), 0.0).loc[(row, "random"), "mean"] for k in SIZES]
        assert lines(panel)[f"random_state={value}"] == pytest.approx(expected)


def test_curves_of_a_sweep_with_several_methods_have_panels_for_them(tmp_path):
    found = stored(tmp_path, methods=["pmu", "mfsls"], vary={"bins": [2, 3, 4]}, datasets=["arts"])
    made = drawn(found)
    assert list(panels(made["curve_bins_average_precision"])) == ["arts, pmu", "arts, mfsls"]
    assert lines(panels(made["sweep_average_precision"])["arts"]).keys() == {"pmu", "mfsls"}


def test_a_method_without_one_category_stays_at_the_others(tmp_path):
    found = stored(
        tmp_path,
        methods=["pmu", "mfsls"],
        vary={"discretise": ["width", "mean", "frequency"]},
        datasets=["arts"],
        skip=lambda cell: cell.label == "pmu" and cell.varied["discretise"] == "width",
    )
    panel = panels(drawn(found)["sweep_average_precision"])["arts"]
    at = {line.name: line.x for line in panel.lines}
    assert at == {"pmu": [1, 2], "mfsls": [0, 1, 2]}


def test_unfinished_repeats_are_said(tmp_path):
    found = stored(
        tmp_path,
        skip=lambda cell: cell.label == "random" and cell.cell.repeat > 1,
        **masked([0.2], repeats=5),
    )
    figure = drawn(found)["curve_average_precision"]
    assert figure.caption.startswith("mean of 2 to 5 repeats, bars")


def test_one_repeat_has_no_deviation_to_speak_of(tmp_path):
    figure = drawn(stored(tmp_path))["curve_average_precision"]
    assert figure.caption == "one repeat; higher is better"


def names(panel):
    """The names beside a panel, with their heights, from the top."""
    texts = [one for one in panel.drawing().shapes if getattr(one, "words", "")]
    return {one.words: one.at[1] for one in texts if one.at[0] > panel.right}


def test_names_stand_beside_the_lines_that_a_panel_has(tmp_path):
    found = stored(
        tmp_path, skip=lambda cell: cell.label == "mfsls" and cell.cell.data.name == "arts"
    )
    figure = drawn(found)["curve_average_precision"]
    assert figure.named_in_full
    for title, panel in panels(figure).items():
        assert names(panel).keys() == lines(panel).keys()
        assert len(names(panel)) == (2 if title == "arts" else 3)


def test_names_keep_the_order_of_the_ends_and_do_not_touch(tmp_path):
    def rows(cell):
        last = {"random": 0.5, "top_mi": 0.5001, "mfsls": 0.4999}[cell.label]
        return [{"n_features": k, "average_precision": 0.1 if k < 4 else last} for k in SIZES]

    (panel, *_) = panels(drawn(stored(tmp_path, rows))["curve_average_precision"]).values()
    heights = [names(panel)[name] for name in ("top_mi", "random", "mfsls")]
    assert min(np.diff(heights)) > 11  # the letters are 11 units high
    assert heights[0] >= axes_of.TOP and heights[-1] <= axes_of.HEIGHT


@pytest.mark.parametrize("label", ["line {}", "a line of a long name {}"])
def test_lines_without_whole_names_beside_them_are_named_in_a_legend(tmp_path, label):
    count = 11 if label == "line {}" else 3
    methods = [{"random": {}, "label": label.format(i)} for i in range(count)]
    found = stored(
        tmp_path,
        methods=methods,
        skip=lambda cell: cell.label == label.format(2) and cell.cell.data.name == "arts",
    )
    figure = drawn(found)["curve_average_precision"]
    listed = [label.format(i) for i in range(count)]
    assert [name for name, _ in figure.legend] == listed and not figure.named_in_full
    assert any(names(panel) for panel in figure.panels) == (count < 11)
    (axes,) = plots.curves(figure).axes
    assert [text.get_text() for text in axes.texts][-count:] == listed


def test_lines_differ_without_colour_and_neighbours_by_colour_too():
    styles = list(looks.looks([str(i) for i in range(54)], own="5").values())
    assert len({(one.dash, one.marker) for one in styles}) == 54
    for one, other in pairwise(styles):
        assert one.colour != other.colour
    assert styles[-1].own and styles[-1].width > styles[0].width


def test_a_method_of_a_paper_looks_alike_in_all_figures():
    gmfs, mfsef = ["All-Fea", "FSNM", "SFUS", "MIFS", "CMFS", "MLMLFS"], ["Original", "MDDM", "PMU"]
    alone = [looks.looks(gmfs, own="GMFS"), looks.looks(mfsef, own="MFSEF")]
    for names, usual in zip((gmfs, mfsef), alone):
        for some in (names[::-1], names[1:], names[2:5], names[:2]):
            again = looks.looks(some)
            assert all(again[name] == usual[name] for name in some)
    # where two would have one colour, the second gets another; so do names of no paper
    mixed = looks.looks(["MDDM", "All-Fea", "mine", "PMU"])
    assert mixed["MDDM"] == alone[1]["MDDM"] and mixed["PMU"] == alone[1]["PMU"]
    assert len({look.colour for look in mixed.values()}) == 5
    assert alone[0]["All-Fea"].colour == alone[1]["MDDM"].colour
    whole = [*gmfs, *mfsef, *(f"own {i}" for i in range(12))]
    assert len({(one.dash, one.marker) for one in looks.looks(whole).values()}) == len(whole) + 1


@pytest.mark.parametrize("caption", [True, False])
def test_means_scatters_and_points_are_as_wide_as_asked(caption):
    printed = Print(width=3.5, caption=caption)
    entries = pd.DataFrame({"method": ["a", "b"], "mean": [0.1, 0.2], "std": [0.01, np.nan]})
    rows = pd.DataFrame(
        {"dataset": ["s", "s", "t", "t"], "ratio": 0.0, "repeat": 0, "x": 0.1, "y": [1, 2, 3, 4.0]}
    )
    data = datasets.load("toy_gaussian")
    for figure, titles in (
        (diagrams.dots(entries, ["a", "b"], "f1", "some words", printed), "some words"),
        (diagrams.scatter(rows, "x", "y", ["ratio"], printed), "all values of one repeat"),
        (diagrams.points(data, printed), "toy_gaussian"),
    ):
        words = [
            text.get_text() for text in figure.findobj(match=lambda one: hasattr(one, "get_text"))
        ]
        assert figure.get_figwidth() == 3.5
        assert any(titles in one for one in words) == caption
        plt.close(figure)


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return np.dot([0.2126, 0.7152, 0.0722], linear)


def test_colours_are_told_apart_from_white_and_from_the_dark_ground():
    for light, dark in looks.COLOURS:  # WCAG contrast of thick lines
        assert 1.05 / (luminance(light) + 0.05) > 2
        assert (luminance(dark) + 0.05) / (luminance("#14171c") + 0.05) > 4.5


def gmfs(tmp_path, **changes):
    """Two columns of gmfs's tables 2 and 3 on yeast; the printed figures are .775 and so on."""
    return stored(
        tmp_path,
        **{
            "paper": "gmfs",
            "tables": ["2", "3"],
            "datasets": ["yeast"],
            "methods": ["fsnm", "gmfs", {"random": {}, "label": "ours alone", "extra": True}],
            **masked([0.2, 0.3, 0.4]),
            **changes,
        },
    )


def test_printed_values_are_hollow_along_the_ratio(tmp_path):
    figure = drawn(gmfs(tmp_path))["ratio_average_precision"]
    (panel,) = figure.panels
    assert {line.name: line.printed for line in panel.lines} == {
        "FSNM": [(0.2, 0.702), (0.4, 0.689)],
        "GMFS": [(0.2, 0.775), (0.4, 0.756)],
        "ours alone": [],
    }
    assert [line.name for line in panel.lines if line.look.own] == ["GMFS"]
    assert "hollow: as printed; higher is better" in figure.caption
    hollow = [one for one in panel.drawing().shapes if getattr(one, "hollow", False)]
    across = panel.x.scale(axes_of.LEFT, panel.right)
    up = panel.y.scale(axes_of.HEIGHT - axes_of.BOTTOM, axes_of.TOP)
    assert {one.title: one.at for one in hollow}["GMFS, printed: .7560"] == (
        across(0.4),
        up(0.756),
    )
    assert len(hollow) == 4


def test_beside_a_curve_our_mean_is_joined_to_the_printed_value(tmp_path):
    found = gmfs(tmp_path)
    figure = drawn(found)["curve_average_precision"]
    shown = panels(figure)
    for ratio, printed in ((0.2, 0.775), (0.4, 0.756)):
        panel = shown[f"yeast, {100 * ratio:.0f} % to hide"]
        slopes = {line.name: line.slope for line in panel.lines if line.slope}
        mean = cells_of(found, ratio).loc[("yeast", "GMFS"), "mean"]
        assert slopes["GMFS"] == (pytest.approx(mean), printed) and len(slopes) == 2
        (at, ours), (beyond, theirs) = panel.x.ticks[-2:]
        assert 4 < at < beyond < panel.x.high and (ours, theirs) == ("mean", "printed")
    assert not any(line.slope for line in shown["yeast, 30 % to hide"].lines)
    assert "hollow: as printed, beside our mean along the curve" in figure.caption


def test_printed_values_do_not_widen_a_panel_to_the_left(tmp_path):
    def rows(cell):
        return [{"n_features": k, "average_precision": noise(cell, k)} for k in range(10, 90, 10)]

    (panel, *_) = drawn(gmfs(tmp_path, rows=rows))["curve_average_precision"].panels
    assert 0 < panel.x.low < 10 <= panel.x.ticks[0][0]


def test_results_without_a_table_have_no_hollow_marks(tmp_path):
    for figure in drawn(gmfs(tmp_path, tables=[])).values():
        lines = [line for panel in figure.panels for line in panel.lines]
        assert not any(line.printed or line.slope for line in lines)
        assert "hollow" not in figure.caption


def test_many_points_have_bands_and_few_have_bars(tmp_path):
    def rows(cell):
        return [{"n_features": k, "average_precision": noise(cell, k)} for k in range(1, 9)]

    found = stored(tmp_path, rows, datasets=["arts"], **masked([0.2]))
    figure = drawn(found)["curve_average_precision"]
    (panel,) = figure.panels
    assert "band ± one" in figure.caption
    assert [line.around for line in panel.lines] == ["band"] * 3
    at = [cells_of(found.at(k), 0.2).loc[("arts", "random")] for k in range(1, 9)]
    low = [cells["mean"] - cells["std"] for cells in at]
    assert spans(panel.lines[0])[0] == pytest.approx(low)


def test_without_bands_there_are_none(tmp_path):
    found = stored(tmp_path, methods=["all", "random", "top_mi"], **masked([0.2]))
    (figure,) = curves.figures(found, limits=curves.Limits(deviations=False))
    assert figure.caption == "mean of 3 repeats; higher is better"
    assert not any(line.around for panel in figure.panels for line in panel.lines)
    made = dict(draw.figures_of(found, draw.Wanted(bands=False)))
    assert not any(axes.patches for axes in made["curve_average_precision"].axes)


def test_files_are_svg_and_png(tmp_path):
    files = draw.draw(stored(tmp_path), tmp_path / "out")
    assert {file.name for file in files} == {
        f"{kind}_average_precision.{end}" for kind in ("curve", "cd") for end in ("svg", "png")
    }
    assert all(file.stat().st_size > 3000 for file in files)


def test_only_what_is_wanted_is_drawn_and_twice_the_same(tmp_path):
    def rows(cell):
        scores = {name: noise(cell, 1) for name in ("hamming_loss", "one_error")}
        return [{"n_features": k, "average_precision": noise(cell, k)} | scores for k in SIZES]

    found = stored(tmp_path, rows, metrics=["average_precision", "one_error"], **masked([0.2, 0.4]))
    wanted = draw.Wanted(kinds=("svg", "pdf"), metrics=("hamming_loss",), ratios=(0.4,))
    before = dict(plt.rcParams)
    files = draw.draw(found, tmp_path / "a", wanted)
    assert dict(plt.rcParams) == before
    kinds = {"curve", "cd_0.4"}
    assert {f.name for f in files} == {
        f"{k}_hamming_loss.{e}" for k in kinds for e in ("svg", "pdf")
    }
    again = draw.draw(found, tmp_path / "b", wanted)
    assert [file.read_bytes() for file in files] == [file.read_bytes() for file in again]
    assert "40 % to hide" in files[0].read_text() and "20 % to hide" not in files[0].read_text()


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"metrics": ("hamming_los",)}, "no metric 'hamming_los'"),
        ({"ratios": (0.3,)}, "its ratios: 0.2, 0.4"),
    ],
)
def test_what_is_not_there_cannot_be_drawn(tmp_path, wanted, message):
    found = stored(tmp_path, **masked([0.2, 0.4]))
    with pytest.raises(UserError, match=message):
        draw.draw(found, tmp_path, draw.Wanted(**wanted))


def test_nothing_to_draw_is_said(tmp_path):
    found = stored(
        tmp_path,
        lambda cell: [{"n_features": 5, "average_precision": 0.5}],
        datasets=["arts"],
        methods=["random"],
    )
    with pytest.raises(UserError, match="'mlfs table' shows it best"):
        draw.draw(found, tmp_path)


def test_several_experiments_do_not_write_over_each_other(tmp_path):
    for name in ("one", "two"):
        stored(tmp_path / "r", name=name)
    files, _ = plot_files.write(tmp_path / "r", tmp_path / "out", None)
    assert len(set(files)) == 8 and all(file.is_file() for file in files)
    assert {file.parent.name for file in files} == {"one", "two"}


@pytest.mark.parametrize("control", [None, "mfsls"])
def test_critical_differences_say_which_test_they_are(tmp_path, control):
    (panel,) = plotted(stored(tmp_path, alike, control=control))["cd_average_precision"].axes
    if control is None:
        cd, test = stats.nemenyi_cd(3, 3), "Nemenyi"
    else:
        cd, test = stats.bonferroni_dunn_cd(3, 3), "Bonferroni-Dunn, control mfsls"
    texts = {text.get_text(): text.get_weight() for text in panel.texts[1:]}
    assert f"{test}: critical difference {cd:.2f}" in texts
    bold = [text for text, weight in texts.items() if weight == "bold"]
    assert [control in text for text in bold] == ([True] if control else [])


def test_a_control_that_is_not_ranked_leaves_nemenyi(tmp_path):
    methods = [{"random": None, "extra": True}, "top_mi", "mfsls", "fsnm"]
    found = stored(tmp_path, alike, control="random", methods=methods)
    figure = plotted(found)["cd_average_precision"]
    assert any(text.get_text().startswith("Nemenyi: ") for text in figure.axes[0].texts)


def test_ranks_are_grey_and_joined_by_nothing_if_friedman_finds_no_difference(tmp_path):
    turns = {"arts": 0, "health": 1, "social": 2}

    def turned(cell):
        value = (len(cell.label) + turns[cell.cell.data.name]) % 3
        return [{"n_features": 5, "average_precision": value / 3}]

    names = ["random", "top_mi", "mfsls"]  # 6, 6 and 5 letters: two of them are equal
    found = stored(tmp_path, turned, methods=names)
    (table,) = make_tables(found)
    drawing = ranks(significance.tests_of(table))
    words = [shape.words for shape in drawing.shapes if isinstance(shape, Text)]
    assert any(word.startswith("Friedman finds no difference (p = ") for word in words)
    assert not any("critical difference" in word for word in words)
    kinds = {shape.kind for shape in drawing.shapes}
    assert kinds == {"grid", "tick"}
    assert "no test of ranks follows" in drawing.about


def test_groups_are_maximal_and_a_control_has_one():
    ranks = pd.Series({"a": 1.0, "b": 1.5, "c": 2.5, "d": 4.0})
    assert significance.groups(ranks, 1.5, None) == [(1.0, 2.5), (2.5, 4.0)]
    assert significance.groups(ranks, 1.0, "b") == [(1.0, 2.5)]
    assert significance.groups(ranks, 0.1, None) == []
    assert significance.groups(ranks, 0.1, "b") == []


def test_convergence_has_a_line_for_every_repeat_of_every_ratio(tmp_path):
    found = stored(
        tmp_path,
        lambda cell: [{"average_precision": 0.5}],
        protocol="learning",
        methods=["rmfl"],
        datasets=["emotions", "yeast"],
        info=lambda cell: {"change": [1.0, 0.5 + noise(cell)]},
        **masked([0.2, 0.4], repeats=2),
    )
    figure = drawn(found)["convergence"]
    (panel,) = figure.panels
    assert len(panel.lines) == 8 and panel.y.log and not panel.named
    ends = {line.mean[-1] for line in panel.lines}
    assert ends == {0.5 + noise(cell) for cell in plan(found.experiment)}
    names = [name for name, _ in figure.legend]
    assert names == [f"{n}, {r} % to hide" for n in ("emotions", "yeast") for r in (20, 40)]


def test_an_iteration_without_a_change_leaves_the_others_in_place(tmp_path):
    found = stored(
        tmp_path,
        lambda cell: [{"average_precision": 0.5}],
        protocol="learning",
        methods=["rmfl"],
        datasets=["yeast"],
        info=lambda cell: {"change": [1.0, 0.0, 0.01]},
    )
    (line,) = drawn(found)["convergence"].panels[0].lines
    assert (line.x, line.mean) == ([1, 3], [1.0, 0.01])


def test_plots_and_page_draw_the_same_shapes_in_the_same_places(tmp_path):
    found = gmfs(tmp_path)
    (panel, *_) = drawn(found)["ratio_average_precision"].panels
    drawing = panel.drawing()
    _, axes = plt.subplots()
    plots.draw(axes, drawing, (100, 50))
    tree = parse(str(svg.write(drawing)))
    for kind, hollow in (("dot", False), ("hollow", True)):
        page = [
            (float(one.attrs["x"]), float(one.attrs["y"])) for one in tree.all("use", kind=kind)
        ]
        plot = [
            (x - 100, y - 50)
            for line in axes.lines
            if line.get_marker() != "None" and (line.get_markerfacecolor() == "white") == hollow
            for x, y in zip(*line.get_data())
        ]
        assert len(page) == len(plot) > 3
        assert np.array(plot) == pytest.approx(np.array(page), abs=0.051)
    words = [(one.text, float(one.attrs["x"])) for one in tree.all("text")]
    shown = [(text.get_text(), text.get_position()[0] - 100) for text in axes.texts]
    assert [text for text, _ in shown] == [text for text, _ in words]
    assert [x for _, x in shown] == pytest.approx([x for _, x in words], abs=0.051)


def test_a_line_has_one_colour_in_plots_and_on_the_page(tmp_path):
    (panel, *_) = drawn(gmfs(tmp_path))["ratio_average_precision"].panels
    light = {name: colour for name, colour, _ in svg.colours()}
    for line in panel.lines:
        (use,) = parse(str(svg.sample(line.look))).all("use")
        (kind,) = set(use.classes) - {"dot"}
        assert plots.colour(line.look) == ("black" if kind == "own" else light[kind])
    assert set(looks.MARKERS + looks.OWN_MARKER) == set(svg.MARKERS)


def test_a_protocol_declares_what_is_scattered(tmp_path):
    def rows(cell):
        columns = ("mean_ml_oss", "mean_bml_cs", "variance_ml_oss", "variance_bml_cs")
        return [
            {name: noise(cell, [name, place]) for name in columns} | {"mean_correlation": 0.9}
            for place in range(4)
        ]

    found = stored(
        tmp_path,
        rows,
        protocol="active",
        mode="inferences",
        methods=["random"],
        metrics=["mean_correlation"],
        datasets=["yeast", "medical"],
        repeats=2,
    )
    made = plotted(found)
    assert set(made) == {"means", "variances"}
    shown = {
        panel.get_title(loc="left"): panel
        for panel in made["variances"].axes
        if panel.get_visible()
    }
    assert list(shown) == ["yeast", "medical"]
    cloud = shown["medical"].lines[0]
    mine = found.rows[found.rows.dataset == "medical"]
    assert list(cloud.get_xdata()) == list(mine.variance_ml_oss)
    assert list(cloud.get_ydata()) == list(mine.variance_bml_cs)
    assert made["means"].get_suptitle().startswith("all values of 2 repeats")


def test_datasets_of_two_features_are_shown_as_points(tmp_path):
    found = stored(
        tmp_path,
        lambda cell: [{"n_bought": 5, "precision": 0.5}],
        protocol="active",
        methods=["random"],
        metrics=["precision"],
        datasets=["toy_gaussian", "yeast"],
    )
    made = plotted(found)
    assert set(made) == {"points_toy_gaussian"}
    dots = made["points_toy_gaussian"].axes[0].collections[0]
    data = datasets.load("toy_gaussian")
    shown = sorted([*point, count] for point, count in zip(dots.get_offsets(), dots.get_array()))
    assert shown == sorted([*point, count] for point, count in zip(data.X, data.Y.sum(axis=1)))


def test_a_waterfall_is_scaled_to_the_unit_interval():
    X = np.array([[0.0, 5.0, 1.0], [10.0, 5.0, 3.0]])
    figure = diagrams.waterfall(X, "x", (0, 1))
    image = figure.axes[1].images[0].get_array()
    assert np.array_equal(image, [[0, 0, 0], [1, 0, 1]])


def test_two_ratios_are_enough_to_draw_scores_against_the_ratio(tmp_path):
    found = stored(tmp_path, **masked([0.2, 0.4]))
    panel = panels(drawn(found)["ratio_average_precision"])["arts"]
    for name, values in lines(panel).items():
        expected = [cells_of(found, ratio).loc[("arts", name), "mean"] for ratio in (0.2, 0.4)]
        assert values == pytest.approx(expected)


def test_a_sweep_spans_a_tenth_and_no_less_and_names_symbols(tmp_path):
    found = stored(tmp_path, methods=["fsnm"], vary={"gamma": [1, 10, 100]}, datasets=["arts"])
    flat = replace(found, rows=found.rows.assign(average_precision=0.5))
    (figure,) = [one for name, one in drawn(flat).items() if name.startswith("sweep")]
    (panel,) = figure.panels
    assert (panel.x.name, panel.title) == ("γ", "arts")
    assert panel.y.high - panel.y.low == pytest.approx(0.1)
    assert "every y axis spans at least 0.1" in figure.caption
    wide = replace(found, rows=found.rows.assign(average_precision=found.rows.gamma / 100))
    (figure,) = [one for name, one in drawn(wide).items() if name.startswith("sweep")]
    assert figure.panels[0].y.high - figure.panels[0].y.low > 0.9


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("lam1", "λ1"),
        ("gamma", "γ"),
        ("sigma0", "σ0"),
        ("n_factors", "number of factors"),
        ("n_features", "features kept"),
        ("k", "k"),
        ("one_error", "one error"),
    ],
)
def test_axes_are_named_in_words_and_symbols(column, words):
    assert axis_name(column) == words


@pytest.mark.parametrize(("width", "beside"), [(3.5, 1), (7.2, 2), (11.0, 3)])
def test_a_figure_is_exactly_as_wide_as_asked_and_its_letters_can_be_read(tmp_path, width, beside):
    found = stored(tmp_path, datasets=["arts", "health", "business"])
    printed = Print(width=width, caption=False)
    for name, laid_out in drawn(found).items():
        figure = plots.curves(laid_out, printed)
        assert figure.get_figwidth() == pytest.approx(width), name
        sizes = [text.get_fontsize() for text in figure.axes[0].texts]
        assert min(sizes) > 6.5
        shown = [text.get_text() for text in figure.axes[0].texts]
        assert laid_out.caption not in " ".join(shown)
        titles = [text for text in figure.axes[0].texts if text.get_text() in ("arts", "health")]
        assert (titles[0].get_position()[1] == titles[1].get_position()[1]) == (beside > 1)
    files = draw.draw(found, tmp_path / "made", draw.Wanted(("png",), printed=printed))
    for file in files:
        assert plt.imread(file).shape[1] == round(300 * width), file


def test_a_font_must_be_there(tmp_path):
    found = stored(tmp_path)
    wanted = draw.Wanted(("svg",), printed=Print(font="serif"))
    (file, *_) = draw.draw(found, tmp_path / "serif", wanted)
    assert "serif" in file.read_text()
    with pytest.raises(UserError, match="no font 'Nowhere' is installed"):
        draw.draw(found, tmp_path, draw.Wanted(("svg",), printed=Print(font="Nowhere")))


def test_scores_against_seconds_have_a_mark_for_each_method(tmp_path):
    found = stored(tmp_path)
    timed = [
        (planned, record.model_copy(update={"seconds": {"fit": 1.0 + planned.column}}))
        for planned, record in found.records
    ]
    found = replace(found, records=timed)
    (figure,) = seconds.figures(found, ["average_precision"])
    assert figure.name == "seconds_average_precision"
    for panel in figure.panels:
        table = cells_of(found, 0.0)["mean"]
        for place, name in enumerate(found.methods):
            (line,) = [one for one in panel.lines if one.name == name]
            assert line.x == [pytest.approx(1.0 + place)]
            assert line.mean == [pytest.approx(table[(panel.dataset, name)])]
    wanted = draw.Wanted(("svg",), against="seconds")
    assert next(name for name, _ in draw.figures_of(found, wanted)) == figure.name


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot write to .*file.*--output"):
        draw.draw(stored(tmp_path / "here"), tmp_path / "file/figures")


def test_figures_of_results_that_come_with_mlfs_are_written_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kinds, metrics = ("svg",), ("average_precision",)
    files, _ = plot_files.write(
        Path("results/reference/mfsef_curve"), None, None, kinds=kinds, metrics=metrics
    )
    assert files and {file.parent for file in files} == {Path("figures/mfsef_curve")}


def test_a_method_has_one_colour_in_plots_and_on_the_page(tmp_path):
    found = stored(tmp_path, **masked([0.2, 0.4]))
    looks_of = [dict(figure.legend) for figure in drawn(found).values()]
    assert all(one == looks_of[0] for one in looks_of)
    for look in looks_of[0].values():
        light = plots.colour(look)
        assert look.own or (f"l{look.colour}", light) in [one[:2] for one in svg.colours()]


def test_a_figure_with_very_many_lines_is_drawn_only_if_its_metric_is_named(tmp_path, monkeypatch):
    found = stored(tmp_path / "r")
    [laid_out] = curves.figures(found, ["average_precision"])
    lines = sum(len(panel.lines) for panel in laid_out.panels)
    monkeypatch.setattr(curves, "CROWDED", lines)
    assert not laid_out.crowded
    monkeypatch.setattr(curves, "CROWDED", lines - 1)
    assert laid_out.crowded
    files, notes = plot_files.write(tmp_path / "r", tmp_path / "all", None)
    assert not [file for file in files if file.name.startswith("curve")]
    [note] = notes
    assert f"curve_average_precision ({len(laid_out.panels)} panels)" in note
    asked = {"metrics": ("average_precision",)}
    files, notes = plot_files.write(tmp_path / "r", tmp_path / "one", None, **asked)
    assert "curve_average_precision.png" in {file.name for file in files} and not notes
    assert "curve_average_precision" in dict(draw.figures_of(found))  # in Python


def test_a_sheet_has_an_edge_and_no_margins_to_look_for(tmp_path, monkeypatch):
    found = stored(tmp_path / "r")
    figure = plotted(found)["curve_average_precision"]
    (axes,) = figure.axes
    assert axes.get_xlim()[0] == -plots._EDGE and axes.get_ylim()[1] == -plots._EDGE
    boxes = []
    monkeypatch.setattr(
        type(figure), "savefig", lambda self, file, **options: boxes.append(options["bbox_inches"])
    )
    style.save(figure, tmp_path / "sheet", ["png"])
    style.save(style.grid(2, 2, 2.0, 2.0)[0], tmp_path / "grid", ["png"])
    assert boxes == [None, "tight"]


@pytest.mark.parametrize(("methods", "step"), [(7, 1), (17, 2), (27, 2), (40, 3)])
def test_the_numbers_of_many_ranks_are_apart(methods, step):
    names = [f"m{i}" for i in range(methods)]
    values = np.random.default_rng(0).random((12, methods)) + np.arange(methods)
    found = stats.friedman(pd.DataFrame(values, columns=names))
    tests = significance.TableTests(SimpleNamespace(title="made"), found, 3.0, None, 3.0, None)
    shown = [one.words for one in ranks(tests).shapes if isinstance(one, Text)]
    numbers = [words for words in shown if words.isdigit()]
    assert numbers == [str(rank) for rank in range(1, methods + 1, step)]


def test_the_title_of_a_panel_does_not_touch_the_name_of_its_axis(tmp_path):
    figure = plotted(stored(tmp_path))["curve_average_precision"]
    figure.canvas.draw()
    texts = {text.get_text(): text for text in reversed(figure.axes[0].texts)}
    title = next(text for words, text in texts.items() if text.get_weight() == "bold")
    name = texts["average precision"]
    assert title.get_window_extent().y0 > name.get_window_extent().y1


def test_the_caption_of_drawn_means_does_not_speak_of_bold_values(tmp_path):
    def rows(cell):
        return [{"n_features": 5, "average_precision": 0.5 + len(cell.label) + cell.repeat / 99}]

    found = stored(tmp_path, rows, datasets=["arts"], split={"kind": "holdout", "repeats": 5})
    [table] = make_tables(found, ["average_precision"])
    assert "bold" in table.caption
    figure = plotted(found)["means_average_precision"]
    told = " ".join(figure.get_suptitle().split())
    assert "± over 5 repeats" in told and "bold" not in told
