"""Read the datasets of Mulan: ARFF files, and an XML file with the names of the labels."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import scipy.sparse as sp

from ...errors import UserError
from ...numerics.linalg import dense
from ...types import Array, Matrix
from ..dataset import Parsed
from .arff import Arff, damaged, read_arff


def read_labels(path: Path) -> list[str]:
    """Read the label names of a Mulan XML file, including nested labels."""
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # also an odd encoding
        raise UserError(f"{path} is not an XML file of labels ({error}); get it again.") from error
    inside = [node for node in root.iter() if node is not root]
    if any(str(node.tag).rpartition("}")[2] != "label" for node in inside):
        raise UserError(f"{path} contains elements that are not labels; get it again.")
    names = [node.get("name", "") for node in inside]
    if "" in names or len(set(names)) < len(names):
        raise UserError(f"{path} has a label without a name, or a name twice; get it again.")
    return names


def read_mulan(parts: list[Path], labels: Path) -> Parsed:
    """Read a dataset of one or several ARFF files (training before test).

    The XML file says which columns are labels. Labels keep the order of the ARFF columns, as in
    every other copy of the datasets.
    """
    files = [read_arff(part) for part in parts]
    names = files[0].names
    for part, file in zip(parts, files):
        if file.names != names:
            raise UserError(f"{part} has other attributes than {parts[0]}; get both again.")
        if sp.issparse(file.values) != sp.issparse(files[0].values):
            raise UserError(f"only one of {part} and {parts[0]} is sparse; get both again.")
    wanted = set(read_labels(labels))
    missing = sorted(wanted - set(names))
    if missing or not wanted:
        raise UserError(
            f"{labels} names labels that {parts[0]} lacks: {missing[:3]}; get both again."
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise UserError(f"{parts[0]} has two columns '{twice[0]}'; get it again.")
    is_label = np.array([name in wanted for name in names])
    columns = np.flatnonzero(is_label)
    Y = np.vstack([_binary(part, file, columns) for part, file in zip(parts, files)])
    tables = [file.values for file in files]
    whole = sp.vstack(tables, format="csc") if sp.issparse(tables[0]) else np.vstack(tables)
    X: Matrix = whole[:, np.flatnonzero(~is_label)]
    return Parsed(
        X=X.tocsr() if sp.issparse(X) else X,
        Y=Y,
        feature_names=[n for n, is_one in zip(names, is_label) if not is_one],
        label_names=[n for n, is_one in zip(names, is_label) if is_one],
        n_train=tables[0].shape[0] if len(parts) > 1 else None,
    )


def read_last(path: Path, count: int) -> Parsed:
    """Read one ARFF file, without an XML file, whose last `count` columns are the labels."""
    file = read_arff(path)
    place = len(file.names) - count
    if place < 1:
        raise UserError(f"{path} has {len(file.names)} columns, so {count} cannot be labels.")
    X: Matrix = file.values[:, :place]
    return Parsed(
        X=X,
        Y=_binary(path, file, np.arange(place, len(file.names))),
        feature_names=file.names[:place],
        label_names=file.names[place:],
    )


def _binary(path: Path, file: Arff, columns: Array) -> Array:
    """Return the labels of one part, and check all values of the part."""
    values = file.values.data if sp.issparse(file.values) else file.values
    if np.isnan(values).any():
        row = int(np.flatnonzero(np.isnan(dense(file.values.sum(axis=1))).ravel())[0])
        raise damaged(path, file.lines[row], "a value is missing")
    Y = dense(file.values[:, columns])
    wrong = np.argwhere(~np.isin(Y, (0, 1)))
    if len(wrong):
        row, label = wrong[0]
        what = f"label '{file.names[columns[label]]}' is {Y[row, label]:g}, not 0 or 1"
        raise damaged(path, file.lines[row], what)
    return Y.astype(np.uint8)
