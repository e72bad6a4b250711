"""Results that were never run: experiments whose figures are given, one by one."""

import math

import pandas as pd

from mlfs import config, papers
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results.read import KEYS, Results
from mlfs.results.store import Store

# a protocol for each paper that has tables, and a method that it runs under any heading
KINDS = {
    "gmfs": {"protocol": "selection", "method": "random"},
    "mfsef": {"protocol": "selection", "method": "random"},
    "rmfl": {"protocol": "learning", "method": "rmfl"},
    "miml": {"protocol": "active", "method": "random", "mode": "seconds"},
}


def experiment(paper, tables, datasets, columns, metrics, ratios=(), **changes):
    """An experiment that belongs to tables of a paper; `columns` are headings or whole choices."""
    kind = dict(KINDS[paper])
    method = kind.pop("method")
    mask = {"kind": "drop_entries", "ratio": list(ratios)}
    content = {
        "name": "_".join([paper, *tables]),
        "paper": paper,
        "tables": list(tables),
        "datasets": list(datasets),
        "methods": [
            {method: {}, "label": column} if isinstance(column, str) else column
            for column in columns
        ],
        "metrics": list(metrics),
        **kind,
        **({"mask": mask} if any(ratios) else {}),
    }
    return config.parse({**content, **changes}, source="made up")


def results(made, values, missing=()):
    """Results with `values`: (dataset, ratio, repeat, heading) to a dict of metrics."""
    rows = [dict(zip(KEYS, key)) | dict(scores) for key, scores in values.items()]
    columns = None if rows else [*KEYS, *made.metrics]
    return Results(made, pd.DataFrame(rows, columns=columns), list(missing), [], [])


def grand(folder, name):
    """Store an experiment with a mask, in which 'gmfs' is best."""
    content = {
        "name": name,
        "protocol": "selection",
        "datasets": ["emotions", "yeast", "arts", "scene"],
        "mask": {"kind": "hide_positives", "ratio": [0.0, 0.4]},
        "methods": ["fsnm", "gmfs", "random"],
        "sizes": [2],
        "metrics": ["average_precision"],
    }
    experiment = config.parse(content, source="test")
    store = Store(folder / name)
    store.open(experiment)
    for planned in plan(experiment):
        value = 0.5 + 0.1 * (planned.label == "gmfs") - 0.1 * planned.cell.settings.ratio
        row = {"n_features": 2, "average_precision": value}
        store.write(planned, Record(rows=[row], seconds={"fit": 1.0 + planned.column}))
    return store


def as_printed():
    """Results that hold what the papers print, an experiment for each printed table.

    Where a misprint has been corrected, they hold the figure as it was printed.
    """
    found = []
    for name in papers.names():
        paper = papers.paper(name)
        for table in paper.tables:
            cells = paper.printed([table])
            if cells.empty:
                continue
            made = experiment(
                name,
                [table],
                [_as_used(paper, dataset) for dataset in dict.fromkeys(cells.dataset)],
                dict.fromkeys(cells.method),
                dict.fromkeys(cells.metric),
                dict.fromkeys(cells.missing_ratio),
            )
            values = {}
            for cell in cells.itertuples():
                figure = cell.mean if math.isnan(cell.as_printed) else cell.as_printed
                key = (cell.dataset, cell.missing_ratio, 0, cell.method)
                values.setdefault(key, {})[cell.metric] = figure
            found.append(results(made, values))
    return found


def _as_used(paper, dataset):
    """A dataset with the labels that the paper seems to have used."""
    count = paper.frequent_labels.get(dataset)
    return {"name": dataset, "frequent_labels": count} if count else dataset
