"""Walk through a MATLAB 5 file before scipy reads it: some damage would end the whole process.

A file is a header and then elements: a tag of type and length, and the content. Matrices hold
elements again. scipy looks up the type of a number in a table without checking that it is there.
"""

from __future__ import annotations

import struct
import zlib

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_NUMBERS = frozenset({1, 2, 3, 4, 5, 6, 7, 9, 12, 13})
_TEXTS = frozenset({16, 17, 18})
_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE = 1, 2, 3, 4, 5
_CLASSES = range(_CELL, 16)  # and then those of numbers
_COMPLEX = 0x800
_DEEPEST = 30  # cells inside cells


class _Walk:
    """Read elements one after the other in a stretch of bytes."""

    def __init__(self, content: memoryview, order: str):
        self.content, self.order, self.place = content, order, 0

    @property
    def more(self) -> bool:
        """Whether an element is left."""
        return self.place < len(self.content)

    def next(self) -> tuple[int, memoryview]:
        """Return the next element's type and content; ValueError where it does not fit."""
        tag = self.content[self.place : self.place + 8]
        if len(tag) < 8:
            raise ValueError("an element is cut off")
        kind, length = struct.unpack(f"{self.order}II", tag)
        if kind >> 16:  # a small element: both numbers in one, the content in the other
            kind, length = kind & 0xFFFF, kind >> 16
            if length > 4:
                raise ValueError("an element is longer than it can be")
            start, end = self.place + 4, self.place + 8
        else:
            start = self.place + 8
            # a compressed element alone is not filled up to whole words
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
        raise ValueError("it is not of MATLAB's version 5")
    order = "<" if mark == b"IM" else ">"
    walk = _Walk(memoryview(content)[_HEADER:], order)
    while walk.more:
        kind, found = walk.next()
        if kind == _COMPRESSED:
            kind, found = _Walk(memoryview(_decompress(found)), order).next()
        if kind != _MATRIX:
            raise ValueError("a variable is no matrix")
        _check_matrix(found, order, 0)


def _decompress(packed: memoryview) -> bytes:
    """Return the whole of a compressed element, so that its checksum is compared."""
    stream = zlib.decompressobj()
    content = stream.decompress(packed)
    if not stream.eof or stream.unused_data:
        raise ValueError("a compressed element is cut off or too long")
    return content


def _check_matrix(content: memoryview, order: str, depth: int) -> None:
    if not len(content):
        return  # an empty cell
    if depth > _DEEPEST:
        raise ValueError("cells stand too deep inside each other")
    walk = _Walk(content, order)
    kind, flags = walk.next()
    if kind != 6 or len(flags) != 8:
        raise ValueError("a matrix does not tell its class")
    (told,) = struct.unpack(f"{order}I", flags[:4])
    matrix_class = told & 0xFF
    if told & _COMPLEX:
        raise ValueError("a matrix holds complex numbers")
    if matrix_class not in _CLASSES:
        raise ValueError(f"a matrix is of the class {matrix_class}, which is not read")
    kind, shape = walk.next()
    if kind != 5 or len(shape) % 4:
        raise ValueError("a matrix does not tell its shape")
    kind, _ = walk.next()
    if kind != 1:
        raise ValueError("a matrix does not tell its name")
    allowed = _NUMBERS | _TEXTS if matrix_class == _CHAR else _NUMBERS
    while walk.more:
        kind, found = walk.next()
        if kind == _MATRIX and matrix_class in (_CELL, _STRUCT, _OBJECT):
            _check_matrix(found, order, depth + 1)
        elif kind not in allowed:
            raise ValueError(f"numbers are of the type {kind}, which does not exist")
