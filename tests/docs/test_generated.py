"""The generated pages: one for every method, dataset and paper, and configs that are good."""

import importlib
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from mlfs import config, papers, protocols
from mlfs.cli import main
from mlfs.datasets.catalogue import shipped as catalogue
from mlfs.methods import registry
from mlfs.methods.docstrings import docstring

FOLDER = Path(__file__).parents[2] / "docs/_pages"
sys.path[:0] = [str(FOLDER), str(Path(__file__).parent)]
import blocks  # noqa: E402
import commands  # noqa: E402
import pages  # noqa: E402
import papers as paper_pages  # noqa: E402
import rooms  # noqa: E402
import text  # noqa: E402

import configs  # noqa: E402

# the least that a config of each protocol says
LEAST = {
    "selection": {"datasets": ["planted"], "methods": ["fsnm"], "metrics": ["average_precision"]},
    "learning": {"datasets": ["planted"], "methods": ["mlknn"], "metrics": ["average_precision"]},
    "completion": {"datasets": ["planted"], "methods": ["rmfl"], "metrics": ["macro_auc"]},
    "active": {"datasets": ["toy_gaussian"], "methods": ["miml"], "metrics": ["precision"]},
    "zeroshot": {"datasets": ["digits"], "methods": ["semfs"], "metrics": ["acc"]},
    "planted": {"methods": ["fsnm"], "metrics": ["relevant_found"]},
}


@pytest.fixture(scope="module")
def made():
    return pages.generated()


def test_every_method_dataset_and_paper_has_a_page_in_the_menu(made):
    listed = str(pages.menu())
    names = {f"methods/{name}.md" for name in registry.methods()}
    names |= {f"datasets/{name}.md" for name in catalogue()}
    names |= {f"papers/{name}.md" for name in papers.names()}
    assert names <= set(made)
    assert all(f"'{name}'" in listed for name in names)


def test_a_method_page_has_parameters_cost_reference_example_and_checks(made):
    for name, cls in registry.methods().items():
        shown = made[f"methods/{name}.md"]
        assert docstring(cls).summary in shown
        for heading in ("Cost", "Reference", "Example", "How our code was checked"):
            assert f"## {heading}\n" in shown, (name, heading)
        for parameter in docstring(cls).parameters:
            assert f"| `{parameter.name}` |" in shown
        assert "Not measured" not in shown, name


def test_a_paper_page_has_its_standing_and_what_became_of_every_claim(made):
    judged = paper_pages.card().claims
    assert {one.paper for one in judged} == set(papers.names())
    for one in judged:
        assert f"| {text.cell(one.claim)} |" in made[f"papers/{one.paper}.md"]
    for one in paper_pages.card().papers:
        for how, score in paper_pages.card().runs(one):
            start = f"| [{one.paper}]({one.paper}.md) | {how} |"
            (line,) = (x for x in made["papers/index.md"].splitlines() if x.startswith(start))
            told = [cell.strip() for cell in line.split("|")]
            counts = [str(n) if n else "" for n in score.counts.values()]
            assert told[6 : 7 + len(counts)] == [f"{score.printed:,}", *counts]
        for reading in papers.paper(one.paper).readings():
            shown = made[f"papers/{one.paper}.md"]
            assert f"## Reading: {reading.name}\n\n{reading.summary}" in shown
            assert all(text.cell(" ".join(column.lines)) in shown for column in reading.columns)


def test_commands_on_generated_pages_are_those_that_mlfs_takes(made):
    found = [
        args
        for name, shown in made.items()
        if name[-3:] == ".md"
        for args in blocks.commands(shown)
    ]
    assert found
    for program, *words in found:
        assert program == "mlfs"
        blocks.parsed(words)


@pytest.mark.parametrize("name", catalogue())
def test_the_lines_of_a_dataset_page_load_that_dataset(name, made):
    entry = catalogue()[name]
    [(kind, lines)] = blocks.blocks(made[f"datasets/{name}.md"])
    assert kind == "python"
    if entry.reader == "toy" or name == "digits":
        scope = {}
        exec(lines, scope)
        assert scope["data"].X.shape == (entry.n, entry.d)
    else:  # no download for this: the loader is the one for its kind
        loader = "load_zero_shot" if entry.classes else "load"
        assert f'\ndata = {loader}("{name}")\n' in lines
        exec(lines.partition("\n")[0], {})


def test_every_command_and_its_examples_are_on_the_page(made):
    for name, command in commands.commands(main):
        section = made["commands.md"].partition(f"## mlfs {name}\n")[2].partition("\n## ")[0]
        assert section, name
        for option in command.params:
            assert not option.opts[0].startswith("-") or f"`{option.opts[0]}`" in section


@pytest.mark.parametrize("protocol", protocols.NAMES)
def test_every_key_of_a_config_is_explained_and_its_example_is_good(protocol):
    for key, about in config.schema()[protocol]["properties"].items():
        assert about.get("description"), f"{protocol}: {key} has no description"
        value = configs.example_of(protocol, key)
        content = {"name": "tried", "protocol": protocol, **LEAST[protocol]}
        model = protocols.protocol(protocol).experiment
        model.model_validate(content | {key: value})


@pytest.mark.parametrize("title", configs.TITLES)
def test_every_key_inside_a_key_is_explained(title, made):
    definitions = {k: v for s in config.schema().values() for k, v in s["$defs"].items()}
    section = made["configs.md"].partition(f"### {configs.TITLES[title]}\n")[2].partition("\n#")[0]
    for key, about in definitions[title]["properties"].items():
        if key not in ("known", "kind"):
            assert f"| `{key}` |" in section
            assert configs.explained(title, key, about), key


def test_the_picture_shows_every_room_below_all_that_it_imports(made):
    order = {room: i for i, floor in enumerate(rooms.floors()) for room in floor}
    for room, others in rooms.imports().items():
        assert f">{room}</text>" in made["rooms.svg"]
        assert all(order[other] < order[room] for other in others)
    assert order["cli"] == max(order.values()) and {"selectors", "numerics"} <= set(order)


def test_no_page_loads_anything_from_another_host(made):
    for name, shown in made.items():
        assert not re.search(r"<(script|link|img|iframe)[^>]*//", shown), name


def test_no_generated_page_shows_a_place_of_this_machine(made):
    for name, shown in made.items():
        for place in (str(FOLDER.parents[1]), str(Path.home()) + "/"):
            assert place not in shown, f"{name} shows {place}"


def test_the_menu_has_groups_and_no_long_list():
    def lists(entry):
        if isinstance(entry, dict):
            entry = [
                one for some in entry.values() for one in (some if isinstance(some, list) else [])
            ]
        if isinstance(entry, list):
            yield len([one for one in entry if isinstance(one, str)])
            for one in entry:
                yield from lists(one)

    assert max(lists(pages.menu())) < 45
    assert "Query strategies" in str(pages.menu()) and "Strategys" not in str(pages.generated())


def test_words_that_name_generated_pages_become_links():
    pytest.importorskip("mkdocs", reason="needs the extra 'docs'")
    hooks = importlib.import_module("hooks")
    page = SimpleNamespace(file=SimpleNamespace(src_uri="start.md"))
    assert hooks.on_page_markdown("see the page *Configs*.", page) == "see [Configs](configs.md)."
    assert set(hooks._GENERATED.values()) <= set(pages.generated())
