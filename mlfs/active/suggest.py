"""What to annotate next, from two csv files: the tool behind ``mlfs active suggest``."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd

from ..errors import UserError, nearest
from ..types import Array
from . import STRATEGIES
from .base import Pool, QueryStrategy
from .model import BayesianCompressedSensing


def suggest(
    data: Path, labels: Path, n: int, *, strategy: str = "miml", labels_per_row: int | None = None
) -> pd.DataFrame:
    """Say which rows, or which labels of which rows, to annotate next.

    Parameters
    ----------
    data : Path
        csv of features, a header and one row of numbers per point.
    labels : Path
        csv of labels in the same order, a header with their names; 1, 0, or empty where unknown.
    n : int
        Rows to choose among those without any label.
    strategy : str, default="miml"
    labels_per_row : int, optional
        Choose this many labels of each row as well, the most informative first.

    Returns
    -------
    DataFrame
        In buying order: rank, row (counted from 1, the header left out), label when
        `labels_per_row` is given, and gain, in nats for miml and uncertainty.
    """
    if strategy not in STRATEGIES:
        raise UserError(
            f"unknown strategy '{strategy}'{nearest(strategy, STRATEGIES)} "
            f"(known: {', '.join(STRATEGIES)})"
        )
    _, X = read_numbers(data, empty=False)
    names, Y = read_numbers(labels, empty=True)
    if len(X) != len(Y):
        raise UserError(
            f"{data} has {len(X)} rows and {labels} has {len(Y)}: give one row of labels per "
            "row of data, empty where unknown"
        )
    if not np.isin(Y[~np.isnan(Y)], (0.0, 1.0)).all():
        raise UserError(f"{labels} holds values other than 1, 0 and empty: use 1 for relevant")
    deviation = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    pool = Pool(X, Y)
    left = len(pool.unlabelled)
    if len(pool.labelled) == 0:
        raise UserError(f"{labels} has no label at all: annotate a few rows at random first")
    if not 1 <= n <= left:
        raise UserError(f"{n} rows asked, but {left} rows of {labels} have no label: ask for fewer")
    if labels_per_row is not None and not 1 <= labels_per_row <= len(names):
        raise UserError(f"{labels_per_row} labels per row asked, but there are {len(names)}")
    if labels_per_row is not None and not STRATEGIES[strategy].chooses_labels:
        able = [name for name, cls in STRATEGIES.items() if cls.chooses_labels]
        raise UserError(
            f"strategy '{strategy}' chooses rows and not labels: use {', '.join(able)}, or leave "
            "--labels-per-row out"
        )
    model = BayesianCompressedSensing(random_state=0).fit(X[pool.labelled], Y[pool.labelled])
    chooser = STRATEGIES[strategy]()
    if "random_state" in chooser.get_params():  # the same files give the same advice
        chooser.set_params(random_state=0)
    rows = chooser.query(pool, model, n)
    if labels_per_row is None:
        table = pd.DataFrame({"row": rows + 1, "gain": chooser.gains_})
    else:
        table = _label_table(model, X, rows, names, labels_per_row, chooser)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    return table


def _label_table(
    model: BayesianCompressedSensing,
    X: Array,
    rows: Array,
    names: list[str],
    n: int,
    chooser: QueryStrategy,
) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    found = []
    for row, mu, v in zip(rows, *model.compressed(X[rows])):
        chosen, gains = chooser.choose_labels(model, mu, float(v), n, rng)
        found += [(row + 1, names[j], gain) for j, gain in zip(chosen, gains)]
    return pd.DataFrame(found, columns=["row", "label", "gain"])


def read_numbers(path: Path, *, empty: bool) -> tuple[list[str], Array]:
    """Read a csv with a header and numbers only, or raise a UserError that names the line.

    Parameters
    ----------
    path : Path
    empty : bool
        Whether a cell may be empty, which becomes nan.
    """
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            lines = [(reader.line_num, cells) for reader in [csv.reader(file)] for cells in reader]
    except OSError as error:
        raise UserError(f"cannot read {path} ({error.strerror}): give an existing csv") from None
    except (UnicodeDecodeError, csv.Error):
        raise UserError(f"{path} is not a csv in UTF-8: save it as such") from None
    if empty and lines and len(lines[0][1]) == 1:  # a blank line is an unknown single label
        lines = [(number, cells or [""]) for number, cells in lines]
    lines = [(number, cells) for number, cells in lines if cells]
    if len(lines) < 2:
        raise UserError(f"{path} has no rows: give a header and one line per point")
    header = [cell.strip() for cell in lines[0][1]]
    if all(_is_number(cell) for cell in header):
        raise UserError(f"{path} starts with numbers: add a header line with the column names")
    values = np.empty((len(lines) - 1, len(header)))
    for row, (number, cells) in zip(values, lines[1:]):
        if len(cells) != len(header):
            raise UserError(
                f"{path}, line {number} has {len(cells)} cells where the header has "
                f"{len(header)}: make them equal"
            )
        for j, cell in enumerate(cells):
            if not (_is_number(cell) or (empty and not cell.strip())):
                raise UserError(
                    f"{path}, line {number}, column '{header[j]}' holds {cell.strip()!r}: "
                    f"put a finite number{', or nothing where unknown' if empty else ''}"
                )
            row[j] = float(cell) if cell.strip() else np.nan
    return header, values


def _is_number(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False
