"""The key `repeats` of experiments without a split."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from .base import Experiment
from .splits import MOST_REPEATS


class Repeated(Experiment):
    """An experiment without the key `split`: every repeat draws what it needs."""

    instead = {"split": "write 'repeats: 5' for five repeats"}

    repeats: int = Field(
        1, ge=1, le=MOST_REPEATS, description="how often the experiment is repeated"
    )

    @property
    def count(self) -> int:
        """Return the number of repeats."""
        return self.repeats

    def quick_version(self) -> Self:
        """Return a quick version of the experiment, also with only one repeat."""
        return super().quick_version().model_copy(update={"repeats": 1})
