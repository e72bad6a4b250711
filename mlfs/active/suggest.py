"""Suggest what to annotate next, from own data, for ``mlfs active suggest``."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..datasets.user.own_table import OwnTable
from ..errors import UserError, nearest
from ..methods import discovery
from ..methods.labels import observed
from ..methods.strategy import Pool, QueryStrategy
from ..numerics.linalg import dense
from ..types import Array
from .model import BayesianCompressedSensing


def suggest(
    table: OwnTable, n: int, *, strategy: str = "miml", labels_per_row: int | None = None
) -> pd.DataFrame:
    """Say which rows, or which labels of which rows, to annotate next.

    Parameters
    ----------
    table : OwnTable
        The features, and the labels that are known.
    n : int
        Number of rows to choose among those without any label.
    strategy : str, default="miml"
        Name of the query strategy.
    labels_per_row : int, optional
        Choose up to this many unknown labels of each row as well, the most informative first.
        Rows of which some labels are known can then be chosen, too.

    Returns
    -------
    DataFrame
        In buying order: rank; id or, without ids, row (counted from 1 without the header); label
        if `labels_per_row` is given; and gain, in nats for miml and uncertainty.
    """
    strategies = discovery.methods(__package__, QueryStrategy)
    if strategy not in strategies:
        raise UserError(
            f"unknown strategy '{strategy}'{nearest(strategy, strategies)} "
            f"(known: {', '.join(strategies)})"
        )
    X, Y = dense(table.X), table.Y
    _check_wishes(table, n, strategy, strategies, labels_per_row)
    deviation = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    pool = Pool(X, Y)
    model = BayesianCompressedSensing(random_state=0).fit(X[pool.labelled], Y[pool.labelled])
    chooser = strategies[strategy]()
    if "random_state" in chooser.get_params():  # the same files give the same advice
        chooser.set_params(random_state=0)
    if labels_per_row is None:
        rows = chooser.query(pool, model, n)
        suggestions = pd.DataFrame({"row": rows, "gain": chooser.gains_})
    else:
        # a row can be chosen until all its labels are known
        whole = observed(Y).all(axis=1, keepdims=True)
        rows = chooser.query(Pool(X, np.where(whole, Y, np.nan)), model, n)
        suggestions = _label_table(model, pool, rows, table.label_names, labels_per_row, chooser)
    suggestions.insert(0, "rank", np.arange(1, len(suggestions) + 1))
    suggestions["row"] = [table.row_name(int(row)) for row in suggestions["row"]]
    return suggestions if table.ids is None else suggestions.rename(columns={"row": "id"})


def _check_wishes(
    table: OwnTable,
    n: int,
    strategy: str,
    strategies: dict[str, type[QueryStrategy]],
    labels_per_row: int | None,
) -> None:
    """Raise an error if the label file or the strategy cannot do what was asked."""
    known, place = observed(table.Y), table.label_place
    without, partly = int((~known.any(axis=1)).sum()), int((~known.all(axis=1)).sum())
    if not partly:
        raise UserError(f"{place} has every label of every row: nothing is left to suggest")
    if labels_per_row is None:
        if not 1 <= n <= without:
            hint = ", or for single labels (--labels-per-row)" if partly > without else ""
            raise UserError(
                f"{n} rows asked for, but only {without} rows of {place} have no label: ask "
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
            f"{n} rows asked for, but only {partly} rows of {place} have an unknown label: "
            "ask for fewer"
        )
    if not 1 <= labels_per_row <= len(table.label_names):
        raise UserError(
            f"{labels_per_row} labels per row asked for: there are {len(table.label_names)}"
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
    questions = []
    for row, mean, variance in zip(rows, mu, v):
        known = pool.Y[row]
        count = min(n, int((~observed(known)).sum()))
        chosen, gains = chooser.choose_labels(model, mean, float(variance), count, rng, known)
        questions += [(row, names[j], gain) for j, gain in zip(chosen, gains)]
    return pd.DataFrame(questions, columns=["row", "label", "gain"])
