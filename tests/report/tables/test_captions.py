"""What tables say of hidden labels: the mask in words, and the share that really is hidden."""

import pandas as pd
import pytest

from mlfs import config, papers
from mlfs.config import shipped
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.report.page.tables_section import ValueIndex, table_view
from mlfs.report.tables import formats, paper_tables
from mlfs.report.tables.captions import basis
from mlfs.results import read
from mlfs.results.store import Store

from .. import made

CONFIG = {
    "name": "t",
    "protocol": "learning",
    "datasets": ["emotions", "yeast"],
    "split": {"kind": "holdout", "repeats": 2},
    "mask": {"kind": "drop_per_instance", "ratio": [0, 0.8], "replace": True},
    "methods": ["mlknn", "leml"],
    "metrics": ["one_error"],
}
WORDS = "80 % of the labels of every instance dropped, drawn with replacement"


@pytest.fixture
def captions(tmp_path):
    """``captions(shares, **changes)``: of tables whose cells have hidden ``shares(dataset, i)``."""

    def make(shares, by="dataset", **changes):
        experiment = config.parse(CONFIG | changes, source="test")
        store = Store(tmp_path / experiment.name)
        store.open(experiment)
        for planned in plan(experiment):
            cell = planned.cell
            found = shares(cell.data.name, planned.repeat)
            hidden = {"labels": found, "positives": found / 2} if found is not None else {}
            info = {"hidden": hidden} if hidden and cell.settings.ratio else {}
            store.write(planned, Record(rows=[{"one_error": 0.5}], info=info))
        made = paper_tables.make_tables(read.read(store), by=by)
        return [formats.caption(table, False) for table in made]

    return make


def test_a_caption_says_the_share_that_is_really_missing(captions):
    plain, masked = captions(lambda dataset, repeat: 0.55)
    assert plain == "t: one error (lower is better); ± over 2 repeats"
    assert masked == (
        f"t: one error (lower is better); {WORDS}: 55 % of the labels really missing; "
        "± over 2 repeats"
    )


def test_the_share_is_a_mean_over_repeats_and_a_span_over_datasets(captions):
    shares = {"emotions": [0.50, 0.52], "yeast": [0.60, 0.61]}
    masked = captions(lambda dataset, repeat: shares[dataset][repeat])[1]
    assert f"{WORDS}: 51 to 60 % of the labels really missing;" in masked


def test_nothing_is_added_where_the_share_is_the_ratio_or_not_known(captions):
    for share in (0.8, 0.8004, None):
        assert f"{WORDS}; ±" in captions(lambda *_, share=share: share)[1]


def test_a_mask_of_positives_tells_their_share(captions):
    mask = {"kind": "hide_positives", "ratio": 0.4, "keep_one": True}
    [masked] = captions(lambda *_: 0.62, mask=mask)
    words = "40 % of the positive labels hidden, but never the last one of an instance"
    assert f"{words}: 31 % of the positives really hidden;" in masked


def test_a_column_with_a_mask_of_its_own_is_named(captions):
    own = {"settings": {"mask": {"kind": "hide_per_instance", "rows": 0.5}}}
    other = "80 % of the positive labels of 50 % of the instances hidden, rounded down"
    methods = ["mlknn", {"leml": {}, "label": "A", **own}, {"leml": {}, "label": "B", **own}]
    masked = captions(lambda *_: 0.8, methods=methods)[1]
    assert f"; {WORDS}; A, B: {other}: 40 % of the positives really hidden; ±" in masked
    alone = captions(lambda *_: None, methods=methods[1:], name="alone")[1]
    assert f"; A, B: {other}; ±" in alone and WORDS not in alone


def test_the_page_says_it_below_the_title(captions, tmp_path):
    captions(lambda *_: 0.55)
    made = paper_tables.make_tables(read.read(Store(tmp_path / "t")))[1]
    shown = table_view(made, "x", ValueIndex({}))
    assert shown.title == "one error (lower is better), 80 % to hide"
    assert shown.basis == f"{WORDS}: 55 % of the labels really missing; ± over 2 repeats"


def test_a_caption_says_how_many_points_each_method_has():
    experiment = config.parse(
        {"name": "s", "protocol": "selection", "datasets": ["emotions"], "methods": ["random"]}
        | {
            "split": {"kind": "holdout", "repeats": 2},
            "sizes": [5, 10, 20],
            "metrics": ["one_error"],
        },
        source="test",
    )
    points = {"a": (5, 10, 20), "b": (5, 20), "all": (72,)}
    part = pd.DataFrame(
        [("emotions", name, at) for name, some in points.items() for at in some],
        columns=["row", "method", "point"],
    ).assign(n_features=1)
    for counts, text in (([1, 1], "one repeat"), ([1, 2], "± over 1 to 2 repeats")):
        entries = pd.DataFrame({"count": counts})
        assert basis(experiment, part, entries, "dataset") == (
            "mean of 3 sizes (5 to 20 features; 2 sizes for b; 1 size for all), " + text
        )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mfsef", "settings of PMU, MFSLS and MFSEF fitted to printed values"),
        ("mfsef_stated", ""),
        ("gmfs_table2", "some settings fitted to printed values"),
        ("rmfl_exact_mask", ""),
        ("miml_table2", ""),
    ],
)
def test_a_caption_says_which_settings_were_fitted_to_printed_values(name, words):
    experiment, *_ = config.load_all(shipped.names()[name])
    heads = papers.headings(experiment)
    score = dict.fromkeys(experiment.metrics, 0.5)
    found = made.results(experiment, {("yeast", 0.0, 0, head): score for head in heads})
    for table in paper_tables.make_tables(found):
        assert [text for text in table.about if "fitted" in text] == [words] * bool(words)
        assert words in table.caption and words in table_view(table, "t", ValueIndex({})).basis


def test_own_experiments_with_the_name_of_a_paper_have_no_fitted_settings(captions):
    for changes in ({}, {"paper": "gmfs"}):
        assert "fitted" not in captions(lambda *_: None, **changes)[0]
