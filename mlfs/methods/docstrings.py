"""Read numpydoc docstrings, for ``mlfs methods show``, the documentation and estimates of costs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

_HEADING = re.compile(r"^(?P<name>[A-Z][A-Za-z ]+)\n-{3,}\n", re.M)
_COST = re.compile(r"costs\s+O\((.+?)\)\s+time\s+and\s+O\((.+?)\)\s+memory", re.DOTALL)
_POWERS = {"²": 2, "³": 3}
_PARAMETER = re.compile(r"^(?P<names>\*{0,2}\w+(?:, \w+)*)(?: : (?P<type>.*))?$")


@dataclass(frozen=True)
class Parameter:
    """Describe one parameter or attribute.

    Parameters
    ----------
    name : str
        Its name. Parameters that share one description become one entry each.
    type : str
        The allowed values and the default.
    text : str
        Its meaning, in one line.
    """

    name: str
    type: str
    text: str


@dataclass(frozen=True)
class Docstring:
    """Hold the parts of a docstring.

    Parameters
    ----------
    summary : str
        The first line.
    body : str
        The text between the first line and the first section.
    sections : dict of str to str
        The text under each heading.

    Examples
    --------
    >>> from mlfs.methods.docstrings import docstring
    >>> from mlfs.selectors import FSNM
    >>> docstring(FSNM).parameters[1].text
    'Largest number of iterations.'
    """

    summary: str
    body: str
    sections: dict[str, str]

    @property
    def parameters(self) -> list[Parameter]:
        """All parameters, in the order of the docstring."""
        return _listed(self.sections.get("Parameters", ""))

    @property
    def attributes(self) -> list[Parameter]:
        """All attributes, in the order of the docstring."""
        return _listed(self.sections.get("Attributes", ""))


def docstring(thing: Any) -> Docstring:
    """Divide the docstring of a class or function into its parts.

    Parameters
    ----------
    thing : type or callable
        The class or function; without a docstring all parts are empty.

    Returns
    -------
    Docstring
        The parts.
    """
    text = inspect.cleandoc(thing.__doc__ or "")
    parts = _HEADING.split(text)
    summary, _, body = parts[0].partition("\n")
    sections = {name: part.strip("\n") for name, part in zip(parts[1::2], parts[2::2])}
    return Docstring(summary.strip(), body.strip(), sections)


def _listed(section: str) -> list[Parameter]:
    sections: list[tuple[list[str], str, list[str]]] = []
    for line in section.splitlines():
        if line and not line.startswith(" "):
            match = _PARAMETER.match(line)
            if match:
                sections.append((match["names"].split(", "), match["type"] or "", []))
        elif sections:
            sections[-1][2].append(line.strip())
    return [
        Parameter(name.lstrip("*"), kind, " ".join(part for part in text if part))
        for names, kind, text in sections
        for name in names
    ]


@dataclass(frozen=True)
class Size:
    """Numbers of instances, features and labels; those of factors follow the labels.

    Parameters
    ----------
    n, d, l : float
        The numbers; parts of a dataset need not be whole.
    """

    n: float
    d: float
    l: float  # noqa: E741

    def times(self, name: str, factor: float) -> Size:
        """Return the same with one number multiplied."""
        return replace(self, **{name: factor * getattr(self, name)})

    def term(self, text: str) -> float:
        """Return the value of a product such as ``n d² min(n, d)``.

        Other letters count as constant.
        """
        numbers = {
            "n": self.n,
            "d": self.d,
            "l": self.l,
            "c": self.l,
            "min(n,d)": min(self.n, self.d),
        }
        value = 1.0
        for factor in text.replace("min(n, d)", "min(n,d)").split():
            name, power = (
                (factor[:-1], _POWERS[factor[-1]]) if factor[-1] in _POWERS else (factor, 1)
            )
            value *= float(numbers.get(name, 1)) ** power
        return value

    def total(self, terms: Iterable[str]) -> float:
        """Return the sum of some products."""
        return sum(map(self.term, terms))


def stated(docstring: str, what: str) -> tuple[str, ...]:
    """Return the terms of the time or memory that a docstring states; empty if it states none.

    Parameters
    ----------
    docstring : str
        The docstring of a method.
    what : {"time", "memory"}
        Which of the two.

    Returns
    -------
    tuple of str
        The terms, such as ``("n d", "n l")``.
    """
    cost = _COST.search(docstring)
    if cost is None:
        return ()
    return tuple(" ".join(cost[1 if what == "time" else 2].split()).split(" + "))
