"""A cell: the smallest piece of work that can be run, stored, retried or sent to another machine.

A cell is typed and never changes: a worker receives a `Cell` and returns a `Record`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, model_validator

from ..datasets import UserData
from ..methods.docstrings import Size
from ..methods.user_code import Source


class Frozen(BaseModel):
    """A strict and immutable model: an unknown key is an error, and a value never changes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Data(Frozen):
    """A dataset, identified by its content and not by its file name.

    Attributes
    ----------
    frequent_labels : int, optional
        How many labels to keep: the most frequent ones of the whole set.
    own : UserData, optional
        Where a worker finds the user's own data. It is not part of the key: the checksum covers
        the content and how it is read, and files may move.
    shape : tuple of int, optional
        Numbers of instances, features and labels, if known, to estimate what a cell needs. They
        follow from the content, so they are not part of the key either.
    """

    name: str
    checksum: str
    clean: bool = False
    frequent_labels: int | None = None
    own: UserData | None = None
    shape: tuple[int, int, int] | None = None


class Method(Frozen):
    """A method by name, with parameters: ``mlknn`` or ``mlknn: {k: 5}``."""

    name: str = Field(description="a method's name, or module:Class")
    params: dict[str, Any] = Field({}, description="its parameters; the others keep their defaults")

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"name": value}
        if isinstance(value, dict) and "name" not in value:
            about = {key: value[key] for key in cls.model_fields if key in value}
            names = [key for key in value if key not in about]
            if len(names) != 1:
                raise ValueError("write a method as 'name' or 'name: {parameter: value}'")
            return {"name": names[0], "params": value[names[0]] or {}, **about}
        return value


class Fits(NamedTuple):
    """Fits of a method that a cell makes, to estimate what it costs."""

    method: str
    size: Size
    times: float = 1.0
    terms: tuple[str, ...] = ()  # of the time that it states; by default those of its docstring


class Settings(Frozen):
    """The keys that decide a cell's numbers; each protocol adds its own keys in a subclass.

    Keys that only the report needs (title, paper, tables, control, metrics to show) are not here,
    so changing them never makes a cell stale.
    """

    version: ClassVar[int] = 1  # version of the protocol: raise it when results change
    protocol: str

    @property
    def ratio(self) -> float:
        """The share of the training labels that is hidden."""
        return 0.0

    def fits(self, cell: Cell, size: Size) -> Iterator[Fits]:
        """Yield the fits that a cell makes of data of this size; here one, on all rows."""
        yield Fits(cell.method.name, size)


class Cell(Frozen):
    """One dataset, one repeat and one method, with the settings of a protocol.

    Attributes
    ----------
    versions : dict
        Versions of the protocol and of all methods in use; a change makes a result stale. For
        methods that are not part of mlfs it is a text with a digest of their source file.
    code : dict
        Source files of methods beside the config, by module, for a worker that cannot read them.
        Their digests are in `versions`, so they are not part of the key.
    search : dict
        The grid for tuning that replaces the method's own.
    starts : list of dict
        Points that tuning tries first, besides the method's default.
    stage : {"whole", "tune"}
        "tune" if the cell only tunes, for all repeats of its dataset.
    tuned_by : str, optional
        Key of the cell whose tuned parameters this one uses.
    tuned : dict, optional
        Those parameters, once they are known. They follow from `tuned_by`, so they are not part
        of the key.
    """

    data: Data
    method: Method
    settings: SerializeAsAny[Settings]
    versions: dict[str, int | str]
    code: dict[str, Source] = {}
    repeat: int = Field(ge=0)
    seed: int = 0
    search: dict[str, list[Any]] = {}
    starts: list[dict[str, Any]] = []
    stage: Literal["whole", "tune"] = "whole"
    tuned_by: str | None = None
    tuned: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return everything that decides the cell's numbers, as plain data for JSON."""
        content = self.model_dump(mode="json", exclude={"tuned": True, "code": True})
        del content["data"]["own"], content["data"]["shape"]
        if self.data.frequent_labels is None:  # so that cells of whole sets keep their keys
            del content["data"]["frequent_labels"]
        if not self.starts:  # so that cells without them keep their keys
            del content["starts"]
        return content

    @property
    def text(self) -> str:
        """The text that the key is a digest of."""
        return _text(self.to_json())

    @property  # not cached: model_copy would copy the old key
    def key(self) -> str:
        """The address of the result: the same work always has the same key."""
        return key_of(self.to_json())

    def text_around(self, field: str) -> tuple[bytes, bytes]:
        """Return the parts of `text` before and after the value of a field."""
        content = self.to_json()
        before = _text({name: value for name, value in content.items() if name < field})
        after = _text({name: value for name, value in content.items() if name > field})
        return f'{before[:-1]},"{field}":'.encode(), f",{after[1:]}".encode()

    @property
    def foreign(self) -> bool:
        """Whether it runs code that is not part of mlfs."""
        return any(map(self.is_foreign, self.versions))

    def is_foreign(self, name: str) -> bool:
        """Tell whether a method that it uses is not part of mlfs."""
        return isinstance(self.versions.get(name), str)

    @property
    def params(self) -> dict[str, Any]:
        """The method's parameters: those of the config, and those that another cell tuned."""
        return self.method.params | (self.tuned or {})


def key_of(content: Any) -> str:
    """Return the key of a cell that is given as plain data."""
    return hashlib.sha256(_text(content).encode()).hexdigest()


def _text(content: Any) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


Row = dict[str, Any]  # one point of a cell's curve: numbers by name


class Record(Frozen):
    """The result of one cell: rows of scores, and how they were obtained.

    Attributes
    ----------
    rows : list of dict
        One per point of the curve, with the protocol's axis and every metric (None if undefined).
    seconds : dict
        Wall-clock time of each phase.
    notes : list of str
        What a reader of the scores must know.
    tuned : dict, optional
        ``chosen``, ``score`` and ``tried``, if the cell tuned.
    info : dict
        What a method reports about its fit, such as an objective per iteration. ``hidden`` has the
        shares of all training labels and of the positive ones that the mask has hidden;
        ``unknown`` has the share of the test labels that are not known.
    features : list of list of int
        Chosen features, best first. If smaller subsets are the beginning of the largest, only the
        largest is here; otherwise there is one list per size, smallest first.
    n_features : int
        Number of features that they were chosen from.
    memory : float
        Peak memory of its process in megabytes. For a cell that failed because it had too little
        memory, it is the limit. 0 if it was not measured.
    made_by : dict
        Versions of the code, and the machine.
    error, traceback : str
        Why the cell failed, if it did.
    """

    status: Literal["done", "failed"] = "done"
    rows: list[Row] = []
    seconds: dict[str, float] = {}
    notes: list[str] = []
    tuned: dict[str, Any] | None = None
    info: dict[str, Any] = {}
    features: list[list[int]] = []
    n_features: int = 0
    memory: float = 0.0
    made_by: dict[str, str] = {}
    error: str = ""
    traceback: str = ""
