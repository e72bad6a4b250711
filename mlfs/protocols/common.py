"""What all kinds of experiments share: their common keys, their seeds, and one cell's record."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any, ClassVar, Literal, Protocol, Self, TypedDict

import numpy as np
import scipy.sparse as sp
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

from .. import datasets
from ..errors import UserError, nearest
from ..labels import make_mask
from ..splits import Holdout, Split
from ..types import Array, Matrix
from .tuning import Tune

Spec = dict[str, Any]  # a resolved cell: plain data that JSON can hold


class Record(TypedDict, total=False):
    """What one cell gives: rows of scores, and what a reader should know of how they came."""

    rows: list[dict[str, float]]
    seconds: dict[str, float]
    notes: list[str]
    tuned: dict[str, Any]
    info: dict[str, Any]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DatasetChoice(_Strict):
    """A dataset by name; `clean` mends the known faults of the published file."""

    name: str
    clean: bool = False

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value

    @field_validator("name")
    @classmethod
    def _known(cls, name: str) -> str:
        known = datasets.catalog()
        if name not in known:
            raise ValueError(
                f"unknown dataset '{name}'{nearest(name, known)} ('mlfs data list' shows all)"
            )
        return name


class Choice(_Strict):
    """Something from a registry, by name, with parameters: ``mlknn`` or ``mlknn: {k: 5}``."""

    name: str
    params: dict[str, Any] = {}

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


class MethodChoice(Choice):
    """A method, and how its column is headed, shown and tuned.

    In YAML: ``gmfs``, ``gmfs: {n_factors: 7}`` or ``{rmfl: {lam1: 0}, label: no-label-reg}``.
    A column with ``extra: true`` is shown but neither ranked nor tested: the paper lacks it.
    ``search: {lam1: [0, 1]}`` names the values that tuning tries instead of the method's own.
    """

    label: str | None = None
    extra: bool = False
    search: dict[str, list[Any]] = {}


class MaskChoice(_Strict):
    """How training labels are hidden; a list of ratios gives one table each."""

    kind: str = "none"
    ratio: list[float] = Field([0.0], min_length=1)

    @field_validator("ratio", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return value if isinstance(value, list) else [value]

    @model_validator(mode="after")
    def _buildable(self) -> MaskChoice:
        for ratio in self.ratio:
            try:
                make_mask(self.kind, ratio)
            except UserError as error:
                raise ValueError(str(error)) from error
        return self


class Experiment(_Strict):
    """The keys every config has. A protocol adds its own in a subclass.

    Attributes
    ----------
    registry : mapping
        The methods that the protocol can run, by name.
    cell_keys : tuple of str
        The keys beyond dataset, split, mask and method that decide a cell's numbers.
    axis : str or None
        The column of a record's rows that a curve runs along.
    scores : mapping
        The metrics that a record's rows hold, and whether larger is better.
    """

    registry: ClassVar[dict[str, Any]]
    cell_keys: ClassVar[tuple[str, ...]] = ()
    axis: ClassVar[str | None] = None
    scores: ClassVar[dict[str, bool]]

    name: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", description="names the results folder"
    )
    title: str = Field("", description="one line that says what the experiment shows")
    protocol: str
    paper: str | None = Field(None, description="the paper whose printed figures to compare with")
    tables: list[str] = Field([], description="the paper's tables that these results belong to")
    seed: int = Field(0, ge=0)
    datasets: list[DatasetChoice] = Field(min_length=1)
    split: Split = Field(default_factory=Holdout, discriminator="kind")
    mask: MaskChoice = MaskChoice()
    methods: list[MethodChoice] = Field(min_length=1)
    vary: dict[str, list[Any]] = Field(
        {},
        description="a parameter of the methods, or a key of this config that decides a cell's "
        "numbers, to a list of values; each is swept on its own",
    )
    control: str | None = Field(
        None, description="the column that critical-difference diagrams test against"
    )
    metrics: list[str] = Field(min_length=1, description="what tables and plots show")
    cost: int = Field(1, ge=1, description="rough minutes; 'make reproduce' runs cheap ones first")

    @field_validator("metrics")
    @classmethod
    def _metrics_exist(cls, names: list[str]) -> list[str]:
        for name in names:
            if name not in cls.scores:
                hint = nearest(name, cls.scores)
                raise ValueError(f"unknown metric '{name}'{hint} (known: {', '.join(cls.scores)})")
        return names

    @model_validator(mode="after")
    def _methods_exist(self) -> Experiment:
        for method in self.methods:
            check_method(self.registry, method.name, method.params | method.search)
            for parameter in set(self.vary) - set(self.cell_keys):
                check_method(self.registry, method.name, {parameter: None})
        return self

    def slice(self) -> Self:
        """The same experiment on its first dataset and ratio, one repeat, untuned."""
        changes: dict[str, Any] = {
            "datasets": self.datasets[:1],
            "split": self.split.model_copy(update={"repeats": 1}),
            "mask": self.mask.model_copy(update={"ratio": self.mask.ratio[:1]}),
            "vary": {
                name: values[:: max(1, len(values) - 1)] for name, values in self.vary.items()
            },
        }
        if "tune" in type(self).model_fields:
            changes["tune"] = Tune()
        return self.model_copy(update=changes)

    def prepare(self, name: str, clean: bool) -> None:
        """Make sure that a dataset can be had, or raise a UserError that says how."""
        datasets.load(name, clean=clean)

    def method_version(self, spec: Spec) -> list[int]:
        """Versions of the code whose change makes a stored cell stale."""
        return [self.registry[spec["method"]].version]


class ProtocolModule(Protocol):
    """What a module in this package offers to the engine."""

    Config: type[Experiment]

    def run(self, spec: Spec) -> Record:
        """Run one cell."""


def check_method(registry: dict[str, Any], name: str, params: dict[str, Any]) -> None:
    """Raise a ValueError unless the registry has the method and the method the parameters."""
    if name not in registry:
        raise ValueError(
            f"unknown method '{name}'{nearest(name, registry)} ('mlfs methods' shows all)"
        )
    known = registry[name]().get_params()
    for parameter in params:
        if parameter not in known:
            raise ValueError(
                f"method '{name}' has no parameter '{parameter}'{nearest(parameter, known)} "
                f"('mlfs methods show {name}' lists them)"
            )


def generator(spec: Spec, purpose: str, repeat: int | None = None) -> np.random.Generator:
    """The cell's own stream for one purpose.

    Derived from (seed, dataset, repeat) and not from the method, so that all methods see the
    same split and mask, whatever the number of workers.
    """
    key = [spec["seed"], zlib.crc32(spec["dataset"].encode())]
    key += [spec["repeat"] if repeat is None else repeat, zlib.crc32(purpose.encode())]
    return np.random.default_rng(np.random.SeedSequence(key))


@lru_cache(maxsize=2)  # neighbouring cells share a dataset
def load_dataset(name: str, clean: bool) -> datasets.Dataset:
    """Load a dataset once for all the cells that a worker runs on it."""
    return datasets.load(name, clean=clean)


def split_and_mask(spec: Spec) -> tuple[Matrix, Array, Matrix, Array, Array]:
    """Give X_train, Y_train (labels hidden), X_test, Y_test and the true Y_train of a cell."""
    data = load_dataset(spec["dataset"], spec["clean"])
    split = _SplitHolder(split=spec["split"]).split
    train, test = split.indices(
        data, spec["repeat"], lambda turn: generator(spec, "split", repeat=turn)
    )
    mask = make_mask(spec["mask"]["kind"], spec["mask"]["ratio"])
    hidden = mask(data.Y[train], generator(spec, "mask"))
    return data.X[train], hidden, data.X[test], data.Y[test], data.Y[train]


class _SplitHolder(_Strict):
    split: Split = Field(discriminator="kind")


Scale = Literal["none", "standard", "minmax", "unit"]


def scale_features(kind: Scale, X_train: Matrix, X_test: Matrix) -> tuple[Matrix, Matrix]:
    """Scale both parts by what the training part says; sparse data stay sparse (zeros stay 0)."""
    if kind == "none":
        return X_train, X_test
    sparse = sp.issparse(X_train)
    if kind == "unit":
        scaler = Normalizer()  # every row to length 1
    elif kind == "standard":
        scaler = StandardScaler(with_mean=not sparse)
    else:
        scaler = MaxAbsScaler() if sparse else MinMaxScaler()
    return scaler.fit_transform(X_train), scaler.transform(X_test)


def build(registry: dict[str, Any], name: str, params: dict[str, Any], seed: int) -> Any:
    """Make a method with the cell's seed where it takes one and the config gives none."""
    method = registry[name](**params)
    if "random_state" in method.get_params() and "random_state" not in params:
        method.set_params(random_state=seed)
    return method


def fill_missing(method: Any, Y: Array, notes: list[str]) -> Array:
    """Turn nan into 0 for a method that cannot use it, and say so."""
    if method.tags.handles_missing or not np.isnan(Y).any():
        return Y
    notes.append(f"{type(method).__name__} cannot use unobserved labels: taken as 0")
    return np.nan_to_num(Y, nan=0.0)


@dataclass(frozen=True)
class Task:
    """What a cell of supervised learning begins with: scaled data, a seed, an empty record."""

    X: Matrix
    Y: Array
    X_test: Matrix
    Y_test: Array
    seed: int
    watch: Stopwatch
    notes: list[str]
    record: Record


def begin(spec: Spec) -> Task:
    """Load, split, mask and scale a cell's data."""
    X, Y, X_test, Y_test, _ = split_and_mask(spec)
    X, X_test = scale_features(spec["scale"], X, X_test)
    seed = int(generator(spec, "method").integers(2**31))
    watch, notes = Stopwatch(), list[str]()
    record: Record = {"notes": notes, "seconds": watch.seconds}
    return Task(X, Y, X_test, Y_test, seed, watch, notes, record)


class Stopwatch:
    """Collects seconds under names: ``with watch("fit"): ...``."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, name: str) -> Stopwatch:
        self._name = name
        return self

    def __enter__(self) -> None:
        self._start = perf_counter()

    def __exit__(self, *_: object) -> None:
        spent = perf_counter() - self._start
        self.seconds[self._name] = round(self.seconds.get(self._name, 0.0) + spent, 6)
