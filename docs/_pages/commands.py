"""The page on commands: each with its options, generated from ``--help``."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click
from text import block, page, table

from mlfs.cli import main


def commands_page() -> str:
    """Return the whole page."""
    parts = [
        "# Commands",
        "These are the texts of `mlfs COMMAND --help`. Every command names the next useful one.",
    ]
    for name, command in commands(main):
        prose, examples = help_of(command)
        options = [_option(one) for one in command.params if isinstance(one, click.Option)]
        usage = " ".join([f"mlfs {name}", *_arguments(command)])
        parts += [f"## mlfs {name}", f"`{usage}`", prose]
        parts += [block("text", examples)] if examples else []
        parts += [table(["option", "meaning"], options)] if options else []
    return page(*parts)


def commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            if command.invoke_without_command:
                yield f"{before}{name}", command
            yield from commands(command, f"{before}{name} ")
        elif command is not None:
            yield f"{before}{name}", command


def help_of(command: click.Command) -> tuple[str, str]:
    """Return the prose and the examples of what ``--help`` says."""
    text = inspect.cleandoc(command.help or "")
    prose, _, examples = text.partition("\b\n")
    shown, _, rest = examples.partition("\n\n")
    return "\n\n".join(part.strip() for part in (prose, rest) if part.strip()), shown.strip("\n")


def _arguments(command: click.Command) -> list[str]:
    return [one.make_metavar(click.Context(command)) for one in command.params[:9] if _named(one)]


def _named(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Argument)


def _option(option: click.Option) -> list[str]:
    names = ", ".join(f"`{name}`" for name in option.opts)
    meaning = option.help or ""
    if isinstance(option.type, click.Choice):
        meaning = f"{meaning} One of {', '.join(map(str, option.type.choices))}.".strip()
    return [names, meaning]
