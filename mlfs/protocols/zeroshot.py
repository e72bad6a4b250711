"""Zero-shot selection: rank features on seen classes, cluster unseen classes by the best k."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from pydantic import Field

from .. import datasets
from ..methods import registry
from ..types import Array, Matrix
from .cell import Cell, Data, Frozen, Record, Row, Settings
from .experiment.base import Mistake
from .experiment.repeated import Repeated
from .experiment.sizes import (
    Sizes,
    distinct,
    mistakes,
    of_dataset,
    resolve_all,
    without_other_sizes,
)
from .steps.apart import apart
from .steps.preparation import Scale, Stopwatch, scale_features
from .steps.returned import ChosenFeatures, choose
from .steps.seeds import generator, seed
from .steps.tuning import search_space
from .steps.unseen_classes import (
    check_training_part,
    cluster_scores,
    seen_choices,
    split_by_class,
    targets,
)
from .steps.untouched import own_copy, read_only

if TYPE_CHECKING:
    from ..datasets import ZeroShot

_KINDS = ("selector",)


class _Keys(Frozen):
    scale: Scale = Field("none", description="how to scale features, fitted on the seen classes")
    features: str | None = Field(
        None, description="a file res101.mat for sun and apy, the name of an extractor for cifar10"
    )
    n_seen: int | None = Field(
        None, ge=1, description="draw this many seen classes; by default the dataset's own split"
    )
    supervision: Literal["attributes", "labels"] = Field(
        "attributes", description="rank by the attributes of the classes, or only by the classes"
    )
    labelled: float = Field(1.0, gt=0, le=1, description="share of each seen class that is used")
    test_rows: int | None = Field(
        None, ge=2, description="largest number of unseen instances to cluster; by default all"
    )
    sizes: Sizes = Field(
        [str(size) for size in range(5, 55, 5)],
        description="numbers of features: counts or shares; "
        "or a list for each dataset, by name or as 'default'",
    )
    n_starts: int = Field(20, ge=1, description="K-means starts")
    best_of_grid: bool = Field(
        False,
        description="report the best point of each method's search space on the TEST part, as the "
        "paper does for the methods it compares with",
    )


class ZeroshotSettings(_Keys, Settings):
    """The settings of a cell of a zero-shot experiment."""

    protocol: Literal["zeroshot"]


class ZeroshotExperiment(_Keys, Repeated):
    """An experiment that compares selectors on classes that they have not seen.

    With `n_seen`, each repeat draws other seen classes.
    """

    kinds = _KINDS
    cell_settings = ZeroshotSettings
    classes = True
    axis = "n_features"
    scores = {"acc": True, "nmi": True}

    protocol: Literal["zeroshot"] = Field(description="the kind of experiment")

    def prepare(self, data: Data) -> None:
        """Compute features of images that do not depend on the seen classes, before cells run."""
        from ..datasets.images.image_features import ImageFeatures

        X = _load(data.name, self.features, None).X
        if isinstance(X, ImageFeatures) and not X.extractor.needs_fit:
            X[:1]

    def quick_version(self) -> Self:
        """Return a quick version of the experiment, with the sizes of its only dataset."""
        return without_other_sizes(super().quick_version())

    def _setting_mistakes(self, settings: Any) -> Iterator[Mistake]:
        return mistakes(settings.sizes, self.datasets)


@lru_cache(maxsize=2)  # with n_seen, a cell needs the dataset's own split and the drawn one
def _load(name: str, features: str | None, seen: tuple[int, ...] | None) -> ZeroShot:
    return datasets.load_zero_shot(name, features, seen=seen)


def run(cell: Cell) -> Record:
    """Run one cell: one method and one choice of seen classes."""
    settings = cell.settings
    assert isinstance(settings, ZeroshotSettings)
    data = _load(cell.data.name, settings.features, _seen(cell, settings))
    split = split_by_class(data.classes, data.attributes, data.seen, data.unseen)
    train = _labelled(split.train, data.classes, settings.labelled, generator(cell, "rows"))
    test, notes = split.test, list[str]()
    if settings.test_rows and settings.test_rows < len(test):
        test = np.sort(generator(cell, "test").choice(test, settings.test_rows, replace=False))
        notes.append(f"{len(test)} of {len(split.test)} unseen instances were clustered")
    check_training_part(data.classes[train], split)
    both = data.X[np.concatenate([train, test])]
    X, X_test = scale_features(settings.scale, both[: len(train)], both[len(train) :])
    Y = targets(data.classes[train], data.attributes, settings.supervision)
    X, Y, X_test = read_only(X), read_only(Y), read_only(X_test)
    candidates, told = apart(lambda: _candidates(cell, settings, len(train)), cell.foreign)
    notes += told
    watch = Stopwatch()
    runs = [
        _evaluate(cell, settings, params, X, Y, X_test, data.classes[test], watch)
        for params in candidates
    ]
    scores = [np.mean([row["acc"] for row in rows]) for rows, _ in runs]
    best = int(np.argmax(scores))  # the first one wins ties
    rows, features = runs[best]
    return Record(
        rows=rows,
        features=features,
        n_features=X.shape[1],
        notes=notes,
        seconds=watch.seconds,
        info={"params": candidates[best]},
    )


def _candidates(
    cell: Cell, settings: ZeroshotSettings, n: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the parameters to try, and notes for readers of the scores."""
    name, notes = cell.method.name, list[str]()
    method = registry.build(name, cell.params, _KINDS, seed=0)
    rows = method.get_params().get("max_samples")
    if rows and rows < n:
        notes.append(f"{name} was fitted on {rows} of {n} instances, drawn at random")
    space = search_space(cell, _KINDS) if settings.best_of_grid else {}
    if space:
        notes.append(f"{name}: parameters chosen on the TEST part, as the paper did")
    points = itertools.product(*space.values())
    return [cell.params | dict(zip(space, point)) for point in points], notes


def _evaluate(
    cell: Cell,
    settings: ZeroshotSettings,
    params: dict[str, Any],
    X: Matrix,
    Y: Array,
    X_test: Matrix,
    classes: Array,
    watch: Stopwatch,
) -> tuple[list[Row], list[list[int]]]:
    chosen = apart(lambda: _choose(cell, settings, params, X, Y), cell.foreign)
    watch.add("fit", chosen.seconds)
    subsets = chosen.checked(cell.method.name, X.shape[1])
    with watch("cluster"):
        scores = list(
            cluster_scores(
                X_test,
                classes,
                subsets,
                n_starts=settings.n_starts,
                random_state=seed(cell, "kmeans"),
            )
        )
    rows = [{"n_features": row.pop("size"), **row} for row in scores]
    return rows, distinct(subsets)


def _choose(
    cell: Cell, settings: ZeroshotSettings, params: dict[str, Any], X: Matrix, Y: Array
) -> ChosenFeatures:
    """Return the features that a selector chooses for every size."""
    selector, d = registry.build(cell.method.name, params, _KINDS, seed(cell, "method")), X.shape[1]
    sizes = selector.sizes(resolve_all(of_dataset(settings.sizes, cell.data.name), d), d)
    if cell.foreign:
        X, Y = own_copy(X), own_copy(Y)
    return choose(selector, X, Y, sizes)


def _seen(cell: Cell, settings: ZeroshotSettings) -> tuple[int, ...] | None:
    """Return the seen classes of a repeat; repeats use different choices in a random order."""
    if settings.n_seen is None:
        return None
    n_classes = len(_load(cell.data.name, settings.features, None).attributes)
    choices = seen_choices(n_classes, settings.n_seen)
    order = generator(cell, "seen", repeat=0).permutation(len(choices))
    return choices[int(order[cell.repeat % len(choices)])]


def _labelled(rows: Array, classes: Array, share: float, rng: np.random.Generator) -> Array:
    """Return a share of the rows of every class, at least one each."""
    if share == 1.0:
        return rows
    groups = (rows[classes[rows] == name] for name in np.unique(classes[rows]))
    kept = (rng.permutation(group)[: max(1, round(share * len(group)))] for group in groups)
    return np.sort(np.fromiter(itertools.chain.from_iterable(kept), dtype=int))
