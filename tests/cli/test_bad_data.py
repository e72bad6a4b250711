"""Bad files of a user: each is said in one sentence with the file, and where in it is known."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from .conftest import assert_one_sentence

CONFIG = """name: mine
protocol: selection
datasets:
  - %s
methods: [random]
sizes: [1]
metrics: [average_precision]
"""
GOOD = "a,b,y,z\n" + "".join(f"{i}.5,{i * i},{i % 2},{i % 3 == 0:d}\n" for i in range(12))
FEATURES = "a,b\n" + "".join(f"{i}.5,{i * i}\n" for i in range(12))
LABELS = "y,z\n" + "".join(f"{i % 2},{i % 3 == 0:d}\n" for i in range(12))
ARFF = """@relation x
@attribute a numeric
@attribute y {0,1}
@data
1.5,0
% a comment
2.5,1
"""
LOGICAL = """@relation x
@attribute a numeric
@attribute y {false,true}
@data
1,false
2,true
"""
XML = '<labels><label name="y"/></labels>'
BOTH = "{path: X.csv, labels: Y.csv}"
NAMED = "{path: all.csv, labels: [y, z]}"

# what the config says, the files, and words of the sentence
CASES = {
    "empty file": (NAMED, {"all.csv": ""}, ["all.csv is empty"]),
    "header alone": (NAMED, {"all.csv": "a,y,z\n"}, ["all.csv has a header, but no rows"]),
    "one row": (NAMED, {"all.csv": "a,y,z\n1,0,1\n"}, ["all.csv has fewer than two rows"]),
    "short row": (NAMED, {"all.csv": GOOD + "1,2,0\n"}, ["line 14 has 3 cells", "has 4"]),
    "long row": (NAMED, {"all.csv": GOOD + "1,2,0,1,1\n"}, ["line 14 has 5 cells"]),
    "latin-1": (NAMED, {"all.csv": (GOOD + "é,2,0,1\n").encode("latin-1")}, ["line 14", "UTF-8"]),
    "utf-16": (NAMED, {"all.csv": GOOD.encode("utf-16")}, ["all.csv, line 1 is not UTF-8"]),
    "two columns of one name": (NAMED, {"all.csv": "a,a,y,z\n1,2,0,1\n"}, ["two columns 'a'"]),
    "column without a name": (NAMED, {"all.csv": ",a,y,z\n0,1,0,1\n"}, ["column 1 has no name"]),
    "no header": (NAMED, {"all.csv": "1,2,0,1\n3,4,1,0\n"}, ["add a header line"]),
    "semicolons": (NAMED, {"all.csv": "a;b;y;z\n0,5;1;0;1\n"}, ["has semicolons between its col"]),
    "tabs": (NAMED, {"all.csv": GOOD.replace(",", "\t")}, ["tabs between", "save it with commas"]),
    "label of 2": (
        NAMED,
        {"all.csv": GOOD.replace("3.5,9,1,", "3.5,9,2,")},
        ["all.csv, line 5, column 'y' contains 2"],
    ),
    "label of -1": (
        BOTH,
        {"X.csv": FEATURES, "Y.csv": LABELS.replace("1,0", "-1,0", 1)},
        ["Y.csv, line 3, column 'y' contains -1"],
    ),
    "label is a word": (
        NAMED,
        {"all.csv": "a,y,z\n1,yes,0\n2,no,1\n"},
        ["line 2, column 'y' contains 'yes'", "a label must be 1"],
    ),
    "text among the labels": (
        BOTH,
        {"X.csv": FEATURES, "Y.csv": LABELS.replace("0,0", "0,none of them", 1)},
        ["Y.csv, line 4, column 'z' has 'none of them' among numbers"],
    ),
    "no label known": (
        NAMED,
        {"all.csv": "a,b,y,z\n1,2,,\n3,4,,?\n"},
        ["all.csv: no label is known"],
    ),
    "a label that is never known": (
        NAMED,
        {"all.csv": "a,b,y,z\n1,2,,1\n3,4,NA,0\n"},
        ["all.csv: label 'y' is known in no row", "or remove the label"],
    ),
    "unknown labels of another kind": (
        "{path: all.csv, labels: [y, z], unknown: positive}",
        {"all.csv": GOOD},
        ["'negative'"],
    ),
    "a column written as a file": (
        "{path: all.csv, labels: y}",
        {"all.csv": GOOD},
        ["write 'labels: [y]' for that column"],
    ),
    "no labels told": ("{path: all.csv}", {"all.csv": GOOD}, ["which columns are labels"]),
    "no labels listed": ("{path: all.csv, labels: []}", {"all.csv": GOOD}, ["list of names"]),
    "label column missing": (
        "{path: all.csv, labels: [y, zz]}",
        {"all.csv": GOOD},
        ["no column 'zz' for the labels", "did you mean 'z'"],
    ),
    "label listed twice": (
        "{path: all.csv, labels: [y, y]}",
        {"all.csv": GOOD},
        ["named twice"],
    ),
    "all columns are labels": ("{path: all.csv, labels: 4}", {"all.csv": GOOD}, ["4 columns"]),
    "only labels": ("{path: Y.csv, labels: [y, z]}", {"Y.csv": LABELS}, ["no features"]),
    "no such file": (NAMED, {}, ["there is no file", "all.csv"]),
    "a name that is too long": (f"{{path: {'x' * 300}.csv, labels: 1}}", {}, ["there is no file"]),
    "no such label file": (BOTH, {"X.csv": FEATURES}, ["there is no file", "Y.csv"]),
    "a folder": ("{path: ., labels: [y]}", {}, ["is a folder"]),
    "unknown ending": (
        "{path: all.xlsx, labels: [y]}",
        {"all.xlsx": GOOD},
        ["files that end in '.xlsx' cannot be read", ".parquet"],
    ),
    "other numbers of rows": (
        BOTH,
        {"X.csv": FEATURES + "1,2\n", "Y.csv": LABELS},
        ["X.csv has 13 rows", "Y.csv has 12"],
    ),
    "missing feature": (
        NAMED,
        {"all.csv": GOOD + ",2,0,1\n,3,0,1\n"},
        ["line 14, column 'a' has no value (and 1 more)", "impute: mean"],
    ),
    "empty column": (
        "{path: all.csv, labels: [y, z], impute: mean}",
        {"all.csv": "a,b,y,z\n1,,0,1\n2,,1,0\n"},
        ["column 'b' has no values"],
    ),
    "infinite feature": (NAMED, {"all.csv": GOOD + "inf,1,0,1\n"}, ["line 14", "infinite"]),
    "word among numbers": (
        NAMED,
        {"all.csv": GOOD + "1.2.3,1,0,1\n"},
        ["line 14, column 'a' has '1.2.3' among numbers"],
    ),
    "a name in every row": (
        NAMED,
        {"all.csv": "n,b,y,z\n" + "".join(f"n{i},{i % 4},0,1\n" for i in range(12))},
        ["column 'n' has a different word in every row", "'id: n'"],
    ),
    "id column missing": (
        "{path: all.csv, labels: [y, z], id: number}",
        {"all.csv": GOOD},
        ["no column 'number' for 'id'"],
    ),
    "an id that the other file lacks": (
        "{path: X.csv, labels: Y.csv, id: i}",
        {"X.csv": "i,a\nk,1\nm,2\n", "Y.csv": "i,y\nm,1\nj,0\n"},
        ["Y.csv has the id 'j', but", "X.csv does not"],
    ),
    "an id twice": (
        "{path: X.csv, labels: Y.csv, id: i}",
        {"X.csv": "i,a\nk,1\nm,2\n", "Y.csv": "i,y\nm,1\nm,0\n"},
        ["Y.csv has the id 'm' twice", "give every row its own id"],
    ),
    "test file with other columns": (
        "{path: all.csv, labels: [y, z], test: t.csv}",
        {"all.csv": GOOD, "t.csv": "a,c,y,z\n1,2,0,1\n"},
        ["t.csv lacks the column 'b' of", "all.csv"],
    ),
    "test file with a further column": (
        "{path: all.csv, labels: [y, z], test: t.csv}",
        {"all.csv": GOOD, "t.csv": "a,b,c,y,z\n1,2,3,0,1\n"},
        ["t.csv has a column 'c' that is not in"],
    ),
    "words in the test file alone": (
        "{path: all.csv, labels: [y, z], test: t.csv}",
        {"all.csv": GOOD, "t.csv": "a,b,y,z\nred,2,0,1\nblue,1,0,1\n"},
        ["column 'a' has words in", "t.csv", "numbers in"],
    ),
    "test labels missing": (
        "{path: X.csv, labels: Y.csv, test: X.csv}",
        {"X.csv": FEATURES, "Y.csv": LABELS},
        ["'test' must be [data, labels]"],
    ),
    "objects in an npz": (
        "{path: X.npz, labels: Y.npz}",
        {"X.npz": np.array([[1, {}]], dtype=object), "Y.npz": np.eye(2)},
        ["X.npz contains Python objects"],
    ),
    "other numbers of rows in one npz": (
        "{path: X.npz}",
        {"X.npz": {"X": np.eye(3), "Y": np.eye(2)}},
        ["X.npz has 3 rows, but", "X.npz has 2"],
    ),
    "labels in the npz of the training part alone": (
        "{path: X.npz, test: t.npz}",
        {"X.npz": {"X": np.eye(3), "Y": np.eye(3)}, "t.npz": np.eye(3)},
        ["only one of", "has labels"],
    ),
    "an npz of many things": (
        "{path: X.npz, labels: 1}",
        {"X.npz": {"p": np.eye(3), "q": np.eye(3)}},
        ["X.npz contains p, q: save one array, or X and Y"],
    ),
    "words in an npz": (
        "{path: X.npz, labels: Y.npz}",
        {"X.npz": np.array([["a"], ["b"]]), "Y.npz": np.eye(2)},
        ["X.npz contains <U1 and not numbers"],
    ),
    "three dimensions": (
        "{path: X.npz, labels: Y.npz}",
        {"X.npz": np.zeros((2, 2, 2)), "Y.npz": np.eye(2)},
        ["3 dimensions"],
    ),
    "a cut npz": ("{path: X.npz, labels: 1}", {"X.npz": b"PK\x03\x04cut"}, ["X.npz is damaged"]),
    "no numpy file": ("{path: X.npy, labels: 1}", {"X.npy": "1 2 3"}, ["not a file of numpy"]),
    "labels of 3 in a sparse npz": (
        "{path: X.npz, labels: Y.npz}",
        {"X.npz": sp.eye(3), "Y.npz": sp.csr_matrix([[0, 1], [3, 0], [0, 0]])},
        ["Y.npz, row 2, column 'Class1' contains 3"],
    ),
    "arff without a word on labels": ("{path: x.arff}", {"x.arff": ARFF}, ["which columns"]),
    "arff with a bad label": (
        "{path: x.arff, labels: -1}",
        {"x.arff": ARFF.replace("{0,1}", "numeric").replace("2.5,1", "2.5,7")},
        ["x.arff, line 7, column 'y' contains 7"],
    ),
    "arff with a damaged row": (
        "{path: x.arff, labels: [y]}",
        {"x.arff": ARFF + "1\n"},
        ["x.arff, line 8: there are 1 values instead of 2"],
    ),
    "xml that names nothing": (
        "{path: x.arff, labels: x.xml}",
        {"x.arff": ARFF, "x.xml": "<labels/>"},
        ["x.xml names no labels"],
    ),
    "xml with a label without a name": (
        "{path: x.arff, labels: x.xml}",
        {"x.arff": ARFF, "x.xml": "<labels><label/></labels>"},
        ["x.xml has a label without a name"],
    ),
    "a word that only the labels of the test file have": (
        "{path: x.arff, labels: -1, test: t.arff}",
        {"x.arff": LOGICAL, "t.arff": LOGICAL.replace("true}", "true,maybe}") + "3,maybe\n"},
        ["t.arff, line 7, column 'y' contains a word that is not in the training file"],
    ),
    "broken xml": (
        "{path: x.arff, labels: x.xml}",
        {"x.arff": ARFF, "x.xml": XML[:-4]},
        ["x.xml is not an XML file of labels"],
    ),
    "an open quote": (NAMED, {"all.csv": GOOD + '"1,2,0,1\n'}, ["all.csv, line 14 has 1 cells"]),
    "an open quote at the end": (
        NAMED,
        {"all.csv": GOOD + '1,2,0,"1\n'},
        ["all.csv is not a csv file", "correct it"],
    ),
    "binary csv": (NAMED, {"all.csv": GOOD.encode() + b"1,\x00\xff,0,1\n"}, ["line 14", "UTF-8"]),
    "zero bytes": (NAMED, {"all.csv": GOOD + "1,\x00,0,1\n"}, ["all.csv"]),
    "a cut sparse npz": (
        "{path: X.npz, labels: 1}",
        {"X.npz": {"format": "odd", "shape": np.array([2, 2])}},
        ["X.npz is damaged"],
    ),
    "libsvm without labels": ("{path: x.svm}", {"x.svm": " 1:1\n 1:2\n"}, ["has no labels"]),
    "binary libsvm": ("{path: x.svm}", {"x.svm": b"\x89\x00\xff\n"}, ["x.svm, line 1 is not"]),
    "binary arff": ("{path: x.arff}", {"x.arff": b"\x89\x00\xff\n"}, ["before @data"]),
    "bad libsvm line": (
        "{path: x.libsvm}",
        {"x.libsvm": "1,2 1:0.5 3:1\n2 1:one\n"},
        ["x.libsvm, line 2 is not"],
    ),
    "libsvm with a list of labels": (
        "{path: x.libsvm, labels: [a]}",
        {"x.libsvm": "1,2 1:0.5\n2 1:1\n"},
        ["already has its labels"],
    ),
    "broken parquet": (
        "{path: x.parquet, labels: [y]}",
        {"x.parquet": "nonsense"},
        ["x.parquet cannot be read as a parquet file"],
    ),
    "dates": (
        "{path: x.parquet, labels: [y]}",
        {"x.parquet": pd.DataFrame({"d": pd.to_datetime(["2020-01-01"] * 3), "y": [0, 1, 0]})},
        ["x.parquet: column 'd' has the type datetime64"],
    ),
    "no path": ("{labels: Y.csv}", {"Y.csv": LABELS}, ["say which data", "'path'"]),
    "path of nothing": ('{path: "", labels: [y]}', {}, ["path", "at least 1 character"]),
    "two paths": ("{path: [a.csv, b.csv], labels: [y]}", {}, ["path", "valid string"]),
    "a number that no set of OpenML has": ("{openml: 0}", {}, ["openml", "greater than"]),
    "path and openml": ("{path: all.csv, openml: 3}", {"all.csv": GOOD}, ["both 'path' and"]),
    "labels without a file": (
        "{name: yeast, labels: [a]}",
        {},
        ["'labels' is only for"],
    ),
    "a key that is none": (
        "{path: all.csv, label: [y]}",
        {"all.csv": GOOD},
        ["unknown key 'label'; did you mean 'labels'"],
    ),
    "impute by a guess": (
        "{path: all.csv, labels: [y], impute: guess}",
        {"all.csv": GOOD},
        ["impute", "'mean' or 'median'"],
    ),
    "clean": ("{path: all.csv, labels: [y], clean: true}", {"all.csv": GOOD}, ["'clean' corrects"]),
    "more features than there are": (
        "{path: X.npz, labels: Y.npz}",
        {"X.npz": np.zeros((4, 0)), "Y.npz": np.eye(4)},
        ["has no features"],
    ),
}


def save(path, content):
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, pd.DataFrame):
        content.to_parquet(path)
    elif isinstance(content, dict):
        np.savez(path, **content)
    elif sp.issparse(content):
        sp.save_npz(path, sp.csr_matrix(content))
    else:
        np.savez(path, content)


@pytest.mark.parametrize("name", CASES)
def test_bad_data_are_one_sentence_with_the_line_of_the_config(mlfs, write, tmp_path, name):
    dataset, files, words = CASES[name]
    for file, content in files.items():
        save(tmp_path / file, content)
    config = write(CONFIG % dataset)
    result = mlfs("config", "check", config)
    assert_one_sentence(result, "config.yaml, line 4", *words)
    assert "Traceback" not in result.stderr
    assert mlfs("run", config).stderr == result.stderr


def test_the_other_datasets_are_run_if_the_user_says_so(mlfs, write, tmp_path):
    (tmp_path / "all.csv").write_text(GOOD)
    (tmp_path / "bad.csv").write_text(GOOD.replace("3.5,9,1,", "3.5,9,2,"))
    config = write(CONFIG % "\n  - ".join(NAMED.replace("all", x) for x in ("all", "bad", "gone")))
    assert_one_sentence(mlfs("run", config), "config.yaml, line 5", "bad.csv, line 5")
    run = mlfs("run", config, "--skip-missing", "--workers", "1")
    assert run.returncode == 0 and "1 done, 0 failed" in run.stdout, run.stderr
    assert "skipping bad: " in run.stderr and "column 'y' contains 2" in run.stderr
    assert "skipping gone: " in run.stderr and "there is no file" in run.stderr
    shown = mlfs("table", "results/mine").stdout
    assert "| all" in shown and "bad" in shown.partition("missing:")[2]
    (tmp_path / "bad.csv").write_text(GOOD)
    assert "2 done" in mlfs("run", config, "--skip-missing", "--workers", "1").stdout


def test_parquet_without_its_package_says_what_to_install(mlfs, write, tmp_path, monkeypatch):
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    for package in ("pyarrow", "fastparquet"):
        monkeypatch.setitem(__import__("sys").modules, package, None)
    result = mlfs("config", "check", write(CONFIG % "{path: x.parquet, labels: [y]}"))
    assert_one_sentence(result, "pip install 'mlfs-bench[parquet]'")


def test_two_datasets_of_one_name_are_refused(mlfs, write, tmp_path):
    (tmp_path / "yeast.csv").write_text(GOOD)
    own = "{path: yeast.csv, labels: [y, z]}"
    result = mlfs("config", "check", write(CONFIG % f"yeast\n  - {own}"))
    assert_one_sentence(result, "line 5", "two datasets are called 'yeast'")


def test_a_size_beyond_the_features_and_an_absent_split_are_refused(mlfs, write, tmp_path):
    (tmp_path / "all.csv").write_text(GOOD)
    text = CONFIG % NAMED
    assert_one_sentence(
        mlfs("config", "check", write(text.replace("sizes: [1]", "sizes: [3]"))),
        "size 3 is more than the 2 features in all",
    )
    result = mlfs("config", "check", write(text + "split: official\n"))
    assert_one_sentence(result, "all has no official split")
