"""What a command imports: libraries that it does not use would make it slow to start."""

import json
import subprocess
import sys

import pytest

import mlfs

HEAVY = {"matplotlib", "sklearn", "skmultilearn", "pip", "unearth", "requests", "PIL", "joblib"}
CONFIG = """
name: light
protocol: {protocol}
datasets: [toy_gaussian]
split: {{kind: holdout, repeats: 2}}
methods: [{methods}]
metrics: [average_precision]
"""


def loaded(*arguments):
    """Return the names of the modules that a command has imported when it ends."""
    code = (
        "import atexit, json, sys; from mlfs.cli import main; "
        "atexit.register(lambda: print(json.dumps(list(sys.modules)), file=sys.stderr)); "
        "main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1])), done.stdout


def test_help_imports_no_library_but_click():
    modules, text = loaded("--help")
    assert "scorecard" in text
    assert not modules & (HEAVY | {"numpy", "pandas", "scipy", "pydantic", "yaml"})


@pytest.mark.parametrize(
    ("protocol", "methods"),
    [("learning", "mlknn: {k: 5}, br_ridge"), ("selection", "fsnm: {gamma: 10}, all")],
)
def test_a_table_needs_no_method_and_no_reader_of_data(tmp_path, protocol, methods):
    config = tmp_path / "light.yaml"
    columns = ", ".join(f"{{{one}}}" if ":" in one else one for one in methods.split(", "))
    config.write_text(CONFIG.format(protocol=protocol, methods=columns))
    mlfs.run(config, results=tmp_path / "results", workers=1)
    modules, text = loaded("table", tmp_path / "results" / "light")
    assert "toy_gaussian" in text
    assert not modules & (HEAVY | {"scipy.stats", "scipy.sparse", "tqdm", "pyarrow"})
    assert not any(name.startswith(("mlfs.engine", "mlfs.selectors.")) for name in modules)
