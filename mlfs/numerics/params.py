"""What the parameters of methods share: allowed ranges, counts that fit the data, and seeds."""

from __future__ import annotations

import math
import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state

from ..errors import count_of
from .sklearn_private import Interval, RealNotInt

POSITIVE = Interval(Real, 0, None, closed="neither")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
ZERO_OR_COUNT = Interval(Integral, 0, None, closed="left")
COUNT = Interval(Integral, 1, None, closed="left")
SHARE = Interval(RealNotInt, 0, 1, closed="right")  # the int 1 is a count, 1.0 means all

Seed = int | np.random.RandomState | None  # what scikit-learn calls a random_state


def as_count(asked: int | float, total: int, *, half_up: bool = False) -> int:
    """Turn a count (int) or a share of `total` (float) into a count of at least 1.

    Parameters
    ----------
    asked : int or float
        The count or the share.
    total : int
        The number that a share refers to.
    half_up : bool, default=False
        Round .5 up, as MATLAB does, instead of to the even neighbour.

    Returns
    -------
    int
        The count.
    """
    if isinstance(asked, Integral):
        return int(asked)
    return max(1, math.floor(asked * total + 0.5) if half_up else round(asked * total))


def count_within(asked: int | float, total: int, name: str) -> int:
    """Turn a count or a share into a count, and refuse it unless it is in 1..total."""
    count = as_count(asked, total)
    if not 1 <= count <= total:
        raise ValueError(f"{name} = {asked} of {total}: choose 1..{total}, or a share")
    return count


class TooManyWarning(UserWarning):
    """Warn that a count is too large for the data, and that a smaller one is used."""


def at_most(asked: int, possible: int, name: str, of: str) -> int:
    """Return `asked`; if it is more than `possible`, warn and return `possible`.

    Parameters
    ----------
    asked, possible : int
        The wanted and the largest possible number.
    name : str
        Name of the parameter.
    of : str
        What limits the number, such as "3 samples".

    Returns
    -------
    int
        The smaller of the two.
    """
    if asked <= possible:
        return asked
    text = f"{name} = {asked} is too many for {of}: {possible} used instead"
    warnings.warn(text, TooManyWarning, stacklevel=2)
    return possible


def neighbors_within(asked: int, n: int, name: str = "n_neighbors", *, spare: int = 1) -> int:
    """Return how many neighbours to use: `asked`, or fewer if there are not enough instances.

    An instance is not its own neighbour, so at most n - `spare` neighbours exist.
    """
    if n <= spare:
        there = count_of(n, "sample")
        raise ValueError(f"{name} = {asked} of {there}: use at least {spare + 1} samples")
    return at_most(asked, n - spare, name, count_of(n, "sample"))


def features_within(asked: int, d: int, name: str) -> int:
    """Return how many features to use: `asked`, or all d features if there are fewer."""
    return at_most(asked, d, name, count_of(d, "feature"))


def as_generator(random_state: Seed, *key: int) -> np.random.Generator:
    """Make a generator from what scikit-learn calls a random_state.

    Parameters
    ----------
    random_state : int, RandomState or None
        An int always gives the same numbers. From a RandomState, or from numpy's global one for
        None, a seed is drawn.
    *key : int
        Different keys give different generators for the same int.

    Returns
    -------
    Generator
        The generator.
    """
    if random_state is None or isinstance(random_state, np.random.RandomState):
        random_state = int(check_random_state(random_state).randint(2**31 - 1))
    return np.random.default_rng([random_state, *key])
