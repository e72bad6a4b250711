"""Show the progress of a run: a bar in a terminal or notebook, otherwise one line per minute."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

import click
from tqdm.auto import tqdm

from .engine import runner
from .engine.costs import Left
from .engine.execute import Finished, Running, Waiting
from .engine.runner import Began, Ended, Event, Reused, Skipped, Spoilt, Work
from .errors import count_of
from .system.stopping import raise_if_stopped
from .system.streams import lose

_LINE_EVERY = 60.0  # seconds between two lines, if there is no terminal
_SHOWN = 2  # running cells that the bar names
_BAR = "{desc} {percentage:3.0f}%|{bar:15}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}"


def show(events: Iterable[Event], place: str, summary: bool = True) -> int:
    """Show the progress of a run, and return the number of cells that failed.

    Without `summary`, what is done is not said at the end.
    """
    shown = _Shown(place, summary)
    for event in events:
        shown.take(event)
        raise_if_stopped()
        if isinstance(event, Ended):
            return event.failed
    return 0


class _Bar(tqdm):  # type: ignore[type-arg]
    """A bar that estimates the remaining time from the costs of the cells, not their number."""

    left = 0.0  # seconds

    @property
    def format_dict(self) -> dict[str, Any]:
        about = dict(super().format_dict)
        if self.left > 0 and self.total:
            about["rate"] = (self.total - self.n) / self.left
        return about


class _Shown:
    def __init__(self, place: str, summary: bool):
        self.place, self.summary = place, summary
        self.failed = self.finished = self.total = 0
        self.last = time.monotonic()
        self.bar: _Bar | None = None
        self.title = ""
        self.left: Left | None = None
        self.since: dict[str, float] = {}  # when each running cell was first seen
        self.busy = 1  # the largest number of cells seen to run at the same time

    def take(self, event: Event) -> None:
        """Show an event; if its text cannot be written, the run goes on without a log."""
        try:
            self._show(event)
        except (OSError, ValueError):  # the disk is full, the terminal is gone, the file is closed
            self.bar = None
            for stream in (sys.stderr, sys.stdout):
                lose(stream)

    def _show(self, event: Event) -> None:
        match event:
            case Skipped():
                self._say(f"{event.experiment.name}: skipping {event.dataset}: {event.reason}")
            case Reused():
                name, place = event.experiment.name, event.place
                self._say(f"{name}: {event.cells} finished cells taken from {place}")
            case Spoilt():
                self._say(event.reason)
            case Began():
                self._begin(event)
            case Running():
                self._running(event)
            case Waiting():
                self._now(event.reason)
            case Finished():
                self._finished(event)
            case Ended():
                if self.bar is not None:
                    self.bar.close()
                if self.summary:
                    summarise(event.work)

    def _say(self, text: str) -> None:
        if self.bar is not None:
            self.bar.write(text, file=sys.stderr)
        else:
            click.echo(text, err=True)

    def _begin(self, event: Began) -> None:
        names = [item.experiment.name for item in event.work]
        name = names[0] if len(names) == 1 else f"{len(names)} experiments"
        tunings = f" and {count_of(event.tunings, 'tuning')}" if event.tunings else ""
        self.title = f"{name}: {count_of(event.cells, 'cell')}{tunings}, {self.place}"
        self.total, self.left = event.cells + event.tunings, event.left
        if sys.stderr.isatty() or _in_notebook():
            self.bar = _Bar(
                total=self.total, desc=self.title, bar_format=_BAR, dynamic_ncols=True, ascii=False
            )
        else:
            self._say(self.title)

    def _running(self, event: Running) -> None:
        self.busy = max(self.busy, len(event.cells))
        now = time.monotonic()
        self.since = {one.key: self.since.get(one.key, now) for one in event.cells}
        if self.bar is not None:
            self.bar.left = self._seconds()
        names = [planned.describe() for planned in event.cells]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        self._now("; ".join(names[:_SHOWN]) + more)

    def _now(self, now: str) -> None:
        if self.bar is not None:
            self.bar.set_postfix_str(f"{self.failed} failed] {now}".rstrip())
        elif time.monotonic() - self.last >= _LINE_EVERY:
            self.last = time.monotonic()
            done = f"{self.finished} of {self.total} cells, {self.failed} failed"
            self._say(f"{done}, about {tqdm.format_interval(self._seconds())} left; now {now}")

    def _finished(self, event: Finished) -> None:
        self.finished += 1
        if self.left is not None:
            self.left.finish(event.planned, sum(event.record.seconds.values()))
        if event.record.status == "failed":
            self.failed += 1
            self._say(f"failed: {event.planned.describe()}: {event.record.error}")
        if self.bar is not None:
            self.bar.left = self._seconds()
            self.bar.update()

    def _seconds(self) -> float:
        """Return how long the remaining cells will take.

        A cell that runs longer than its estimate is expected to need as long again.
        """
        longest = time.monotonic() - min(self.since.values(), default=time.monotonic())
        return max(self.left.seconds(self.busy) if self.left else 0.0, longest)


def steps(items: Iterable[int], title: str, total: int) -> Iterator[int]:
    """Pass on the steps of some work, and show how many are done.

    Parameters
    ----------
    items : iterable of int
        The steps.
    title : str
        What is done.
    total : int
        Number of steps.

    Yields
    ------
    int
        The steps, one by one.
    """
    if sys.stderr.isatty() or _in_notebook():
        yield from tqdm(items, desc=title, total=total, dynamic_ncols=True, leave=False)
        return
    last = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - last >= _LINE_EVERY:
            last = time.monotonic()
            click.echo(f"{title}: {done} of {total}", err=True)
        yield item


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


def summarise(work: list[Work]) -> None:
    """Print how many cells of each experiment are done, and the next useful command."""
    for item in work:
        done, failed = item.counts()
        folder = item.store.folder
        compare = " --compare" if item.experiment.paper else ""
        after = [f"mlfs failures {folder}"] if failed else []
        after += [f"mlfs table {folder}{compare}"] if done else []
        follows = f"  Next: {', '.join(after)}" if after else ""
        click.echo(f"{folder}: {done} done, {failed} failed.{follows}")


def execute(work: list[runner.Work], options: runner.Options, *, summary: bool = True) -> int:
    """Run unfinished cells, show the progress, and return the number of cells that failed.

    Without `summary`, what is done is not said at the end.
    """
    with closing(runner.run(work, options)) as events:
        return show(events, options.place, summary)
