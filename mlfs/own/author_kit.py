"""What a paper about a method needs: it is run beside all baselines, and files are written."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..config import load, shipped
from ..datasets import catalog
from ..errors import UserError, nearest
from ..methods import registry, user_code
from ..methods.docstrings import docstring
from ..protocols import Experiment
from ..report.tables import table_text
from ..report.tables.footer import settings
from ..report.tables.paper_tables import Table, make_tables
from ..report.tables.texts import listed
from ..results.packing import SUFFIX, pack
from ..results.read import read
from ..results.store import Store
from ..types import Array
from ..yaml_lines import parse_yaml
from .comparing import as_yaml, kinds_of

DATASETS = ("flags", "emotions", "birds")  # small ones, of three families
_GROUNDS = {"selection": "grand_selection_full", "learning": "grand_learning_full"}
_QUICK = 4  # baselines of a quick kit
TITLE = "mlfs: published multi-label experiments, run again"  # as in CITATION.cff
AUTHORS = "The mlfs contributors"
_TITLE = re.compile(r'"([^"]+?),?"')
_URL = re.compile(r"https?://\S+(?: \([^)]*\))?\.?")
_DOI = re.compile(r"https://doi\.org/(\S+)")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SPLITS = {
    "holdout": "random holdouts",
    "stratified": "iteratively stratified splits",
    "kfold": "folds drawn at random",
    "official": "the published split",
}


def grounds() -> dict[str, dict[str, Any]]:
    """Return the comparisons that come with mlfs, as plain content, by the experiment's name."""
    by_name = {}
    for name, path in shipped.names().items():
        if name.startswith("grand_"):
            for content, _ in parse_yaml(path.read_text(encoding="utf-8"), str(path)):
                if content["protocol"] in _GROUNDS:
                    by_name[content["name"]] = content
    return by_name


def content_of(
    method: str, datasets: Sequence[str], ground: str | None, quick: bool
) -> dict[str, Any]:
    """Return the config that compares a method with the baselines of a comparison.

    Parameters
    ----------
    method : str
        The author's method: ``module:Class``.
    datasets : sequence of str
        Names of datasets of the comparison; none for a few small ones.
    ground : str, optional
        The experiment to stand in; by default the one where nothing is hidden.
    quick : bool
        One dataset, one repeat and few baselines, to see that all works.

    Returns
    -------
    dict
        The content of the config.
    """
    kinds = kinds_of(method)
    protocol = "selection" if "selector" in kinds else "learning"
    comparisons = {name: one for name, one in grounds().items() if one["protocol"] == protocol}
    name = ground or _GROUNDS[protocol]
    if name not in comparisons:
        raise UserError(
            f"'{name}' is no comparison for '{method}'{nearest(name, comparisons)} "
            f"(known: {', '.join(comparisons)})"
        )
    content = comparisons[name]
    sets = {one if isinstance(one, str) else one["name"]: one for one in content["datasets"]}
    for one in datasets:
        if one not in sets:
            hint = nearest(one, sets)
            raise UserError(f"{name} has no dataset '{one}'{hint} (it has {', '.join(sets)})")
    label = method.rpartition(":")[2]
    chosen = [sets[one] for one in datasets or DATASETS]
    split, methods = dict(content["split"]), list(content["methods"])
    if quick:
        chosen, methods, split["repeats"] = chosen[:1], methods[:_QUICK], 1
    return content | {
        "name": f"kit_{label}",
        "title": f"{label} beside the baselines of {name}",
        "datasets": chosen,
        "split": split,
        "methods": [*methods, {method: {}, "label": label}],
        "control": label,
        "cost": 1,
    }


def prepare(method: str, content: Mapping[str, Any], folder: Path, command: str) -> Path:
    """Write the config, and the file of the method beside it; return the config's path."""
    folder.mkdir(parents=True, exist_ok=True)
    source = user_code.beside(method.partition(":")[0], Path())
    if source is not None:
        shutil.copy(f"{source.module}.py", folder)
    path = folder / "config.yaml"
    path.write_text(as_yaml(content, command), encoding="utf-8")
    load(path)  # a mistake is told before anything is run
    return path


def reused(ground: str) -> Path | None:
    """Return the packed cells of a comparison that come with mlfs, if there are any."""
    file = shipped.reference() / f"{ground}{SUFFIX}"
    return file if file.exists() else None


def write(store: Store, folder: Path) -> list[Path]:
    """Write what a paper needs about finished results, and return the files."""
    results = read(store)
    experiment, tables = results.experiment, make_tables(results, None, "dataset")
    common: dict[str, Any] = {
        "compare": False, "stats": True, "pool": False, "in_full": False, "whole": True,
        "at": None, "by": "dataset", "rope": None, "width": None,
    }  # fmt: skip
    latex = table_text.as_text([store.folder], [], kind="latex", tests=False, **common)
    texts = {
        "table.tex": latex,
        "protocol.txt": paragraph(experiment),
        "statistics.txt": _statistics(store, tables, common),
        "references.bib": bibliography(experiment),
    }
    for name, text in texts.items():
        (folder / name).write_text(text.rstrip() + "\n", encoding="utf-8")
    return [*(folder / name for name in texts), _deposit(store, folder)]


def paragraph(experiment: Experiment) -> str:
    """Return the protocol of an experiment in words that can stand in a paper."""
    own = str(experiment.control)
    others = [label for label in experiment.labels if label != own]
    sets = [
        f"{choice.name} ({n:,} instances, {d:,} features, {l} labels)"
        for choice in experiment.datasets
        if choice.shape
        for n, d, l in [choice.shape]  # noqa: E741
    ]
    said = settings(experiment)
    split = experiment.model_dump(mode="json")["split"]
    share = (
        f"{100 * split['train']:.0f} % of the rows are used for training"
        if ("train" in split)
        else f"{split.get('folds', 1)} folds"
    )
    repeats = f"{experiment.count} repeats" if experiment.count > 1 else "one repeat"
    lines = [
        f"We compare {own} with {len(others)} methods ({listed(others)}) on "
        f"{len(sets)} data set{'s' * (len(sets) > 1)}: {listed(sets)}.",
        f"Rows are divided by {_SPLITS.get(split['kind'], split['kind'])} ({share}, {repeats}); "
        "all methods see the same splits and hidden labels.",
    ]
    if said.get("scale", "none") != "none":
        lines.append(f"Features are scaled ({said['scale']}), fitted on the training rows.")
    lines.append(_hidden(experiment))
    lines += _judged(experiment, said)
    tuned = said.get("tune", "none")
    lines.append(
        "All methods keep their default parameters, or those named in the config."
        if tuned == "none"
        else f"Parameters are tuned inside the training part: {tuned}."
    )
    metrics = listed([name.replace("_", " ") for name in experiment.metrics])
    lines.append(
        f"We report {metrics}, as means and standard deviations over the repeats. Average ranks "
        "over data sets are compared by Friedman's test, and each method with "
        f"{own} by Wilcoxon's signed-rank test with Holm's correction. "
        f"The experiments were run with mlfs {__version__}; config and cells are deposited."
    )
    return " ".join(lines)


def _judged(experiment: Experiment, said: Mapping[str, str]) -> Iterator[str]:
    """Yield how selected features are judged."""
    ways = getattr(experiment, "evaluations", [])
    if ways:
        told = [
            f"{way.name} trained on the {way.train_on} labels"
            + (f" (unknown ones: {way.missing})" if way.missing else "")
            for way in ways
        ]
        yield f"Selected features are judged by {listed(told)}."
    elif "classifier" in said:
        yield f"Selected features are judged by {said['classifier']}."
    if "sizes" in said:
        yield f"Numbers of selected features (below 1: shares of all): {said['sizes']}."


def _hidden(experiment: Experiment) -> str:
    ratios = [ratio for ratio in experiment.ratios if ratio]
    if not ratios:
        return "No training labels are hidden."
    masks = experiment.model_dump(mode="json")["mask"]
    masks = masks if isinstance(masks, list) else [masks]
    kind = listed(list(dict.fromkeys(mask["kind"].replace("_", " ") for mask in masks)))
    shares = listed([f"{100 * ratio:.0f} %" for ratio in ratios])
    return f"Labels of the training rows are hidden (mask '{kind}': {shares}); the test rows' not."


def _statistics(store: Store, tables: list[Table], common: Mapping[str, Any]) -> str:
    try:
        text = table_text.as_text([store.folder], [], kind="md", tests=True, **common)
    except UserError as error:  # one dataset gives no tests
        text = str(error)
    return "\n".join([text, "", "Effect sizes", *effects(tables)])


def effects(tables: Sequence[Table]) -> Iterator[str]:
    """Yield how far each method is from the control: mean difference and rank-biserial r.

    r is the matched-pairs rank-biserial correlation over datasets: 1 if the control is better on
    all of them, -1 if it is worse on all.
    """
    for table in tables:
        means, own = table.means, str(table.control)
        if own not in means:
            continue
        yield f"{table.title}:"
        for other in means.columns:
            if other == own:
                continue
            gap = (means[own] - means[other]).dropna().to_numpy()
            gap = gap if table.larger_is_better else -gap
            yield (
                f"  {own} against {other}: {gap.mean():+.4f} on average (above 0 is better), "
                f"better on {(gap > 0).sum()} and worse on {(gap < 0).sum()} of {len(gap)}, "
                f"r = {rank_biserial(gap):+.2f}"
            )


def rank_biserial(gaps: Array) -> float:
    """Return the matched-pairs rank-biserial correlation of differences; 0 if all are 0."""
    from scipy.stats import rankdata

    gaps = gaps[gaps != 0]
    if not len(gaps):
        return 0.0
    ranks = rankdata(np.abs(gaps))
    return float((ranks[gaps > 0].sum() - ranks[gaps < 0].sum()) / ranks.sum())


def bibliography(experiment: Experiment) -> str:
    """Return BibTeX entries of the methods, the data sets and mlfs."""
    entries = [
        _entry("software", "mlfs", author=f"{{{AUTHORS}}}", title=TITLE, version=__version__)
    ]
    used: dict[str, Sequence[str]] = {
        choice.name: experiment.kinds for choice in experiment.methods
    }
    for way in getattr(experiment, "evaluations", []):
        used[way.classifier.name] = ("classifier", "learner")
    with experiment.scope:
        for name, kinds in used.items():
            cls = registry.method(name, kinds)
            entries += _references(name, cls)
    for choice in experiment.datasets:
        entry = catalog().get(choice.name)
        urls = [url for source in getattr(entry, "sources", ()) for file in source.files
                for url in file.urls]  # fmt: skip
        note = {"howpublished": rf"\url{{{urls[0]}}}"} if urls else {}
        entries.append(_entry("misc", f"data_{choice.name}", title=choice.name, **note))
    return "\n\n".join(dict.fromkeys(entries))


def _references(name: str, cls: type) -> Iterator[str]:
    """Yield the references that a method's docstring states; for a foreign one, what it is."""
    text = " ".join(docstring(cls).sections.get("References", "").split())
    key, begin = re.sub(r"\W+", "_", name), 0
    titles = list(_TITLE.finditer(text))
    if not titles and ":" in name:
        yield _entry("misc", key, title=name.rpartition(":")[2], note=f"class of {name}")
    for i, title in enumerate(titles):
        after = text[title.end() : titles[i + 1].start() if i + 1 < len(titles) else len(text)]
        url = _URL.search(after)
        stop = url.end() if url else after.rfind(". ") + 1
        rest = after[:stop] if stop and i + 1 < len(titles) else after
        doi, year = _DOI.search(rest), _YEAR.search(_URL.sub("", rest))
        authors = re.sub(r",? and ", ", ", text[begin : title.start()].strip(" ,.;()"))
        fields = {
            "author": " and ".join(part for part in authors.split(", ") if part),
            "title": title[1],
            "howpublished": _URL.sub("", rest).strip(" ,.;"),
            "year": year[0] if year else "",
            "doi": doi[1].rstrip(".,;)") if doi else "",
        }
        yield _entry("misc", f"{key}_{i + 1}" if i else key, **fields)
        begin = title.end() + len(rest)


def _entry(kind: str, key: str, **fields: str) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def _deposit(store: Store, folder: Path) -> Path:
    """Write a zip with the packed cells, what made them, and the method's own file."""
    packed = folder / f"{store.folder.name}{SUFFIX}"
    pack(store, packed)
    target = folder / "deposit.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in [packed, folder / "config.yaml", *sorted(folder.glob("*.py"))]:
            archive.write(path, path.name)
        archive.write(store.folder / "experiment.yaml", "experiment.yaml")
    return target
