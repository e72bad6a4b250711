"""Sets of OpenML from a local server that answers as openml.org does."""

import hashlib
import http.server
import json
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import _openml

from mlfs import datasets
from mlfs.datasets import UserData, is_here, own_checksum, read_own
from mlfs.errors import UserError

DENSE = """@RELATION small
@ATTRIBUTE key STRING
@ATTRIBUTE a REAL
@ATTRIBUTE colour {red,blue}
@ATTRIBUTE b REAL
@ATTRIBUTE y {FALSE,TRUE}
@ATTRIBUTE z {TRUE,FALSE}
@DATA
k1,0.5,red,1,TRUE,FALSE
k2,1.5,blue,2,FALSE,TRUE
k3,?,blue,3,TRUE,TRUE
"""
SPARSE = """@RELATION thin
@ATTRIBUTE a REAL
@ATTRIBUTE b REAL
@ATTRIBUTE y {0,1}
@ATTRIBUTE z {0,1}
@DATA
{0 0.5,2 1}
{1 2.5,3 1}
{0 1,2 1,3 1}
"""
KINDS = {"STRING": "string", "REAL": "numeric"}


def features(text, targets, ignored=()):
    """What OpenML tells of the columns of an ARFF file."""
    rows = [line.split(maxsplit=2)[1:] for line in text.splitlines() if line.startswith("@ATTR")]
    return [
        {
            "index": str(i),
            "name": name,
            "data_type": KINDS.get(kind, "nominal"),
            "is_target": str(name in targets).lower(),
            "is_ignore": str(name in ignored).lower(),
            "is_row_identifier": str(name in ignored).lower(),
            "number_of_missing_values": "0",
        }
        for i, (name, kind) in enumerate(rows)
    ]


SETS = {  # number: text, format, columns
    1: (DENSE, "ARFF", features(DENSE, {"y", "z"}, {"key"})),
    2: (SPARSE, "Sparse_ARFF", features(SPARSE, {"y", "z"})),
    3: (DENSE, "ARFF", features(DENSE, set(), {"key"})),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        *kind, number = self.path.strip("/").split("/")
        if int(number) not in SETS:
            self.send_error(412, "Unknown dataset")
            return
        text, form, columns = SETS[int(number)]
        about = {
            "id": number,
            "name": "small",
            "version": "1",
            "status": "active",
            "format": form,
            "description": "",
            "url": f"http://localhost:{self.server.server_port}/file/{number}",
            "file_id": number,
            "md5_checksum": hashlib.md5(text.encode()).hexdigest(),
        }
        answers = {
            "data": {"data_set_description": about},
            "data/features": {"data_features": {"feature": columns}},
            "data/qualities": {
                "data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "3.0"}]}
            },
        }
        name = "/".join(kind)
        content = text if name == "file" else json.dumps(answers[name])
        self.send_response(200)
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, *args):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server in place of openml.org, and an empty cache."""
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "cache"))
    with http.server.ThreadingHTTPServer(("localhost", 0), Handler) as made:
        made.asked = []
        threading.Thread(target=made.serve_forever, daemon=True).start()
        base = f"http://localhost:{made.server_port}/"
        if hasattr(_openml, "_OPENML_PREFIX"):  # before scikit-learn 1.9
            monkeypatch.setattr(_openml, "_OPENML_PREFIX", base)
            base = ""
        if hasattr(_openml, "_DATA_FILE"):  # before scikit-learn 1.7
            monkeypatch.setattr(_openml, "_DATA_FILE", "file/{}")
        monkeypatch.setattr(_openml, "_DATA_INFO", base + "data/{}")
        monkeypatch.setattr(_openml, "_DATA_FEATURES", base + "data/features/{}")
        monkeypatch.setattr(_openml, "_DATA_QUALITIES", base + "data/qualities/{}")
        yield made
        made.shutdown()


def test_labels_are_the_targets_and_words_become_columns(server):
    data = read_own(UserData(openml=1, impute="mean"))
    assert data.name == "openml_1"
    assert data.label_names == ["y", "z"] and data.Y.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert data.feature_names == ["a", "b", "colour=blue", "colour=red"]  # the key is ignored
    expected = [[0.5, 1, 0, 1], [1.5, 2, 1, 0], [np.nan, 3, 1, 0]]
    assert np.array_equal(data.X, expected, equal_nan=True)
    with pytest.raises(UserError, match="dataset 1 of OpenML, row 3, column 'a' has no value"):
        read_own(UserData(openml=1))


def test_labels_may_be_unknown(server, monkeypatch):
    holes = DENSE.replace("1,TRUE,FALSE", "1,?,FALSE").replace("3,TRUE,TRUE", "3,TRUE,?")
    monkeypatch.setitem(SETS, 1, (holes, *SETS[1][1:]))
    plain, filled = (UserData(openml=1, impute="mean", unknown=how) for how in (None, "negative"))
    expected = [[np.nan, 0], [0, 1], [1, np.nan]]
    np.testing.assert_array_equal(read_own(plain).Y, expected)
    np.testing.assert_array_equal(read_own(filled).Y, np.nan_to_num(expected))
    np.testing.assert_array_equal(read_own(plain, mapped=True).Y, expected)


def test_sparse_sets_stay_sparse_and_labels_are_found_by_name(server):
    data = read_own(UserData(openml=2))
    assert sp.issparse(data.X)
    assert data.X.toarray().tolist() == [[0.5, 0], [0, 2.5], [1, 0]]
    assert data.Y.tolist() == [[1, 0], [0, 1], [1, 1]]
    data = read_own(UserData(openml=3, labels=["z"], id="y", impute="mean"))
    assert data.label_names == ["z"] and "y" not in data.feature_names
    assert data.Y.ravel().tolist() == [0, 1, 1]


def test_it_is_asked_once_and_known_by_its_content(server):
    own = UserData(openml=2)
    assert not is_here(own)
    first = own_checksum(own)
    asked = len(server.asked)
    assert is_here(own) and own_checksum(own) == first == read_own(own).checksum
    assert len(server.asked) == asked
    for copy in (datasets.cache_dir() / "parsed").iterdir():
        copy.unlink()
    assert own_checksum(own) == first  # of the content, and not of the copy
    assert own_checksum(UserData(openml=2, labels=["y"])) != first


def test_mistakes_with_openml_are_said_in_a_sentence(server):
    with pytest.raises(UserError, match="set 99 of OpenML cannot be read"):
        read_own(UserData(openml=99))
    with pytest.raises(UserError, match=r"set 2 of OpenML lacks a label .*'nothing'"):
        read_own(UserData(openml=2, labels=["nothing"]))
    with pytest.raises(UserError, match="set 3 of OpenML does not say what its labels are"):
        read_own(UserData(openml=3))
    server.shutdown()
    server.server_close()
    with pytest.raises(UserError, match="set 4 of OpenML cannot be fetched"):
        read_own(UserData(openml=4))
