"""The page of mutants: figures by room, survivors as diffs, and sections that stay."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

MODULES = ("summary", "rule", "mutants")


@pytest.fixture
def summary(monkeypatch, tmp_path):
    """The module, with its pages in a folder of the test."""
    pytest.importorskip("cosmic_ray")
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    import summary

    monkeypatch.setattr(summary, "HERE", tmp_path)
    (tmp_path / "equivalent.md").write_text("### 00000003 mlfs/papers/a.py\n\nThe same.\n")
    (tmp_path / "mlfs").mkdir()
    for room in ("papers", "stats"):
        (tmp_path / "mlfs" / room).mkdir()
        (tmp_path / "mlfs" / room / "a.py").write_text("A = 1\n")
    yield summary
    for name in MODULES:
        sys.modules.pop(name, None)


def mutant(number, room):
    return SimpleNamespace(
        key=f"{number:08d}",
        module=f"mlfs/{room}/a.py",
        definition="a",
        diff=lambda source: f"-{source.strip()}\n+A = 2",
    )


def test_sections_of_samples_that_were_not_run_stay(summary, tmp_path, capsys):
    chosen = [mutant(i, "papers") for i in range(1, 7)] + [mutant(9, "stats")]
    found = ["killed", "survived", "survived", "timed out", "killed"]
    known = {one.key: {"outcome": outcome} for one, outcome in zip(chosen, found)}
    summary.write_summary(tmp_path, chosen, known)
    page = (tmp_path / "summary.md").read_text()
    assert page.startswith("# Mutants\n\nThe share leaves out equivalent mutants")
    assert "## Methods and numbers\n\nNot run yet.\n\n## Data, papers, engine and report\n" in page
    for room in ("papers", "all"):
        assert f"| {room} | 2 | 1 | 1 | 1 | 1 | 75.0 % |" in page
    assert page.endswith("#### 00000002 mlfs/papers/a.py a\n\n```diff\n-A = 1\n+A = 2\n```\n")
    assert "papers | 2 |" in capsys.readouterr().out

    summary.write_summary(tmp_path, chosen, {"00000009": {"outcome": "killed"}})
    again = (tmp_path / "summary.md").read_text()
    assert (
        "| stats | 1 | 0 | 0 | 0 | 0 | 100.0 % |" in again and "### Survivors\n\nNone.\n" in again
    )
    assert again[again.index("## Data") :] == page[page.index("## Data") :]
    assert "papers" not in capsys.readouterr().out


def test_equivalent_mutants_that_are_killed_or_gone_are_named(summary, tmp_path, capsys):
    summary.write_summary(tmp_path, [mutant(3, "papers")], {"00000003": {"outcome": "killed"}})
    assert "mutants that are killed: 00000003" in capsys.readouterr().out
    summary.write_summary(tmp_path, [mutant(4, "papers")], {"00000004": {"outcome": "killed"}})
    assert "mutants that are gone: 00000003" in capsys.readouterr().out
