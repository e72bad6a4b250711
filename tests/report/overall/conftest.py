"""Groups of made-up results: every score is known."""

import numpy as np
import pandas as pd
import pytest

from mlfs.report.overall.cases import (
    AVAILABLE,
    CONTROL,
    KNOWS,
    ORACLE,
    ZERO,
    Entrant,
    ResultGroup,
    family,
)

# nine families; the Yahoo sets are one of them
SETS = [
    *("arts", "business", "health", "science"),
    *("emotions", "yeast", "scene", "image", "enron", "medical", "corel5k", "bibtex"),
]
ENTRANTS = [
    *(Entrant(name, arm) for name in ("alpha", "beta") for arm in (ZERO, AVAILABLE, ORACLE)),
    Entrant("gamma", KNOWS),
    Entrant("random", CONTROL),
]
RATIOS = (0.0, 0.4, 0.7)


@pytest.fixture
def grouped():
    """``grouped(score, **changes)``: a group where ``score(entrant, dataset, ratio)`` holds."""

    def make(score, entrants=ENTRANTS, sets=SETS, ratios=RATIOS, **changes):
        index = pd.MultiIndex.from_product([sets, ratios], names=["dataset", "ratio"])
        rows = [[score(one, name, ratio) for one in entrants] for name, ratio in index]
        names = [one.name for one in entrants]
        about = {
            "experiments": ["made"],
            "protocol": "selection",
            "kind": "visible: labels unknown",
            "tuned": False,
            "panel": "full",
            "metric": "average_precision",
            "larger": True,
            "values": pd.DataFrame(rows, index, names, dtype=float),
            "seconds": {name: float(i + 1) for i, name in enumerate(names)},
            "stability": dict.fromkeys(names, 0.5),
            "families": {name: family(name) for name in sets},
            "entrants": list(entrants),
        }
        return ResultGroup(**about | changes)

    return make


def noise(entrant, dataset, ratio):
    """A small number that looks random but is always the same."""
    text = f"{entrant.name}{dataset}{ratio}".encode()
    return np.random.default_rng(list(text)).normal() * 0.001


def level(dataset):
    return 0.3 + 0.04 * SETS.index(dataset)


EFFECTS = {ZERO: 0.0, AVAILABLE: 0.03, ORACLE: 0.05, KNOWS: 0.04, CONTROL: -0.1}


def usual(entrant, dataset, ratio):
    """Zero-filling loses a tenth of the ratio; the others win something of it back."""
    return (
        level(dataset)
        - 0.1 * ratio
        + EFFECTS[entrant.arm] * (ratio > 0)
        + noise(entrant, dataset, ratio)
    )
