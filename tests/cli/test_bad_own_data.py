"""Forty bad inputs of ``select``, ``complete``, ``compare`` and ``active suggest``.

Each ends with exit code 2 and one sentence, before any work is done.
"""

import os

import pytest

from .conftest import assert_one_sentence

ROWS = range(12)
X = "a,b\n" + "".join(f"{i}.5,{i * i % 7}\n" for i in ROWS)
Y = "y,z\n" + "".join(f"{i % 2},{['', 1, 0][i % 3]}\n" for i in ROWS)
IDS = "i,a,b\n" + "".join(f"r{i},{i}.5,{i * i % 7}\n" for i in ROWS)
ALL = "a,b,y,z\n" + "".join(f"{i}.5,{i * i % 7},{i % 2},{['', 1, 0][i % 3]}\n" for i in ROWS)
BOTH = ("X.csv", "Y.csv")
QUICK = {
    "select": ("select", *BOTH, "--n", 1, "--subsamples", 2),
    "complete": ("complete", *BOTH, "--method", "br_ridge", "--folds", 2),
    "compare": ("compare", *BOTH, "--methods", "fsnm", "--folds", 2),
    "suggest": ("active", "suggest", *BOTH, "--n", 1, "--labels-per-row", 1),
}


def without(text, line):
    """A text without one of its lines, counted from 0."""
    lines = text.splitlines(keepends=True)
    return "".join(lines[:line] + lines[line + 1 :])


# files that all commands read by the same code: what differs from X and Y, options, and the words
FILES = {
    "label 2": ({"Y.csv": Y.replace("1,1\n", "2,1\n", 1)}, (), ["Y.csv, line", "'y' contains 2"]),
    "label -1": ({"Y.csv": Y.replace("1,1\n", "-1,1\n", 1)}, (), ["contains -1", "1 (relevant)"]),
    "label yes": ({"Y.csv": Y.replace("1,1\n", "yes,1\n", 1)}, (), ["column 'y'", "yes"]),
    "label .5": ({"Y.csv": Y.replace("1,1\n", ".5,1\n", 1)}, (), ["contains 0.5"]),
    "all labels unknown": ({"Y.csv": "y,z\n" + ",\n" * 12}, (), ["no label is known"]),
    "a label never known": (
        {"Y.csv": "y,z\n" + "".join(f"{i % 2},\n" for i in ROWS)},
        (),
        ["label 'z' is known in no row"],
    ),
    "text among numbers": (
        {"X.csv": X.replace("3.5", "red")},
        (),
        ["line 5, column 'a' has 'red'"],
    ),
    "a word in every row": (
        {"X.csv": IDS},
        (),
        ["column 'i' has a different word in every row", "id"],
    ),
    "one row": ({"X.csv": "a,b\n1,2\n", "Y.csv": "y,z\n1,0\n"}, (), ["fewer than two rows"]),
    "header alone": ({"X.csv": "a,b\n"}, (), ["X.csv has a header, but no rows"]),
    "empty file": ({"Y.csv": ""}, (), ["Y.csv is empty"]),
    "fewer rows of labels": ({"Y.csv": without(Y, 5)}, (), ["X.csv has 12 rows, but Y.csv has 11"]),
    "a short row": ({"X.csv": X + "1\n"}, (), ["X.csv, line 14 has 1 cells"]),
    "a missing value": ({"X.csv": X.replace("3.5", "")}, (), ["no value", "impute: mean"]),
    "an infinite value": ({"X.csv": X.replace("3.5", "inf")}, (), ["is infinite"]),
    "an empty column": (
        {"X.csv": "a,b\n" + "".join(f"{i}.5,\n" for i in ROWS)},
        ("--impute", "mean"),
        ["column 'b' has no values"],
    ),
    "two columns of one name": ({"X.csv": X.replace("a,b", "a,a")}, (), ["two columns 'a'"]),
    "no header": ({"X.csv": without(X, 0)}, (), ["starts with numbers: add a header"]),
    "semicolons": ({"X.csv": X.replace(",", ";")}, (), ["semicolons", "save it with commas"]),
    "latin-1": ({"X.csv": "é,b\n1,2\n3,4\n".encode("latin-1")}, (), ["not UTF-8"]),
    "no such id column": ({}, ("--id", "name"), ["X.csv has no column 'name' for 'id'"]),
    "an id twice": (
        {"X.csv": IDS.replace("r4", "r3")},
        ("--id", "i"),
        ["'r3' 2 times", "give every row its own id"],
    ),
    "a row without id": ({"X.csv": IDS.replace("r4", "")}, ("--id", "i"), ["no value in the col"]),
    "ids of other rows": (
        {"X.csv": IDS, "Y.csv": "i,y\n" + "".join(f"s{i},{i % 2}\n" for i in ROWS)},
        ("--id", "i"),
        ["Y.csv has the id 's0', but X.csv does not"],
    ),
}


@pytest.mark.parametrize("command", QUICK)
@pytest.mark.parametrize("case", FILES)
def test_bad_files_are_one_sentence_in_every_command(mlfs, tmp_path, command, case):
    changed, options, words = FILES[case]
    for name, text in ({"X.csv": X, "Y.csv": Y} | changed).items():
        content = text if isinstance(text, bytes) else text.encode()
        (tmp_path / name).write_bytes(content)
    assert_one_sentence(mlfs(*QUICK[command], *options), *words)
    assert {path.name for path in tmp_path.iterdir()} == {"X.csv", "Y.csv"}


# what a single command cannot do: the command, and the words
WISHES = {
    "no files": (("select",), ["no data: name a file"]),
    "three files": (("select", *BOTH, "Z.csv"), ["too many files"]),
    "no such file": (("complete", "X.csv", "no.csv"), ["there is no file no.csv"]),
    "a folder": (("complete", ".", "Y.csv"), [". is a folder"]),
    "an unknown ending": (("select", "X.txt2", "Y.csv"), ["'.txt2' cannot be read"]),
    "labels that are not there": (("select", "all.csv", "--labels", "y,w"), ["no column 'w'"]),
    "one file without labels": (("select", "all.csv"), ["does not say which columns are labels"]),
    "a label twice": (("select", "all.csv", "--labels", "y,y"), ["'y' is named twice"]),
    "an unknown method": (("select", *BOTH, "--method", "fsnn"), ["did you mean 'fsnm'"]),
    "a learner that selects": (("select", *BOTH, "--method", "rmfl"), ["'rmfl' is a learner"]),
    "a selector that completes": (("complete", *BOTH, "--method", "fsnm"), ["is a selector"]),
    "a class that is not there": (("select", *BOTH, "--method", "no:Way"), ["no file no.py"]),
    "a method twice": (("select", *BOTH, *("--method", "fsnm") * 2), ["named twice"]),
    "a table of two methods": (
        ("select", *BOTH, "--method", "fsnm", "--method", "random", "-o", "k.csv"),
        ["name one --method"],
    ),
    "too many features": (("select", *BOTH, "--n", 3), ["3 features asked for, but there are 2"]),
    "an output that exists": (("complete", *BOTH, "-o", "X.csv"), ["X.csv exists", "--force"]),
    "an output that is a folder": (("complete", *BOTH, "-o", "."), [". is a folder"]),
    "an output in no folder": (("select", *BOTH, "-o", "no/k.csv"), ["there is no folder no"]),
    "too many folds": (("complete", *BOTH, "--folds", 30), ["known labels for 30 folds"]),
    "nothing unknown": (("complete", "X.csv", "W.csv"), ["W.csv has no unknown label"]),
    "only positives": (("complete", "X.csv", "P.csv"), ["every known label of P.csv is 1"]),
    "two kinds of methods": (
        ("compare", *BOTH, "--methods", "fsnm,rmfl"),
        ["'rmfl' predicts labels and 'fsnm' ranks features"],
    ),
    "a strategy": (("compare", *BOTH, "--methods", "miml"), ["'miml' is a strategy"]),
    "more rows than there are": (
        ("active", "suggest", *BOTH, "--labels-per-row", 1, "--n", 30),
        ["30 rows asked for"],
    ),
}


@pytest.mark.parametrize("case", WISHES)
def test_wishes_that_cannot_be_met_are_one_sentence(mlfs, tmp_path, case):
    words, told = WISHES[case]
    positives = "y,z\n" + "".join(f"{[1, ''][i % 2]},{['', 1][i % 2]}\n" for i in ROWS)
    texts = {"X.csv": X, "Y.csv": Y, "all.csv": ALL, "X.txt2": X, "P.csv": positives}
    texts["W.csv"] = "y,z\n" + "".join(f"{i % 2},{i % 3 % 2}\n" for i in ROWS)
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert_one_sentence(mlfs(*words), *told)
    assert {path.name for path in tmp_path.iterdir()} == set(texts)


def test_a_folder_without_write_permission_is_one_sentence(mlfs, tmp_path, monkeypatch):
    (tmp_path / "X.csv").write_text(X)
    (tmp_path / "Y.csv").write_text(Y)
    (tmp_path / "closed").mkdir(mode=0o500)
    # the superuser may write everywhere
    monkeypatch.setattr(os, "access", lambda path, mode: "closed" not in str(path))
    told = mlfs("complete", *BOTH, "-o", "closed/k.csv")
    assert_one_sentence(told, "closed cannot be written: choose a file in another folder")


def test_there_are_at_least_forty():
    assert len(FILES) + len(WISHES) + 1 >= 40
