"""A dataset as a config names it: by its name, or as files of the user's own."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from ... import datasets
from ...datasets import UserData
from ...datasets.user.description import title
from ...errors import UserError, nearest
from ..cell import Data, Frozen

NOT_HERE = "not here"  # the checksum of data whose files are missing


class Content(Frozen):
    """The content of the user's own data when the config was read."""

    checksum: str
    shape: tuple[int, int, int]


class DatasetChoice(UserData):
    """A dataset by name, or files of your own.

    In YAML: ``yeast``, ``{name: rcv1subset2, clean: true}``, ``{path: X.csv, labels: Y.csv}`` or
    ``{openml: 41465}``. `clean` corrects the known faults of a published file. `frequent_labels`
    keeps only this many labels, the most frequent ones.
    """

    name: str = Field(
        pattern=r"^[^/]+$", description="name of the dataset; by default that of the file"
    )
    clean: bool = Field(False, description="correct the known faults of the published file")
    frequent_labels: int | None = Field(
        None, ge=1, description="keep only this many labels, the most frequent ones of the set"
    )
    known: Content | None = Field(
        None, description="set by mlfs when it reads a config; results are found by it"
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        value = {"name": value} if isinstance(value, str) else value
        if not isinstance(value, dict):
            return value
        if "path" in value or "openml" in value:
            path = str(value["path"]) if "path" in value else None
            return {"name": title(path, value.get("openml")), **value}
        if "name" not in value:
            raise ValueError("say which data to use: a 'name', or the 'path' of a file of your own")
        entry = datasets.user_catalogue().get(str(value.get("name")))
        if entry is not None:
            return entry.own.model_dump(exclude_defaults=True) | value
        return value

    @model_validator(mode="after")
    def _known(self) -> Self:
        catalogue = datasets.catalog()
        if self.own is None and self.name not in catalogue:
            raise ValueError(
                f"unknown dataset '{self.name}'{nearest(self.name, catalogue)} "
                "('mlfs data list' shows all)"
            )
        if self.own is not None and self.clean:
            raise ValueError("'clean' corrects published files: leave it out for files of your own")
        if self.frequent_labels is not None and self.classes:
            raise ValueError(f"{self.name} has classes, not labels: leave out 'frequent_labels'")
        shape = self._whole
        if self.frequent_labels is not None and shape and self.frequent_labels > shape[2]:
            raise ValueError(
                f"{self.name} has {shape[2]} labels: 'frequent_labels' must be at most that"
            )
        return self

    @model_serializer(mode="wrap")
    def _without_blanks(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if value not in (None, (), [])}

    @property
    def own(self) -> UserData | None:
        """Where the user's own data are; None for a set of the catalogue."""
        if self.path is None and self.openml is None:
            return None
        return UserData(**{name: getattr(self, name) for name in UserData.model_fields})

    @property
    def data(self) -> Data:
        """The dataset as a cell needs it; if its files are missing, cells are only planned."""
        own = self.own
        try:
            if self.known is not None:
                checksum = self.known.checksum
            elif own is not None:
                checksum = datasets.own_checksum(own)
            else:
                checksum = datasets.checksum(self.name, clean=self.clean)
        except UserError:
            checksum = NOT_HERE
        return Data(
            name=self.name,
            clean=self.clean,
            frequent_labels=self.frequent_labels,
            checksum=checksum,
            own=own,
            shape=self.shape,
        )

    @property
    def shape(self) -> tuple[int, int, int] | None:
        """Numbers of instances, features and labels, if they are known."""
        whole = self._whole
        return whole and (*whole[:2], min(whole[2], self.frequent_labels or whole[2]))

    @property
    def _whole(self) -> tuple[int, int, int] | None:
        if self.own is not None:
            return self.known.shape if self.known else None
        entry = datasets.catalog()[self.name]
        return None if entry.reader == "images" else (entry.n, entry.d, entry.l)

    @property
    def classes(self) -> bool:
        """Whether the dataset has classes with attributes instead of labels."""
        return self.own is None and datasets.catalog()[self.name].classes

    @property
    def splits(self) -> bool:
        """Whether the dataset has an official split, or may have one."""
        if self.own is not None:
            return bool(self.test)
        entry = datasets.catalog()[self.name]
        return entry.split is not None or not entry.available

    @property
    def here(self) -> bool:
        """Whether the dataset can be loaded without the network."""
        if self.own is not None:
            return datasets.is_here(self.own)
        return datasets.status(self.name) in ("cached", "in mirror", "built in")

    def read(self) -> Self:
        """Read the files, and return the choice with their present content."""
        own = self.own
        if own is None:
            return self
        data = datasets.read_own(own, self.name)
        shape = (*data.X.shape, data.Y.shape[1])
        content = Content(checksum=data.checksum, shape=shape)
        return self.model_copy(update={"known": content})
