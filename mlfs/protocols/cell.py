"""A cell: the smallest piece of work that can be run, stored, retried or sent to another machine.

Typed and frozen from the plan to the store: a worker gets a `Cell` and gives a `Record`.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, model_validator

from ..datasets import Own
from ..own import Source


class Frozen(BaseModel):
    """Strict and immutable: an unknown key is an error, a value never changes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Data(Frozen):
    """Which data, known by content and not by file name.

    Attributes
    ----------
    frequent_labels : int, optional
        Only so many labels, the most frequent ones of the whole set.
    own : Own, optional
        Where a worker finds data of the user's own. The key leaves it out: the checksum tells
        the content and how it is read, and files may move.
    shape : tuple of int, optional
        Numbers of instances, features and labels where they are known, to tell what a cell will
        need. They follow from the content, so the key leaves them out, too.
    """

    name: str
    checksum: str
    clean: bool = False
    frequent_labels: int | None = None
    own: Own | None = None
    shape: tuple[int, int, int] | None = None


class Method(Frozen):
    """Something from a registry, by name, with parameters: ``mlknn`` or ``mlknn: {k: 5}``."""

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


class Settings(Frozen):
    """Keys that decide a cell's numbers; each protocol subclasses this with its own and no others.

    What the report alone needs (title, paper, tables, control, metrics to show) is not here, so
    that changing it never makes a cell stale.
    """

    version: ClassVar[int] = 1  # of the protocol: raise it when results change
    protocol: str

    @property
    def ratio(self) -> float:
        """The share of the training labels that is hidden."""
        return 0.0


class Cell(Frozen):
    """One dataset, one repeat, one method, under a protocol's settings.

    Attributes
    ----------
    versions : dict
        Versions of the protocol and of all methods that take part: what makes a result stale.
        A text for methods that are not mlfs's own: it holds a digest of their source file.
    code : dict
        By module: source files of methods that lie beside the config, for a worker that may not
        see them; their digests are in `versions`, so the key leaves them out.
    search : dict
        The grid that tuning searches instead of the method's own.
    stage : {"whole", "tune"}
        Whether the cell only tunes, for all repeats of its dataset.
    tuned_by : str, optional
        Key of the cell whose tuned parameters this one takes.
    tuned : dict, optional
        Those parameters, once they are known; they follow from `tuned_by`, so the key leaves
        them out.
    """

    data: Data
    method: Method
    settings: SerializeAsAny[Settings]
    versions: dict[str, int | str]
    code: dict[str, Source] = {}
    repeat: int = Field(ge=0)
    seed: int = 0
    search: dict[str, list[Any]] = {}
    stage: Literal["whole", "tune"] = "whole"
    tuned_by: str | None = None
    tuned: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the cell as plain data that JSON can hold: all that decides its numbers."""
        content = self.model_dump(mode="json", exclude={"tuned": True, "code": True})
        del content["data"]["own"], content["data"]["shape"]
        if self.data.frequent_labels is None:  # so that cells of whole sets keep their keys
            del content["data"]["frequent_labels"]
        return content

    @property
    def text(self) -> str:
        """What the key is a digest of."""
        return _text(self.to_json())

    @property  # not cached: model_copy would carry the old key along
    def key(self) -> str:
        """Address of the result: the same work always has the same one."""
        return key_of(self.to_json())

    def text_around(self, field: str) -> tuple[bytes, bytes]:
        """Return what the key is a digest of, before and after the value of a field."""
        content = self.to_json()
        before = _text({name: value for name, value in content.items() if name < field})
        after = _text({name: value for name, value in content.items() if name > field})
        return f'{before[:-1]},"{field}":'.encode(), f",{after[1:]}".encode()

    @property
    def params(self) -> dict[str, Any]:
        """The method's parameters: the config's, and what another cell tuned for this one."""
        return self.method.params | (self.tuned or {})


def key_of(content: Any) -> str:
    """Return the key of a cell that is given as plain data."""
    return hashlib.sha256(_text(content).encode()).hexdigest()


def _text(content: Any) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


Row = dict[str, Any]  # one point of a cell's curve: numbers by name


class Record(Frozen):
    """What one cell gave: rows of scores, and what a reader should know of how they came.

    Attributes
    ----------
    rows : list of dict
        One per point of the curve: the protocol's axis and every metric; None where undefined.
    seconds : dict
        Wall clock by phase.
    notes : list of str
        What a reader of the scores must know.
    tuned : dict, optional
        ``chosen``, ``score`` and ``tried``, where the cell tuned.
    info : dict
        What a method tells of its fit, such as an objective per iteration.
    features : list of list of int
        Chosen features, best first: those of the largest size where smaller ones are its top,
        otherwise one list per size, ascending.
    n_features : int
        Number of features that they were chosen from.
    memory : float
        Megabytes that its process had at the most; of a cell that failed for want of memory, those
        that it was allowed. 0 where nobody looked.
    made_by : dict
        Versions of the code, and the machine.
    error, traceback : str
        Why it failed, where it did.
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
