"""How commands end: one sentence, and a code for each cause."""

import click
import pytest
from click.testing import CliRunner

from mlfs.cli.options import Group
from mlfs.errors import UserError, WorkersLost
from mlfs.system.stopping import Terminated


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (UserError("mend it"), 2, "mend it"),
        (WorkersLost("run again"), 3, "run again"),
        (KeyboardInterrupt(), 130, "stopped"),
        (Terminated(), 143, "stopped"),
        (RuntimeError("can't start new thread"), 3, "can't start new thread: allow more"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_end_has_its_code_and_one_sentence(error, code, words):
    @click.group(cls=Group)
    def group():
        pass

    @group.command()
    def end():
        raise error

    result = CliRunner().invoke(group, ["end"])
    assert result.exit_code == code
    assert result.stderr.startswith(f"mlfs: {words}") and result.stderr.count("\n") == 1
