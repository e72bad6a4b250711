"""The README: its links lead somewhere, and its commands are those that mlfs takes."""

import re
import shlex
from pathlib import Path

from mlfs.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples/README.md"]


def test_links_between_files_lead_to_files():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_call_of_mlfs_in_the_readme_is_one_that_mlfs_takes():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    calls = [
        shlex.split(line.strip())[1:] for line in re.findall(r"^ {0,4}mlfs [a-z].*$", text, re.M)
    ]
    calls = [call for call in calls if call[0] in main.commands]
    assert len(calls) >= 4
    for command, *args in calls:
        main.commands[command].make_context(command, args)


def test_every_target_of_make_in_the_readme_exists():
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`?make ([a-z-]+)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert target in ("sure",) or f"\n{target}:" in made, target
