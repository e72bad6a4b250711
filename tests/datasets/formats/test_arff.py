"""The ARFF reader against scipy's own, hand-written files and damaged ones."""

import contextlib
import time

import numpy as np
import pytest
import scipy.io.arff
import scipy.sparse as sp

from mlfs.datasets.formats.arff import read_arff
from mlfs.datasets.formats.mulan import read_labels, read_mulan
from mlfs.errors import UserError

DENSE = """% a comment
@relation 'a relation: -C 2'

@attribute 'first, quoted' numeric
@attribute colour {red,'dark blue',"green"}
@attribute plain REAL
@attribute tag {0,1}
@data
1.5,red,-2,0
% between rows
2,'dark blue',1e-3,1

3, "green" ,4,'1'
"""

SPARSE = """@RELATION x
@ATTRIBUTE a {1,0}
@ATTRIBUTE b numeric
@ATTRIBUTE 'the tag' {0,1}
@ATTRIBUTE kind {no,yes}
@ATTRIBUTE last {0,1}
@DATA
{0 0, 1 2.5}
{}
{2 1,3 yes}
{0 '1',3 "no"}
"""

XML = """<?xml version="1.0"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="outer"><label name="the tag"/></label>
</labels>
"""


def write(path, text):
    path.write_text(text)
    return path


def test_quoted_names_and_values_are_read(tmp_path):
    values, names, *_ = read_arff(write(tmp_path / "a.arff", DENSE))
    assert names == ["first, quoted", "colour", "plain", "tag"]
    assert np.array_equal(values, [[1.5, 0, -2, 0], [2, 1, 1e-3, 1], [3, 2, 4, 1]])


def test_sparse_rows_default_to_the_first_nominal_value(tmp_path):
    values, names, *_ = read_arff(write(tmp_path / "a.arff", SPARSE))
    assert names[2] == "the tag"
    expected = [[0, 2.5, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 1, 1, 0], [1, 0, 0, 0, 0]]
    assert sp.issparse(values)
    assert np.array_equal(values.toarray(), expected)


@pytest.mark.parametrize("row", [0, 1, 2])
def test_a_sparse_row_that_leaves_out_a_nominal_value_has_the_first_one(tmp_path, row):
    """In each row alone: also in the first."""
    head = SPARSE[: SPARSE.index("{0 0, 1 2.5}")]
    lines = ["{0 0}"] * 3
    lines[row] = "{1 7}"
    values, *_ = read_arff(write(tmp_path / "a.arff", head + "\n".join(lines) + "\n"))
    assert values.toarray()[:, 0].tolist() == [float(i == row) for i in range(3)]


def test_labels_are_found_by_name_and_not_by_position(tmp_path):
    arff = SPARSE.replace("@ATTRIBUTE b", "@ATTRIBUTE outer").replace("1 2.5", "1 1")
    parts = [write(tmp_path / "a.arff", arff), write(tmp_path / "b.arff", arff)]
    parsed = read_mulan(parts, write(tmp_path / "a.xml", XML))
    assert parsed.label_names == ["outer", "the tag"]
    assert parsed.feature_names == ["a", "kind", "last"]
    assert parsed.n_train == 4
    assert np.array_equal(parsed.Y[:4], [[1, 0], [0, 0], [0, 1], [0, 0]])
    assert np.array_equal(parsed.X.toarray()[4:, 0], [0, 1, 1, 1])


@pytest.mark.parametrize("name", ["yeast-test", "emotions-train"])
def test_dense_equals_scipy(mirror, name):
    records, _ = scipy.io.arff.loadarff(mirror / f"{name}.arff")
    theirs = np.array([[float(value) for value in record] for record in records])
    assert np.array_equal(read_arff(mirror / f"{name}.arff")[0], theirs)


def test_the_whole_file_holds_the_rows_of_both_parts(mirror):
    """delicious.arff was published beside its parts: the same rows, in another order."""
    whole, names, *_ = read_arff(mirror / "delicious.arff")
    parts = [read_arff(mirror / f"delicious-{part}.arff") for part in ("train", "test")]
    assert all(part[1] == names for part in parts)
    together = sp.vstack([part[0] for part in parts]).tocsr()
    assert whole.shape == together.shape == (16105, 1483)
    weights = np.random.default_rng(0).random(1483)
    np.testing.assert_allclose(np.sort(whole @ weights), np.sort(together @ weights))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (DENSE[:120], 5),
        (DENSE.replace("2,'dark blue',1e-3,1", "2,'dark blue'"), 11),
        (DENSE.replace("1e-3", "1e-"), 11),
        (DENSE.replace("red,-2", "pink,-2"), 9),
        (SPARSE.replace("{2 1,3 yes}", "{2 1,3 y"), 10),
        (SPARSE.replace("{2 1,3 yes}", "{2 1,3}"), 10),
        (SPARSE.replace("{2 1,3 yes}", "{2 1,7 1}"), 10),
        (SPARSE.replace("{2 1,3 yes}", "{2 1,x 1}"), 10),
        (SPARSE.partition("{0 0")[0].rstrip(), 7),
        (SPARSE.replace("{2 1,3 yes}", "{3 yes,2 1}"), 10),
        (SPARSE.replace("{2 1,3 yes}", "{2 1,2 1}"), 10),
        (SPARSE.replace("{2 1,3 yes}", "{2 1,-1 1}"), 10),
        (SPARSE.replace("{2 1,3 yes}", "2 1,3 yes}"), 10),
        (SPARSE.replace("{2 1,3 yes}", "{2 7}"), 10),  # the header allows 0 and 1
        (SPARSE.replace("{2 1,3 yes}", "{3 7}"), 10),  # and here no and yes
        (SPARSE.replace("1 2.5", "1 naan"), 8),
        (SPARSE.replace("1 2.5", "1 1e999"), 8),
        (SPARSE.replace("1 2.5", "1 1_0"), 8),
        (SPARSE.replace("'1',3", "'1,3"), 11),
        (SPARSE.replace("b numeric", "b numerjc"), 3),
        (SPARSE.replace("@ATTRIBUTE b", "@ATTRIBVTE b"), 3),
        (SPARSE.replace("{no,yes}", "{no,yes"), 5),
        (SPARSE.replace("{no,yes}", "{no,yes,no}"), 5),
        (SPARSE.replace("'the tag'", "'the tag"), 4),
        (DENSE.replace("2,'dark blue',1e-3,1", "2,'dark blue',1e-3,5"), 11),
        (DENSE.replace("1e-3", "inf"), 11),
        (DENSE.replace("1.5,red", "1.5,2"), 9),
        (DENSE.replace("'1'", "'1"), 13),
    ],
)
def test_a_damaged_file_is_named_with_its_line(tmp_path, text, line):
    path = write(tmp_path / "broken.arff", text)
    with pytest.raises(UserError, match=rf"broken\.arff, line {line}: .*again\.$"):
        read_arff(path)


@pytest.mark.parametrize("tail", ["", "'", ",1", " "])
@pytest.mark.parametrize(
    "run", ["\\" * 40_000, "\\'" * 20_000, "' " * 20_000, " " * 40_000, "\"\\'" * 20_000]
)
def test_the_time_is_linear_in_the_length_of_a_line(tmp_path, run, tail):
    """28 backslashes behind a quote took a minute once; 20,000 signs take no time."""
    start = time.process_time()
    for before, after in (
        ("@attribute a string\n@data\n", f"'{run}{tail}"),
        ("@attribute a string\n@data\n", f"x{run}{tail}"),
        ("@attribute a string\n@data\n", f"{{0 '{run}{tail}}}"),
        ("", f"@attribute '{run}{tail} numeric\n"),
        ("", f"@attribute a {{'{run}{tail}}}\n"),
    ):
        with contextlib.suppress(UserError):
            read_arff(write(tmp_path / "a.arff", before + after))
    assert time.process_time() - start < 2


def test_escapes_are_undone_and_question_marks_are_missing_values(tmp_path):
    text = "@attribute a {'it\\'s','\\\\'}\n@attribute b real\n@data\n'\\\\', ?\n?,'2'\n"
    found = read_arff(write(tmp_path / "a.arff", text))
    assert found.levels == {0: ["it's", "\\"]}
    np.testing.assert_array_equal(found.values, [[1, np.nan], [np.nan, 2]])


@pytest.mark.parametrize(
    ("arff", "told"),
    [
        (DENSE.replace("tag {0,1}", "tag numeric").replace("1e-3,1", "1e-3,2"), "'tag' is 2, not"),
        (DENSE.replace("1e-3", "?"), "a value is missing"),
        (DENSE.replace("tag {0,1}", "tag {0,1}\n@attribute tag {0,1}"), "4 values instead of 5"),
        (SPARSE.replace("'the tag'", "tag").replace("1 2.5", "1 ?"), "a value is missing"),
    ],
)
def test_a_published_set_holds_labels_of_0_and_1_and_no_gaps(tmp_path, arff, told):
    xml = write(tmp_path / "a.xml", '<labels><label name="tag"/></labels>')
    with pytest.raises(UserError, match=rf"a\.arff, line \d+: .*{told}"):
        read_mulan([write(tmp_path / "a.arff", arff)], xml)


def test_a_repeated_attribute_is_refused(tmp_path):
    arff = SPARSE.replace("@ATTRIBUTE last", "@ATTRIBUTE b numeric\n@ATTRIBUTE last")
    xml = write(tmp_path / "a.xml", '<labels><label name="the tag"/></labels>')
    with pytest.raises(UserError, match=r"a\.arff has two columns 'b'"):
        read_mulan([write(tmp_path / "a.arff", arff)], xml)


def test_a_dense_part_and_a_sparse_one_do_not_belong_together(tmp_path):
    head = "@attribute a numeric\n@attribute tag {0,1}\n@data\n"
    parts = [write(tmp_path / "a.arff", head + "1,0\n"), write(tmp_path / "b.arff", head + "{1 1}")]
    xml = write(tmp_path / "a.xml", '<labels><label name="tag"/></labels>')
    with pytest.raises(UserError, match=r"only one of .*b\.arff and .*a\.arff is sparse"):
        read_mulan(parts, xml)


@pytest.mark.parametrize(
    ("xml", "told"),
    [
        ('<labels><label name="a"/><label name="a"/></labels>', "a name twice"),
        ('<labels><label name=""/></labels>', "without a name"),
        ('<labels><labal name="a"/></labels>', "elements that are not labels"),
        ('<?xml version="1.0" encoding="none"?><labels/>', "not an XML file of labels"),
        ('<?xml version="1.0" encoding="utf-7"?><labels/>', "not an XML file of labels"),
    ],
)
def test_what_is_no_list_of_labels_is_refused(tmp_path, xml, told):
    with pytest.raises(UserError, match=told):
        read_labels(write(tmp_path / "a.xml", xml))


def test_broken_label_files_are_refused_in_a_sentence(tmp_path):
    arff = write(tmp_path / "a.arff", SPARSE)
    with pytest.raises(UserError, match="not an XML file of labels"):
        read_labels(write(tmp_path / "a.xml", XML[:80]))
    with pytest.raises(UserError, match=r"lacks: \['outer'\]"):
        read_mulan([arff], write(tmp_path / "a.xml", XML))
