"""What was run: cells, settings, versions, machines, seconds, failures and the config."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from urllib.parse import quote

import yaml

from ...protocols import Experiment
from ...results.read import NOT_RUN, Results
from ..lists.failure_list import by_cause
from ..tables.footer import settings

_CAUSES = 8  # causes that are listed for one experiment
_NOTES = 30
# keys about the machine; the others are versions of code
_MACHINE = ("cpu", "blas", "system", "python")


@dataclass(frozen=True)
class Run:
    """How the results of one experiment were made.

    Attributes
    ----------
    causes : list of (str, int, str)
        Why cells failed, how many of them, and one example.
    versions, machines : list of (str, int)
        Versions of code, and machines, each with the number of cells it made.
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
        """The number of all cells of the experiment."""
        return self.done + self.failed + self.waiting

    @property
    def link(self) -> str:
        """The config as a data URL, which contains the whole file."""
        return f"data:application/yaml;charset=utf-8,{quote(self.config)}"


def run_view(item: Results) -> Run:
    """Describe how the results of an experiment were made."""
    failed = [(planned, reason) for planned, reason in item.missing if reason != NOT_RUN]
    causes = [(reason, len(cells), cells[0].describe()) for reason, cells in by_cause(failed)]
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
    """Return the config with every default, in the form that `mlfs run` accepts."""
    content = experiment.model_dump(mode="json")
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100))


def _of_machine(made: dict[str, str]) -> list[str]:
    given = [made.get("cpu", ""), made.get("blas", ""), made.get("system", "")]
    python = made.get("python")
    return [text for text in (*given, f"Python {python}" if python else "") if text]


def _known(counts: Counter[str]) -> list[tuple[str, int]]:
    """Return counts, the most frequent first; an empty text becomes "not recorded"."""
    return [(text or "not recorded", count) for text, count in counts.most_common()]
