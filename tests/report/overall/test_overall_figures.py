"""Pictures of made-up groups, and the section of the page."""

import re

import pytest
from matplotlib.textpath import TextPath

from mlfs.report.figures.drawing import Area, Mark, Stroke, Text
from mlfs.report.overall import overall_figures
from mlfs.report.overall.cases import ZERO, Entrant
from mlfs.report.overall.contest import Contest
from mlfs.report.page import render
from mlfs.report.reproduction import scorecard
from mlfs.results.read import read

from .. import made
from .conftest import level, usual


def test_score_against_seconds_has_a_mark_for_each_and_names_for_the_front(grouped):
    contest = Contest(grouped(usual))
    drawing = overall_figures.front(contest)
    marks = [shape for shape in drawing.shapes if isinstance(shape, Mark)]
    legend, marks = marks[len(contest.ranked) :], marks[: len(contest.ranked)]
    assert len(legend) == 3  # zero-filled, available case, knows
    assert sum(not mark.hollow for mark in marks) == len(contest.front)
    names = {shape.words for shape in drawing.shapes if isinstance(shape, Text)}
    assert {one.name for one in contest.front} <= names
    # entrants are 1, 2, ... seconds: later ones are further to the right
    along = [mark.at[0] for mark in marks]
    assert along == sorted(along) and all(0 < x < drawing.width for x in along)
    best = min(marks, key=lambda mark: mark.at[1])
    assert best.title.startswith("gamma (knows): ")
    texts = {shape.words: shape.at for shape in drawing.shapes if isinstance(shape, Text)}
    assert texts["gamma (knows)"][1] < best.at[1]  # a name is above its mark
    [axis] = [one for one in drawing.shapes if isinstance(one, Stroke) and one.kind == "axis"]
    for words in ("average precision", "median seconds of a fit"):
        assert texts[words][1] > axis.lines[0][0][1]  # what is shown is said below


def test_names_of_neighbours_do_not_touch():
    marks = {"first (zero-filled)": (100.0, 100.0), "second (knows)": (110.0, 102.0)}
    marks |= {"third, which is far to the right": (600.0, 50.0)}
    first, second, third = overall_figures._names(marks)
    assert first.at == (108.0, 94.0)  # right of its mark and above
    assert second.at == (118.0, 118.0)  # below, where the first name is not
    assert (third.at, third.anchor) == ((592.0, 44.0), "end")  # it would leave the sheet


def of_kind(drawing, kind):
    return [shape for shape in drawing.shapes if isinstance(shape, kind)]


def test_ranks_have_a_band_as_wide_as_the_critical_difference(grouped):
    contest = Contest(grouped(usual))
    drawing = overall_figures.ranks(contest)
    marks = of_kind(drawing, Mark)
    entrants, legend = marks[: len(contest.ranked)], marks[len(contest.ranked) :]
    assert len(legend) == len({one.arm for one in contest.ranked})
    assert [mark.at[1] for mark in entrants] == sorted(mark.at[1] for mark in entrants)
    ranks = [contest.decisive.ranks[one.name] for one in contest.order]
    unit = (entrants[-1].at[0] - entrants[0].at[0]) / (ranks[-1] - ranks[0])
    [band] = of_kind(drawing, Area)
    [start, end] = sorted({x for x, _ in band.points})
    assert start == pytest.approx(entrants[0].at[0])
    assert end - start == pytest.approx(unit * min(contest.cd, len(ranks) - ranks[0]))
    inside = [one in contest.level_with_best for one in contest.order]
    assert [not mark.hollow for mark in entrants] == inside
    words = {text.words for text in of_kind(drawing, Text)}
    assert f"{contest.best.name}  {ranks[0]:.2f}" in words
    assert any(f"critical difference {contest.cd:.2f}" in text for text in words)
    assert all(0 < mark.at[0] < drawing.width and mark.at[1] < drawing.height for mark in marks)


def test_without_a_difference_all_ranks_are_in_the_band_and_friedman_is_named(grouped):
    drawing = overall_figures.ranks(Contest(grouped(lambda one, name, ratio: level(name))))
    assert not any(mark.hollow for mark in of_kind(drawing, Mark))
    words = [text.words for text in of_kind(drawing, Text)]
    assert any(text.startswith("Friedman finds no difference (p = ") for text in words)
    assert not any("Nemenyi" in text for text in words)


def test_losses_start_at_0_and_end_with_the_names_of_arms(grouped):
    drawing = overall_figures.losses(Contest(grouped(usual)))
    words = [shape.words for shape in drawing.shapes if isinstance(shape, Text)]
    assert {"zero-filled", "oracle", "knows", "0", "40", "70"} <= set(words)
    assert "random" not in words
    lines = [s for s in drawing.shapes if isinstance(s, Stroke) and s.kind == "line"]
    starts = {line.lines[0][0] for line in lines}
    assert len(lines) == 4 and len(starts) == 1  # all at ratio 0, without a loss
    assert overall_figures.losses(Contest(grouped(usual, ratios=(0.4,)))) is None


@pytest.fixture
def grand(tmp_path):
    """Results of a comparison, and the same under a name that is none."""
    return [read(made.grand(tmp_path, name)) for name in ("grand_made", "other")]


def test_the_page_has_a_section_for_comparisons_only(grand):
    text = render.render(grand, scorecard.score(grand))
    section = re.search(r'<section id="overall".*?</section>', text, re.S)[0]
    assert "Selection, invisible: positive labels hidden" in section and "Friedman" in section
    assert "gmfs (knows) *" in section and section.count("<svg") == 3
    assert "<li>Which selector? Positives hidden: " in section
    assert 'href="#overall"' in text
    without = render.render(grand[1:], scorecard.score(grand[1:]))
    assert 'id="overall"' not in without and 'href="#overall"' not in without


def test_a_comparison_without_finished_cells_has_no_section(tmp_path):
    store = made.grand(tmp_path, "grand_made")
    for file in (store.folder / "cells").iterdir():
        file.unlink()
    empty = [read(store)]
    assert 'id="overall"' not in render.render(empty, scorecard.score(empty))


def test_who_has_no_seconds_is_not_drawn_against_them(grouped):
    group = grouped(usual)
    group.seconds["gamma (knows)"] = float("nan")
    drawing = overall_figures.front(Contest(group))
    titles = [shape.title for shape in drawing.shapes if isinstance(shape, Mark)]
    titles = [title for title in titles if title]  # those of the legend have none
    assert len(titles) == len(Contest(group).ranked) - 1
    assert not any(title.startswith("gamma") for title in titles)


def test_a_name_is_to_the_right_of_its_mark_where_it_fits_and_else_to_the_left(grouped):
    sides = set()
    for letters in range(4, 34, 2):
        names = [("mutual_information" * 2)[:letters] + str(i) for i in range(2)]
        entrants = [Entrant(name, ZERO) for name in names]
        contest = Contest(grouped(lambda one, *_: 0.5 + (one.method[-1] == "1"), entrants))
        drawing = overall_figures.front(contest)
        marks = [one for one in drawing.shapes if isinstance(one, Mark)]
        texts = {one.words: one for one in drawing.shapes if isinstance(one, Text)}
        for mark in marks:
            name = mark.title.split(":")[0]
            width = TextPath((0, 0), name, size=11).get_extents().width  # as the page writes it
            room = drawing.width - mark.at[0] - 8
            assert texts[name].anchor == "end" or width < room
            assert texts[name].anchor == "start" or 1.2 * width > room  # with some air
            assert (texts[name].at[0] > mark.at[0]) is (texts[name].anchor == "start")
            sides.add(texts[name].anchor)
    assert sides == {"start", "end"}
