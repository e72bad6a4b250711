"""Numbers as papers print them, and columns that line up."""

import math

import pytest

from mlfs.report.tables import texts
from mlfs.report.tables.texts import columns, number, short_number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.7541, ".7541"),
        (-0.02, "-.0200"),
        (1.5, "1.500"),
        (205.4, "205"),
        (100.0, "100"),
        (math.nan, "-"),
    ],
)
def test_numbers_are_shown_as_papers_print_them(value, text):
    assert number(value) == text


def test_the_last_bit_of_a_mean_does_not_change_its_text():
    above, below = math.nextafter(0.68195, 1), math.nextafter(0.68195, 0)
    assert f"{above:.4f}" != f"{below:.4f}"
    assert number(above) == number(below)


@pytest.mark.parametrize(
    ("value", "text"), [(0.3030, ".303"), (0.0, "0"), (1.0, "1"), (-0.1, "-.1"), (12.5, "12.5")]
)
def test_short_numbers_have_no_zeros_at_their_end(value, text):
    assert short_number(value) == text


def test_columns_are_as_wide_as_their_longest_text():
    lines = [["a", "bbb", "c"], ["aaaa", "b", "cc"]]
    assert columns(lines) == "a     bbb  c\naaaa  b    cc"
    assert columns(lines, left=(0,)) == "a     bbb   c\naaaa    b  cc"


def test_sentences_are_folded_and_tables_are_not():
    text = "a caption of several words\n| " + "x" * 40 + " |\nshort"
    assert texts.folded(text, 20) == ("a caption of several\n  words\n| " + "x" * 40 + " |\nshort")
    assert texts.folded(text, None) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 s"),
        (0.02, "less than 0.1 s"),
        (0.4, "0.4 s"),
        (9.9, "9.9 s"),
        (10.4, "10 s"),
        (35, "35 s"),
        (150, "2.5 min"),
        (9000, "2.5 h"),
    ],
)
def test_times_have_the_unit_that_a_reader_would_choose(seconds, text):
    assert texts.duration(seconds) == text


def test_a_wide_table_is_split_into_blocks_that_repeat_the_first_column():
    lines = [["row", "aaaa", "bb", "cc"], ["r", "1", "2", "3"]]
    blocks = [
        "| row | aaaa |\n|-----|------|\n| r   | 1    |",
        "| row | bb | cc |\n|-----|----|----|\n| r   | 2  | 3  |",
    ]
    assert texts.aligned(lines, 17) == "\n\n".join(blocks)
    assert texts.aligned(lines, 5).count("row") == 3  # every block has a column at least
    assert texts.aligned(lines, 24) == texts.aligned(lines) != texts.aligned(lines, 23)
