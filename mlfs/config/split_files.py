"""Write splits and masks as index files, so that programs in MATLAB and R use the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ..errors import UserError
from ..protocols import Experiment
from ..protocols.plan import Planned, plan
from ..protocols.steps.preparation import load_dataset
from ..protocols.steps.seeds import generator
from ..types import Array

KINDS = ("csv", "mat")
_ABOUT = """Splits and masks of {name}, as mlfs draws them.

All numbers start at 1. Rows and labels are those of the dataset as mlfs loads it, whose size is in
datasets.csv and whose labels are in DATASET/labels.csv; the official training rows come first.
DATASET/repeat_K has the rows of the training part (train) and of the test part (test) of repeat K.
hidden_R lists what the mask hides in the training part if R percent are hidden: the row, the label,
and the value that a method sees: 0 for a hidden positive, NaN for a label that is unknown.
Features are scaled after the split: {scale}.

MATLAB:  load('yeast/repeat_1.mat'); Xtrain = X(train, :); Y(sub2ind(size(Y), hidden_40(:, 1),
         hidden_40(:, 2))) = hidden_40(:, 3); Ytrain = Y(train, :);
R:       train <- read.csv("yeast/repeat_1/train.csv")$row; hidden <- read.csv(
         "yeast/repeat_1/hidden_40.csv"); Y[cbind(hidden$row, hidden$label)] <- hidden$seen
"""


@dataclass(frozen=True)
class IndexFiles:
    """The split of one repeat, and what the masks hide in it; all numbers start at 1.

    Attributes
    ----------
    dataset : str
    repeat : int
        Number of the repeat.
    train, test : ndarray
        Rows of both parts.
    hidden : dict of str to ndarray of shape (k, 3)
        For each ratio, by the name of its file: row, label, and the value that a method sees.
    """

    dataset: str
    repeat: int
    train: Array
    test: Array
    hidden: dict[str, Array]


def splits_of(experiment: Experiment) -> Iterator[IndexFiles]:
    """Yield the splits of an experiment, dataset by dataset and repeat by repeat."""
    usual = experiment.settings({})
    if not hasattr(usual[0], "split") or not hasattr(usual[0], "mask"):
        raise UserError(
            f"protocol {experiment.protocol} has no splits with masks: export a config of "
            "protocol selection or learning"
        )
    cells: dict[tuple[str, int], dict[float, Planned]] = {}
    masks = {one.ratio: getattr(one, "mask", None) for one in usual}
    for planned in plan(experiment):
        first = planned.series.cell
        settings: Any = first.settings
        if settings.mask == masks.get(settings.ratio):  # not the mask of one column alone
            place = cells.setdefault((first.data.name, planned.repeat), {})
            place.setdefault(settings.ratio, planned)
    for (name, repeat), by_ratio in cells.items():
        yield _drawn(name, repeat, by_ratio)


def _drawn(name: str, repeat: int, by_ratio: dict[float, Planned]) -> IndexFiles:
    hidden: dict[str, Array] = {}
    train = test = np.empty(0, dtype=int)
    for ratio, planned in by_ratio.items():
        cell = planned.cell
        settings: Any = cell.settings
        data = load_dataset(cell.data)
        train, test = settings.split.indices(
            data, cell.repeat, lambda turn, cell=cell: generator(cell, "split", repeat=turn)
        )
        if ratio:
            seen = settings.mask(data.Y[train], generator(cell, "mask"))
            rows, labels = np.nonzero(seen != data.Y[train])
            values = seen[rows, labels]
            hidden[f"hidden_{100 * ratio:g}".replace(".", "_")] = np.column_stack(
                [np.asarray(train)[rows] + 1, labels + 1, values]
            )
    return IndexFiles(name, repeat + 1, np.asarray(train) + 1, np.asarray(test) + 1, hidden)


def export(experiment: Experiment, folder: Path, kind: str) -> Iterator[Path]:
    """Write the splits of an experiment into a folder, and yield each file when it is there."""
    root = folder / experiment.name
    try:
        root.mkdir(parents=True, exist_ok=True)
        scale = getattr(experiment, "scale", "none")
        (root / "README.txt").write_text(_ABOUT.format(name=experiment.name, scale=scale), "utf-8")
        _facts(experiment).to_csv(root / "datasets.csv", index=False)
        yield root / "datasets.csv"
        for one in splits_of(experiment):
            place = root / one.dataset
            if not (place / "labels.csv").exists():
                place.mkdir(exist_ok=True)
                _labels(experiment, one.dataset).to_csv(place / "labels.csv", index=False)
            yield from (_as_mat if kind == "mat" else _as_csv)(one, place)
    except OSError as error:
        raise UserError(
            f"cannot write to {root} ({error.strerror}): name another folder with --output"
        ) from error


def _facts(experiment: Experiment) -> pd.DataFrame:
    rows = []
    for choice in experiment.datasets:
        data = load_dataset(choice.data)
        rows.append([choice.name, *data.X.shape, data.Y.shape[1], choice.data.checksum])
    return pd.DataFrame(rows, columns=["dataset", "rows", "features", "labels", "checksum"])


def _labels(experiment: Experiment, name: str) -> pd.DataFrame:
    [choice] = [one for one in experiment.datasets if one.name == name]
    names = load_dataset(choice.data).label_names
    return pd.DataFrame({"label": range(1, len(names) + 1), "name": names})


def _as_csv(one: IndexFiles, place: Path) -> Iterator[Path]:
    folder = place / f"repeat_{one.repeat}"
    folder.mkdir(exist_ok=True)
    for part, rows in (("train", one.train), ("test", one.test)):
        pd.DataFrame({"row": rows}).to_csv(folder / f"{part}.csv", index=False)
        yield folder / f"{part}.csv"
    for name, entries in one.hidden.items():
        frame = pd.DataFrame(entries, columns=["row", "label", "seen"])
        frame = frame.astype({"row": int, "label": int})
        frame.to_csv(folder / f"{name}.csv", index=False, na_rep="NaN")
        yield folder / f"{name}.csv"


def _as_mat(one: IndexFiles, place: Path) -> Iterator[Path]:
    file = place / f"repeat_{one.repeat}.mat"
    content = {"train": one.train[:, None], "test": one.test[:, None], **one.hidden}
    scipy.io.savemat(file, {name: np.asarray(v, dtype=float) for name, v in content.items()})
    yield file
