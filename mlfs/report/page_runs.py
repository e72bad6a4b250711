"""What was run: cells, settings, versions, machines, seconds, failures, and the config itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

import yaml

from ..engine.plan import Planned
from ..protocols import Experiment
from .footer import settings
from .results import NOT_RUN, Results

_CAUSES = 8  # that are listed of one experiment
_NOTES = 30
_MACHINE = ("cpu", "system", "python")  # what a record says of the machine; the rest is code


@dataclass(frozen=True)
class Run:
    """How the results of one experiment came about.

    Attributes
    ----------
    causes : list of (str, int, str)
        Why cells failed, how many, and one of them.
    versions, machines : list of (str, int)
        Code and hardware, and how many cells they made.
    config : str
        The resolved config as YAML, with every default.
    """

    done: int
    failed: int
    waiting: int
    seconds: float
    phases: list[tuple[str, float]]
    causes: list[tuple[str, int, str]]
    more_causes: int
    notes: list[str]
    settings: dict[str, str]
    versions: list[tuple[str, int]]
    machines: list[tuple[str, int]]
    config: str

    @property
    def planned(self) -> int:
        """All cells of the experiment."""
        return self.done + self.failed + self.waiting

    @property
    def link(self) -> str:
        """The config as an address that holds the whole file."""
        return f"data:application/yaml;charset=utf-8,{quote(self.config)}"


def run(item: Results) -> Run:
    """Tell how the results of an experiment came about."""
    failed = [(planned, reason) for planned, reason in item.missing if reason != NOT_RUN]
    causes = _causes(failed)
    phases: dict[str, float] = {}
    versions, machines = Counter[str](), Counter[str]()
    for _, record in item.records:
        for phase, seconds in record.seconds.items():
            phases[phase] = phases.get(phase, 0.0) + seconds
        made = record.made_by
        versions[", ".join(f"{k} {v}" for k, v in made.items() if k not in _MACHINE)] += 1
        machines[", ".join(_of_machine(made))] += 1
    return Run(
        done=len(item.records),
        failed=len(failed),
        waiting=len(item.missing) - len(failed),
        seconds=sum(phases.values()),
        phases=sorted(phases.items(), key=lambda one: -one[1]),
        causes=causes[:_CAUSES],
        more_causes=max(0, len(causes) - _CAUSES),
        notes=item.notes[:_NOTES],
        settings=settings(item.experiment),
        versions=_known(versions),
        machines=_known(machines),
        config=config(item.experiment),
    )


def config(experiment: Experiment) -> str:
    """Return the config with every default, as `mlfs run` takes it."""
    content = experiment.model_dump(mode="json")
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100))


def duration(seconds: float) -> str:
    """Return a time in the unit that a reader would choose."""
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _of_machine(made: dict[str, str]) -> list[str]:
    given = [made.get("cpu", ""), made.get("system", "")]
    python = made.get("python")
    return [text for text in (*given, f"Python {python}" if python else "") if text]


def _known(counts: Counter[str]) -> list[tuple[str, int]]:
    """Return the most frequent first; cells that do not say what made them are called so."""
    return [(text or "not recorded", count) for text, count in counts.most_common()]


def _causes(failed: Sequence[tuple[Planned, str]]) -> list[tuple[str, int, str]]:
    """Errors that differ in numbers alone are one cause; the most frequent comes first."""
    found: dict[str, list[tuple[Planned, str]]] = {}
    for planned, reason in failed:
        found.setdefault(re.sub(r"\d+(\.\d+)?", "#", reason), []).append((planned, reason))
    groups = sorted(found.values(), key=len, reverse=True)
    return [(group[0][1], len(group), group[0][0].describe()) for group in groups]
