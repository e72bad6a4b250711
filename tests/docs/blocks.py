"""Run the blocks of a page as a reader would: files are written, commands and scripts are run."""

import contextlib
import io
import itertools
import re
import shlex

import click
from click.testing import CliRunner

from mlfs.cli import main

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"# (\S+\.(?:py|yaml))\n")
ASSIGNED = re.compile(r"[A-Z_]+=")
NOT_RUN = {"text", "pycon"}  # output; examples that tests/test_docstrings.py runs


def blocks(text):
    """The kind and the content of every block."""
    return BLOCK.findall(text)


def commands(text):
    """Every line of the shell blocks, as words."""
    lines = [
        line for kind, content in blocks(text) if kind == "sh" for line in content.splitlines()
    ]
    return [shlex.split(line) for line in lines if line.strip()]


def follow(text, folder):
    """Do in a folder what a page says; gives what its commands printed."""
    printed = []
    for kind, content in blocks(text):
        named = FILE.match(content)
        if named:
            path = folder / named[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        elif kind == "python":
            printed.append(script(content))
        elif kind == "sh":
            printed += [command(line) for line in content.splitlines()]
        else:
            assert kind in NOT_RUN, f"a block of {kind}: name its file, or run it here"
    return printed


def parsed(words):
    """What click makes of the words of a command, before it runs: its full name and its values."""
    command, taken, rest = main, [], words
    while isinstance(command, click.Group) and rest and rest[0] in command.commands:
        command = command.commands[rest[0]]
        taken, rest = [*taken, rest[0]], rest[1:]
    assert not (isinstance(command, click.Group) and rest), f"no command {words}"
    return " ".join(taken), command.make_context(words[0], list(rest)).params


def script(content):
    """Run a block of Python inside this process, which saves a start."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(content, "block.py", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


def command(line):
    """Run one line; those of mlfs inside this process, which saves a start for each."""
    words = shlex.split(line)
    env = dict(word.split("=", 1) for word in itertools.takewhile(ASSIGNED.match, words))
    program, *args = words[len(env) :]
    assert program == "mlfs", f"'{line}' is not run by any test"
    ran = CliRunner().invoke(main, args, prog_name="mlfs", env=env)
    if ran.exception and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    assert ran.exit_code == 0, f"{line}: {ran.stderr}"
    return ran.stdout
