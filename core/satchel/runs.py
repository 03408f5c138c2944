"""Set up a run: configuration, host, workspace, and a counter for the model's tokens."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypedDict, Unpack

from satchel import config as configuration
from satchel.config import Config
from satchel.errors import UsageError, WorkspaceError
from satchel.host import Host, Loaded, PluginKind
from satchel.host.calling import list_current
from satchel.installed import (
    find_plugins,
    has_setting,
    make_plugin,
    make_plugins,
    make_tokenizer,
    read_only_settings,
    table_name,
)

if TYPE_CHECKING:
    from satchel.items import ContextItem
    from satchel.tokens.counting import Counter
    from satchel.tokens.models import Model
    from satchel.workspace import Workspace
    from satchel.workspace.index.documents import ReportProgress
    from satchel.workspace.workspace import BeforeReading

LARGEST_REPLY = 2
"""With `auto`, the longest reply is reserved, but at most this fraction (1/2) of the window."""
_NO_FLAGS: Mapping[str, str | None] = {}


class WorkspaceRun(NamedTuple):
    """The objects of one pack, expansion or explanation."""

    config: Config
    host: Host
    workspace: Workspace
    counter: Counter
    model: Model | None = None
    exact: bool = True
    since: int = 0
    """Number of problems that the host had before."""

    def make(self, loaded: Loaded) -> Any:
        """Make a plugin with its configured settings."""
        return make_plugin(self.config, self.host, loaded)

    def all(self, kind: PluginKind, kinds: Collection[str] | None = None) -> list[tuple[Loaded, Any]]:
        """Make every active plugin of a kind; one that can't be made is recorded in the problems.

        Plugins that declare other `kinds` of items may be left out.
        """
        return make_plugins(self.config, self.host, kind, kinds)

    def text(self, item: ContextItem) -> str:
        """Return an item's text: its provider's, or the file's."""
        return item.text if item.text is not None else self.workspace.texts.read(item.path)

    def to_model_tokens(self, counted: int) -> int:
        """Convert counted tokens to tokens of the model."""
        return self.model.to_model_tokens(counted) if self.model else counted

    def countable(self, tokens: int) -> int:
        """Return how many counted tokens fit into a number of the model's tokens."""
        return self.model.countable(tokens) if self.model else tokens

    @property
    def problems(self) -> tuple[Any, ...]:
        """Return the failures so far, without duplicates."""
        kept = self.workspace.index.store.problems
        return tuple(
            dict.fromkeys([*self.workspace.problems, *kept, *list_current(self.host.problems, self.since)])
        )


class ReadingOptions(NamedTuple):
    """Options for opening a workspace, as `Workspace.open` takes them."""

    wanted: Sequence[str] = ()
    progress: ReportProgress | None = None
    before_reading: BeforeReading | None = None


_DEFAULT_OPTIONS = ReadingOptions()


def open_run(
    root: Path | str,
    *,
    config: Config | None = None,
    host: Host | None = None,
    flags: Mapping[str, str | None] = _NO_FLAGS,
    workspace: Workspace | None = None,
    options: ReadingOptions = _DEFAULT_OPTIONS,
) -> WorkspaceRun:
    """Read the configuration, find the plugins, and bring the workspace's index up to date.

    `options` are for a workspace that is opened here, not for one that is handed in.

    Raises:
        ConfigError: the configuration has errors.
        WorkspaceError: `root` is not a folder.
        UnknownNameError: the configured tokenizer or model is not known.
    """
    folder = Path(root)
    if config is None:
        known = folder.is_dir()
        config = configuration.load(folder, env=os.environ, flags=flags) if known else Config()
    else:
        model, strategy = flags.get("model"), flags.get("strategy")
        config = config._replace(model=model or config.model, strategy=strategy or config.strategy)
    host = host or find_plugins(config)
    since, found = len(host.problems), model_of(config)
    if workspace is None:
        from satchel.installed import make_scanners
        from satchel.workspace import Workspace

        scanners = make_scanners(host, config)
        workspace = Workspace.open(
            folder,
            wanted=options.wanted,
            progress=options.progress,
            scanners=scanners,
            before_reading=options.before_reading,
        )
    counter, exact = _make_counter(config, host, workspace, found)
    return WorkspaceRun(
        config, host, workspace, counter, found, exact and (found is None or found.exact), since
    )


class RunLender(Protocol):
    """Lends runs on a workspace that it keeps open, like the result of `satchel.watch`."""

    def borrow(self, wanted: Sequence[str] = ()) -> AbstractContextManager[WorkspaceRun]:
        """Lend a run on the workspace, brought up to date; `wanted` paths are there even if vendored."""
        ...


class RunKeywords(TypedDict, total=False):
    """The keyword arguments of functions that open a run."""

    config: Config | None
    """The configuration; by default read as `pack` does."""
    host: Host | None
    """The plugins; all installed ones by default."""


@contextmanager
def run_of(
    root: Path | str | RunLender, *, wanted: Sequence[str] = (), **opening: Unpack[RunKeywords]
) -> Iterator[WorkspaceRun]:
    """Open a run on a folder and close it afterwards, or borrow that of an opened workspace.

    An opened workspace has a configuration and plugins of its own and ignores `host` and `config`.
    """
    if not isinstance(root, (str, Path)):
        with root.borrow(wanted) as run:
            yield run
        return
    run = open_run(
        root, config=opening.get("config"), host=opening.get("host"), options=ReadingOptions(wanted)
    )
    try:
        yield run
    finally:
        run.workspace.close()


def model_of(config: Config, *, named: str = "") -> Model | None:
    """Return the model whose tokens are counted, a local one from its header; None if none is named.

    The command line comes first, then the model that the messages name, if it is known, then the
    configuration. An unknown model is estimated, with a warning.

    Args:
        config: the settings.
        named: the name that a request or a session file has.
    """
    from satchel.tokens.models import find_known, find_or_estimate

    name = config.model
    is_asked = bool(name) and config.origins.get("model") == "flag"
    found = None if is_asked else find_known(named)
    if found is not None or not name:
        return found
    from satchel.tokens.models import is_local

    if not is_local(name):
        return find_or_estimate(name)
    from satchel.sizing.sizing import local_model

    return local_model(name, config)


def _make_counter(
    config: Config, host: Host, workspace: Workspace, model: Model | None
) -> tuple[Counter, bool]:
    from satchel.tokens.counting import Counter

    loaded, tokenizer = make_tokenizer(config, host, model)
    if not loaded.trusted:  # its wrapper applies the deadline itself
        return Counter(tokenizer.key, tokenizer.count, workspace.index.store), tokenizer.exact

    def count(texts: Sequence[str]) -> Sequence[int]:
        return host.calls.call_or_raise(loaded, tokenizer.count, tuple(texts), stage="count")

    return Counter(tokenizer.key, count, workspace.index.store), tokenizer.exact


class Room(NamedTuple):
    """A window in tokens of the model, and the budget in it; the rest is for the reply."""

    window: int
    budget: int


def budget_of(run: WorkspaceRun, asked: int | str | None) -> int:
    """Return the budget of a pack in tokens of the model; `compact` and sessions ask `room_for`."""
    return room_for(run.config, run.host, run.model, asked).budget


def room_for(config: Config, host: Host, model: Model | None, asked: int | str | None) -> Room:
    """Return the room as given, as configured, or for `auto` the model's window minus its longest reply.

    Raises:
        UsageError: it is below 1, not a number, or `auto` without a model.
    """
    budget: object = config.budget if asked is None else asked
    if budget == "auto":
        if model is None:
            raise UsageError("--budget auto needs a model: add --model NAME")
        window = find_window(config, host, model)
        if not window:
            raise UsageError(
                f"--budget auto: the window of {model.name!r} is not known; give a number, like 100k"
            )
        return Room(window, window - min(model.reply_tokens or window // 10, window // LARGEST_REPLY))
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise UsageError(f"budget must be a whole number of tokens from 1 up, or auto, not {budget!r}")
    return Room(budget, budget)


def find_window(config: Config, host: Host, model: Model) -> int:
    """Return a model's window, 0 if unknown; for a local one the largest that fits on the cards."""
    from satchel.tokens.models import is_local

    if not is_local(model.name):
        return model.context_tokens
    from satchel.sizing.sizing import window_of

    return window_of(model.name, host, config)


def with_review(run: WorkspaceRun, since: str) -> WorkspaceRun:
    """Return the run with all providers that have a setting `since` set to the changes since a commit.

    Raises:
        WorkspaceError: no repository, or no such commit.
    """
    if run.workspace.git is None:
        raise WorkspaceError(
            str(run.workspace.root), "is not a git repository, so nothing changed since a commit"
        )
    run.workspace.git.resolve(since)
    reviewers = [one for one in run.host.loaded(PluginKind.PROVIDER) if has_setting(one, "since")]
    return _with_settings(run, {one: {"since": since} for one in reviewers})


def with_read_only(run: WorkspaceRun, patterns: Sequence[str]) -> WorkspaceRun:
    """Return the run with paths and globs added to the read-only files of its providers."""
    told: dict[Loaded, Mapping[str, object]] = {}
    for loaded in run.host.loaded(PluginKind.PROVIDER):
        if own := read_only_settings(run.config, loaded):
            first = next(iter(own))
            told[loaded] = {first: [*own[first], *patterns]}
    return _with_settings(run, told)


def _with_settings(run: WorkspaceRun, told: Mapping[Loaded, Mapping[str, object]]) -> WorkspaceRun:
    """Return the run with settings of providers over the configured ones."""
    tables = dict(run.config.plugins.get("provider", {}))
    for loaded, settings in told.items():
        name = table_name(run.config, loaded)
        tables[name] = {**tables.get(name, {}), **settings}
    return run._replace(config=run.config._replace(plugins={**run.config.plugins, "provider": tables}))
