"""Keep the parts of the page that follow from packed files alone; see `mlfs.report.kept`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from markupsafe import Markup
from pydantic import PlainSerializer, PlainValidator, TypeAdapter, ValidationError

from ...results.read import Results
from ..kept import Kept, key_of

NAME = "page.json"  # the file of the cache
Html = Annotated[Markup, PlainValidator(Markup), PlainSerializer(str)]  # kept as a text
View = TypeVar("View")


class KeptViews:
    """The views of earlier pages."""

    def __init__(self) -> None:
        self._kept = Kept(NAME)

    def of(
        self,
        kind: type[View],
        results: Sequence[Results],
        parts: Sequence[Any],
        make: Callable[[], View],
    ) -> View:
        """Return a view of some results, which is made only if no earlier page has it.

        Parameters
        ----------
        kind : type
            The dataclass of the view.
        results : sequence of Results
            What the view shows.
        parts : sequence
            Plain data that the view depends on, too.
        make : callable
            Makes the view.
        """
        digests, experiments = [one.digest for one in results], [one.experiment for one in results]
        key = key_of(digests, experiments, kind.__name__, *parts)
        if not key:
            return make()
        adapter = TypeAdapter(kind)
        try:
            return adapter.validate_python(self._kept.get(key))
        except ValidationError:  # there is none, or it is damaged
            made = make()
        self._kept.put(key, adapter.dump_python(made, mode="json"))
        return made

    def save(self) -> None:
        """Keep the views for the next page."""
        self._kept.save()
