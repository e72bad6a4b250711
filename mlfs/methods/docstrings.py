"""Read numpydoc docstrings, for ``mlfs methods show`` and for the documentation."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any

_HEADING = re.compile(r"^(?P<name>[A-Z][A-Za-z ]+)\n-{3,}\n", re.M)
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
    found: list[tuple[list[str], str, list[str]]] = []
    for line in section.splitlines():
        if line and not line.startswith(" "):
            match = _PARAMETER.match(line)
            if match:
                found.append((match["names"].split(", "), match["type"] or "", []))
        elif found:
            found[-1][2].append(line.strip())
    return [
        Parameter(name.lstrip("*"), kind, " ".join(part for part in text if part))
        for names, kind, text in found
        for name in names
    ]
