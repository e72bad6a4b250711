"""Methods that the user names in a command, without parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import UserError
from ..methods import registry, user_code

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


@contextmanager
def one_sentence(name: str) -> Iterator[None]:
    """Turn any error of a method, which may be foreign code, into one sentence."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"'{name}' failed on these data: {user_code.brief(error)}") from error
