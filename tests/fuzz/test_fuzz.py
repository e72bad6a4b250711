"""Damaged and made-up files: every reader gives a sound result or one sentence, and soon.

One body runs over all kinds of files: 100 examples each in the fast suite, 20,000 with -m slow.
"""

import gzip
import io
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import rdata
import scipy.io
import scipy.sparse as sp
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlfs import config
from mlfs.datasets.formats.arff import read_arff
from mlfs.datasets.formats.lear import read_fvec, read_hvecs
from mlfs.datasets.formats.mat import read_parts, read_whole
from mlfs.datasets.formats.mulan import read_labels, read_mulan
from mlfs.datasets.formats.rda import read_rda
from mlfs.datasets.user import user_data
from mlfs.errors import UserError
from mlfs.papers import claims, files, readings
from mlfs.papers.paper import read_paper
from mlfs.protocols import Record
from mlfs.protocols.cell import key_of
from mlfs.report.reproduction.audit import audit
from mlfs.report.reproduction.claim_verdicts import on_printed
from mlfs.results.cell_file import Damaged, record_of, signed
from mlfs.results.packing import Packed
from mlfs.results.store import description
from mlfs.system.atomic import sealed

FAST = settings(
    max_examples=100,
    deadline=None,  # which counts the time of other processes, too: see LONGEST
    derandomize=True,  # the same examples everywhere; the slow ones are new every time
    database=None,
    suppress_health_check=list(HealthCheck),
)
LONGEST = 3.0  # seconds of the processor for one file
SLOW = settings(FAST, max_examples=20_000, derandomize=False)

DENSE = """% comment
@relation 'a relation: -C 2'
@attribute 'first, one' {0,1}
@attribute second {false,true}
@attribute colour {red,'dark blue'}
@attribute size numeric
@attribute other REAL
@data
1,true,red,0.25,-2
0,false,'dark blue',1e-3,7
1,false,red,.5,0
"""
SPARSE = """@relation 'x: -C -2'
@attribute a numeric
@attribute b numeric
@attribute c numeric
@attribute tag {0,1}
@attribute 'other tag' {0,1}
@data
{0 1.5,2 3,3 1}
{1 2}
{0 4,1 1,4 1}
{}
"""
XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="tag"></label><label name="other tag"></label>
</labels>
"""
CSV = 'y,z,a,b,"c, too"\n0,1,1,2.5,red\n1,0,2,-1e3,"dark ""blue"""\n1,1,3,.5,red\n'
LIBSVM = "1,2 1:0.5 3:1\n2 2:-1e-3 # comment\n 1:2 2:3 4:5\n1 4:7\n"
CONFIG = """# a comment
protocol: selection
datasets: [&first emotions, {name: yeast, clean: false}]
name: *first
methods:
  - gmfs: {n_factors: 3}
  - all
split: {kind: holdout, repeats: 3}
tune: {strategy: grid, per: dataset}
metrics: [average_precision, hamming_loss]
"""
PAPER = """title: Mine
authors: [Me, You]
venue: here
year: 2024
tables: {"1": scores, "2": more}
datasets: {yeast: Yeast}
not_fetched: {scene: lost}
notes: [one]
"""
PRINTED = """table,dataset,method,metric,missing_ratio,mean,std,printed_rank,bold,as_printed,note
1,Yeast,A,one_error,0,0.25,0.01,1,1,,
1,Yeast,B,one_error,0,0.35,0.01,2,0,,"a, b"
1,scene,A,one_error,0,0.25,,2,,2.5,
1,scene,B,one_error,0,0.15,,1,,,
2,scene,A,hamming_loss,0.4,0.179,,1,,,
"""
STATISTICS = """place,statistic,tables,metric,method,value
here,average_rank,1,one_error,A,1.5
here,mean,1,one_error,B,0.25
there,friedman,1 2,,,3.4
there,critical_value,1,one_error,,2.714
there,critical_difference,1,,,3.27
"""
CLAIMS = """claims:
  - claim: It is good.
    place: section 1
    quote: good
    anchors: [good, "1 %"]
    rule: {kind: beats, method: A, tables: ["1"], at_least: 0.5}
  - {claim: Good., place: a, quote: b, anchors: [b], rule: {kind: friedman, tables: ["1", "2"]}}
  - claim: Far.
    place: there
    quote: c
    anchors: [c]
    rule: {kind: peak, method: A, figure: "1", datasets: [a], metrics: [acc], along: axis, at: 3}
unchecked:
  - {anchors: [a, b], reason: no numbers}
"""
READINGS = """readings:
  - name: as_run
    summary: As its program does.
    columns:
      - covers: {tables: ["1"], columns: [A], metrics: [one_error], datasets: [scene]}
        configs: [tried]
        column: A, as run
        summary: With threshold 0.
        tried: 3
        ruled_out: [With threshold 1.]
"""
X = np.array([[0.5, 0, 2], [1, 0, 0], [0, 3, 0], [0, 0, 1.25]])
Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
CELL = {"dataset": "emotions", "repeat": 1, "method": {"name": "gmfs", "alpha": 0.5}}


def saved(write, *args, **options) -> bytes:
    """What a function writes into a stream."""
    stream = io.BytesIO()
    write(stream, *args, **options)
    return stream.getvalue()


def mat_files(signed: bool) -> list[bytes]:
    parts = {"train_data": X[:2], "train_target": (2 * Y[:2] - 1).T.astype(np.int8)}
    parts |= {"test_data": sp.csc_matrix(X[2:]), "test_target": (2 * Y[2:] - 1).T.astype(float)}
    whole = {"data": sp.csc_matrix(X), "target": Y.T.astype(np.uint8)}
    content = parts if signed else whole
    files = [saved(scipy.io.savemat, content, do_compression=packed) for packed in (False, True)]
    return [b"MATLAB 5.0 MAT-file".ljust(116) + file[116:] for file in files]  # without the date


def rda_content():
    """What R keeps of an mldr object; rdata writes names of the type object alone."""
    table = pd.DataFrame(np.column_stack([X, Y]))
    table.columns = pd.Index(["a", "b", "c", "tag", "other tag"], dtype=object)
    labels = pd.DataFrame({"index": np.array([4, 5], dtype=np.int32)})
    labels.columns = pd.Index(["index"], dtype=object)
    labels.index = pd.Index(["tag", "other tag"], dtype=object)
    places = np.array([1, 2, 3], dtype=np.int32)
    return {"tiny": {"dataset": table, "labels": labels, "attributesIndexes": places}}


def rda_files() -> list[bytes]:
    content = rda_content()
    words = {"tiny": {**content["tiny"], "dataset": content["tiny"]["dataset"].copy()}}
    words["tiny"]["dataset"]["b"] = pd.Series(["0", "1", "10", "ä"], dtype=object)
    files = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.rda"
        for one in (content, words):
            rdata.write_rda(path, one)
            files += [path.read_bytes(), gzip.decompress(path.read_bytes())]
    return files


def vectors(length: str, value: str) -> list[bytes]:
    """The rows of X, each led by its length."""
    head = np.array(X.shape[1], length).tobytes()
    return [b"".join(head + row.astype(value).tobytes() for row in X)]


def npz_files() -> list[bytes]:
    return [
        saved(np.savez, X=X, Y=Y),
        saved(np.savez_compressed, X=X, Y=Y),
        saved(np.save, np.hstack([Y, X])),
        saved(sp.save_npz, sp.csr_matrix(np.hstack([Y, X]))),
    ]


def cell_start() -> bytes:
    """A cell file without its digest."""
    record = Record(rows=[{"average_precision": 0.5, "size": 3}], notes=["ä"], seconds={"fit": 1})
    cell = json.dumps(CELL, sort_keys=True, separators=(",", ":"))
    return f'{{"cell": {cell}, {json.dumps(record.model_dump())[1:-1]}'.encode()


def packed_text() -> bytes:
    experiment = config.parse(
        {
            "name": "tiny",
            "protocol": "selection",
            "datasets": ["emotions"],
            "methods": ["all"],
            "split": {"kind": "holdout"},
            "metrics": ["average_precision"],
        },
        source="test",
    )
    header = {"format": 2, "cells": 2, **description(experiment)}
    cell = signed(cell_start())
    key = key_of(CELL).encode()
    return b"\n".join(
        [json.dumps(header).encode(), key + b"\t" + cell, b"b" * 64 + b"\t" + cell, b""]
    )


def sound(data) -> None:
    """What a reader gave is whole: shapes and names fit, features are finite, labels 0 and 1."""
    n, d = data.X.shape
    assert data.Y.shape == (n, len(data.label_names)) and d == len(data.feature_names)
    assert n > 0 and d > 0 and data.label_names
    assert np.isfinite(data.X.data if sp.issparse(data.X) else data.X).all()
    assert np.isin(data.Y[~np.isnan(data.Y)], (0, 1)).all()  # nan: not known
    if sp.issparse(data.X):
        data.X.check_format(full_check=True)


def read_table(path: Path) -> None:
    """As a user's own file, with its labels where its name or its content says."""
    arff = path.suffix == ".arff"
    labels = None if arff or path.suffix == ".svm" else 2
    if path.suffix == ".npz" and b"Y.npy" in path.read_bytes():
        labels = None
    sound(user_data.read(path, labels))
    if arff:
        found = read_arff(path)
        assert found.values.shape == (len(found.lines), len(found.names))


def read_labels_of(path: Path) -> None:
    names = read_labels(path)
    assert len(set(names)) == len(names) and all(names)


def read_mulan_of(path: Path) -> None:
    labels = path.with_suffix(".xml")
    labels.write_text(XML)
    sound(read_mulan([path], labels))


def read_cell(path: Path) -> None:
    assert isinstance(record_of(key_of(CELL), path.read_bytes(), path.parent), Record)


def read_packed(path: Path) -> None:
    packed = Packed(path)
    packed.experiment()
    states = packed.states()
    assert len(dict(packed.contents())) == len(states)


def read_printed(path: Path) -> None:
    """The cells of a paper are damaged: that is said, or the rest is checked as usual."""
    folder = path.parent / "paper"
    folder.mkdir(exist_ok=True)
    texts = {"paper.yaml": PAPER, "statistics.csv": STATISTICS, "claims.yaml": CLAIMS}
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "printed.csv").write_bytes(path.read_bytes())
    files.read_table.cache_clear()
    paper = read_paper(folder)
    assert audit(paper) is not None
    assert len(on_printed(paper)) == 3


def read_claims_of(path: Path) -> None:
    (path.parent / "claims.yaml").write_bytes(path.read_bytes())
    claims._read.cache_clear()  # two files of one moment
    claims.read_claims(path.parent)


def read_readings_of(path: Path) -> None:
    """The readings are damaged, while what the paper prints is not."""
    folder = path.parent / "paper"
    folder.mkdir(exist_ok=True)
    (folder / "paper.yaml").write_text(PAPER)
    (folder / "printed.csv").write_text(PRINTED)
    (folder / "readings.yaml").write_bytes(path.read_bytes())
    files.read_table.cache_clear()
    readings._read.cache_clear()
    assert all(one.columns for one in read_paper(folder).readings())


def repacked(content: bytes) -> bytes:
    """A damaged text that was packed as if it were sound."""
    return resealed(zstandard.compress(content))


def resealed(content: bytes) -> bytes:
    """Damaged frames with a digest as if they were sound."""
    out = io.BytesIO()
    with sealed(out) as stream:
        stream.write(content)
    return out.getvalue()


@dataclass(frozen=True)
class Kind:
    """One kind of file: what reads it, sound ones, and words to make up others of."""

    suffix: str
    read: object
    seeds: object
    words: str
    then: object = bytes


ARFF_WORDS = (
    "@relation|@attribute|@data|numeric|real|string|{0,1}|{a,'b c'}|'|\"|\\|?|nan|1e999|0|1|2|-1|7"
    "|,| |{|}|\n|\n|\n|%|a|é|{0 1}|0 1,1 1|\t|'a\\'b'|1_0|0x1|@attribute a {0,1}\n"
)
YAML_WORDS = (
    "name: |protocol: selection|datasets: |methods: |- |[|]|{|}|: |\n|\n  |&a |*a|<<: *a|!!|? "
    "|!!binary |!!python/name:os.system |\"|'|1e300|0x|1:2:3|2020-01-01|~|.nan|.inf|gmfs|all"
    "|emotions|split: {kind: holdout}|repeats: |9999999999999|metrics: |---\n|\t|#|%|@|`|>"
)
JSON_WORDS = (
    '{|}|[|]|"|:|,|null|true|NaN|Infinity|1e999|-1|"cell"|"rows"|"status"|"done"|\\|\\ud800|é|[[['
)
LIBSVM_WORDS = (
    "1|2|,|:|1:1|2:2| |  |\n|\n|#|qid:1|-1|nan|inf|1e999|é|0:1|99999999999:1|3000000000:1|.|e|+"
)
CLAIM_WORDS = (
    "claims:|unchecked:|anchors: |rule: |kind: beats|kind: flat|method: |at_least: |figure: |'1'"
    "|datasets: |metrics: |acc|{|}|[|]|- |: |\n|\n  |.nan|.inf|-1|0|1e300|~|é|&a |*a"
)
READING_WORDS = (
    "readings:|name: |stated|summary: |columns:|covers: |tables: |configs: |column: |tried: |'1'|A"
    "|one_error|{|}|[|]|- |: |\n|\n  |.nan|.inf|-1|0|1e300|~|é|&a |*a"
)
CELL_WORDS = (
    'table|dataset|mean|bold|as_printed|,|,|\n|\r|"|1|0|2|nan|inf|1e999|-0.1|one_error|yeast|A|é'
    "| |\x00|hamming_loss"
)
ARRAY_WORDS = "PK\x03\x04|\x93NUMPY|X.npy|{'descr': '<f8'}|\x00"
KINDS = {
    "yaml": Kind(".yaml", config.load_all, lambda: [CONFIG.encode()], YAML_WORDS),
    "dense arff": Kind(".arff", read_table, lambda: [DENSE.encode()], ARFF_WORDS),
    "sparse arff": Kind(".arff", read_table, lambda: [SPARSE.encode()], ARFF_WORDS),
    "mulan": Kind(".arff", read_mulan_of, lambda: [SPARSE.encode()], ARFF_WORDS),
    "xml": Kind(
        ".xml",
        read_labels_of,
        lambda: [XML.encode(), XML.replace("utf-8", "utf-16").encode("utf-16")],
        '<?xml version="1.0"|encoding="|utf-16|latin-1|?>|<labels>|</labels>|<label |name="|/>|'
        '</label>|&lt;|&x;|<!DOCTYPE x [|<!ENTITY x "y">|]>|"|a|é|<![CDATA[|\x00| |\n',
    ),
    "mat in parts": Kind(".mat", read_parts, lambda: mat_files(True), "MATLAB 5.0|\x00|\x0f|\x01"),
    "mat as a whole": Kind(".mat", read_whole, lambda: mat_files(False), "\x00|\x0e|\x08|data"),
    "rda": Kind(".rda", read_rda, rda_files, "RDX3\n|RDX2\n|X\n|A\n|\x00|\x03|\x01|é"),
    "fvec": Kind(".fvec", read_fvec, lambda: vectors("<i4", "<f4"), "\x00|\x03|\x03\x00\x00\x00"),
    "hvecs": Kind(".hvecs", read_hvecs, lambda: vectors("<i2", "<i2"), "\x00|\x03|\x03\x00"),
    "csv": Kind(
        ".csv",
        read_table,
        lambda: [CSV.encode(), b"\xef\xbb\xbf" + CSV.encode()],
        'a|b|c|,|,|\n|\r\n|\r|"|""|1|0|true|false|nan|inf|1e999|é| |\t|;|\x00|-1|NA',
    ),
    "arrays": Kind(".npz", read_table, npz_files, ARRAY_WORDS),
    "libsvm": Kind(".svm", read_table, lambda: [LIBSVM.encode()], LIBSVM_WORDS),
    "cell": Kind(".json", read_cell, lambda: [signed(cell_start())], JSON_WORDS),
    "signed cell": Kind(".json", read_cell, lambda: [cell_start()], JSON_WORDS, signed),
    "packed": Kind(
        ".jsonl.zst",
        read_packed,
        lambda: [zstandard.compress(packed_text())],
        JSON_WORDS + "|\n|\t",
        resealed,
    ),
    "claims": Kind(".yaml", read_claims_of, lambda: [CLAIMS.encode()], CLAIM_WORDS),
    "readings": Kind(".yaml", read_readings_of, lambda: [READINGS.encode()], READING_WORDS),
    "printed": Kind(".csv", read_printed, lambda: [PRINTED.encode()], CELL_WORDS),
    "packed text": Kind(
        ".jsonl.zst", read_packed, lambda: [packed_text()], JSON_WORDS + "|\n|\t", repacked
    ),
}


def damage(content: bytes, kind: str, place: int, length: int, new: bytes) -> bytes:
    """Flip a bit, cut something out or off, put something in, or say something twice."""
    place %= len(content) + 1
    end = place + length
    if kind == "flip":
        flipped = bytes([byte ^ (1 << length % 8) for byte in content[place : place + 1]])
        return content[:place] + flipped + content[place + 1 :]
    if kind == "cut":
        return content[:place] + content[end:]
    if kind == "cut off":
        return content[:place]
    if kind == "insert":
        return content[:place] + new + content[place:]
    if kind == "replace":
        return content[:place] + new + content[place + len(new) :]
    return content[:end] + content[place:end] * (1 + length % 3) + content[end:]


def damaged(kind: Kind):
    """Sound files with one to four faults."""
    words = st.sampled_from([word.encode() for word in kind.words.split("|")])
    fault = st.tuples(
        st.sampled_from(["flip", "cut", "cut off", "insert", "replace", "repeat"]),
        st.integers(0, 5_000),
        st.integers(1, 40),
        st.binary(min_size=1, max_size=4) | words,
    )

    def apply(seed, faults):
        for one in faults:
            seed = damage(seed, *one)
        return seed

    return st.builds(apply, st.sampled_from(kind.seeds()), st.lists(fault, min_size=1, max_size=4))


def made_up(kind: Kind):
    """Texts of the words of a format, and of any others."""
    words = st.sampled_from(kind.words.split("|")) | st.text(max_size=3)
    texts = st.lists(words, max_size=30).map("".join)
    return texts.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=60)


def check(kind: Kind, content: bytes, path: Path) -> None:
    """A sound result or one sentence; nothing else may come out."""
    path.write_bytes(kind.then(content))
    start = time.process_time()
    try:
        kind.read(path)
    except UserError as error:
        assert str(error) and "\n" not in str(error)
    except Damaged as error:
        assert str(error) and kind.suffix == ".json"
    assert time.process_time() - start < LONGEST


def run(name: str, limits: settings, folder: Path) -> None:
    kind = KINDS[name]
    path = folder / f"file{kind.suffix}"

    @limits
    @given(damaged(kind) | damaged(kind) | made_up(kind))
    def body(content):
        check(kind, content, path)

    body()


@pytest.mark.filterwarnings("ignore")  # of readers about what they guess
@pytest.mark.parametrize("name", KINDS)
def test_a_damaged_file_gives_a_sound_result_or_a_sentence(name, tmp_path):
    run(name, FAST, tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KINDS)
def test_a_damaged_file_gives_a_sound_result_or_a_sentence_many_times(name, tmp_path):
    run(name, SLOW, tmp_path)


@pytest.mark.parametrize("name", KINDS)
def test_undamaged_files_are_read(name, tmp_path):
    """Or the test above would see sentences alone."""
    kind = KINDS[name]
    for seed in kind.seeds():
        path = tmp_path / f"file{kind.suffix}"
        path.write_bytes(kind.then(seed))
        kind.read(path)
