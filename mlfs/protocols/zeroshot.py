"""Zero-shot selection: rank features on seen classes, cluster the unseen ones by the best k."""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from pydantic import Field, PositiveInt

from ..datasets import ZeroShot, load_zero_shot
from ..errors import UserError
from ..selectors import SELECTORS
from ..types import Array, Matrix
from ..zeroshot import check_training_part, cluster_scores, seen_choices, split_by_class, targets
from .common import Experiment, Record, Scale, Spec, Stopwatch, build, generator, scale_features
from .tuning import search_space


class Config(Experiment):
    """An experiment that compares selectors on classes they have not seen.

    Of `split`, only the repeats matter: with `n_seen`, each repeat draws other seen classes.
    """

    registry = SELECTORS
    cell_keys = (
        "scale",
        "features",
        "n_seen",
        "supervision",
        "labelled",
        "test_rows",
        "sizes",
        "n_starts",
        "best_of_grid",
    )
    axis = "n_features"
    scores = {"acc": True, "nmi": True}

    protocol: Literal["zeroshot"]
    scale: Scale = "none"
    features: str | None = Field(
        None, description="a res101.mat for sun and apy, an extractor's name for cifar10"
    )
    n_seen: int | None = Field(
        None, ge=1, description="draw this many seen classes; by default the set's own split"
    )
    supervision: Literal["attributes", "labels"] = "attributes"
    labelled: float = Field(1.0, gt=0, le=1, description="share of each seen class that is used")
    test_rows: int | None = Field(
        None, ge=2, description="unseen instances to cluster at the most; by default all"
    )
    sizes: list[PositiveInt] = Field(list(range(5, 55, 5)), min_length=1)
    n_starts: int = Field(20, ge=1, description="K-means starts")
    best_of_grid: bool = Field(
        False,
        description="report the best point of each method's search space on the TEST part, as the "
        "paper does for the methods it compares with",
    )

    def prepare(self, name: str, clean: bool) -> None:
        _load(name, self.features, None)


@lru_cache(maxsize=1)
def _load(name: str, features: str | None, seen: tuple[int, ...] | None) -> ZeroShot:
    return load_zero_shot(name, features, seen=seen)


def run(spec: Spec) -> Record:
    """Run one cell: one method and one choice of seen classes."""
    data = _load(spec["dataset"], spec["features"], _seen(spec))
    split = split_by_class(data.classes, data.attributes, data.seen, data.unseen)
    train = _labelled(split.train, data.classes, spec["labelled"], generator(spec, "rows"))
    test, notes = split.test, list[str]()
    if spec["test_rows"] and spec["test_rows"] < len(test):
        test = np.sort(generator(spec, "test").choice(test, spec["test_rows"], replace=False))
        notes.append(f"{len(test)} of {len(split.test)} unseen instances were clustered")
    check_training_part(data.classes[train], split)
    X, X_test = scale_features(spec["scale"], data.X[train], data.X[test])
    Y = targets(data.classes[train], data.attributes, spec["supervision"])
    candidates = _candidates(spec, len(train), notes)
    watch = Stopwatch()
    found = [
        (_evaluate(spec, params, X, Y, X_test, data.classes[test], watch), params)
        for params in candidates
    ]
    rows, best = max(found, key=lambda item: np.mean([row["acc"] for row in item[0]]))
    return {"rows": rows, "notes": notes, "seconds": watch.seconds, "info": {"params": best}}


def _candidates(spec: Spec, n: int, notes: list[str]) -> list[dict[str, Any]]:
    """The parameters to try, and notes on what a reader of the scores must know."""
    method = build(SELECTORS, spec["method"], spec["params"], seed=0)
    rows = method.get_params().get("max_samples")
    if rows and rows < n:
        notes.append(f"{spec['method']} was fitted on {rows} of {n} instances, drawn by lot")
    space = search_space(spec, SELECTORS) if spec["best_of_grid"] else {}
    if space:
        notes.append(f"{spec['method']}: parameters chosen on the TEST part, as the paper did")
    points = itertools.product(*space.values())
    return [spec["params"] | dict(zip(space, point)) for point in points]


def _evaluate(
    spec: Spec,
    params: dict[str, Any],
    X: Matrix,
    Y: Array,
    X_test: Matrix,
    classes: Array,
    watch: Stopwatch,
) -> list[dict[str, float]]:
    seed = int(generator(spec, "method").integers(2**31))
    selector = build(SELECTORS, spec["method"], params, seed)
    sizes = [size for size in spec["sizes"] if size <= X.shape[1]]
    if not sizes:
        raise UserError(f"every size exceeds the {X.shape[1]} features: add a smaller one.")
    with watch("fit"):
        subsets = selector.subsets(X, Y, sizes)
    start = int(generator(spec, "kmeans").integers(2**31))
    with watch("cluster"):
        scores = cluster_scores(
            X_test, classes, subsets, n_starts=spec["n_starts"], random_state=start
        )
        return [{"n_features": row.pop("size"), **row} for row in scores]


def _seen(spec: Spec) -> tuple[int, ...] | None:
    """The seen classes of a repeat: choices in an order of the seed's own, none twice."""
    if spec["n_seen"] is None:
        return None
    n_classes = len(_load(spec["dataset"], spec["features"], None).attributes)
    choices = seen_choices(n_classes, spec["n_seen"])
    order = generator(spec, "seen", repeat=0).permutation(len(choices))
    return choices[order[spec["repeat"] % len(choices)]]


def _labelled(rows: Array, classes: Array, share: float, rng: np.random.Generator) -> Array:
    """A share of the rows of every class, at least one each."""
    if share == 1.0:
        return rows
    groups = (rows[classes[rows] == name] for name in np.unique(classes[rows]))
    kept = (rng.permutation(group)[: max(1, round(share * len(group)))] for group in groups)
    return np.sort(np.fromiter(itertools.chain.from_iterable(kept), dtype=int))
