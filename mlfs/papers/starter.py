"""A paper to start from: files with an example of everything that they may contain."""

from __future__ import annotations

from pathlib import Path

from ..errors import UserError

_PAPER = """\
# who wrote it, and how its names map to those of mlfs; 'mlfs paper check {name}' says what lacks
title: Features that matter
authors: [A. Author, B. Author]
venue: A Journal
year: 2024
repeats: 5                        # how many repeats the printed values are means of
tables:                           # number: caption
  "1": average precision, 20 % of the positive labels hidden
figures:
  "2": average precision against the number of features
methods:                          # our name: the heading that the paper prints
  fsnm: FSNM
  top_mi: MI
  random: Random
datasets: {{}}                      # our name: the name in printed.csv, if they differ
metrics: {{average_precision: AP}}  # the same for metrics
notes:
  - What a reader of the printed tables should know.
"""
_PRINTED = """\
table,dataset,method,metric,missing_ratio,mean,std,printed_rank,bold
1,planted,FSNM,AP,0.2,0.79,0.02,1,1
1,planted,MI,AP,0.2,0.78,0.02,2,0
1,planted,Random,AP,0.2,0.68,0.03,3,0
"""
_CLAIMS = """\
# every claim: in your own words, where the paper makes it, a few of its words, and a rule
claims:
  - claim: FSNM is best.
    place: section 4
    quote: our method is best
    anchors: [our method is best]
    rule: {kind: beats, method: FSNM, tables: ["1"]}
  - claim: FSNM is better than random features by at least .05.
    place: section 4
    quote: by a clear margin
    anchors: [by a clear margin]
    rule: {kind: ahead, method: FSNM, over: [Random], tables: ["1"], low: 0.05}
  - claim: Average precision grows with the number of features.
    place: figure 2
    quote: grows steadily
    anchors: [grows steadily]
    rule:
      kind: trend
      method: FSNM
      figure: "2"
      datasets: [planted]
      metrics: [average_precision]
      along: axis
      start: 5
      end: 20
unchecked:
  - anchors: [took two weeks]
    reason: the time of the authors' machine says nothing about the methods
"""
_READINGS = """\
# ways to understand what the paper leaves open; a config names one in its key 'reading'
readings:
  - name: kept_last
    summary: An instance never loses its last label.
    columns:
      - covers: {tables: ["1"], columns: [FSNM, MI, Random]}
        summary: Labels are hidden at random, but never the last one of an instance.
        configs: [CONFIG_NAME]
        known: nothing
"""
_CONFIG = """\
# runs table 1 and figure 2 of the paper in ./{name}
name: {name}
protocol: selection
paper: ./{name}
tables: ["1"]
figures: ["2"]
reading: kept_last
datasets: [planted]
split: {{kind: holdout, train: 0.8, repeats: 5}}
mask: {{kind: hide_positives, ratio: 0.2, keep_one: true}}
methods: [fsnm, top_mi, random]
sizes: [5, 10, 20]
metrics: [average_precision]
"""


def write(folder: Path) -> Path:
    """Write the files of a paper into a new folder, and a config beside it; return the config."""
    config = folder.with_name(f"{folder.name}.yaml")
    for path in (folder, config):
        if path.exists():
            raise UserError(f"{path} exists already: choose another name")
    files = {
        folder / "paper.yaml": _PAPER.format(name=folder.name),
        folder / "printed.csv": _PRINTED,
        folder / "claims.yaml": _CLAIMS,
        folder / "readings.yaml": _READINGS.replace("CONFIG_NAME", folder.name),
        config: _CONFIG.format(name=folder.name),
    }
    try:
        folder.mkdir(parents=True)
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"cannot write {folder} ({error.strerror}): choose another place"
        ) from error
    return config
