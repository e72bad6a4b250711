"""Check in your own tests that a method fulfils its contract: ``check_method(MyRanker)``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..active import QueryStrategy
from ..errors import UserError
from ..methods import registry
from ..methods.user_code import brief
from ..selectors import Ranker
from .common import EVERY
from .fitted import CLASSIFIER, FITTED, SELECTOR
from .strategies import STRATEGY


@dataclass(frozen=True)
class Check:
    """Hold one check of one class; calling it raises an AssertionError if the class fails."""

    cls: Any
    function: Callable[[Any], None]

    @property
    def name(self) -> str:
        """The name of the check."""
        return self.function.__name__

    def __str__(self) -> str:
        return self.name

    def __call__(self) -> None:
        """Run the check; the AssertionError says what is wrong."""
        try:
            self.function(self.cls)
        except AssertionError as error:
            raise AssertionError(f"{self.cls.__name__}, {self.name}: {error}") from error
        except Exception as error:
            text = f"{self.cls.__name__}, {self.name}: it raised {brief(error)}"
            raise AssertionError(text) from error


def check_method(cls: Any, kind: str | None = None) -> None:
    """Raise an AssertionError if a class does not fulfil the contract of its kind.

    Parameters
    ----------
    cls : type
        A subclass of `Ranker`, `MultiLabelClassifier` or `QueryStrategy`, or any selector or
        classifier in the style of scikit-learn.
    kind : {"selector", "classifier", "strategy"}, optional
        The kind of the class. By default a class with ``query`` is a strategy, one that scores
        labels is a classifier, and any other is a selector.

    Examples
    --------
    >>> from mlfs.selectors import RandomSelector
    >>> from mlfs.testing import check_method
    >>> check_method(RandomSelector)
    """
    for check in checks(cls, kind):
        check()


def checks(cls: Any, kind: str | None = None) -> list[Check]:
    """Return the checks that `check_method` runs, so that each can be a separate test case."""
    try:
        made = registry.as_method(cls.__name__, cls, [kind or _kind(cls)])
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
