"""The command line: find and run a command, and turn errors into one line and an exit code."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Protocol, cast

from satchel.cli.parsing import OTHER_NAMES_OF_ROOT, CommandPlan, Outcome, Parser, make
from satchel.cli.streams import (
    copy_to_clipboard,
    describe_os_error,
    divert_prints,
    emit,
    open_standard_streams,
    silence,
    tell,
    write_file,
)
from satchel.spelling import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from satchel.errors import SatchelError
    from satchel.host import Host

_NO_MEMORY = b"satchel: there is not enough memory for this; name less with --root, or allow more\n"
_ALLOCATIONS = 1_000_000
"""Net allocations between garbage collections; Python's default is 700."""
COMMANDS = {
    "pack": "choose what goes into the window for a task, within a token budget",
    "expand": "print what a pointer stands for",
    "why": "explain why something is in a pack, or is not",
    "diff": "compare two packs, or two strategies on one task",
    "index": "index a folder ahead of time, so that every pack is fast",
    "suggest": "list files worth adding to a project's context, and why",
    "learn": "fit the weights of scorers to the commits of your repositories",
    "show": "show what is in a window, and what to do about it",
    "count": "count the tokens of a text, or of a conversation by part",
    "compact": "fit a conversation into a budget without breaking it",
    "squeeze": "shorten a command's output to what matters",
    "run": "run a command and print what matters in its output",
    "mcp": "serve an agent over the Model Context Protocol",
    "proxy": "sit in front of a model server and compact conversations on the way",
    "session": "keep a conversation: add, undo, branch, snapshot, restore",
    "report": "write an HTML page that shows a window",
    "archive": "list or prune the archive of texts that were cut",
    "size": "find the largest window of a local model that fits into memory",
    "gpu": "show graphics devices, their memory, and which probes answered",
    "guard": "watch a local model's window and the memory beside it",
    "plugins": "list installed plugins, and which of them are off",
    "config": "show the configuration and where each value came from, or its schema",
    "doctor": "check the installation, and say how to fix what is wrong",
    "init": "write a commented settings file for a project",
    "trust": "trust an instruction file like AGENTS.md, with its current content",
    "install": "add satchel to Claude Code, Codex and other agent programs",
    "uninstall": "remove satchel from an agent program's settings",
    "hook": "answer a hook of Claude Code, and never block it",
    "completion": "print a completion script for your shell",
}
_OTHER_NAMES = {
    other: command
    for command, others in (
        ("pack", "ask bundle context dump find grep map prompt query repo search select tree"),
        ("why", "explain"),
        ("show", "inspect status usage view"),
        ("count", "cost tokenize tokens"),
        ("compact", "compress shrink summarise summarize trim truncate"),
        ("squeeze", "errors filter log logs output tail"),
        ("run", "exec"),
        ("mcp", "serve server"),
        ("session", "chat history sessions undo"),
        ("report", "browse html page"),
        ("config", "settings"),
        ("doctor", "check diagnose health"),
        ("init", "new setup start"),
    )
    for other in others.split()
}
"""Other programs' names for commands."""
_LIKE = 0.7
"""How similar a mistyped word must be to a command."""

_FOLDERS = {
    "packing": ("pack", "expand", "why", "diff", "index", "suggest", "learn"),
    "conversation": ("show", "count", "compact", "report", "archive"),
    "output": ("squeeze", "run"),
    "sizing": ("size", "gpu", "guard"),
    "agents": ("mcp", "proxy", "install", "uninstall", "hook"),
    "settings": ("plugins", "config", "doctor", "init", "trust", "completion"),
}
"""The modules of commands; that of `session` is a folder of its own."""

_LONG = {
    "compact": "compacting",
    "diff": "packing",
    "expand": "reading",
    "report": "drawing",
    "show": "counting",
    "size": "measuring",
    "suggest": "reading",
    "why": "packing",
}
"""Slow commands' work in words; `pack`, `index` and `squeeze` report more."""

_TRY = """\
satchel decides what goes into a model's context window, and never exceeds the budget.

Try these two first:
  satchel pack "fix the login bug"            the best 16,000 tokens of this folder for that task
  satchel why src/app.py "fix the login bug"  why that file is in there, or is not

Commands:
{commands}

Run satchel help COMMAND for its options, and satchel --version for the version.
"""


class Command(Protocol):
    """The interface of a command's module.

    One that speaks a protocol on stdout has a `serve(args)` instead of `main`, which returns the exit code.
    """

    DESCRIPTION: str
    EXAMPLES: str

    def fill(self, parser: Parser) -> None:
        """Add the command's arguments."""
        ...

    def main(self, args: Namespace) -> Outcome | CommandPlan:
        """Run the command, or return a plan if plugins take part."""
        ...


def run(argv: Sequence[str]) -> int:
    """Run a command line; return the exit code, never raise."""
    # A command is short and keeps its objects to the end: collecting garbage cost a tenth of a pack.
    gc.set_threshold(_ALLOCATIONS, 50, 100)
    open_standard_streams()
    try:
        return _dispatch(list(argv))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        silence(1)
        return 0
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except MemoryError:
        return _report_no_memory()
    except Exception as error:
        # Last resort: the user gets one line, never a traceback. Exit code 2 of a hook stops Claude Code.
        code = _report_error(error, debug="--debug" in argv)
        return 0 if "hook" in argv[:1] else code


def _dispatch(argv: list[str]) -> int:
    debug = argv[:1] == ["--debug"]
    words = argv[1:] if debug else argv
    first = words[0] if words else "help"
    if first in ("-h", "--help", "help"):
        named = words[1:]
        return _print_help(named) if named and not named[0].startswith("-") else emit(overview())
    if first in ("-V", "--version"):
        from satchel import __version__

        return emit(f"satchel {__version__}\n")
    module = _module(first)
    subparser = _subparser(module, words[1:])
    args = subparser.parse_words(words[2:]) if subparser else _parser(first, module).parse_words(words[1:])
    with _environment_of(args):
        return _perform(module, args, doing=_LONG.get(first, ""), debug=debug or args.debug)


@contextlib.contextmanager
def _environment_of(args: Namespace) -> Iterator[None]:
    """Pass `--plugin` and `--set` on through the environment, which child processes inherit."""
    files, assignments = getattr(args, "plugin_files", None), getattr(args, "assignments", None)
    if not files and not assignments:
        yield
        return
    from satchel.config import ASSIGNMENTS
    from satchel.host.loading import VARIABLE, check_plugin_file

    before = {name: os.environ.get(name) for name in (VARIABLE, ASSIGNMENTS)}
    for name, words, separator in (
        (VARIABLE, [check_plugin_file(one) for one in files or ()], os.pathsep),
        (ASSIGNMENTS, list(assignments or ()), "\n"),
    ):
        if words:
            os.environ[name] = separator.join(filter(None, (before[name], *words)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _perform(module: Command, args: Namespace, *, doing: str, debug: bool) -> int:
    tracing = _trace_plugins if debug else contextlib.nullcontext
    serve = getattr(module, "serve", None)
    if serve is not None:  # it speaks a protocol on stdout
        with tracing():
            return int(serve(args))
    with divert_prints() as write:
        with _waiting(doing):
            answer = module.main(args)
        if isinstance(answer, Outcome):
            _write(answer, write)
            return answer.exit_code
    from satchel.errors import SatchelError
    from satchel.host.isolation import run_in_child

    plan = answer
    with tracing():
        try:
            return int(
                run_in_child(lambda host: _do_work(plan, host, doing=doing, debug=debug), plan.open_host)
            )
        except SatchelError as error:
            return _report_error(error, debug=False)  # `_do_work` has shown its traceback


def _write(outcome: Outcome, write: Callable[[str], None]) -> None:
    from satchel.errors import SatchelError

    try:
        text = outcome.text
        if text and not outcome.is_shown:  # it may quote a secret, such as a setting's value
            from satchel.redaction.scanning import redact_secrets

            text = redact_secrets(text)
        if outcome.file:
            write_file(outcome.file, text)
        if outcome.to_clipboard:
            copy_to_clipboard(text)
        if not (outcome.file or outcome.to_clipboard):
            write(text)
        for text in outcome.following:
            write(text)
    except SatchelError as error:
        error.exit_code = error.exit_code if outcome.unwritten is None else outcome.unwritten
        raise


def _waiting(doing: str) -> contextlib.AbstractContextManager[object]:
    """Return a context that shows on a terminal, after a second, that a command is working."""
    if not doing or sys.stderr is None or not sys.stderr.isatty():
        return contextlib.nullcontext()
    from satchel.view.progress import Progress

    return Progress(doing)


def _do_work(plan: CommandPlan, host: Host, *, doing: str, debug: bool) -> int:
    """Do the work, perhaps in a child process; report errors other than SatchelError here."""
    from satchel.errors import SatchelError

    try:
        with divert_prints() as write:
            with _waiting(doing):
                outcome = plan.work(host)
            _write(outcome, write)
    except SatchelError as error:
        if debug and error.__cause__ is None:  # what a plugin raised is shown already
            _trace()
        raise error from None
    except MemoryError:
        return _report_no_memory()
    except Exception as error:
        from satchel.host.isolation import third_parties_of

        if debug:
            _trace()
        if third_parties_of(host):
            raise  # perhaps caused by a plugin: a fault of satchel's recurs without plugins
        return _report_error(error, debug=False)
    return outcome.exit_code


def overview() -> str:
    """Return the output of `satchel` without arguments."""
    return _TRY.format(commands="\n".join(f"  {name:<11} {what}" for name, what in COMMANDS.items()))


def _print_help(words: Sequence[str]) -> int:
    module = _module(words[0])
    sub = _subparser(module, words[1:])
    parser = sub or _parser(words[0], module)
    if rest := [word for word in words[2 if sub else 1 :] if not word.startswith("-")]:
        parser.error(f"{rest[0]!r} is not recognized")
    return emit(parser.format_help())


def _parser(name: str, module: Command) -> Parser:
    return make(name, module.DESCRIPTION, module.EXAMPLES, module.fill)


def _subparser(module: Command, words: Sequence[str]) -> Parser | None:
    """Return the parser of the subcommand that the words begin with, without making the others."""
    make_subparser = getattr(module, "make_subparser", None)
    return make_subparser(words) if make_subparser else None


def _module(name: str) -> Command:
    if name not in COMMANDS:
        from satchel.errors import UsageError

        raise UsageError(_suggest_command(name))
    return cast("Command", importlib.import_module(name_module(name)))


def name_module(command: str) -> str:
    """Return the module of a command, like `satchel.cli.packing.why`."""
    folder = next((f"{folder}." for folder, commands in _FOLDERS.items() if command in commands), "")
    return f"satchel.cli.{folder}{command}"


def _suggest_command(name: str) -> str:
    if name == "--root" or name in OTHER_NAMES_OF_ROOT:
        return f"option {name!r} can't come before the command; put it after: satchel pack --root DIR"
    if name.startswith("-"):
        return f"option {name!r} can't come before the command; see satchel help"
    near = _OTHER_NAMES.get(name.lower()) or nearest(name, COMMANDS, cutoff=_LIKE)
    if near:
        return f"no command is called {name!r}, did you mean satchel {near}?"
    if " " in name:
        return 'that is not a command; to pack for a task: satchel pack "TASK"'
    return f"no command is called {name!r}; the commands are {', '.join(COMMANDS)}"


def _report_error(error: Exception, *, debug: bool) -> int:
    if debug:
        _trace()
    from satchel.errors import SatchelError

    if isinstance(error, SatchelError):
        for line in _lines_of(error):
            tell(f"satchel: {line}")
        return error.exit_code
    if isinstance(error, FileNotFoundError) and not error.filename and _is_folder_gone():
        tell("satchel: the current folder was deleted; change to another one")
        return 1
    if isinstance(error, OSError):
        tell(f"satchel: {_in_one_line(describe_os_error(error))}")
        return 1
    hint = "" if debug else "; this is a bug in satchel, --debug shows where"
    text = " ".join(str(error).split())
    tell(f"satchel: {type(error).__name__}: {text}{hint}")
    return 1


def _lines_of(error: SatchelError) -> list[str]:
    """Return the lines for an error: one, or for a configuration one for each of its errors."""
    from satchel.errors import ConfigError, in_few_lines

    messages = in_few_lines(error.errors) if isinstance(error, ConfigError) else (str(error),)
    return [_in_one_line(message) or type(error).__name__ for message in messages]


def _in_one_line(text: str) -> str:
    r"""Return a text on one line: line ends, which a quoted name may have, become `\n`."""
    return text.strip("\r\n").replace("\r", "\\r").replace("\n", "\\n")


def _report_no_memory() -> int:
    """Report it with a prepared text: there may be no memory to build one."""
    with contextlib.suppress(OSError):
        os.write(2, _NO_MEMORY)
    return 1


def _is_folder_gone() -> bool:
    try:
        return not os.getcwd()
    except FileNotFoundError:
        return True


@contextlib.contextmanager
def _trace_plugins() -> Iterator[None]:
    """Within the block, print the traceback of every exception that a plugin raises."""
    from satchel.host.calling import PluginCalls

    shown = set[str]()

    def show(error: BaseException) -> None:
        import traceback

        text = "".join(traceback.format_exception(error)).rstrip()
        if text not in shown:
            tell(text)
        shown.add(text)

    PluginCalls.error_listeners.append(show)
    try:
        yield
    finally:
        PluginCalls.error_listeners.remove(show)


def _trace() -> None:
    import traceback

    tell(traceback.format_exc().rstrip())
