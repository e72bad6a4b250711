"""Split the lines of an ARFF file into values, and handle quotes and escapes."""

from __future__ import annotations

import math
import re

# Repetitions are possessive and a character can match in only one way, so the time is linear.
QUOTED = r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\""""
# one value of a row: quoted (commas and blanks inside belong to it) or without quotes
_VALUE = re.compile(rf"\s*+({QUOTED}|(?!['\"])[^,]*+)\s*+(,|\Z)")
_PAIR = re.compile(rf"\s*+(\d++)\s++({QUOTED}|(?!['\"])[^,\s]++)\s*+(,|\Z)")
_ESCAPED = re.compile(r"\\(.)")


def split(line: str) -> list[str]:
    """Return the values between the commas of a line, with quotes; raise ValueError if bad."""
    if "'" not in line and '"' not in line:
        return [value.strip() for value in line.split(",")]
    return [match[1].strip() for match in _walk(_VALUE, line)]


def split_pairs(body: str) -> tuple[list[str], list[str]]:
    """Return the column numbers and values of a sparse row; raise ValueError if it is bad."""
    if not body:
        return [], []
    if "'" in body or '"' in body:
        matches = _walk(_PAIR, body)
        return [match[1] for match in matches], [match[2] for match in matches]
    tokens = body.replace(",", " ").split()
    if len(tokens) != 2 * (body.count(",") + 1):
        raise ValueError("a column number has no value")
    return tokens[::2], tokens[1::2]


def unquote(text: str) -> str:
    """Return a value without the quotes around it."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return _ESCAPED.sub(r"\1", text[1:-1])
    return text


def is_number(text: str) -> bool:
    """Tell whether a text is a finite number, in a form that other programs also use."""
    try:
        return "_" not in text and math.isfinite(float(text))
    except ValueError:
        return False


def _walk(pattern: re.Pattern[str], line: str) -> list[re.Match[str]]:
    """Match a pattern again and again up to the end of a line; its last group is the comma."""
    found = []
    place, more = 0, ","
    while more:
        match = pattern.match(line, place)
        if match is None:
            raise ValueError("a quote is not closed, or a quoted value is followed by other text")
        found.append(match)
        place, more = match.end(), match[pattern.groups]
    return found
