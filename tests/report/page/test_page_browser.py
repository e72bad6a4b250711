"""The page in Chromium: used as a reader would, checked by axe-core, and looked at.

It needs Chromium, Node.js and ``npm install --prefix tests/browser``. Screenshots go to
``$MLFS_SHOTS``, where that is set.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from mlfs import config
from mlfs.report.tables.texts import number, signed

HERE = Path(__file__).parents[2] / "browser"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
LACKING = [
    name
    for name, there in {
        "chromium": CHROMIUM,
        "node": shutil.which("node"),
        "npm install --prefix tests/browser": (HERE / "node_modules/axe-core").is_dir(),
    }.items()
    if not there
]
pytestmark = pytest.mark.skipif(bool(LACKING), reason=f"not here: {', '.join(LACKING)}")


@pytest.fixture(scope="module")
def saw(shown, tmp_path_factory):
    """What a visit to the page gave."""
    folder = tmp_path_factory.mktemp("browser")
    (folder / "page.html").write_text(shown[2], encoding="utf-8")
    shots = os.environ.get("MLFS_SHOTS", str(folder))
    command = ["node", HERE / "visit.mjs", folder / "page.html", CHROMIUM, shots]
    visit = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert visit.returncode == 0, visit.stderr
    return json.loads(visit.stdout)


def in_order(cells):
    """The printed values as the map has them: by table, metric and ratio, dataset, method.

    Papers that were not run come last.
    """
    run = {cell.paper for cell in cells if cell.repeats}
    keys = [
        ((cell.paper, cell.table), (cell.metric, cell.ratio), cell.dataset, cell.method)
        for cell in cells
    ]
    seen = [{}, {}, {}, {}]
    places = []
    for key in keys:
        parts = (key[:1], key[:2], (*key[:2], key[2]), (*key[:2], key[3]))
        places.append([some.setdefault(part, len(some)) for some, part in zip(seen, parts)])
    order = sorted(range(len(cells)), key=lambda i: (cells[i].paper not in run, places[i]))
    return [cells[i] for i in order]


def test_no_script_fails_and_nothing_is_asked_for(saw):
    assert saw["errors"] == []
    assert saw["requests"] == []


def test_axe_finds_no_fault_in_light_and_dark_wide_and_narrow(saw):
    assert saw["violations"] == []
    assert saw["wide"] == []


def test_every_figure_can_be_seen(saw, shown):
    drawn = [node for node in shown[3].all("svg", role="img") if "glyph" not in node.classes]
    assert len(saw["figures"]) == len(drawn) > 5
    assert [one["name"] for one in saw["figures"] if not one["visible"] or one["drawn"] < 3] == []


def test_pointing_at_a_cell_shows_its_figures_and_a_click_its_place(saw, shown):
    cells = in_order(shown[1].comparisons)
    assert saw["count"] == len(cells)
    ours = 0
    for mark in saw["marks"]:
        cell = cells[mark["i"]]
        lines = [line for line in mark["text"].splitlines() if line]
        assert lines[0].startswith(f"{cell.method} on {cell.dataset}, ") and lines[1] == cell.status
        assert not mark["before"] and not mark["after"] and mark["focused"] == mark["text"]
        assert any(re.match(rf"printed {re.escape(number(cell.printed))}\b", one) for one in lines)
        assert mark["target"]["visible"]
        if cell.repeats:
            ours += 1
            assert lines[2].startswith(f"ours {number(cell.ours)}")
            assert any(line.startswith(f"gap {signed(cell.gap)}, ") for line in lines)
            assert lines[-2] == f"from {cell.experiment}" or cell.reason
            assert re.search(r"split: \w+ \(|split: official", lines[-1])
            assert mark["target"]["tag"] == "TD"
            assert mark["target"]["text"].startswith(number(cell.ours))
    assert ours > 5


def test_the_keyboard_moves_inside_a_block_that_has_one_stop(saw):
    assert saw["arrow"] == 1
    assert saw["stops"] == saw["blocks"] > 40


def test_one_status_can_be_shown_alone(saw):
    assert saw["only"] == ["s-reproduced"]


def test_a_column_sorts_up_and_down_and_back(saw):
    given, up, down, back = saw["sorted"]
    values = sorted(map(float, filter(None, given["values"])))
    assert [up["sign"], down["sign"], back["sign"]] == ["ascending", "descending", None]
    assert [float(one) for one in up["values"] if one] == values
    assert [float(one) for one in down["values"] if one] == values[::-1]
    assert back["values"] == given["values"] != up["values"]


def test_printed_figures_go_and_come_back(saw):
    assert saw["compare"] == [True, False, True]
    assert saw["found"] == 0


def test_configs_are_downloaded_whole(saw, shown):
    assert len(saw["downloads"]) == len(shown[0])
    for item in shown[0]:
        content = yaml.safe_load(saw["downloads"][f"{item.experiment.name}.yaml"])
        assert config.parse(content, source="download") == item.experiment


def test_the_switch_makes_it_dark_and_is_remembered(saw):
    light, dark, later = saw["ground"]
    assert light == "rgb(255, 255, 255)" and dark == later != light
