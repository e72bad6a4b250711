"""Suggest what to annotate next, from two csv files, for ``mlfs active suggest``."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from ..errors import UserError, nearest
from ..methods import discovery
from ..methods.labels import observed
from ..methods.strategy import Pool, QueryStrategy
from ..types import Array
from .annotator_tables import AnnotatorTable, id_like, read_features, read_labels
from .model import BayesianCompressedSensing


def suggest(
    data: Path,
    labels: Path,
    n: int,
    *,
    strategy: str = "miml",
    labels_per_row: int | None = None,
    id_column: str | None = None,
) -> pd.DataFrame:
    """Say which rows, or which labels of which rows, to annotate next.

    Parameters
    ----------
    data : Path
        csv of features, with a header and one row of numbers per point.
    labels : Path
        csv of labels, with a header of their names; 1, 0, or empty if unknown. Its rows are in
        the order of `data`, or have the same id column.
    n : int
        Number of rows to choose among those without any label.
    strategy : str, default="miml"
        Name of the query strategy.
    labels_per_row : int, optional
        Choose up to this many unknown labels of each row as well, the most informative first.
        Rows of which some labels are known can then be chosen, too.
    id_column : str, optional
        The column of `data` with the names of the rows; it is not a feature.

    Returns
    -------
    DataFrame
        In buying order: rank; id or, without ids, row (counted from 1 without the header); label
        if `labels_per_row` is given; and gain, in nats for miml and uncertainty.

    Warns
    -----
    UserWarning
        If a feature looks like an id.
    """
    strategies = discovery.methods(__package__, QueryStrategy)
    if strategy not in strategies:
        raise UserError(
            f"unknown strategy '{strategy}'{nearest(strategy, strategies)} "
            f"(known: {', '.join(strategies)})"
        )
    features = read_features(data, id_column)
    answers = read_labels(labels, id_column)
    if len(features.values) != len(answers.values):
        raise UserError(
            f"{data} has {len(features.values)} rows and {labels} has {len(answers.values)}: write "
            "one row of labels per row of data, with empty cells for unknown labels"
        )
    answers = answers.in_order_of(features)
    X, Y = features.values, answers.values
    if not observed(Y).any():
        raise UserError(f"{labels} has no label at all: annotate a few rows at random first")
    _check_wishes(answers, n, strategy, strategies, labels_per_row)
    _warn_of_ids(features)
    deviation = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    pool = Pool(X, Y)
    model = BayesianCompressedSensing(random_state=0).fit(X[pool.labelled], Y[pool.labelled])
    chooser = strategies[strategy]()
    if "random_state" in chooser.get_params():  # the same files give the same advice
        chooser.set_params(random_state=0)
    if labels_per_row is None:
        rows = chooser.query(pool, model, n)
        table = pd.DataFrame({"row": rows, "gain": chooser.gains_})
    else:
        # a row can be chosen until all its labels are known
        whole = observed(Y).all(axis=1, keepdims=True)
        rows = chooser.query(Pool(X, np.where(whole, Y, np.nan)), model, n)
        table = _label_table(model, pool, rows, answers.names, labels_per_row, chooser)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    if features.ids is None:
        return table.assign(row=table["row"] + 1)
    return table.assign(row=[features.ids[row] for row in table["row"]]).rename(
        columns={"row": "id"}
    )


def _check_wishes(
    labels: AnnotatorTable,
    n: int,
    strategy: str,
    strategies: dict[str, type[QueryStrategy]],
    labels_per_row: int | None,
) -> None:
    """Raise an error if the label file or the strategy cannot do what was asked."""
    known = observed(labels.values)
    without, partly = int((~known.any(axis=1)).sum()), int((~known.all(axis=1)).sum())
    if not partly:
        raise UserError(f"{labels.path} has every label of every row: nothing is left to suggest")
    if labels_per_row is None:
        if not 1 <= n <= without:
            hint = ", or for single labels (--labels-per-row)" if partly > without else ""
            raise UserError(
                f"{n} rows asked for, but only {without} rows of {labels.path} have no label: ask "
                f"for fewer{hint}"
            )
        return
    if not strategies[strategy].chooses_labels:
        able = [name for name, cls in strategies.items() if cls.chooses_labels]
        raise UserError(
            f"strategy '{strategy}' chooses rows, not labels: use {', '.join(able)}, or leave "
            "--labels-per-row out"
        )
    if not 1 <= n <= partly:
        raise UserError(
            f"{n} rows asked for, but only {partly} rows of {labels.path} have an unknown label: "
            "ask for fewer"
        )
    if not 1 <= labels_per_row <= len(labels.names):
        raise UserError(f"{labels_per_row} labels per row asked for: there are {len(labels.names)}")


def _warn_of_ids(features: AnnotatorTable) -> None:
    found = id_like(features)
    if not found:
        return
    names = ", ".join(f"'{name}'" for name in found)
    one = len(found) == 1
    if features.ids is None:
        advice = f"--id {found[0]} uses {'it' if one else 'the first'} as the name of the rows"
    else:
        advice = f"remove {'it' if one else 'the ids'} from the file"
    warnings.warn(
        f"{features.path}: rows have different whole numbers in column{'s' * (not one)} {names}, "
        f"used as {'a feature' if one else 'features'}; "
        f"if {'it is an id' if one else 'they are ids'}, {advice}",
        stacklevel=3,
    )


def _label_table(
    model: BayesianCompressedSensing,
    pool: Pool,
    rows: Array,
    names: list[str],
    n: int,
    chooser: QueryStrategy,
) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    mu, v = model.compressed(pool.X[rows])
    # the model learnt from partly labelled rows: predict each of them from the others
    learnt = np.flatnonzero(np.isin(rows, pool.labelled))
    places = np.searchsorted(pool.labelled, rows[learnt])
    mu[learnt], v[learnt] = (part[places] for part in model.compressed_left_out())
    found = []
    for row, mean, variance in zip(rows, mu, v):
        known = pool.Y[row]
        count = min(n, int((~observed(known)).sum()))
        chosen, gains = chooser.choose_labels(model, mean, float(variance), count, rng, known)
        found += [(row, names[j], gain) for j, gain in zip(chosen, gains)]
    return pd.DataFrame(found, columns=["row", "label", "gain"])
