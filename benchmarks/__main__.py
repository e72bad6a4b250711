"""Print one table of ratios, and one of slopes: ``python -m benchmarks --help`` tells more."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from threadpoolctl import threadpool_limits

from mlfs.errors import UserError

from . import kernels, others, stored  # noqa: F401 (they enter their comparisons)
from .comparison import FOUND, Comparison, Measured, measure, wanted
from .growth import Growth, all_growth

BASELINE = Path(__file__).with_name("baseline.json")
_TRIES = 3
_LEAST = 0.5  # of the ratio that is kept
_STEEPER = 0.3  # than stated: more than what small sizes and a busy machine do to a slope


@click.command()
@click.argument("words", nargs=-1)
@click.option("--quick", is_flag=True, help="Small, made data, and no slopes: half a minute.")
@click.option("--check", is_flag=True, help="Fail where a ratio is below half of the one kept.")
@click.option("--write", is_flag=True, help="Keep the ratios in baseline.json.")
@threadpool_limits.wrap(1)  # the processor seconds of several threads would blur the ratios
def main(words: tuple[str, ...], quick: bool, check: bool, write: bool) -> None:
    """Measure how many times faster our forms are, and how methods grow with the data.

    WORDS choose the comparisons and methods whose names hold one of them. Seconds are of a
    processor, on one thread, both sides of a ratio in the same run.
    """
    kind = "quick" if quick else "large"
    kept: dict[str, dict[str, float]] = json.loads(BASELINE.read_text(encoding="utf-8"))
    chosen = [one for one in FOUND if wanted(one.name + one.against, words)]
    if chosen:
        click.echo(f"{'':<42}{'against':<40}{'ours':>10}{'theirs':>10}{'ratio':>8}{'kept':>8}")
    slow = []
    for one in chosen:
        before = kept[kind].get(_key(one))
        for found in _measured(one, quick, _LEAST * before if check and before else 0.0):
            click.echo(_row(found, before))
        if check and before and found.ratio < _LEAST * before:
            slow.append(one.name)
        kept[kind][_key(one)] = round(found.ratio, 2)
    if write:
        BASELINE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if not quick:
        _print_growth(words)
    if slow:
        click.echo(f"slower than half of what was kept: {', '.join(slow)}", err=True)
        sys.exit(1)


def _key(one: Comparison) -> str:
    return f"{one.name} / {one.against}"


def _measured(one: Comparison, quick: bool, enough: float) -> Iterator[Measured]:
    """Measure once, and again while the ratio is too small; what is not better is not given."""
    best = 0.0
    for _ in range(_TRIES):
        try:
            found = measure(one, large=not quick)
        except UserError as error:  # data that cannot be had
            click.echo(f"{one.name}: {error}; made data instead", err=True)
            found = measure(one)
        if found.ratio > best:
            best = found.ratio
            yield found
        if best >= enough:
            return


def _row(found: Measured, before: float | None) -> str:
    one, kept = found.comparison, "-" if before is None else f"{before:.3g}"
    seconds = f"{_amount(found.fast):>10}{_amount(found.slow):>10}"
    return f"{one.name:<42}{one.against:<40}{seconds}{found.ratio:>8.3g}{kept:>8}"


def _amount(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.2f} ms"


def _print_growth(words: tuple[str, ...]) -> None:
    head = f"{'growth of a fit, measured (stated)':<22}"
    shown = False
    for found in all_growth(words):
        if not shown:
            click.echo(
                f"\n{head}: slopes of log time and log memory over log n, d and l; "
                "* steeper than stated"
            )
            numbers = "".join(f"{number:^11}" for number in found.time)
            click.echo(f"{'':<20}{'time':<5}{numbers}   {'memory':<7}{numbers}   at most")
            shown = True
        click.echo(_growth_row(found))


def _growth_row(found: Growth) -> str:
    def slopes(of: dict[str, tuple[float, float]]) -> str:
        return "".join(
            f"{measured:5.1f} ({most:.0f}){'*' if measured > most + _STEEPER else ' '} "
            for measured, most in of.values()
        )

    spent = f"{_amount(found.seconds)}, {found.megabytes:.0f} MB"
    return f"{found.method:<20}{'':<4}{slopes(found.time)}   {'':<6}{slopes(found.memory)}  {spent}"


if __name__ == "__main__":
    main()
