"""``mlfs table --overall`` in every format."""

import json
from io import StringIO

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

from mlfs import config
from mlfs.cli import main
from mlfs.config import shipped
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.report.overall.contest import Contest
from mlfs.report.overall.overall_text import Overall, frame, lines_of, stores_of
from mlfs.results.packing import pack
from mlfs.results.store import Store

from .conftest import usual

TEXT = """
name: {name}
protocol: selection
datasets: [emotions, yeast, arts, scene]
split: {{kind: holdout, repeats: 2}}
mask: {{kind: hide_positives, ratio: [0.0, 0.4]}}
methods: [fsnm, gmfs, random]
sizes: [2, 4]
metrics: [average_precision, hamming_loss]
"""
LEADS = {"gmfs": 0.1, "fsnm": 0.05, "random": 0.0}


def write(folder, names):
    for name in names:
        content = yaml.safe_load(TEXT.format(name=name))
        experiment = config.parse(content, source="test")
        store = Store(folder / name)
        store.open(experiment)
        for planned in plan(experiment):
            value = 0.5 + LEADS[planned.label] + planned.repeat / 100
            rows = [
                {"n_features": k, "average_precision": value, "hamming_loss": 0.1} for k in (2, 4)
            ]
            store.write(planned, Record(rows=rows, seconds={"fit": 1.0}))


def run(*arguments):
    return CliRunner().invoke(main, ["table", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, ["grand"])
    return tmp_path / "grand"


def test_the_text_has_the_verdict_and_the_numbers(folder):
    done = run(folder, "--overall")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("## In short\n\n- Which selector? Positives hidden: ")
    assert "\n## Selection, invisible: positive labels hidden\n" in done.output
    assert (
        "Over 4 families of datasets (4 datasets), with 40 % hidden, the 2 selectors" in done.output
    )
    assert "| gmfs (knows) *" in done.output and "From grand." in done.output


def test_sentences_are_folded_to_the_width_of_the_terminal(folder):
    narrow, wide = (run(folder, "--overall", "--width", str(n)).output for n in (90, 20_000))
    lines = [line for line in narrow.splitlines() if not line.startswith("|")]
    assert max(map(len, lines)) <= 90 < max(map(len, wide.splitlines()))
    sentences = [
        " ".join(line for line in text.splitlines() if line[:1] != "|") for text in (narrow, wide)
    ]
    assert sentences[0].split() == sentences[1].split()


def test_csv_and_json_have_the_same_numbers(folder):
    table = pd.read_csv(StringIO(run(folder, "--overall", "--format", "csv").output))
    text = run(folder, "--overall", "--format", "json").output
    [record] = json.loads(text)
    assert list(table.entrant) == [row["entrant"] for row in record["entrants"]]
    assert list(table.average_precision) == pytest.approx([0.605, 0.555, 0.505])
    assert record["entrants"][0]["rank_sets"] == 1 and record["families"]["arts"] == "yahoo"
    assert record["friedman"]["families"]["n"] == 4 and record["sentences"]
    assert record["entrants"][2]["recovered"] is None
    depth = [len(line) - len(line.lstrip()) for line in text.splitlines()]
    names = ("[", "{", '"entrants"', "{", '"entrant"')  # what is inside is further to the right
    lines = [line.strip() for line in text.splitlines()]
    found = [next(i for i, line in enumerate(lines) if line.startswith(name)) for name in names]
    assert depth[found[0]] < depth[found[1]] < depth[found[2]] < depth[found[4]]


def test_another_metric_may_be_named(folder):
    [record] = json.loads(
        run(folder, "--overall", "--format", "json", "--metric", "hamming_loss").output
    )
    assert record["metric"] == "hamming_loss" and not record["larger_is_better"]
    assert "cannot be told apart" in record["sentences"][0]


def test_latex_is_a_table_with_the_verdict_below(folder):
    text = run(folder, "--overall", "--format", "latex").output
    assert r"\begin{tabular}" in text and "average\\_precision" in text
    assert "Friedman" in text.split(r"\end{tabular}")[1]


@pytest.mark.parametrize("option", ["--compare", "--pool", "--tests", "--long"])
def test_options_of_other_tables_are_refused(folder, option):
    done = run(folder, "--overall", option)
    assert done.exit_code == 2 and "--metric, --format and --width only" in done.output


def test_the_name_of_a_config_means_all_its_experiments(tmp_path, monkeypatch):
    results = tmp_path / "results"
    write(results, ["grand_a", "grand_b"])
    pack(Store(results / "grand_b"), tmp_path / "packs" / "grand_b.jsonl.zst")
    (results / "grand_a").rename(tmp_path / "packs" / "grand_a")
    both = tmp_path / "grand.yaml"
    both.write_text("---".join(TEXT.format(name=name) for name in ("grand_a", "grand_b")))
    monkeypatch.setattr(shipped, "names", lambda: {"grand": both})
    found = stores_of(tmp_path / "packs" / "grand")
    assert [store.folder.name for store in found] == ["grand_a", "grand_b.jsonl.zst"]
    done = run(tmp_path / "packs" / "grand", "--overall")
    assert done.exit_code == 0 and "From grand_a, grand_b." in done.output


def test_the_frame_has_every_number_and_the_lines_a_dash_for_the_unknown(grouped):
    contest = Contest(grouped(usual))
    data = frame(contest).set_index("entrant")
    assert data.index[0] == "gamma (knows)" and data.index[-1] == "random"
    assert data.at["alpha (available case)", "recovered"] == pytest.approx(0.6, abs=0.02)
    assert data.at["gamma (knows)", "recovered"] == pytest.approx(0.8, abs=0.02)
    assert data.recovered.count() == 3  # zero-filling and the oracle are its ends
    assert np.isnan(data.at["alpha (oracle)", "rank_sets"])
    assert data.at["gamma (knows)", "over_zero"] == pytest.approx(0.04, abs=1e-3)
    head, *lines = lines_of(contest)
    assert head == [
        *("entrant", "rank (families)", "rank (sets)", "average_precision", "over zero-filled"),
        *("p (Holm)", "better/equal/worse", "recovered %", "loss at 40 %", "loss at 70 %"),
        *("seconds", "stability"),
    ]
    assert {len(line) for line in lines} == {len(head)}
    assert lines[0][0] == "gamma (knows) *" and lines[-1][1:3] == ["–", "–"]
    assert list(Overall([contest]).sentences) == [contest.group.title]


def test_experiments_of_shipped_configs_are_those_of_their_documents():
    for name, file in shipped.names().items():
        documents = yaml.safe_load_all(file.read_text(encoding="utf-8"))
        assert shipped.experiments(name) == [one["name"] for one in documents]
    assert shipped.experiments("grand") == []
