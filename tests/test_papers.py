"""The printed tables as data: complete, and in names that the rest of the project knows."""

import pytest

from mlfs import datasets, papers


def test_all_printed_cells_are_there():
    cells = papers.printed_cells()
    assert len(cells) == 1536
    assert cells["mean"].notna().all()
    assert cells.groupby("paper").size().to_dict() == {
        "gmfs": 98,
        "mfsef": 168,
        "miml": 10,
        "rmfl": 1260,
    }


@pytest.mark.parametrize("name", papers.NAMES)
def test_every_paper_says_who_wrote_it_and_what_it_prints(name):
    paper = papers.paper(name)
    assert paper.title and paper.authors and paper.venue and paper.year > 2000
    assert paper.methods and (paper.tables or paper.figures)
    printed = papers.printed_cells()
    assert set(printed[printed.paper == name].table) <= set(paper.tables)


@pytest.mark.parametrize("name", ["gmfs", "mfsef", "rmfl", "miml"])
def test_printed_sets_are_sets_of_the_catalogue(name):
    paper = papers.paper(name)
    assert set(paper.printed(list(paper.tables)).dataset) <= set(datasets.catalog())


def test_a_known_figure_and_a_mapped_name():
    gmfs = papers.paper("gmfs").printed(["2"])
    cell = gmfs[(gmfs.dataset == "rcv1subset1_top944") & (gmfs.method == "GMFS")]
    assert cell["mean"].item() == 0.554
    rmfl = papers.paper("rmfl").printed(["II"])
    assert set(rmfl.metric) == {
        "average_precision",
        "hamming_loss",
        "ranking_loss",
        "one_error",
        "normalized_coverage",
    }
