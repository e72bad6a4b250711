"""The command line as a user calls it, in a folder of the test's own."""

from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from mlfs.cli import main


@dataclass
class Result:
    """What a command gave."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def mlfs(tmp_path, monkeypatch):
    """``mlfs("run", "x.yaml")``: run a command; an exception that escapes it fails the test."""
    monkeypatch.chdir(tmp_path)

    def call(*args, env=None):
        result = CliRunner().invoke(main, [str(arg) for arg in args], env=env, prog_name="mlfs")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Result(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def write(tmp_path):
    """Save a config and give its path."""

    def save(text, name="config.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return save


def assert_one_sentence(result, *words):
    """Exit code 2 and one line on stderr."""
    assert result.returncode == 2, result.stderr
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    for word in words:
        assert word in result.stderr
