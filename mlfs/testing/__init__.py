"""The contract of a method as checks, for your own tests: ``check_method(MyRanker)``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import registry
from ..active import QueryStrategy
from ..errors import UserError
from ..own import brief
from ..selectors import Ranker
from .common import EVERY
from .fitted import CLASSIFIER, FITTED, SELECTOR
from .strategies import STRATEGY


@dataclass(frozen=True)
class Check:
    """Hold one check of one class; a call raises an AssertionError that says what is wrong."""

    cls: Any
    function: Callable[[Any], None]

    @property
    def name(self) -> str:
        """What is checked."""
        return self.function.__name__

    def __str__(self) -> str:
        return self.name

    def __call__(self) -> None:
        """Run the check."""
        try:
            self.function(self.cls)
        except AssertionError as error:
            raise AssertionError(f"{self.cls.__name__}, {self.name}: {error}") from error
        except Exception as error:
            text = f"{self.cls.__name__}, {self.name}: it raised {brief(error)}"
            raise AssertionError(text) from error


def check_method(cls: Any, kind: str | None = None) -> None:
    """Raise an AssertionError unless a class keeps the contract of its kind.

    Parameters
    ----------
    cls : type
        A subclass of `Ranker`, `MultiLabelClassifier` or `QueryStrategy`, or any selector or
        classifier in the style of scikit-learn.
    kind : {"selector", "classifier", "strategy"}, optional
        As what to check a class that could be several; by default one that scores labels is a
        classifier.

    Examples
    --------
    >>> from mlfs.selectors import RandomSelector
    >>> from mlfs.testing import check_method
    >>> check_method(RandomSelector)
    """
    for check in checks(cls, kind):
        check()


def checks(cls: Any, kind: str | None = None) -> list[Check]:
    """Return the checks that `check_method` runs, for tests with one case each."""
    try:
        made = registry.fitting(cls.__name__, cls, [kind or _kind(cls)])
    except UserError as error:
        raise AssertionError(str(error)) from error
    if issubclass(made, QueryStrategy):
        own = STRATEGY
    else:
        own = FITTED + (SELECTOR if issubclass(made, Ranker) else CLASSIFIER)
    return [Check(made, function) for function in [*EVERY, *own]]


def _kind(cls: Any) -> str:
    if hasattr(cls, "query"):
        return "strategy"
    scores = hasattr(cls, "predict_proba") or hasattr(cls, "decision_function")
    return "classifier" if scores else "selector"
