"""The keys that every kind of experiment has, and how they become settings of cells."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, PrivateAttr, ValidationError

from ... import datasets
from ...datasets.user.description import Listed
from ...errors import KeyPath, UserError, nearest, validation_reason
from ...methods import registry
from ..cell import Data, Frozen, Settings
from .dataset_choice import DatasetChoice
from .method_choice import MethodChoice, why_not

Mistake = tuple[KeyPath, str]
_is_own = registry.is_foreign_metric


class Experiment(Frozen):
    """The keys that every config has. A protocol adds its own in a subclass.

    Attributes
    ----------
    kinds : tuple of str
        The kinds of methods that the protocol runs, as the registry calls them.
    cell_settings : type
        The settings of a cell; keys that it shares with the config are copied.
    classes : bool
        Whether it needs datasets with classes and attributes instead of labels.
    axis : str or None
        The column of a record's rows that is the x axis of curves.
    scores : mapping
        The metrics that a record's rows may have, and whether larger is better.
    own_metrics_fit : bool
        Whether its cells can compute metrics that are not part of mlfs.
    scatters : mapping
        Names of figures that plot one column of the rows against another.
    instead : mapping
        For keys that only other protocols use, what to write instead.
    """

    kinds: ClassVar[tuple[str, ...]]
    cell_settings: ClassVar[type[Settings]]
    classes: ClassVar[bool] = False
    axis: ClassVar[str | None] = None
    scores: ClassVar[Mapping[str, bool]]
    own_metrics_fit: ClassVar[bool] = False
    scatters: ClassVar[Mapping[str, tuple[str, str]]] = {}
    instead: ClassVar[Mapping[str, str]] = {}

    name: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$",
        max_length=100,
        description="name of the experiment and of its results folder",
    )
    title: str = Field("", description="one line that says what the experiment shows")
    protocol: str = Field(description="the kind of experiment")
    paper: str | None = Field(None, description="the paper whose printed values to compare with")
    tables: Annotated[list[str], Listed] = Field(
        [], description="the paper's tables that these results belong to"
    )
    figures: Annotated[list[str], Listed] = Field(
        [], description="the paper's figures that these results belong to"
    )
    reading: str | None = Field(
        None,
        min_length=1,
        description="how the paper is understood: 'stated' (as its words say), or one of its "
        "readings; leave it out if nothing is open",
    )
    seed: int = Field(0, ge=0, description="another seed gives other splits and masks")
    datasets: Annotated[list[DatasetChoice], Listed] = Field(
        min_length=1,
        description="names of the catalogue, or files of your own; each is a row of a table",
    )
    methods: Annotated[list[MethodChoice], Listed] = Field(
        min_length=1, description="names, or module:Class; each is a column of a table"
    )
    vary: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(
        {},
        description="lists of values for parameters of the methods or for keys of this config; "
        "each parameter or key is varied alone",
    )
    control: str | None = Field(
        None, description="the column that all others are tested against (Bonferroni-Dunn)"
    )
    metrics: Annotated[list[str], Listed] = Field(
        min_length=1,
        description="what tables and plots show; your own are module:function, of true labels and "
        "of scores or predicted labels",
    )
    cost: int = Field(1, ge=1, description="rough minutes; 'make reproduce' runs cheap ones first")

    _scope: registry.Scope = PrivateAttr(default_factory=registry.Scope)

    def model_post_init(self, context: Any, /) -> None:
        """Remember where this config's methods are found."""
        if context is not None:
            self._scope = context

    @property
    def scope(self) -> registry.Scope:
        """Where to find methods that are not part of mlfs."""
        return self._scope

    def under(self, scope: registry.Scope) -> Self:
        """Return the same experiment with another place to find its methods."""
        other = self.model_copy()
        other._scope = scope
        return other

    def with_data_of(self, other: Experiment) -> Self:
        """Return the same experiment with the other's file contents, for files that both name."""

        def same(choice: DatasetChoice) -> DatasetChoice:
            where = (choice.name, choice.own)
            matches = (one for one in other.datasets if one.own and (one.name, one.own) == where)
            return next(matches, choice)

        datasets = [same(choice) for choice in self.datasets]
        return self.model_copy(update={"datasets": datasets})

    @property
    @abstractmethod
    def count(self) -> int:
        """Return the number of repeats: the cells for each method and dataset."""

    @property
    def ratios(self) -> list[float]:
        """Return the shares of hidden labels; each has its own tables."""
        return [settings.ratio for settings in self.settings({})]

    @property
    def panels(self) -> list[dict[str, str]]:
        """Return what the rows of each table have in common: columns and their values."""
        return [{}]

    @property
    def offered(self) -> set[str]:
        """Return the metrics that cells with these settings have."""
        return set(self.measured)

    @property
    def own_metrics(self) -> list[str]:
        """Return the metrics of the config that are not part of mlfs."""
        with self.scope:
            return [name for name in self.metrics if name not in self.scores and _is_own(name)]

    @property
    def measured(self) -> dict[str, bool]:
        """Return the metrics that tables may show, and whether larger is better."""
        with self.scope:
            own = {name: registry.larger_is_better(name) for name in self.own_metrics}
        return {**self.scores, **own}

    @property
    def labels(self) -> list[str]:
        """Return the name of each column: its label or method; variants show their parameters.

        A ``module:Class`` is shown as the class, unless another column has that name.
        """
        plain = [choice for choice in self.methods if choice.label is None]
        names = [choice.name for choice in plain]
        shorts = [choice.short for choice in plain]
        return [
            choice.label
            or (choice.variant if names.count(choice.name) > 1 else None)
            or (choice.name if shorts.count(choice.short) > 1 else choice.short)
            for choice in self.methods
        ]

    @classmethod
    def sweepable(cls) -> set[str]:
        """Return the keys that `vary` may sweep: those that decide a cell's numbers."""
        return cls.changeable() - {"split", "mask"}

    @classmethod
    def changeable(cls) -> set[str]:
        """Return the keys that a column may change for itself in its `settings`."""
        return (set(cls.model_fields) & set(cls.cell_settings.model_fields)) - {"protocol"}

    def settings(self, changes: Mapping[str, Any]) -> list[Settings]:
        """Return the settings of this config's cells, one per ratio, with some keys changed."""
        shared = set(self.cell_settings.model_fields) & set(type(self).model_fields)
        given = {name: getattr(self, name) for name in shared}
        return [self.cell_settings(**{**given, **changes})]

    def versions(self, name: str, settings: Settings) -> dict[str, int | str]:
        """Return the versions of code that a method's results depend on."""
        return {
            self.protocol: self.cell_settings.version,
            name: registry.version(name, self.kinds),
        }

    def quick_version(self) -> Self:
        """Return a quick version under a new name: first dataset and ratio, one repeat, untuned."""
        ends = {name: values[:: max(1, len(values) - 1)] for name, values in self.vary.items()}
        kept = self.datasets[:1]
        changes = {
            "name": f"{self.name}-quick",
            "datasets": kept,
            "vary": ends,
            "methods": [choice.on([one.name for one in kept]) for choice in self.methods],
        }
        return self.model_copy(update=changes)

    def prepare(self, data: Data) -> None:
        """Make sure that a dataset is available, or raise a UserError that says what to do."""
        if data.own is None:
            datasets.load(data.name, clean=data.clean)
        for choice in self.datasets:  # own files were read with the config, if that was possible
            if choice.name == data.name and choice.known is None:
                choice.read()

    def mistakes(self) -> Iterator[Mistake]:
        """Yield mistakes that the types of the keys cannot show: a place and a sentence."""
        yield from self._dataset_mistakes()
        wrong = list(self._method_mistakes())
        yield from wrong
        if not wrong:
            yield from self._setting_mistakes(self.settings({})[0])
            yield from self._vary_mistakes()
        yield from self._metric_mistakes()

    def _metric_mistakes(self) -> Iterator[Mistake]:
        own = self.own_metrics
        wrong = [
            (("metrics", i), why)
            for i, name in enumerate(self.metrics)
            if name in own
            for why in self._wrong_metric(name)
        ]
        yield from wrong
        offered = set(own) if wrong else self.offered
        for i, metric in enumerate(self.metrics):
            if metric in own:
                continue
            if metric not in self.scores:
                hint = nearest(metric, self.scores)
                offers = ", ".join(self.scores)
                yield ("metrics", i), f"unknown metric '{metric}'{hint} (known: {offers})"
            elif not wrong and metric not in offered:
                offers = ", ".join(sorted(offered))
                yield (
                    ("metrics", i),
                    f"these settings do not compute '{metric}' (they compute: {offers})",
                )

    def _wrong_metric(self, name: str) -> Iterator[str]:
        """Yield a sentence if a metric that is not part of mlfs cannot be used."""
        if not self.own_metrics_fit:
            yield f"protocol {self.protocol} cannot compute '{name}': use one of its own metrics"
            return
        try:
            registry.larger_is_better(name)
        except UserError as error:
            yield str(error)

    def _dataset_mistakes(self) -> Iterator[Mistake]:
        for i, choice in enumerate(self.datasets):
            for other in self.datasets[:i]:
                if choice.name == other.name and (choice.own or other.own):
                    text = f"two datasets are called '{choice.name}': give one a 'name' of its own"
                    yield ("datasets", i), text
                elif choice.name == other.name:  # even in two forms: a table has one row for it
                    text = f"dataset '{choice.name}' is listed twice: put one into another config"
                    yield ("datasets", i), text
            if choice.classes != self.classes:
                has, needs = ("classes", "labels") if choice.classes else ("labels", "classes")
                text = f"'{choice.name}' has {has}, and protocol {self.protocol} needs {needs}"
                yield ("datasets", i), text

    def _method_mistakes(self) -> Iterator[Mistake]:
        for i, choice in enumerate(self.methods):
            place: KeyPath = ("methods", i)
            wrong = why_not(choice.name, self.kinds)
            if wrong:
                yield place, wrong
                continue
            for parameter, text in registry.mistakes(choice.name, choice.params, self.kinds):
                yield (*place, choice.name, parameter), text
            yield from self._changed(choice.settings, (*place, "settings"), self.changeable())
            for parameter, values in choice.search.items():
                for value in values:
                    for text in choice.wrong(parameter, value, self.kinds):
                        yield (*place, "search", parameter), text
            for name, params in choice.by_dataset.items():
                here: KeyPath = (*place, "by_dataset", name)
                yield from ((here, text) for text in self._no_dataset(name))
                for parameter, value in params.items():
                    for text in choice.wrong(parameter, value, self.kinds):
                        yield (*here, parameter), text
            yield from self._start_mistakes(choice, (*place, "starts"))

    def _start_mistakes(self, choice: MethodChoice, place: KeyPath) -> Iterator[Mistake]:
        """Yield the mistakes in the points that tuning tries first; protocols that tune differ."""
        if choice.starts:
            yield place, f"protocol {self.protocol} does not tune: leave out 'starts'"

    def _no_dataset(self, name: str) -> Iterator[str]:
        """Yield a sentence if the config has no dataset of this name."""
        names = [choice.name for choice in self.datasets]
        if name not in names:
            yield f"'{name}' is not one of this config's datasets{nearest(name, names)}"

    def _vary_mistakes(self) -> Iterator[Mistake]:
        for name, values in self.vary.items():
            for i, value in enumerate(values):
                place: KeyPath = ("vary", name, i)
                if name not in self.sweepable():
                    for choice in self.methods:
                        texts = choice.wrong(name, value, self.kinds)
                        yield from ((place, text) for text in texts)
                    continue
                changed = self._changed({name: value}, (), self.sweepable())
                yield from ((place, text) for _, text in changed)

    def _changed(
        self, changes: Mapping[str, Any], place: KeyPath, keys: set[str]
    ) -> Iterator[Mistake]:
        """Yield the mistakes in changed keys that decide a cell's numbers."""
        for name, value in changes.items():
            if name not in keys:
                yield (*place, name), f"no key '{name}' can be changed{nearest(name, keys)}"
                continue
            try:
                changed = self.settings({name: value})
            except ValidationError as error:
                yield (*place, name), f"'{name}' cannot be {value!r}: {validation_reason(error)}"
            except ValueError as error:  # a mask or split that does not fit the config's
                yield (*place, name), str(error)
            else:
                for _, text in self._setting_mistakes(changed[0]):
                    yield (*place, name), text

    def _setting_mistakes(self, settings: Settings) -> Iterator[Mistake]:
        """Yield the mistakes in complete settings; protocols check their own keys."""
        return iter(())
