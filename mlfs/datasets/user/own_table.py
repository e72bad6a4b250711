"""The user's own data as one table for commands that work on all of its rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ...errors import UserError
from ...types import Array, Matrix
from .description import Impute, UserData
from .user_data import read_own


@dataclass(frozen=True)
class OwnTable:
    """Hold the rows of the user's own data.

    Parameters
    ----------
    own : UserData
        Where the data are.
    X : ndarray or csr_matrix of shape (n, d)
        The features, with missing values filled in.
    given : ndarray or csr_matrix of shape (n, d)
        The features as the file has them.
    Y : ndarray of shape (n, l)
        The labels: 1, 0, or nan where unknown.
    feature_names, label_names : list of str
        Names of the columns.
    ids : list of str or None
        Names of the rows, if there is an id column.
    notes : list of str
        What a user should know.
    """

    own: UserData
    X: Matrix
    given: Matrix
    Y: Array
    feature_names: list[str]
    label_names: list[str]
    ids: list[str] | None
    notes: list[str]

    @property
    def label_place(self) -> str:
        """Return the name of the file that has the labels, for messages."""
        return self.own.label_file or self.own.path or f"dataset {self.own.openml} of OpenML"

    def row_name(self, row: int) -> str | int:
        """Return the id of a row or, without ids, its number, counted from 1."""
        return row + 1 if self.ids is None else self.ids[row]


def read_table(own: UserData) -> OwnTable:
    """Read the user's own data.

    Parameters
    ----------
    own : UserData
        Where the data are and how to read them.

    Returns
    -------
    OwnTable
        All rows, with missing values of features filled in as `own` says.
    """
    data = read_own(own)
    _check_ids(own, data.ids)
    notes = list(data.notes)
    for name in id_like(data.X, data.feature_names):
        advice = f"--id {name}" if own.id is None else "remove it from the file"
        notes.append(
            f"'{name}' has a different whole number in every row, and is used as a feature: if it "
            f"is an id, {'use ' if own.id is None else ''}{advice}"
        )
    X = fill_in(data.X, own.impute) if own.impute else data.X
    return OwnTable(
        own=own,
        X=X,
        given=data.X,
        Y=data.Y.astype(float),
        feature_names=data.feature_names,
        label_names=data.label_names,
        ids=data.ids,
        notes=notes,
    )


def _check_ids(own: UserData, ids: list[str] | None) -> None:
    for name, count in Counter(ids or ()).items():
        if count > 1 or name == "nan":  # an empty field
            what = "no value" if name == "nan" else f"{name!r} {count} times"
            raise UserError(
                f"{own.path} has {what} in the column '{own.id}': give every row its own id"
            )


def id_like(X: Matrix, names: list[str]) -> list[str]:
    """Return the names of features with a different whole number in every row, as ids have.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n, d)
        The features.
    names : list of str
        Their names.

    Returns
    -------
    list of str
        The names of the columns that may be ids; none in a sparse matrix or in a few rows.
    """
    if sp.issparse(X) or len(X) < _MANY:
        return []
    whole = (np.round(X) == X).all(axis=0)
    return [names[j] for j in np.flatnonzero(whole) if len(np.unique(X[:, j])) == len(X)]


def fill_in(X: Matrix, how: Impute) -> Matrix:
    """Return features with missing values replaced by the mean or the median of their column."""
    from sklearn.impute import SimpleImputer

    # a column without any value becomes 0, so that the number of features stays
    filled = SimpleImputer(strategy=how, keep_empty_features=True).fit_transform(X)
    return sp.csr_matrix(filled) if sp.issparse(filled) else filled


_MANY = 10  # rows: from here on, a column of distinct whole numbers may be an id
