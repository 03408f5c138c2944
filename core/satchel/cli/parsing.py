"""Parse arguments: errors in one line, help with examples."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from satchel.cli.streams import emit
from satchel.patterns import lazily
from satchel.spelling import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from satchel.host import Host


class Outcome(NamedTuple):
    """The result of a command: the text for stdout and the exit code."""

    text: str
    exit_code: int = 0
    following: Iterable[str] = ()
    """Further texts, written one by one as they arrive."""
    unwritten: int | None = None
    """The exit code if the text can't be written; None means that of the error."""
    is_shown: bool = False
    """Whether the text is already redacted, or must be printed exactly as stored."""
    file: str = ""
    """The file that the text goes into instead of stdout."""
    to_clipboard: bool = False
    """Whether it goes to the clipboard instead."""


class CommandPlan(NamedTuple):
    """Work that needs plugins; it may run again if one of them ends the process."""

    open_host: Callable[[Sequence[str]], Host]
    """Takes distributions to leave out in addition to the disabled ones."""
    work: Callable[[Host], Outcome]


_NEGATIVE = lazily(r"-\.?\d")
"""The beginning of a negative value, which is not an option."""
_ALIKE = 0.65
"""How similar an option must be to a mistyped one."""
_FEW_CHOICES = 8
"""Allowed words up to which an error lists them."""
_CHOICE = lazily(r"(?P<what>[^:]+): invalid choice: '(?P<name>.*)' \(choose from (?P<known>.*)\)")
"""Argparse's message for a value that is not allowed."""
OTHER_NAMES_OF_ROOT = ("-C", "--cwd", "--chdir", "--dir", "--directory", "--repo")
"""Options that name the folder to work on in other tools."""
_OTHER_NAMES: Mapping[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(OTHER_NAMES_OF_ROOT, (("--root", "DIR"),)),
    **dict.fromkeys(("--task", "--query", "--question"), (("--task", "TASK"), ("--for", "QUESTION"))),
}
"""Options of other tools, each with satchel's options and values for it."""
_MAY_BE_EMPTY = frozenset({"text", "task", "question", "command", "words", "pin", "pins", "model"})
"""Arguments that may be an empty text, or whose own error says what is missing."""


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError instead of ending the process."""

    exit_code = 2
    """The exit code of a mistake in the command line."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the message and how to get help."""
        from satchel.errors import UsageError

        message = message.removeprefix("argument ").replace("the following arguments are required", "missing")
        if message.startswith("missing: "):
            message = ", ".join(map(self._tell_choices, message.split(", ")))
        if choice := _CHOICE.fullmatch(message):
            name, known = choice["name"], choice["known"].replace("'", "")
            near = nearest(name, known.split(", "), cutoff=0.6)
            told = f"unknown, did you mean {near}?" if near else f"not one of {known}"
            message = f"{choice['what']}: {name!r} is {told}"
        error = UsageError(f"{message}; see satchel help {self.prog.removeprefix('satchel ')}")
        error.exit_code = self.exit_code
        raise error

    def _tell_choices(self, missing: str) -> str:
        """Return the missing argument with its few allowed words."""
        name = missing.removeprefix("missing: ")
        found = (action.choices for action in self._get_positional_actions() if action.dest == name)
        choices = [*(next(found, None) or ())]
        return f"{missing} ({', '.join(choices)})" if 0 < len(choices) <= _FEW_CHOICES else missing

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Return the value of an argument; an empty one, as of an unset shell variable, is an error."""
        if "" in arg_strings and action.dest not in _MAY_BE_EMPTY:
            raise argparse.ArgumentError(action, "expected a value, found nothing")
        return super()._get_values(action, arg_strings)

    def print_help(self, file: object = None) -> None:
        """Write the help to stdout."""
        emit(self.format_help())

    def parse_words(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse the words, and suggest the right option for an unknown one."""
        self._refuse_other_names(argv)
        args, rest = self.parse_known_args(self._join_negatives(argv))
        if rest:
            self.error(f"{rest[0]!r} is not recognized{self._suggest(rest[0])}")
        return args

    def _join_negatives(self, argv: Sequence[str]) -> list[str]:
        """Return the words with a value like -4GiB tied to its option, so that it is judged as a value."""
        if any(action.nargs == argparse.REMAINDER for action in self._actions):
            return list(argv)  # the words may be those of the command that it starts
        takes_value = {
            option
            for action in self._actions
            for option in action.option_strings
            if action.nargs is None and option.startswith("--")
        }
        words: list[str] = []
        for at, word in enumerate(argv):
            if word == "--":
                return [*words, *argv[at:]]
            if _NEGATIVE.match(word) and words and words[-1] in takes_value:
                words[-1] += f"={word}"
            else:
                words.append(word)
        return words

    def _refuse_other_names(self, argv: Sequence[str]) -> None:
        """Raise UsageError for an option of other tools, before its value is misread."""
        if any(action.nargs == argparse.REMAINDER for action in self._actions):
            return  # they may be those of the command that it starts
        options = options_of(self)
        for word in argv:
            if word == "--":
                return
            name = word.split("=")[0]
            if name in _OTHER_NAMES and name not in options:
                self.error(f"{name!r} is not recognized{self._translate(name, options)}")

    def _translate(self, name: str, options: Sequence[str]) -> str:
        """Return this command's form of another tool's option."""
        for option, value in _OTHER_NAMES[name]:
            if option in options:
                return f", did you mean {option} {value}?"
        if name in OTHER_NAMES_OF_ROOT:
            return "; this command takes no folder, and uses the current one if it needs any"
        if self._takes_task():
            return f'; give the task without an option: {self.prog} "fix the login"'
        return "; this command takes no task"

    def _takes_task(self) -> bool:
        return any(action.metavar == "TASK" and not action.option_strings for action in self._actions)

    def _suggest(self, word: str) -> str:
        """Return the likely meaning of a superfluous word, "" if unknown."""
        if word.startswith("-"):
            option = self._find_option_taking(word.lstrip("-"))
            near = option or _find_option(word.split("=")[0], options_of(self))
            return f", did you mean {near}?" if near else ""
        if self._takes_task():
            return '; put a task of several words in quotes: "fix the login"'
        if "--session" in options_of(self) and not self._get_positional_actions():
            if os.path.isfile(word):
                return f"; to keep the messages of a file: satchel session import {word}"
            return f", did you mean --session {word}?"
        return ""

    def _find_option_taking(self, value: str) -> str:
        """Return an option with its value if only the value was written, like --json."""
        actions = (action for action in self._actions if action.option_strings and action.choices)
        found = (action.option_strings[-1] for action in actions if value in (action.choices or ()))
        option = next(found, "")
        return f"{option} {value}" if option else ""


def _find_option(word: str, options: Iterable[str]) -> str:
    """Return the option with the most similar spelling, apart from dashes, "" if none is similar."""
    names = {option.lstrip("-"): option for option in options if option.startswith("--")}
    return names.get(nearest(word.lstrip("-"), names, cutoff=_ALIKE), "")


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """Return the options of a parser and of its subcommands."""
    found: list[str] = []
    for action in parser._actions:
        found += action.option_strings
        if isinstance(action.choices, Mapping):
            found += [option for sub in action.choices.values() for option in options_of(sub)]
    return found


def make(name: str, description: str, examples: str, fill: Callable[[Parser], None]) -> Parser:
    """Build the parser of one command."""
    parser = Parser(
        prog=f"satchel {name}",
        description=description,
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    fill(parser)
    return parser


def add_workspace(parser: argparse.ArgumentParser, *, strict: bool = False) -> None:
    """Add the options common to commands on a workspace, including those for reporting errors."""
    group = parser.add_argument_group("workspace and plugins")
    group.add_argument(
        "--root", default=".", metavar="DIR", help="folder to work on (default: the current one)"
    )
    add_no_plugin(group)
    add_settings(group)
    add_running(parser, strict=strict)


def add_shown(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the group of options for a result's display, with its format: text or JSON."""
    group = parser.add_argument_group("what you see")
    group.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    return group


def add_store(group: argparse._ArgumentGroup | argparse.ArgumentParser) -> None:
    """Add the option for the store of a session."""
    group.add_argument(
        "--store", metavar="PLACE", help="folder or address of its store (default: one per project)"
    )


def add_archive(group: argparse._ArgumentGroup | argparse.ArgumentParser) -> None:
    """Add the option for the archive."""
    group.add_argument(
        "--store", metavar="PLACE", help="folder or address of the archive (default: your state folder)"
    )


def add_model(group: argparse._ArgumentGroup | argparse.ArgumentParser, told: str) -> None:
    """Add the option that names a model; `told` describes its use."""
    group.add_argument("--model", metavar="M", type=_parse_model, help=told)


def _parse_model(written: str) -> str:
    """Return the name of a model; an empty shell variable names no model."""
    if not written.strip():
        raise argparse.ArgumentTypeError("expected the name of a model, found nothing")
    return written


def add_no_plugin(group: argparse._ArgumentGroup | argparse.ArgumentParser) -> None:
    """Add the option that leaves plugins out."""
    group.add_argument(
        "--no-plugin",
        action="append",
        metavar="NAME",
        dest="disable",
        help="leave out a plugin or a distribution; repeatable",
    )


def add_settings(group: argparse._ArgumentGroup | argparse.ArgumentParser) -> None:
    """Add the options for a plugin in a single file and for one setting."""
    group.add_argument(
        "--plugin",
        action="append",
        metavar="FILE",
        dest="plugin_files",
        help="load the plugins of a Python file; repeatable",
    )
    group.add_argument(
        "--set",
        action="append",
        metavar="KEY=VALUE",
        dest="assignments",
        help="set a key of the configuration, like scorer.recency.weight=0.5; repeatable",
    )


def parse_tokens(text: str, option: str) -> int:
    """Return a number of tokens; raise UsageError if it is not a number, or is `auto`."""
    from satchel.config.values import budget
    from satchel.errors import UsageError

    try:
        number = budget(text)
    except ValueError:
        number = "auto"
    if isinstance(number, str):
        raise UsageError(f"{option}: expected a number of tokens, like 500 or 32k, not {text!r}")
    return number


def parse_seconds(text: str, option: str, *, least: float = 0.0) -> float:
    """Return a number of seconds; raise UsageError if it is not one from `least` up."""
    from satchel.errors import UsageError

    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not max(least, 1e-9) <= seconds < 1e9:
        raise UsageError(f"{option}: expected a number of seconds above {least:g}, not {text!r}")
    return seconds


def parse_days(text: str) -> float:
    """Return a number of days, which may be fractional."""
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not days >= 0:
        raise argparse.ArgumentTypeError(f"expected a number of days from 0 up, not {text!r:.40}")
    return days


def whole_number(least: int) -> Callable[[str], int]:
    """Return a function that parses a whole number from `least` up."""

    def _read(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or len(text) > 12 or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} up, not {text!r:.40}")
        return int(text)

    return _read


def parse_exit_code(text: str) -> int:
    """Return the exit code of a command; a negative one stands for a signal."""
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 12:
        raise argparse.ArgumentTypeError(f"expected the exit code of a command, like 1, not {text!r:.40}")
    return int(text)


def add_events(group: argparse._ArgumentGroup | argparse.ArgumentParser) -> None:
    """Add the option that logs events."""
    group.add_argument("--events", metavar="FILE", help="append events to FILE, one JSON object per line")


def add_running(parser: argparse.ArgumentParser, *, strict: bool = False) -> None:
    """Add the options for reporting errors."""
    group = parser.add_argument_group("running")
    if strict:
        group.add_argument(
            "--strict",
            action="store_true",
            default=None,
            help="exit with code 3 if there were problems",
        )
    group.add_argument("--debug", action="store_true", help="show the traceback of an error")
