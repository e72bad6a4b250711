"""The text of ``mlfs table --overall``: the verdict in words, then the numbers behind it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ...config import shipped
from ...errors import UserError
from ...protocols import Experiment
from ...results import read as stored
from ...results.packing import SUFFIX, find
from ...results.read import Results
from ...results.store import Store
from ...system.spreadsheet import csv_text
from ..tables import latex
from ..tables.texts import aligned, capitalised, folded, number, or_none, signed
from .cases import ARMS, AVAILABLE, COMPLETE, KNOWS, NOTHING, SINGLE, Entrant, collect
from .contest import NO_INTERVAL, Contest, Interval
from .properties import associations, winners
from .short_answers import in_short
from .verdict_words import sentences, tuning

PREFIX = "grand_"  # of the names of configs that are made to be judged as a whole


@dataclass(frozen=True)
class Overall:
    """The groups of some results with all their statistics."""

    contests: list[Contest]

    @cached_property
    def sentences(self) -> dict[str, list[str]]:
        """The verdict on each group, by its title; what tuning gives comes last, if known."""
        by_group = {one.group.title: sentences(one) for one in self.contests}
        groups = [one.group for one in self.contests]
        default, tuned = ([g for g in groups if g.tuned is is_] for is_ in (False, True))
        lines = tuning(default, tuned)
        return by_group | ({"tuning": lines} if lines else {})

    @cached_property
    def in_short(self) -> list[str]:
        """The answers in a few lines."""
        return in_short(self.contests)


def judge(results: Sequence[Results], metric: str | None = None) -> Overall:
    """Compute what some results say together."""
    return Overall([Contest(group) for group in collect(results, metric)])


def is_compared(experiment: Experiment) -> bool:
    """Tell whether an experiment was made to be judged as a whole: its name starts with grand_."""
    return experiment.name.startswith(PREFIX)


def stores_of(root: Path) -> list[Store]:
    """Return the results that a user means: also the name of a config with several experiments.

    ``results/reference/NAME`` means the results of all experiments of the config NAME there.
    """
    place = shipped.results_at(root)
    if not place.exists():
        parts = [place.with_name(name) for name in shipped.experiments(place.name)]
        there = [p for p in parts if p.exists() or p.with_name(p.name + SUFFIX).is_file()]
        if there:
            return [store for part in there for store in find(part)]
    return find(root)


def read_all(roots: Sequence[Path]) -> list[Results]:
    """Read the results at some places, each experiment once."""
    stores = {store.folder.resolve(): store for root in roots for store in stores_of(root)}
    return [stored.read(store) for store in stores.values()]


def as_text(roots: Sequence[Path], metrics: list[str], kind: str, width: int | None) -> str:
    """Return what the results at `roots` say together, in one of the formats of tables."""
    if len(metrics) > 1:
        raise UserError("--overall compares one metric at a time: name one with --metric")
    overall = judge(read_all(roots), metrics[0] if metrics else None)
    if kind == "json":
        return json.dumps([record(one, overall) for one in overall.contests], indent=1)
    if kind == "csv":
        frames = [frame(one).assign(group=one.group.title) for one in overall.contests]
        return csv_text(pd.concat(frames, ignore_index=True))
    short = "\n".join(["## In short", "", *(f"- {line}" for line in overall.in_short)])
    texts = [short] if overall.in_short and kind == "md" else []
    for one in overall.contests:
        lines = overall.sentences[one.group.title]
        texts.append(_latex(one, lines) if kind == "latex" else _markdown(one, lines, width))
    if "tuning" in overall.sentences and kind == "md":
        texts.append("\n".join(["## Tuning", "", *overall.sentences["tuning"]]))
    text = "\n\n".join(texts)
    return folded(text, width) if kind == "md" else text


def frame(contest: Contest) -> pd.DataFrame:
    """Return a row per entrant, best first, with every number; oracles and controls last."""
    group = contest.group
    order = contest.order if contest.testable else contest.ranked
    last = [one for one in group.entrants if one not in set(order)]
    means: dict[Any, float] = group.scores().mean().to_dict()
    losses: dict[Any, dict[Any, float]] = contest.losses.to_dict()
    rows = []
    for one in [*order, *last]:
        against = contest.against_zero.get(one)
        # zero-filling and the oracle are the ends of the measure, and controls stand outside it
        measured = one.arm in (AVAILABLE, COMPLETE, KNOWS)
        share = contest.recovered(one) if measured else NO_INTERVAL
        row: dict[str, Any] = {"entrant": one.name, "method": one.method, "arm": one.arm}
        row |= _ranks(contest, one)
        row |= {group.metric: means[one.name]}
        if against:
            row |= {
                "over_zero": against.difference,
                "p_holm": against.p_holm,
                "better": against.bayes.better,
                "equal": against.bayes.equal,
                "worse": against.bayes.worse,
            }
        row |= {"recovered": share.value, "low": share.low, "high": share.high}
        row |= {f"loss_{100 * ratio:g}": values[one.name] for ratio, values in losses.items()}
        row |= {"seconds": group.seconds[one.name], "stability": group.stability[one.name]}
        row["front"] = contest.testable and one in contest.front
        rows.append(row)
    return pd.DataFrame(rows)


def _ranks(contest: Contest, one: Entrant) -> dict[str, float]:
    if not contest.testable or one not in contest.ranked:
        return {"rank_families": math.nan, "rank_sets": math.nan}
    families = contest.of_families
    return {
        "rank_families": float(families.ranks[one.name]) if families else math.nan,
        "rank_sets": float(contest.of_sets.ranks[one.name]),
    }


def lines_of(contest: Contest) -> list[list[str]]:
    """Return the numbers as the lines of a table for people; the first line has the headings."""
    data, group = frame(contest), contest.group
    ratios = group.hidden if len(contest.losses) else []
    shown = {
        "recovered": data.recovered.notna().any(),
        "stability": data.stability.notna().any(),
        "against": bool(contest.against_zero),
    }
    head = ["entrant", "rank (families)", "rank (sets)", group.metric]
    head += ["over zero-filled", "p (Holm)", "better/equal/worse"] if shown["against"] else []
    head += ["recovered %"] if shown["recovered"] else []
    single = group.kind == SINGLE  # there is only one ratio, which is no share of all labels
    head += ["loss" if single else f"loss at {100 * ratio:g} %" for ratio in ratios]
    head += ["seconds", *(["stability"] if shown["stability"] else [])]
    lines = [head]
    for row in data.to_dict(orient="records"):
        line = [row["entrant"] + (" *" if row["front"] else "")]
        line += [_or_dash(row["rank_families"], ".2f"), _or_dash(row["rank_sets"], ".2f")]
        line.append(number(row[group.metric]))
        if shown["against"]:
            line += _against(row)
        if shown["recovered"]:
            line.append(_share(Interval(row["recovered"], row["low"], row["high"])))
        line += [_signed_or_dash(row[f"loss_{100 * ratio:g}"]) for ratio in ratios]
        line.append(_or_dash(row["seconds"], ".2g"))
        line += [_or_dash(row["stability"], ".2f")] if shown["stability"] else []
        lines.append(line)
    return lines


def _against(row: dict[Any, Any]) -> list[str]:
    if math.isnan(row.get("over_zero", math.nan)):
        return ["–"] * 3
    shares = "/".join(f"{row[name]:.2f}" for name in ("better", "equal", "worse"))
    return [signed(row["over_zero"]), f"{row['p_holm']:.2g}", shares]


def _share(share: Interval) -> str:
    if not share.known:
        return "–"
    return f"{100 * share.value:.0f} [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def _or_dash(value: float, form: str) -> str:
    return "–" if math.isnan(value) else format(value, form)


def _signed_or_dash(value: float) -> str:
    return "–" if math.isnan(value) else signed(value)


def notes(contest: Contest) -> list[str]:
    """Return what a reader of the table must know."""
    group = contest.group
    better = "higher" if group.larger else "lower"
    arms = [f"{arm}: {words}" for arm, words in ARMS.items() if contest.of_arm(arm)]
    lines = [
        f"{group.metric} ({better} is better) is the mean over {len(group.scores())} datasets, "
        f"{_over(group.protocol, group.kind)}repeats. * is on the Pareto front of "
        "score and seconds. Ranks leave out oracles and controls.",
        f"Arms: {'; '.join(arms)}.",
        f"From {', '.join(group.experiments)}.",
    ]
    return [*lines, *group.left_out]


def _over(protocol: str, kind: str) -> str:
    """Return what a score is a mean over, besides datasets and repeats."""
    ratios = "ratios above 0, " if kind not in (NOTHING, SINGLE) else ""
    points = {"selection": "numbers of features, classifiers and ", "active": "points bought and "}
    return ratios + points.get(protocol, "and ")


def _markdown(contest: Contest, verdict: list[str], width: int | None) -> str:
    parts = [f"## {capitalised(contest.group.title)}", " ".join(verdict)]
    parts.append(aligned(lines_of(contest), width))
    who = winners(contest)
    if len(who):
        lines = [[str(name) for name in who]]
        lines += [[_entry(value) for value in row] for row in who.itertuples(index=False)]
        parts.append(f"Who is best on how many datasets (medians):\n\n{aligned(lines, width)}")
    parts.append("\n".join(notes(contest)))
    return "\n\n".join(parts)


def _latex(contest: Contest, verdict: list[str]) -> str:
    lines = [[latex.escape(text) for text in line] for line in lines_of(contest)]
    return latex.tabular(lines, capitalised(contest.group.title), [*verdict, *notes(contest)])


def _entry(value: Any) -> str:
    return _or_dash(value, ".4g") if isinstance(value, float) else str(value)


def record(contest: Contest, overall: Overall) -> dict[str, Any]:
    """Return everything about a group as plain data for JSON."""
    group = contest.group
    content: dict[str, Any] = {
        "group": group.title,
        "protocol": group.protocol,
        "kind": group.kind,
        "tuned": group.tuned,
        "trained_on": group.panel,
        "experiments": group.experiments,
        "metric": group.metric,
        "larger_is_better": group.larger,
        "ratios": group.ratios,
        "datasets": [str(name) for name in contest.table.index],
        "families": {str(name): str(value) for name, value in group.families.items()},
        "entrants": [_plain(row) for row in frame(contest).to_dict(orient="records")],
        "sentences": overall.sentences[group.title],
        "left_out": group.left_out,
    }
    if contest.testable:
        tests = {"datasets": contest.of_sets, "families": contest.of_families}
        content["friedman"] = {
            name: {"chi2": t.chi2, "F_F": or_none(t.F_F), "p": t.p, "n": t.n}
            for name, t in tests.items()
            if t
        }
        content["nemenyi_cd"] = contest.cd
        content["properties"] = [_plain(vars(one)) for one in associations(contest)]
    return content


def _plain(row: dict[Any, Any]) -> dict[str, Any]:
    return {
        str(name): or_none(value) if isinstance(value, float) else value
        for name, value in row.items()
    }
