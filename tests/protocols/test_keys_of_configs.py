"""The keys of all cells of all shipped configs: stored results are found by them.

``keys_of_configs.txt`` has a line for each config: its name, the number of its cells and tunings,
and a digest of their keys. If a config or a version changes on purpose, write it anew with

    python tests/protocols/test_keys_of_configs.py
"""

import hashlib
from pathlib import Path

import pytest

from mlfs import config
from mlfs.protocols.cell import key_of
from mlfs.protocols.plan import plan

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))
FILE = Path(__file__).with_name("keys_of_configs.txt")


def key(planned):
    """The key of a cell; classes of other packages have the version that is installed here."""
    content = planned.cell.to_json()
    foreign = [name for name, version in content["versions"].items() if isinstance(version, str)]
    if not foreign:
        return planned.key
    return key_of(content | {"versions": content["versions"] | dict.fromkeys(foreign, "")})


def line(path):
    """The line of one config; the checksums of its data come from the catalogue."""
    keys = []
    for experiment in config.load_all(path):
        for planned in plan(experiment):
            keys.append(key(planned))
            if planned.tuner:
                keys.append(planned.tuner.key)
    return f"{path.stem} {len(keys)} {hashlib.sha256(chr(10).join(keys).encode()).hexdigest()}"


@pytest.fixture(scope="module")
def written():
    return {text.split()[0]: text for text in FILE.read_text(encoding="utf-8").splitlines()}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_keys_stay(path, written):
    assert line(path) == written.get(path.stem), (
        f"the cells of {path.name} have other keys, so its stored results are no longer found: if "
        "this is wanted, run 'python tests/protocols/test_keys_of_configs.py' and commit the file"
    )


def test_every_line_has_a_config(written):
    assert set(written) == {path.stem for path in CONFIGS}


if __name__ == "__main__":
    FILE.write_text("".join(f"{line(path)}\n" for path in CONFIGS), encoding="utf-8")
