"""What a user says about their own data: where they are, and how to read them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

Listed = BeforeValidator(lambda value: value if isinstance(value, list | tuple) else [value])
Impute = Literal["mean", "median"]
Unknown = Literal["negative"]


def title(path: str | None, openml: int | None) -> str:
    """Return the default name of the user's own data."""
    return (Path(path).stem or path) if path else f"openml_{openml}"


class UserData(BaseModel):
    """Describe the user's own files, or a dataset of OpenML.

    Parameters
    ----------
    path : str, optional
        File of the features. It also has the labels, unless `labels` is a file.
    openml : int, optional
        Number of a dataset on openml.org, instead of `path`.
    labels : list of str, int or str, optional
        Names of the label columns; or the number of label columns (6: the first six, -6: the last
        six); or a file: Mulan's XML, or a table of labels with one row for each row of `path`.
    test : list of str
        File of the official test part; if `labels` is a table, also the file of its labels.
    id : str, optional
        A column that is neither a feature nor a label.
    impute : {"mean", "median"}, optional
        Replace missing values by the mean or the median of the training rows.
    unknown : {"negative"}, optional
        Read labels that are not known as 0. Without it they stay unknown.

    Examples
    --------
    >>> from mlfs.datasets import UserData
    >>> UserData(path="X.csv", labels="Y.csv").files
    ['X.csv', 'Y.csv']
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str | None = Field(
        None,
        min_length=1,
        description="your own file: arff, csv, parquet, npz, npy or libsvm; the path is relative "
        "to the config's folder",
    )
    openml: int | None = Field(None, ge=1, description="number of a dataset on openml.org")
    labels: tuple[str, ...] | int | str | None = Field(
        None,
        description="names of the label columns, their number (6: the first six, -6: the last "
        "six), or a file of labels",
    )
    test: Annotated[tuple[str, ...], Listed, Field(max_length=2)] = Field(
        (), description="file of the official test part; [X, Y] if the labels are in another file"
    )
    id: str | None = Field(None, description="a column to leave out")
    impute: Impute | None = Field(
        None, description="replace missing values by the mean or median of the training rows"
    )
    unknown: Unknown | None = Field(
        None,
        description="'negative' reads labels that are not known as 0, as positives-only data need; "
        "without it they stay unknown",
    )

    @field_validator("labels", mode="before")
    @classmethod
    def _readable(cls, value: Any) -> Any:
        if isinstance(value, list | tuple) and value:
            names = tuple(str(name) for name in value)
            twice = [name for name in names if names.count(name) > 1]
            if twice:
                raise ValueError(f"label '{twice[0]}' is named twice: name every label once")
            return names
        if isinstance(value, str) and value and not Path(value).suffix:
            raise ValueError(f"'{value}' is not a file: write 'labels: [{value}]' for that column")
        number = isinstance(value, int) and not isinstance(value, bool) and value != 0
        if number or (isinstance(value, str) and value) or value is None:
            return value
        raise ValueError(
            "'labels' must be a list of names, a number of columns such as 6 or -6, or a file"
        )

    @field_validator("id", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) else value

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.path is not None and self.openml is not None:
            raise ValueError("there are both 'path' and 'openml': leave one out")
        if self.path is None and self.openml is None:
            for key in ("labels", "test", "id", "impute", "unknown"):
                if getattr(self, key):
                    raise ValueError(f"'{key}' is only for your own data: add 'path' or 'openml'")
        if self.openml is not None and (self.test or isinstance(self.labels, int | str)):
            raise ValueError(
                "for 'openml', leave 'test' out, and write 'labels' as a list of names"
            )
        if len(self.test) == 2 and not self.label_file:
            raise ValueError("'test' must be one file, since the labels are in the data file")
        if len(self.test) == 1 and self.label_file:
            raise ValueError("'test' must be [data, labels], since the labels are in another file")
        return self

    @property
    def label_file(self) -> str | None:
        """The table of labels, if the labels are in a separate table."""
        if isinstance(self.labels, str) and Path(self.labels).suffix.lower() != ".xml":
            return self.labels
        return None

    @property
    def files(self) -> list[str]:
        """All files that are read."""
        named = [self.labels] if isinstance(self.labels, str) else []
        return [*([self.path] if self.path else []), *named, *self.test]

    def inside(self, folder: Path) -> Self:
        """Make relative paths absolute, starting from a folder.

        Parameters
        ----------
        folder : Path
            The folder.

        Returns
        -------
        UserData
            The same with absolute paths.
        """

        def absolute(path: str) -> str:
            return str((folder / Path(path).expanduser()).absolute())

        return self.model_copy(
            update={
                "path": absolute(self.path) if self.path else None,
                "labels": absolute(self.labels) if isinstance(self.labels, str) else self.labels,
                "test": tuple(absolute(path) for path in self.test),
            }
        )
