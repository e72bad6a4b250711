"""Check a MATLAB 5 file before scipy reads it, because some damage would crash the process.

A file is a header and then elements. An element is a tag, with its type and length, and its
content. Matrices contain elements again. scipy looks up the type of numbers in a table, and does
not check whether the type exists.
"""

from __future__ import annotations

import struct
import zlib

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_NUMBERS = frozenset({1, 2, 3, 4, 5, 6, 7, 9, 12, 13})
_TEXTS = frozenset({16, 17, 18})
_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE = 1, 2, 3, 4, 5
_CLASSES = range(_CELL, 16)  # the five above, and then the classes of numbers
_COMPLEX = 0x800
_DEEPEST = 30  # cells inside cells


class _Walk:
    """Read the elements in a sequence of bytes, one after the other."""

    def __init__(self, content: memoryview, order: str):
        self.content, self.order, self.place = content, order, 0

    @property
    def more(self) -> bool:
        """Whether an element is left."""
        return self.place < len(self.content)

    def next(self) -> tuple[int, memoryview]:
        """Return the next element's type and content; raise ValueError if it is not complete."""
        tag = self.content[self.place : self.place + 8]
        if len(tag) < 8:
            raise ValueError("an element is cut off")
        kind, length = struct.unpack(f"{self.order}II", tag)
        if kind >> 16:  # a small element: type and length in one number, content in the other
            kind, length = kind & 0xFFFF, kind >> 16
            if length > 4:
                raise ValueError("an element is longer than it can be")
            start, end = self.place + 4, self.place + 8
        else:
            start = self.place + 8
            # all elements but compressed ones are padded to multiples of 8 bytes
            end = start + (length if kind == _COMPRESSED else -(-length // 8) * 8)
        found = self.content[start : start + length]
        if len(found) < length:
            raise ValueError("an element is cut off")
        self.place = end
        return kind, found


def check_mat(content: bytes) -> None:
    """Raise ValueError, or zlib.error, unless all elements are well formed."""
    mark = content[126:_HEADER]
    if mark not in (b"IM", b"MI"):
        raise ValueError("it is not in the format of MATLAB 5")
    order = "<" if mark == b"IM" else ">"
    walk = _Walk(memoryview(content)[_HEADER:], order)
    while walk.more:
        kind, found = walk.next()
        if kind == _COMPRESSED:
            kind, found = _Walk(memoryview(_decompress(found)), order).next()
        if kind != _MATRIX:
            raise ValueError("a variable is not a matrix")
        _check_matrix(found, order, 0)


def _decompress(packed: memoryview) -> bytes:
    """Decompress a whole element, so that its checksum is checked."""
    stream = zlib.decompressobj()
    content = stream.decompress(packed)
    if not stream.eof or stream.unused_data:
        raise ValueError("a compressed element is cut off or too long")
    return content


def _check_matrix(content: memoryview, order: str, depth: int) -> None:
    if not len(content):
        return  # an empty cell
    if depth > _DEEPEST:
        raise ValueError("cells are nested too deeply")
    walk = _Walk(content, order)
    kind, flags = walk.next()
    if kind != 6 or len(flags) != 8:
        raise ValueError("a matrix has no class")
    (told,) = struct.unpack(f"{order}I", flags[:4])
    matrix_class = told & 0xFF
    if told & _COMPLEX:
        raise ValueError("a matrix has complex numbers")
    if matrix_class not in _CLASSES:
        raise ValueError(f"a matrix has the class {matrix_class}, which is not supported")
    kind, shape = walk.next()
    if kind != 5 or len(shape) % 4:
        raise ValueError("a matrix has no shape")
    kind, _ = walk.next()
    if kind != 1:
        raise ValueError("a matrix has no name")
    allowed = _NUMBERS | _TEXTS if matrix_class == _CHAR else _NUMBERS
    while walk.more:
        kind, found = walk.next()
        if kind == _MATRIX and matrix_class in (_CELL, _STRUCT, _OBJECT):
            _check_matrix(found, order, depth + 1)
        elif kind not in allowed:
            raise ValueError(f"numbers have the type {kind}, which does not exist")
