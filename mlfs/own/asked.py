"""Methods that the user names in a command, without parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import UserError
from ..methods import registry, user_code
from ..protocols.steps.by_label import AVAILABLE, treatments
from ..protocols.steps.missing import Missing

SEED = 0  # the same files give the same answer


def make(name: str, kinds: Sequence[str]) -> Any:
    """Make a method with its default parameters, or raise a UserError that says why not.

    Parameters
    ----------
    name : str
        The name of a method, or ``module:Class``.
    kinds : sequence of str
        The kinds of methods that are allowed.

    Returns
    -------
    object
        The unfitted method; its random numbers are always the same.
    """
    for _, text in registry.mistakes(name, {}, kinds):
        raise UserError(text)
    return registry.build(name, {}, kinds, SEED)


def usual_way(method: Any) -> Missing | None:
    """Return how unknown labels are treated for a method, unless the user says otherwise.

    A method that accepts them treats them in its own way. Another one is used label by label, on
    the rows where a label is known, if it can; if not, they become 0.

    Parameters
    ----------
    method : Ranker, MultiLabelClassifier or a class of them
        The method.

    Returns
    -------
    {"available"} or None
        What `treated` expects.
    """
    cls = method if isinstance(method, type) else type(method)
    return "available" if AVAILABLE in treatments(cls) else None


@contextmanager
def one_sentence(name: str) -> Iterator[None]:
    """Turn any error of a method, which may be foreign code, into one sentence."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"'{name}' failed on these data: {user_code.brief(error)}") from error
