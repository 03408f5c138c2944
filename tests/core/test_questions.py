"""Whether a task is a question, at what it aims, and which words its answer may use."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.plugin_api import asks_about_changes, asks_for_message, place_factor, read_question
from satchel.questions import (
    Aim,
    FilePlace,
    asks_about_whole,
    asks_for_tests,
    count_commits_to_review,
    find_names_to_change,
    given_score,
    place_of,
    relate_to_project,
)
from satchel.questions.facts import Fact
from satchel.questions.word_tables import read_table
from satchel.questions.words import _find_expressions
from satchel.stems import beginnings, inflect, stem
from satchel.workspace.index.terms import fold

QUESTIONS = (
    "on which ruby versions does CI run",
    "in which file are rows merged",
    "up to how many lines does it read",
    "for whom is this tool",
    "explain the architecture",
    "how do I write a theme",
    "where are sessions stored?",
    "what ruff rules are enabled and what is the line length",
    "can I reload the settings over http?",
    "Wie wird der Code formatiert?",
    "¿Cómo escribo los mensajes de commit?",
    "如何关闭服务器",
)
CHANGES = (
    "Fix the login when the session has expired",
    "fix(parser): keep the last line",
    "Add support for Python 3.14",
    "Rewrite fails for numbers\n\nTraceback (most recent call last):\n  File 'a.py'",
    "printer: fix panic in replacements",
    "Adding a flag that skips the cache",
    "When a proxy throws, the choice of a route crashes",
    "uncommitted rows are visible after a rollback",
    "GET /rows.json without ?page= returns 200 with no rows, which hides bugs of the caller",
    "the server logs errors when I delete files while it is running",
    "In the dialog, commands have a dark background, which doesn't match that of the panel",
    "[number field] Fix input and scrub edge cases",
    "[all parts][test] Guard registered cleanup",
    "Close files opened in static file handler (#2118)",
    "#26 Return to same page after editing or deleting bookmark",
    "Resolve relative symlinks to the containing directory",
    "Always consume payloads of streams when responding with no body",
    "tidy up the tests of redirects after the move",
    "the parameter of app.set() should be typed optional",
    "The export hangs for large files. Can you find out why and fix it?",
    "When I click save nothing happens, can you fix that? I think the handler is in forms.js",
    "Could you add a flag --json to the list command?",
    "could you preserve the scroll position when tags are edited?",
    "please reject entries that are just dots",
    "Let's move validation into the model",
    "find out why the upload hangs and fix it",
    "Strip Transfer-Encoding when a redirect switches to GET",
    "The page is slow",
    "our settings page looks ugly on phones",
    "users want to export invoices as pdf",
    "I want users to be able to export invoices",
    "as a user I want to export invoices",
    "A person who stays past the deadline must be logged out of the session",
    "we need to fix the sources of the tests. what's lacking is the themes for lists",
    "ok, use rgb values in the themes, no indices!",
    "It only logs the score but it's not updated in the database",
    "Investigate the following report: https://example.org/docs/advisories/4#comment-2",
    "The sidebar flickers on reload, any idea why?",
    "test_login fails since yesterday. What's going on?",
    "is the parsed configuration kept? If not, keep it",
    "what is the best place for a counter of hits? add it there",
    "When I type #tea it does not suggest drinks/hot/tea. Can you make it find nested tags too?",
    "The menu of an item has an entry that does nothing. Can you get rid of it?",
    "Loading gets slower and slower because `_runs` is read whole. Can we have sort keys for it?",
    "Every time I start it prints the time zone although nobody asked. Can it be quiet then?",
    "the panel is empty and only takes space, could you hide it?",
    "connection.open() just tells me that it is gone, which doesn't help. It should say what I have to pass.",
    "locked users never get unlocked, fix",
    "entries of the plan vanish after editing",
    "tv home: use the feed of who is logged in",
    "no import of the prelude if the name is the same",
    "put the button for saving on the left",
    "On which the cache depends is wrong",
    "let users delete their own comments",
)


@pytest.mark.parametrize("text", QUESTIONS)
def test_questions_are_questions(text: str) -> None:
    assert read_question(text).certainty == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "[Question] how do I write a theme",
        "[number field] what is scrubbing?",
        "router: is there a way to match a prefix?",
        "Default schedule of a snapshot",
        "filter null values before plotting",
        "can you add custom commands?",
        "can you use it with redis?",
        "the settings that are needed for a release",
        "the files that must be in a release",
        "how does the cache work? explain it to me",
        "any idea why there are two parsers?",
        "could you explain how the cache works?",
        "could you check whether the token is validated",
        "How would you add a new provider?",
        "how do I find and fix a flaky test",
        "please list the supported databases",
        "Let's think about the architecture",
        "I can't use pip here. Can it be installed with conda?",
        "I only have a token. Can it be used without a password?",
        "The pages don't say much about plugins. Could you explain how they are loaded?",
        "I don't know Rust, can you walk me through the parser?",
        "is it safe? it never says. Can it be read by two threads?",
        "only run one test of a file",
        "name of the file with settings",
    ],
)
def test_what_looks_for_something_is_no_title(text: str) -> None:
    assert read_question(text).certainty > 0


@pytest.mark.parametrize("run", [" ", ",", "\n"])
def test_long_runs_of_one_character_take_time_by_their_length(run: str) -> None:
    def measure(count: int) -> float:
        started = time.process_time()
        read_question(f"how do I{run * count}run it")
        return time.process_time() - started

    measure(10)

    assert min(measure(40_000), measure(40_001)) < 1


@pytest.mark.parametrize("text", CHANGES)
def test_reports_and_changes_are_none(text: str) -> None:
    assert read_question(text).certainty == 0.0


def test_a_few_words_may_be_a_question() -> None:
    named, asked = (
        read_question("snapshot schedule"),
        read_question("build just one package, with sourcemaps"),
    )

    assert 0 < named.certainty < asked.certainty < 1


@pytest.mark.parametrize(
    ("text", "certainty"),
    [
        ("keep failed steps in the trace", 0.5),
        ("hide the sidebar on small screens", 0.5),
        ("always use the dark theme", 0.5),
        ("build with encryption support and run the tests that way", 0.8),
        ("default timeout of a test", 0.8),
    ],
)
def test_an_order_with_a_small_letter_is_half_a_question(text: str, certainty: float) -> None:
    assert read_question(text).certainty == certainty


def test_a_pasted_report_is_none_however_it_begins() -> None:
    assert read_question("why does this fail?\n" + "a line of a log\n" * 60).certainty == 0.0


@pytest.mark.parametrize(
    ("text", "aims"),
    [
        ("explain the architecture", (Aim.EXPLAIN,)),
        ("how do jobs get into the queue", (Aim.EXPLAIN,)),
        ("how do I add a new command line option", (Aim.EXTENDING,)),
        ("how do you get a job into the queue", (Aim.HOW_TO,)),
        ("how do I write a theme", (Aim.HOW_TO,)),
        ("where do settings live?", (Aim.HOW_TO, Aim.CONFIGURATION)),
        ("where can I set the width", (Aim.HOW_TO, Aim.CONFIGURATION)),
        ("where is the configuration file parsed", (Aim.WHERE,)),
        ("where is the cache cleared", (Aim.WHERE,)),
        ("what do I need for a pull request?", (Aim.CONTRIBUTING,)),
        ("which lint rules are enabled?", (Aim.CONFIGURATION,)),
        ("what does send() return", (Aim.API,)),
        ("what are the exit codes", (Aim.API,)),
        ("API of the Queue class", (Aim.API,)),
        ("what methods does the Session class have", (Aim.API,)),
        ("upgrade from v20 to v21 breaks my addons, what changed", (Aim.RELEASES,)),
        ("how do I migrate from 1.x to 2.0", (Aim.RELEASES,)),
        ("Upgrade from Slim 3 to 4", (Aim.RELEASES,)),
        ("migrating a preprocessor from 0.4.x to 0.5", (Aim.RELEASES,)),
        ("how do I update the 3 counters", (Aim.HOW_TO,)),
        ("which version was max_runtime added in", (Aim.RELEASES, Aim.HISTORY)),
        ("why was max_runtime added and in which version", (Aim.RELEASES, Aim.HISTORY)),
        ("since when is there a max_runtime", (Aim.RELEASES, Aim.HISTORY)),
        ("which versions of node can be added in ci", (Aim.CONFIGURATION, Aim.CI)),
        ("what does the pr workflow run", (Aim.CONFIGURATION,)),
        ("what would the release job do", (Aim.CONFIGURATION, Aim.CI)),
        ("which job wakes the worker", (Aim.ANY,)),
        ("which commit message style is used", (Aim.CONTRIBUTING,)),
        ("which commits changed the message", (Aim.HISTORY,)),
        ("how should I name tests", (Aim.CONTRIBUTING, Aim.TESTS)),
        ("how are unit tests organised here?", (Aim.CONTRIBUTING, Aim.TESTS)),
        ("what are the naming conventions for tests", (Aim.CONTRIBUTING, Aim.TESTS)),
        ("which labels does a pr need", (Aim.CONTRIBUTING,)),
        ("which conventions and linters do I have to follow", (Aim.CONTRIBUTING, Aim.CONFIGURATION)),
        ("my pull request and code style", (Aim.CONTRIBUTING, Aim.CONFIGURATION)),
        ("API of Queue: which methods does a subclass have to implement?", (Aim.API,)),
        ("which methods must a backend implement", (Aim.API,)),
        ("which methods does the Session class have", (Aim.API,)),
        ("what public methods does Session define", (Aim.API,)),
        ("which functions does the store module export", (Aim.API,)),
        ("which methods does the parser call", (Aim.WHERE,)),
        ("which methods parse the header", (Aim.WHERE,)),
        ("what tests exist for the progress bar", (Aim.TESTS,)),
        ("is there a test for the progress bar", (Aim.TESTS,)),
        ("is there a load test in CI", (Aim.CONFIGURATION, Aim.CI)),
        ("how do I authenticate with a token in CI?", (Aim.HOW_TO,)),
        ("which workflows run on a pull request", (Aim.CONFIGURATION, Aim.CI)),
        ("on which distributions is the role tested?", (Aim.CONFIGURATION, Aim.CI)),
        ("which databases are the tests run against", (Aim.CONFIGURATION, Aim.CI)),
        ("what happens on push to a full queue", (Aim.EXPLAIN,)),
        ("what happens when a pull request is opened", (Aim.CONFIGURATION, Aim.CI)),
        ("what runs after I push?", (Aim.CONFIGURATION, Aim.CI)),
        ("what happens when I merge two queues", (Aim.EXPLAIN,)),
        ("how do I run the code style checks", (Aim.DEVELOPING,)),
        ("what does a pull request need", (Aim.CONTRIBUTING,)),
        ("what can I set in the config?", (Aim.CONFIGURATION, Aim.API)),
        ("验证码类型 配置", (Aim.CONFIGURATION,)),
        ("add an option --wait: which files must I touch", (Aim.EXTENDING,)),
        ("which files do I touch to add a setting?", (Aim.EXTENDING,)),
        ("what files should I read to understand the cache", (Aim.EXPLAIN,)),
        ("how does state reach a handler, and where is it attached?", (Aim.EXPLAIN, Aim.WHERE)),
        ("how do I add a row and where is its parser", (Aim.HOW_TO, Aim.WHERE)),
        ("how and where do I configure the cache", (Aim.HOW_TO, Aim.CONFIGURATION)),
        ("how does a call go from run() to the handler", (Aim.EXPLAIN, Aim.WHERE)),
        ("how do I get a row from the table into a file", (Aim.HOW_TO,)),
        ("how do I run the tests", (Aim.DEVELOPING,)),
        ("how to compile with meson on macOS", (Aim.DEVELOPING,)),
        ("how do I build mpv on windows", (Aim.DEVELOPING,)),
        ("how do I build a widget for android", (Aim.HOW_TO,)),
        ("how do I write a plugin?", (Aim.HOW_TO, Aim.EXTENDING)),
        ("how can I make my own result backend", (Aim.HOW_TO, Aim.EXTENDING)),
        ("how do I write a filter function", (Aim.HOW_TO,)),
        ("how do I add a database migration", (Aim.HOW_TO, Aim.EXTENDING)),
        ("how do I create a REST endpoint", (Aim.HOW_TO, Aim.EXTENDING)),
        ("how do I add a header to a request", (Aim.HOW_TO,)),
        ("how do I create a client", (Aim.HOW_TO,)),
        ("wie baue und starte ich die Erweiterung lokal", (Aim.DEVELOPING,)),
        ("¿cómo compilo el proyecto?", (Aim.DEVELOPING,)),
        ("comment lancer le projet ?", (Aim.DEVELOPING,)),
        ("what is the line length here", (Aim.CONFIGURATION,)),
        ("how are binaries for old compilers pinned", (Aim.CONFIGURATION,)),
        ("may I send code written with an assistant", (Aim.CONTRIBUTING,)),
        ("how is an entry of the changelog written", (Aim.CONTRIBUTING, Aim.ENTRIES)),
        ("¿Cómo escribo los mensajes de commit?", (Aim.CONTRIBUTING,)),
        ("how do I set up a proxy for the dev server?", (Aim.HOW_TO,)),
        ("how do I set up the dev server?", (Aim.DEVELOPING,)),
        ("how do I change the port of the development server?", (Aim.HOW_TO,)),
        ("how do I add a storage backend?", (Aim.HOW_TO, Aim.EXTENDING)),
        ("how is the configuration parsed?", (Aim.EXPLAIN,)),
        ("what does the validation of the configuration check?", (Aim.EXPLAIN,)),
        ("configuration loading", (Aim.EXPLAIN,)),
        ("what is in the configuration of the linter?", (Aim.CONFIGURATION,)),
        ("how do I load the configuration in a test?", (Aim.HOW_TO, Aim.CONFIGURATION)),
        ("what makes it say that a newer version is out?", (Aim.EXPLAIN,)),
        ("how does pasting work when the indentation differs", (Aim.EXPLAIN,)),
        ("how does the build choose the compiler version for a release", (Aim.CONFIGURATION, Aim.EXPLAIN)),
        ("how are plugins found at startup", (Aim.EXPLAIN,)),
        ("how does a download go on where it stopped?", (Aim.EXPLAIN,)),
        ("how does it tell a major, a minor and a patch release apart", (Aim.EXPLAIN,)),
        ("how does it apply a patch to a file", (Aim.EXPLAIN,)),
        ("where is the pull request of a commit looked up", (Aim.WHERE,)),
        ("where are commit messages parsed", (Aim.WHERE,)),
        ("which function do I call to read a frame", (Aim.WHERE, Aim.API)),
        ("which function reads a frame", (Aim.WHERE,)),
        ("where is the pull request template", (Aim.CONTRIBUTING,)),
        ("how are pull requests merged", (Aim.CONTRIBUTING,)),
        ("where are settings written to the eeprom", (Aim.WHERE,)),
        ("where is the settings dialog opened", (Aim.WHERE,)),
        ("where are the settings of the editor kept", (Aim.HOW_TO, Aim.CONFIGURATION)),
        ("where are patches applied", (Aim.WHERE,)),
        ("where do I send patches", (Aim.CONTRIBUTING,)),
        ("how are patches reviewed", (Aim.CONTRIBUTING,)),
        ("how do I bump the patch version", (Aim.HOW_TO, Aim.CONFIGURATION)),
        ("how do I add a worker node", (Aim.HOW_TO,)),
        ("which node does a pod run on", (Aim.ANY,)),
        ("which node is needed", (Aim.DECLARED,)),
        ("does it need node 20", (Aim.CONFIGURATION,)),
        ("how does it know which parser fits", (Aim.EXPLAIN,)),
        ("how does a download go on, where is its offset?", (Aim.EXPLAIN, Aim.WHERE)),
    ],
)
def test_a_question_aims_at_a_kind_of_answer(text: str, aims: tuple[Aim, ...]) -> None:
    assert read_question(text).aims == aims


def test_what_something_is_added_to_is_told_apart() -> None:
    assert read_question("how do I add a new field to the Owner?").into == {stem("owner")}
    assert read_question("How do I write a matcher for an owner?").beneficiary == {stem("owner")}
    assert not read_question("how do I add support for a new owner?").beneficiary
    assert read_question("how do I add support for a new language").into == frozenset()


def test_what_stands_for_two_words_stands_for_the_closer_one() -> None:
    question = read_question("how is a snapshot stored")

    assert question.groups[stem("save")] == stem("stored")
    assert question.groups[stem("backup")] == stem("snapshot")


def test_a_verb_and_its_particle_that_code_writes_as_one_word_are_that_word() -> None:
    question = read_question("what happens when a module times out")

    assert question.terms[stem("timeout")] == 1
    assert question.terms[stem("time")] < 0.5
    assert question.terms[stem("date")] < 0.35
    assert all(stem("time") not in pair for pair in question.phrases)


def test_how_many_there_are_says_little() -> None:
    question = read_question("how are conflicts between two devices resolved")

    assert question.terms[stem("two")] < 0.5
    assert all(stem("two") not in pair for pair in question.phrases)
    assert read_question("how does two factor login work").terms[stem("two")] == 1


def test_a_verb_that_its_expression_means_counts_whole() -> None:
    question = read_question("how are elements bound to arrows")

    assert question.terms[stem("bind")] == 1
    assert question.terms[stem("bound")] == 0.5


def test_to_add_support_for_something_is_to_add_it() -> None:
    assert read_question("how do I add support for a new language").terms[stem("support")] < 0.5
    assert read_question("how do I add a new support page").terms[stem("support")] == 1


def test_the_verb_with_which_people_ask_how_says_little() -> None:
    terms = read_question("how do I write a test for a handler").terms

    assert terms[stem("write")] == terms[stem("written")] < 0.5
    assert terms[stem("test")] == 1
    assert read_question("how does it write a file").terms[stem("write")] == 1


def test_which_code_style_to_use_asks_for_conventions() -> None:
    assert read_question("what code style should I use").fact is Fact.CONVENTIONS


def test_a_notebook_outside_of_documentation_is_an_example() -> None:
    aims = (Aim.EXPLAIN,)

    assert place_factor(aims, "sizes.ipynb") == place_factor(aims, "examples/sizes.py")
    assert place_factor(aims, "docs/sizes.ipynb") == place_factor(aims, "docs/sizes.md")


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("which lint rules are on, and what is the lowest python", (Fact.VERSIONS,)),
        ("oldest rust that still compiles this + clippy release used by ci", (Fact.VERSIONS,)),
        ("how are binaries for linux configured and what minimum rust is pinned", (Fact.VERSIONS,)),
        ("which lint rules are on", ()),
        ("how does the parser work, and what is the lowest number", ()),
    ],
)
def test_a_question_about_settings_asks_for_versions_beside_them(text: str, beside: tuple[Fact, ...]) -> None:
    question = read_question(text)

    assert question.fact is None
    assert question.beside == beside


@pytest.mark.parametrize(
    ("path", "like"),
    [
        ("coverage.txt", "vendor/a.txt"),
        ("build/lcov.info", "vendor/a.txt"),
        ("contrib/vim/syntax/nginx.vim", "vendor/a.vim"),
        ("docs/xml/changes.xml", "CHANGES.md"),
        ("docs/coverage.md", "docs/a.md"),
        ("src/syntax/parser.py", "src/a.py"),
    ],
)
def test_what_tools_wrote_of_code_is_no_answer_to_who_changes_it(path: str, like: str) -> None:
    aims = (Aim.EXTENDING,)

    assert place_factor(aims, path) == place_factor(aims, like)


def test_entry_points_that_something_starts_are_not_where_the_program_begins() -> None:
    assert read_question("where are the entry points").fact is Fact.ENTRY
    assert read_question("where are the entrypoints started").fact is None


def test_a_word_beside_its_kind_is_a_name() -> None:
    assert read_question("what is the API of the Response class?").literals == ("Response",)
    assert read_question("which type does the client get?").literals == ()


@pytest.mark.parametrize(
    "text",
    [
        "I don't understand how the cache works",
        "I don't know which file to change for a new language",
        "I cannot figure out where logs go",
        "Need help with configuring TLS",
        "Need to know the minimum Python version",
        "ok and where is the config read",
        "default of maxRetries",
        "meaning of noImplicitAny",
        "possible values for LOG_LEVEL",
        "signature of `render`",
    ],
)
def test_who_does_not_know_asks(text: str) -> None:
    assert read_question(text).certainty >= 0.8


@pytest.mark.parametrize(
    "text",
    [
        "We don't know if the lock is released, so the worker hangs",
        "Can't find module after update",
        "I can't see the button in dark mode",
        "Need to lock the file before writing",
        "Type of maxRetries is now int",
        "default of `timeout` is wrong",
    ],
)
def test_who_tells_of_a_fault_does_not_ask(text: str) -> None:
    assert read_question(text).certainty == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "code style: indentation, names of internal functions, which C standard",
        "when is the cache cleared",
        "show me which files are ignored",
        "Explain the architecture of the proxy and of what it sends on to the servers.",
    ],
)
def test_what_asks_in_any_place_is_a_question(text: str) -> None:
    assert read_question(text).certainty == 1.0


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("remove the minify option", ("minify",)),
        ("remove a method `foo`", ("foo",)),
        ("get_rows", ("get_rows",)),
        ("X-Request-Id", ("X-Request-Id",)),
        ("MAX_ROWS?", ("MAX_ROWS",)),
        ("rows", ()),
        ("README.md", ()),
        ("add an option --wait like --quiet", ("--quiet",)),
        ("add a format like ksuid: which files", ("ksuid",)),
        ("add a format like before", ()),
        ("replace a static method in a test", ()),
        ("deprecate the static flag", ()),
        ("brew() was removed in Leaf 3, so use pour", ("brew",)),
        ("tea.brew_now() is deprecated", ("tea.brew_now",)),
        ("`cup` has been dropped since v2.1", ("cup",)),
        ("the index file is removed in step 3", ()),
        ("`brew()` is removed from the list", ()),
    ],
)
def test_an_adjective_or_any_one_of_a_kind_is_no_name(text: str, names: tuple[str, ...]) -> None:
    assert find_names_to_change(text) == names


def test_a_preposition_apart_from_the_verb_is_no_particle() -> None:
    assert "authentic" not in read_question("how do I put the log lines in my table").terms
    assert "authentic" in read_question("how do I log people in").terms


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("upgrade from v20 to 21.x, what changed", ("21",)),
        ("Upgrade from Slim 3 to 4", ("4",)),
        ("upgrade notes for 0.5", ("0.5",)),
        ("what changed between 1.x and 2.0", ("1", "2.0")),
    ],
)
def test_an_upgrade_is_about_the_version_that_it_is_to(text: str, versions: tuple[str, ...]) -> None:
    assert read_question(text).versions == versions


@pytest.mark.parametrize(
    "text",
    [
        "Upgrade to pytest 8.0",
        "Bump version to 1.2.3",
        "upgrade the parser",
        "increase test coverage of prompts",
    ],
)
def test_a_change_of_a_version_or_of_tests_is_no_question(text: str) -> None:
    assert read_question(text).certainty == 0.0


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("what could break", True),
        ("what could my change break?", True),
        ("did I forget to update any callers?", True),
        ("is it safe to merge this?", True),
        ("does my change break anything? what is missing", True),
        ("is my patch complete?", True),
        ("check my edit for bugs", True),
        ("does this diff look good", True),
        ("summarize what I did", True),
        ("continue what I started", True),
        ("fix the tests I broke", True),
        ("update docs for my change", True),
        ("prepare the PR description", True),
        ("will my edit break callers", True),
        ("what did I do wrong in my config", False),
        ("my code crashes when I call render", False),
        ("how can I change this", False),
        ("what is the minimum width of this diff view", False),
        ("the parser fails after this change", False),
        ("what could break if I rename the parser", False),
        ("what can go wrong with retries", False),
    ],
)
def test_what_changes_may_break_is_about_changes(text: str, is_asked: bool) -> None:
    assert asks_about_changes(text) == is_asked


@pytest.mark.parametrize(
    "text",
    [
        "Feature request: count the files",
        "[Bug] count is wrong, what now",
        "After upgrading to 6.5, the upload reports an error. When I send a file, its name is lost",
        "After going from v2 to v3 I see crashes, which the log does not show",
        "Not Allowed answers contain the same method more than once in their header.",
        "When a socket is mounted more than once, the first mount that is reached decides for all.",
        "Links are broken on Windows for files with a space in the path, which the terminal cannot open.",
        "Since the last release, messages without a mark are dropped. Clients that send none get no reply.",
    ],
)
def test_a_report_that_says_so_is_no_question(text: str) -> None:
    assert read_question(text).certainty == 0.0


@pytest.mark.parametrize(
    ("text", "certainty"),
    [
        ("replace a static method in a test", 0.8),
        ("try again when a request fails, waiting longer each time", 0.8),
        ("disable a rule for every file", 0.8),
        ("add a retry option to the client", 0.0),
        ("replace the parser with a faster one", 0.0),
        ("Replace a static method in a test", 0.0),
        ("use `foo` in a test", 0.0),
        ("write a filter that rejects people before the page is reached", 0.8),
        ("change the settings of a cached pool while it runs", 0.8),
        ("write a test for the parser", 0.0),
        ("changed the settings of a cached pool", 0.0),
        ("stop the server", 0.0),
        (
            "send calls to my backend on another port during development and cut off their prefix, in both",
            0.8,
        ),
        ("Attach my own fields to each record of the log", 0.8),
        (
            "send calls to the backend on another port during development and cut their prefix off, in both",
            0.0,
        ),
        ("connect to my database fails with a timeout", 0.0),
        ("compare my branch with main", 0.0),
    ],
)
def test_an_order_about_something_indefinite_may_ask_how(text: str, certainty: float) -> None:
    question = read_question(text)

    assert question.certainty == certainty
    assert (question.aims == (Aim.HOW_TO,)) == (certainty > 0)


def test_who_asks_what_to_do_asks_a_question() -> None:
    text = "adding a package: runtime or dev section, what should I watch out for"

    assert read_question(text).certainty == 1.0


@pytest.mark.parametrize(
    ("text", "aims"),
    [
        ("what does reader.go do", (Aim.ANY,)),
        ("explain src/release/style.ts", (Aim.EXPLAIN,)),
        ("what does docs/design/history.md say", (Aim.ANY,)),
        ("where is config\\defaults.py", (Aim.WHERE,)),
        ("which go version does reader.go need", (Aim.CONFIGURATION,)),
        ("how do I add an entry to CHANGELOG.md", (Aim.CONTRIBUTING, Aim.ENTRIES)),
        ("which node.js does it need", (Aim.CONFIGURATION,)),
    ],
)
def test_words_of_a_path_tell_no_aim(text: str, aims: tuple[Aim, ...]) -> None:
    assert read_question(text).aims == aims


@pytest.mark.parametrize("text", ["typo in docs/how-to/install.md", "rename `x` in src/where/what.py"])
def test_a_path_makes_no_question(text: str) -> None:
    assert read_question(text).certainty == 0.0


def test_a_fault_in_a_path_is_no_report() -> None:
    assert (
        read_question("purpose of src/missing.py").certainty
        == read_question("purpose of src/m.py").certainty
        > 0
    )


@pytest.mark.parametrize("text", ["adding a package: a runtime section", "fix what it should return"])
def test_a_change_without_a_person_is_no_question(text: str) -> None:
    assert read_question(text).certainty == 0.0


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("tab completion for a flag", "shell"),
        ("which stubs has nobody used?", "unused"),
        ("how do I try again after a failure", "retry"),
        ("what is in a pull request?", "contribution"),
        ("which stubs aren't used?", "unused"),
        ("which switch isnt supported", "unsupported"),
        ("what number does it exit with", "status"),
        ("what happens when I press ctrl-c", "sigint"),
        ("what happens when a request comes in", "serve"),
        ("what does the program return when nothing was found", "exit"),
        ("is it safe when two other threads touch the same list", "mutex"),
        ("how do plugins communicate with the server", "ipc"),
        ("how do I set up single sign-on?", "saml"),
    ],
)
def test_expressions_bring_what_they_mean(text: str, meant: str) -> None:
    assert stem(meant) in read_question(text).terms


def test_the_number_of_a_status_stands_for_its_name_and_a_number_of_things_for_none() -> None:
    assert ("gateway", "timeout") in read_question("where is a 504 sent?").phrases
    assert "gateway" not in read_question("where are the last 504 rows sent?").terms


def test_words_side_by_side_may_be_written_as_one() -> None:
    terms = read_question("how are long file names cut off by the host?").terms

    assert terms[stem("name")] < terms[stem("filename")] < 2 * terms[stem("name")]


def test_a_plural_is_joined_with_the_next_word_as_code_writes_both() -> None:
    terms = read_question("where are flows filtered").terms

    assert terms[stem("flowfilter")] > terms[stem("flows")]
    assert "thehost" not in terms


def test_only_a_particle_makes_the_word_before_it_vague() -> None:
    assert read_question("tab completion for a flag").terms["tab"] == 1.0
    assert read_question("where is it thrown away").terms[stem("throw")] < 1.0


@pytest.mark.parametrize("text", ["what doesn't it need?", "why isn't the cache read", "what won't it do"])
def test_half_of_a_word_is_none(text: str) -> None:
    assert read_question(text).own.isdisjoint({"doesn", "isn", "won"})


def test_a_longer_expression_has_one_word_between_a_pair_at_most() -> None:
    assert stem("mutex") in read_question("do they touch exactly the same").terms
    assert stem("mutex") not in read_question("do they touch in theory the same").terms


def test_what_is_going_on_is_a_form_of_a_verb() -> None:
    assert read_question("who is going down?").terms["going"] < 1.0


def test_a_request_alone_is_no_contribution() -> None:
    assert stem("contribution") not in read_question("how is a request sent?").terms


def test_an_answer_may_use_other_words() -> None:
    terms = read_question("how do I delete old snapshots?").terms

    assert terms[stem("delete")] == 1.0
    assert 0 < terms[stem("remove")] < 1
    assert 0 < terms[stem("backup")] < 1


@pytest.mark.parametrize("text", ["config file location", "exclude files", "serve static files"])
def test_a_file_is_no_queue_where_nothing_tells_of_another_language(text: str) -> None:
    assert "queu" not in read_question(text).terms


def test_a_french_file_is_a_queue() -> None:
    assert "queu" in read_question("comment vider la file").terms


@pytest.mark.parametrize(
    "text", ["Wie wird der Code formatiert?", "代码格式化是怎么配置的？", "¿Dónde está el formato?"]
)
def test_words_are_translated(text: str) -> None:
    assert stem("format") in read_question(text).terms


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Wo werden die Einstellungen gespeichert?", "save"),
        ("Wo wird die nächste Karte ausgewählt?", "choose"),
        ("Wie sind Konten auszuwählen?", "choose"),
        ("Wie wird die Konfigurationsdatei eingelesen?", "file"),
        ("Wie ändere ich die Standardsprache?", "language"),
    ],
)
def test_german_participles_and_compounds_are_translated(text: str, word: str) -> None:
    assert read_question(text).terms[stem(word)] >= 0.5


def test_german_words_do_not_mean_what_french_ones_that_begin_so_mean() -> None:
    assert stem("sort") in read_question("Wo werden die Spalten sortiert?").terms
    assert stem("output") not in read_question("Wo werden die Spalten sortiert?").terms


def test_a_known_compound_does_not_mean_its_end() -> None:
    assert stem("memory") not in read_question("Wo wird der Zwischenspeicher geleert?").terms


def test_translated_verbs_are_found_in_their_forms() -> None:
    terms = read_question("¿Dónde se escribe el archivo?").terms

    assert terms[stem("written")] == terms[stem("write")] < 1


@pytest.mark.parametrize(
    ("text", "aim"),
    [
        ("Wie wird das Passwort geprüft?", Aim.EXPLAIN),
        ("Was passiert, wenn die Verbindung abbricht?", Aim.EXPLAIN),
        ("Comment le mot de passe est-il vérifié ?", Aim.EXPLAIN),
        ("¿Qué pasa cuando se pierde la conexión?", Aim.EXPLAIN),
        ("连接断开时会发生什么？", Aim.EXPLAIN),
        ("Welche Funktion löscht alte Einträge?", Aim.WHERE),
        ("Quelle fonction supprime les anciennes entrées ?", Aim.WHERE),
        ("¿Qué código descarga un paquete?", Aim.WHERE),
    ],
)
def test_the_work_and_the_place_of_something_are_asked_for_in_other_languages(text: str, aim: Aim) -> None:
    assert read_question(text).aims == (aim,)


@pytest.mark.parametrize(
    ("text", "word"),
    [("read from a name", "parse"), ("parsed", "tokenize"), ("drawn", "render"), ("computed", "calculate")],
)
def test_what_does_something_may_be_called_by_how_it_does_that(text: str, word: str) -> None:
    terms = read_question(f"where is the number {text}?").terms

    assert stem(word) in terms
    assert "host" not in terms


def test_abbreviations_are_written_out() -> None:
    assert stem("request") in read_question("what goes into a PR?").terms


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("how are certificates generated", "cert"),
        ("how are pipelines evaluated", "eval"),
        ("how do I raise the maximum size", "max"),
    ],
)
def test_code_may_abbreviate_what_a_question_writes_out(text: str, short: str) -> None:
    assert read_question(text).terms[stem(short)] >= 0.5


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("CONTRIBUTING.md", FilePlace.CONTRIBUTING),
        ("DOCS/compile-windows.md", FilePlace.CONTRIBUTING),
        ("docs/building-plugins.md", FilePlace.DOCUMENT),
        (".github/pull_request_template.md", FilePlace.CONTRIBUTING),
        (".github/workflows/ci.yml", FilePlace.WORKFLOW),
        ("pyproject.toml", FilePlace.MANIFEST),
        (".pre-commit-config.yaml", FilePlace.STYLE),
        ("docs/guide/themes.md", FilePlace.DOCUMENT),
        ("shop/locales/es/LC_MESSAGES/messages.po", FilePlace.DATA),
        ("runtime/queries/lua/highlights.scm", FilePlace.DATA),
        ("src/cups/__snapshots__/cup.test.js.snap", FilePlace.ELSEWHERE),
        ("changelog_unreleased/cups/1.md", FilePlace.CHANGES),
        ("docs/src/SUMMARY.md", FilePlace.DATA),
        (".idea/codeStyles/Project.xml", FilePlace.ELSEWHERE),
        ("tutorials/20_recipes/005_own_sampler.py", FilePlace.EXAMPLE),
        ("tutorials/first.md", FilePlace.DOCUMENT),
        ("examples/error/index.js", FilePlace.EXAMPLE),
        ("push-examples/js/index.js", FilePlace.EXAMPLE),
        ("src/main/java/org/tea/samples/shop/Owner.java", FilePlace.CODE),
        (".mypy-baseline.txt", FilePlace.DATA),
        ("db/old_migrations/2017_move_settings.rb", FilePlace.DATA),
        ("deploy/sshd_config", FilePlace.DATA),
        ("lang/pt_BR/errors.php", FilePlace.DATA),
        ("src/i18n/de.ts", FilePlace.DATA),
        ("src/i18n/index.ts", FilePlace.CODE),
        ("lang/parser/lexer.php", FilePlace.CODE),
        (".gitignore", FilePlace.DATA),
        (".agents/skills/tea/SKILL.md", FilePlace.ELSEWHERE),
        ("fuzz/brew.c", FilePlace.TEST),
        ("regress/brew.sh", FilePlace.TEST),
        ("stats/regression/linear.py", FilePlace.CODE),
        ("scripts/test.py", FilePlace.TEST),
        ("api/.snapshots/Answers of music should match.json", FilePlace.ELSEWHERE),
        ("core/src/commonTest/kotlin/Fake.kt", FilePlace.TEST),
        ("packages/dts/cups.test-d.ts", FilePlace.TEST),
        ("AppUITests/Screen.swift", FilePlace.TEST),
        ("src/Shop.Api.Test/Fake.cs", FilePlace.TEST),
        ("runtime-tests/bun/index.ts", FilePlace.TEST),
        ("runtime-tests/README.md", FilePlace.DOCUMENT),
        ("docs/test.rst", FilePlace.DOCUMENT),
        ("packages/functions/CHANGELOG.md", FilePlace.CHANGES),
        ("docs/source.md", FilePlace.CONTRIBUTING),
        ("docs/api/tea/-cup/pour.html", FilePlace.DATA),
        ("docs/manual/pouring.html", FilePlace.DOCUMENT),
        ("docs/install_from_source.md", FilePlace.CONTRIBUTING),
        ("tea-kettle.env.example", FilePlace.MANIFEST),
        ("guides/testing/testing_channels.md", FilePlace.DOCUMENT),
        ("website/docs/unit-test.md", FilePlace.DOCUMENT),
        ("docs/tests/page.md", FilePlace.TEST),
        ("doc/en/example/simple.rst", FilePlace.EXAMPLE),
        ("tests/docs/test.md", FilePlace.TEST),
        ("docs/_posts/2020-06-24-tea-4-1-1-released.markdown", FilePlace.CHANGES),
        ("doc/whatsnew/1/1.8/summary.rst", FilePlace.CHANGES),
        ("docs/home/releases.md", FilePlace.CHANGES),
        ("README.privsep", FilePlace.DOCUMENT),
        ("README", FilePlace.DOCUMENT),
        ("INSTALL", FilePlace.DOCUMENT),
        ("bin/install", FilePlace.CODE),
        ("README.py", FilePlace.CODE),
        ("plugin/test-files/basic/cups.ts", FilePlace.TEST),
        ("docs/versionhistory.rst", FilePlace.CHANGES),
        ("www/posts/2018/09/version-152-released.md", FilePlace.CHANGES),
        ("revdep/problems.md", FilePlace.ELSEWHERE),
        ("shell.nix", FilePlace.MANIFEST),
        ("docs/api-ref/python/cups.mdx", FilePlace.DATA),
        ("tea.ini.sample", FilePlace.MANIFEST),
        ("conf/tea.conf.default", FilePlace.MANIFEST),
        ("docs/releases/v1-0-0-alpha-8/page.mdx", FilePlace.CHANGES),
        ("src/latest/index.ts", FilePlace.CODE),
        ("t/mojo/app.t", FilePlace.TEST),
        ("t/lib/App.pm", FilePlace.TEST),
        ("src/it/scala/Store.scala", FilePlace.TEST),
        ("tst/Pots.ps1", FilePlace.TEST),
        ("src/pots_SUITE.erl", FilePlace.TEST),
        ("src/Pot.t.sol", FilePlace.TEST),
        ("src/latest/t.pl", FilePlace.CODE),
        ("bin/tea", FilePlace.CODE),
        ("src/app.py", FilePlace.CODE),
        ("tests/test_app.py", FilePlace.TEST),
        ("shop-testing-support/src/Fake.kt", FilePlace.TEST),
        ("packages/test-utils/index.ts", FilePlace.TEST),
        ("protest-kit/app.py", FilePlace.CODE),
        ("src/main/resources/idna/Table.txt", FilePlace.DATA),
        ("Tests/Fixtures/command.md", FilePlace.TEST),
        ("deps/lua/doc/manual.html", FilePlace.ELSEWHERE),
        ("extlibs/tea/tea.h", FilePlace.ELSEWHERE),
        ("src/3rdparty/tea.c", FilePlace.ELSEWHERE),
        ("docs/asset_licenses.md", FilePlace.ELSEWHERE),
        ("src/check_license.rs", FilePlace.CODE),
        ("lib/teakettle-2.15.0/src/conf.c", FilePlace.ELSEWHERE),
        ("lib/teakettle-e23f558/src/conf.c", FilePlace.ELSEWHERE),
        ("src/main/scala-2.13/Conf.scala", FilePlace.CODE),
        ("LICENSE", FilePlace.ELSEWHERE),
        ("CHANGELOG.md", FilePlace.CHANGES),
        (".cursor/plans/move_the_styles.plan.md", FilePlace.CHANGES),
        ("Pro-Changes.md", FilePlace.CHANGES),
        ("docs/Ent-2.0-Upgrade.md", FilePlace.CHANGES),
        ("HISTORY", FilePlace.CHANGES),
        ("docs/content/2014-news.md", FilePlace.CHANGES),
        (".example.env", FilePlace.MANIFEST),
        ("src/history.go", FilePlace.CODE),
        ("docs/reference/type-aliases/Options.md", FilePlace.DATA),
        ("changelog/123.bugfix.rst", FilePlace.CHANGES),
        (".changes/faster-start.md", FilePlace.CHANGES),
        (".changes/unreleased/Fixes-20260101.yaml", FilePlace.CHANGES),
        ("changelogs/fragments/1.yml", FilePlace.CHANGES),
        ("releasenotes/notes/faster-start.yaml", FilePlace.CHANGES),
        ("src/changes/apply.py", FilePlace.CODE),
        ("doc/whatsnew/v0.8.0.rst", FilePlace.CHANGES),
        ("doc/whats-new.rst", FilePlace.CHANGES),
        ("docs/releases/4.2.txt", FilePlace.CHANGES),
        ("notes/2.3.0.RC1.markdown", FilePlace.CHANGES),
        ("tests/fuzz/README.md", FilePlace.DOCUMENT),
        ("tests/fixtures/deep/README.md", FilePlace.TEST),
        ("doc/announce/release-2.6.1.rst", FilePlace.CHANGES),
        ("src/releases/build.py", FilePlace.CODE),
        ("changelog/README.rst", FilePlace.CONTRIBUTING),
        ("server.conf", FilePlace.MANIFEST),
        ("BUILD.md", FilePlace.CONTRIBUTING),
        ("src/build.md", FilePlace.DOCUMENT),
        ("src/parser.y", FilePlace.CODE),
        ("grammar/Tea.g4", FilePlace.CODE),
        ("tests/bad.pest", FilePlace.TEST),
        ("regress/conf/04820.conf", FilePlace.TEST),
        ("scripts/test-environments/gate.py", FilePlace.TEST),
        ("etc/config.sample.yaml", FilePlace.MANIFEST),
        ("src/main/resources/application-dev.yml", FilePlace.SETTINGS),
        ("chart/values.yaml", FilePlace.SETTINGS),
        ("roles/web/defaults/main.yml", FilePlace.SETTINGS),
        ("config/mail.php", FilePlace.SETTINGS),
        ("src/config/loader.py", FilePlace.CODE),
        ("docs/faq.org", FilePlace.DOCUMENT),
        ("chapters/types.tex", FilePlace.DOCUMENT),
        ("Home.mediawiki", FilePlace.DOCUMENT),
        ("HACKING.asc", FilePlace.CONTRIBUTING),
        ("docs/flow.svg", FilePlace.ELSEWHERE),
        ("bin/deploy", FilePlace.CODE),
        ("fixtures.rdb", FilePlace.DATA),
        (".mailmap", FilePlace.DATA),
    ],
)
def test_a_path_tells_a_place(path: str, place: FilePlace) -> None:
    assert place_of(path) is place


def test_what_is_copied_or_filled_in_counts_less_than_what_answers() -> None:
    for aim in (Aim.ANY, Aim.HOW_TO, Aim.EXPLAIN):
        least = min(place_factor((aim,), path) for path in ("lib/endpoint.ex", "guides/endpoint.md"))
        for path in (
            "priv/templates/phx.gen.auth/auth.ex",
            "installer/templates/single/README.md",
            "installer/templates/config/dev.exs.eex",
            ".github/ISSUE_TEMPLATE/bug.md",
            ".github/pull_request_template.md",
        ):
            assert place_factor((aim,), path) < least
    assert place_factor((Aim.CONTRIBUTING,), ".github/pull_request_template.md") > 1
    assert place_factor((Aim.ANY,), "shop/templates/cart.html") >= 0.5
    assert place_factor((Aim.EXPLAIN,), "web/locales/en.yml") < least


def test_places_count_by_what_a_question_aims_at() -> None:
    assert place_factor((Aim.HOW_TO,), "docs/themes.md") > place_factor((Aim.HOW_TO,), "src/themes.py")
    assert place_factor((Aim.WHERE,), "docs/themes.md") < place_factor((Aim.WHERE,), "src/themes.py")
    own, aside = "src/Shop/Shop.csproj", ("test/Shop.Tests/Shop.Tests.csproj", "_examples/one/go.mod")
    assert all(
        place_factor((Aim.CONFIGURATION,), path) < place_factor((Aim.CONFIGURATION,), own) for path in aside
    )
    assert place_factor((Aim.TESTS,), "tests/results.csv") < place_factor((Aim.TESTS,), "tests/run.sh")


def test_a_new_thing_is_no_question_about_changes() -> None:
    thing, changes = map(read_question, ("how do I add a new domain", "what is new in version 3"))

    assert {"changelog", "history", "constructor"}.isdisjoint(thing.terms)
    assert max(thing.terms["add"], thing.terms["new"], thing.terms["append"]) <= 0.5 < thing.terms["domain"]
    assert "changelog" in changes.terms


@pytest.mark.parametrize(
    "words",
    [
        ("test", "tests", "testing", "tested"),
        ("serialise", "serialization"),
        ("copy", "copies"),
        ("process", "processes", "processing", "processed"),
        ("status", "statuses"),
        ("filter", "filters", "filtering", "filtered"),
        ("implement", "implementing", "implemented", "implementation"),
        ("render", "rendering", "renderer"),
        ("apply", "applies", "applied", "applying"),
        ("repeat", "repeated", "repeatedly"),
        ("create", "created", "creating", "creation"),
        ("automatic", "automatically"),
        ("comment", "comments", "commented", "commenting"),
        ("statement", "statements"),
    ],
)
def test_forms_of_a_word_have_one_stem(words: tuple[str, ...]) -> None:
    assert len({stem(fold(word)) for word in words}) == 1
    assert set(map(fold, words)) <= set(map(fold, inflect(stem(words[0]))))


def test_a_question_of_two_words_without_any_of_grammar_is_read_as_english() -> None:
    assert stem("suspend") in read_question("pool suspension").terms
    assert stem("lifetime") in read_question("hystrix timeout").terms


def test_what_is_implemented_matters_more_than_that_it_is() -> None:
    terms = read_question("which files implement hooks?").terms
    assert terms[stem("implement")] < terms[stem("hook")]


def test_other_words_have_other_stems() -> None:
    assert stem("apply") != stem("app")
    assert stem("repeat") != stem("reply")
    assert stem("comment") != stem("come")  # which is also the first folder of packages in Java
    assert stem("statement") != stem("state")
    assert stem("letter") != stem("let")
    assert stem("menus") == stem("menu")


@pytest.mark.parametrize(
    ("asked", "said"),
    [("renewal", "renew"), ("remove", "removal"), ("subscription", "subscribe"), ("colour", "color")],
)
def test_words_made_of_one_another_say_the_same(asked: str, said: str) -> None:
    question = read_question(f"how does the {asked} of a ticket work?")
    assert 0.5 < question.terms[stem(said)] < 1
    assert question.groups[stem(said)] == stem(asked)


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=14))
def test_a_stem_is_among_its_own_words(word: str) -> None:
    assert stem(word) in inflect(stem(word))
    assert len(stem(word)) <= len(word) + 1


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    question = read_question(text)

    assert 0 <= question.certainty <= 1
    assert all(0 < weight <= 1 for weight in question.terms.values())
    assert question.aims


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("what is the line length?", (("lin", "length"),)),
        ("what is the line-length?", (("lin", "length"),)),
        ("why is default_map ignored?", (("default", "map"), ("map", "ignor"))),
        ("what is the length of a line?", ()),
        ("which line, which length?", ()),
    ],
)
def test_words_side_by_side_are_a_phrase(text: str, phrases: tuple[tuple[str, str], ...]) -> None:
    assert read_question(text).phrases == phrases


def test_a_verb_that_says_nothing_makes_no_phrase() -> None:
    assert read_question("where do settings live?").phrases == ()


def test_words_of_every_question_are_not_its_own() -> None:
    assert read_question("how does this work, and for whom?").own == {"work"}


def test_a_word_whose_stem_is_that_of_a_common_word_counts() -> None:
    assert read_question("how do I write a theme").terms["them"] == 1.0


def test_verbs_that_say_nothing_of_a_matter_count_less() -> None:
    terms = read_question("how does it find the adapter for a type").terms

    assert 0 < terms[stem("find")] < terms[stem("adapter")] == terms[stem("type")] == 1.0


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("what decides that a block is thrown away?", "discard"),
        ("which code throws old blocks away?", "discard"),
        ("how do I turn the cache off", "disable"),
        ("how long do idle workers live", "timeout"),
        ("where is it worked out which files are stale", "compute"),
        ("how do I get rid of the banner", "remove"),
        ("where are old events deleted", "expire"),
        ("how does the computer opponent decide where to go", "ai"),
    ],
)
def test_an_expression_means_what_its_words_do_not_say(text: str, meaning: str) -> None:
    terms = read_question(text).terms

    assert 0.5 < terms[stem(meaning)] < 1


@pytest.mark.parametrize(
    ("text", "meaning", "weighs_more"),
    [
        ("where is the frame rate limited", "fps", True),
        ("how does garbage collection of queries work", "gc", True),
        ("how do I turn the cache off", "disable", False),
        ("how long do idle workers live", "timeout", False),
    ],
)
def test_the_one_word_that_an_expression_means_says_more_than_each_of_its_words(
    text: str, meaning: str, *, weighs_more: bool
) -> None:
    assert (read_question(text).terms[stem(meaning)] > 1) == weighs_more


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("where does the wheel turn before it goes off", "disable"),
        ("how long-lived tokens are made", "timeout"),
        ("what is thrown", "discard"),
    ],
)
def test_words_that_stand_apart_are_no_expression(text: str, missing: str) -> None:
    assert stem(missing) not in read_question(text).terms


def test_the_words_of_an_expression_count_less_than_others() -> None:
    terms = read_question("which setting turns the cache off?").terms

    assert terms[stem("turn")] < terms[stem("cache")] == 1.0


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("where is the error thrown?", "throw"),
        ("where do we throw the error?", "thrown"),
        ("who holds the lock", "held"),
        ("where are settings overridden", "override"),
    ],
)
def test_irregular_verbs_are_found_in_all_forms(text: str, form: str) -> None:
    question = read_question(text)
    own = next(
        one for one in question.own if stem(form) in question.terms and question.groups[stem(form)] == one
    )

    assert question.terms[stem(form)] == question.terms[own]


def test_the_place_that_a_question_asks_for_is_not_what_it_is_about() -> None:
    assert read_question("which file wakes sleeping tasks?").own == {"wak", "sleep", "task"}


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("what changed in 8.2", ("8.2",)),
        ("what is new in version v1.10.3?", ("1.10.3",)),
        ("breaking changes in 5.0", ("5.0",)),
        ("which python version is needed, 3.11?", ()),
        ("what changed in my branch", ()),
    ],
)
def test_a_question_about_a_release_names_its_version(text: str, versions: tuple[str, ...]) -> None:
    assert read_question(text).versions == versions
    assert (Aim.RELEASES in read_question(text).aims) == bool(versions)


@pytest.mark.parametrize(
    ("text", "literals"),
    [
        ("what does --check return", ("--check",)),
        ("where is `no cache` set", ("no cache",)),
        ("what may sendFile or spawn_blocking take", ("sendFile", "spawn_blocking")),
        ("options for watch()", ("watch",)),
        ("which flags does SET accept", ("SET",)),
        ("how are HTTP/2 and UTF-8 handled", ("HTTP/2", "UTF-8")),
        ("what goes into a PR for CI", ()),
        ("Which modules are well-known?", ()),
        ("how does httpx.get reach send(request)", ("httpx.get", "send", "get")),
        ("which file(s) does README.md name, and example.com", ()),
    ],
)
def test_what_is_written_as_code_is_a_literal(text: str, literals: tuple[str, ...]) -> None:
    assert read_question(text).literals == literals


@pytest.mark.parametrize(
    "text", ["Wie wird der Code formatiert?", "comment est formaté le code ?", "¿cómo se formatea?"]
)
def test_words_of_grammar_count_in_no_language(text: str) -> None:
    assert not {"wie", "wird", "der", "comment", "est", "le", "cómo", "se"} & read_question(text).own


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("how do I write a theme?", "en"),
        ("default snapshot schedule", "en"),
        ("Wie schreibe ich ein Theme?", "de"),
        ("¿Cómo escribo un tema?", "es"),
        ("comment écrire un thème ?", "fr"),
        ("如何编写主题？", "zh"),
        ("テーマの作り方は？", "ja"),
        ("как написать тему", "ru"),
    ],
)
def test_a_question_tells_its_language(text: str, language: str) -> None:
    assert read_question(text).language == language


ENDINGS = (
    "",
    "s",
    "es",
    "ies",
    "ied",
    "ed",
    "ing",
    "ise",
    "isation",
    "ization",
    "ation",
    "er",
    "ly",
    "ies",
    "e",
    "i",
)


@given(st.text("abdegilmnrstuyz", min_size=1, max_size=9), st.sampled_from(ENDINGS))
def test_every_word_begins_as_its_stem_tells(root: str, ending: str) -> None:
    word = root + ending

    assert word.startswith(beginnings([stem(word)]))
    assert fold(word).startswith(beginnings([stem(fold(word))]))
    assert word.startswith(beginnings([stem(fold(word))]))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("where does it unpack the answer", "decompress"),
        ("show the messages in french", "translation"),
        ("how is a dead lock avoided", "terminate"),
        ("what is the cert for", "certificate"),
        ("a module from a third party", "plugin"),
    ],
)
def test_code_has_another_word_for_what_people_say(text: str, word: str) -> None:
    found = read_question(text)

    assert 0 < found.terms[stem(word)] < 1
    assert stem(word) in found.groups


def test_a_word_of_people_is_not_found_from_that_of_code() -> None:
    assert stem("unpack") not in read_question("where is it gzip encoded").terms


@pytest.mark.parametrize(
    ("text", "language", "word"),
    [
        ("como eu configuro o tempo limite do servidor", "pt", "server"),
        (
            "\u30bf\u30a4\u30e0\u30a2\u30a6\u30c8\u306e\u521d\u671f\u5024\u306f\u4f55\u79d2\uff1f",
            "ja",
            "timeout",
        ),
        ("found an exploitable crash, whom do i tell?", "en", "security"),
        ("how are articles cleaned of dangerous html", "en", "sanitize"),
        ("wie wird der Code formatiert", "de", "format"),
        ("¿cómo valido el cuerpo de una petición?", "es", "body"),
        ("¿cómo valido el cuerpo de una petición?", "es", "validate"),
        ("как настроить логирование", "ru", "log"),
        ("如何使用私有仓库", "zh", "private"),
    ],
)
def test_a_short_question_is_read_in_its_language(text: str, language: str, word: str) -> None:
    found = read_question(text)

    assert found.language == language
    assert stem(word) in found.terms


def test_what_works_is_no_function() -> None:
    assert "function" not in read_question("¿cómo funciona el enrutador?").terms


@pytest.mark.parametrize(
    ("text", "aims"),
    [
        ("pass a shell variable into the filter", (Aim.HOW_TO,)),
        ("show me the layers", (Aim.ANY,)),
        ("keep only the folders of failed tests", (Aim.HOW_TO,)),
        ("found an exploitable crash, whom do i tell?", (Aim.CONTRIBUTING,)),
        ("would they take a new feature", (Aim.CONTRIBUTING,)),
        ("any rules for comments in the code?", (Aim.CONTRIBUTING,)),
        ("in what order do hooks and handlers run", (Aim.EXPLAIN,)),
        ("how does a pipeline of filters become one function", (Aim.EXPLAIN,)),
        ("¿cómo valido el cuerpo de una petición?", (Aim.HOW_TO,)),
        ("comment valider une requête", (Aim.HOW_TO,)),
        ("wie funktioniert der Router?", (Aim.EXPLAIN,)),
        ("¿cómo funciona el enrutador?", (Aim.EXPLAIN,)),
        ("路由是怎么工作的？", (Aim.EXPLAIN,)),
        ("где проверяется пароль пользователя", (Aim.WHERE,)),
        ("как ограничить размер тела запроса", (Aim.HOW_TO,)),
        ("как работает маршрутизация", (Aim.EXPLAIN,)),
        ("как запустить тесты", (Aim.DEVELOPING,)),
        ("какой порт используется по умолчанию", (Aim.CONFIGURATION,)),
        ("\u8fd9\u662f\u5728\u54ea\u6bb5\u4ee3\u7801\u91cc\u7f16\u8bd1\u7684", (Aim.WHERE,)),
        ("which commits touched the router", (Aim.HISTORY,)),
        ("why was 4a3eb31f made", (Aim.HISTORY,)),
        ("what changed in 2.1", (Aim.RELEASES,)),
        ("how do I run the unit tests", (Aim.DEVELOPING,)),
        ("how to build this from source", (Aim.DEVELOPING,)),
        ("how do I write tests for my app", (Aim.HOW_TO,)),
    ],
)
def test_other_words_tell_the_aim_too(text: str, aims: tuple[Aim, ...]) -> None:
    assert read_question(text).aims == aims


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        ("review my changes", True, False),
        ("review it", True, False),
        ("generate a commit message", True, True),
        ("commit message", True, True),
        ("did I break anything?", True, False),
        ("the commit message is cut", False, False),
        ("write me a short PR description", True, True),
        ("schreibe eine Commit-Nachricht f\u00fcr meine \u00c4nderungen", True, True),
        ("resume mis cambios", True, False),
        ("\u5199\u4e00\u4e2a\u63d0\u4ea4\u4fe1\u606f", True, True),
        ("how do I write a commit message here?", False, False),
        ("what changed recently in the parser", False, False),
        ("uncommitted rows are visible after a rollback", False, False),
        ("fix the staged rollout", False, False),
        ("what changed in 2.1", False, False),
        ("the current branch is wrong", False, False),
        ("git plugin: gwip / current branch prints illegal byte sequence", False, False),
        ("write an integration test for stashing staged changes", False, False),
        ("explain how staged changes are stashed", False, False),
        ("show staged changes in the side panel", False, False),
        ("where does it find the current branch", False, False),
        ("which function returns all local changes", False, False),
        ("add tests for the uncommitted changes", True, False),
        ("explain the staged changes", True, False),
        ("what does the current branch change", True, False),
        ("git diff", True, False),
    ],
)
def test_a_task_may_be_about_changes_of_ones_own(text: str, changes: bool, message: bool) -> None:
    assert asks_about_changes(text) == changes
    assert asks_for_message(text) == message


def test_the_basic_form_of_an_irregular_verb_counts_in_full() -> None:
    assert read_question("how do I wake up the loop").terms[stem("wake")] == 1.0


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("review the last commit", 1),
        ("Review the last two commits, please", 2),
        ("what changed in the last commit?", 1),
        ("what did the last 3 commits do", 3),
        ("review HEAD", 1),
        ("explain the latest commit", 1),
        ("which commits changed the parser lately", 0),
        ("show me the last commits of router.py", 0),
        ("explain the last commit message", 0),
        ("fix what the last commit broke", 0),
    ],
)
def test_the_newest_commits_can_be_asked_for(text: str, count: int) -> None:
    assert count_commits_to_review(text) == count


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("write tests for Poller#interval", True),
        ("Add unit tests to the parser", True),
        ("Added integration tests for direct exchanges", True),
        ("adding tests of the parser", True),
        ("created test cases for the queue", True),
        ("added a test runner", False),
        ("cover the queue with tests", True),
        ("improve test coverage of badges", True),
        ("fix the flaky tests of the queue", False),
        ("add a test runner", False),
        ("how do I write tests", False),
    ],
)
def test_it_is_told_whether_tests_are_to_be_written(text: str, is_asked: bool) -> None:
    assert asks_for_tests(text) == is_asked


@pytest.mark.parametrize(
    "text",
    [
        "explain it",
        "please explain this to me",
        "Please explain the architecture of this project to me, I am new here.",
        "I just cloned this, where do I start reading?",
        "As a maintainer, where do I start reading?",
        "describe what this project does in two sentences",
        "walk me through the code",
        "tldr of this codebase",
        "what is this?",
        "what are the most important files",
        "which files are the most important to understand first",
        "what are the key modules",
        "draw a diagram of the main modules",
        "explica la arquitectura de este proyecto",
        "what problem does this library solve",
    ],
)
def test_a_project_as_a_whole_is_asked_for_in_many_words(text: str) -> None:
    assert asks_about_whole(text)


@pytest.mark.parametrize(
    "text",
    [
        "explain this function",
        "what does the main loop do",
        "where is the project file read",
        "how do I start the project",
        "I am new to rust, how do I add a filter",
        "describe the file format",
        "which files matter for authentication",
    ],
)
def test_a_part_of_a_project_is_not_all_of_it(text: str) -> None:
    assert not asks_about_whole(text)


def test_what_people_tell_of_themselves_is_not_asked_about() -> None:
    assert read_question("I'm new here, how are sessions stored?").own == {"session", "stor"}


@pytest.mark.parametrize(
    "text",
    [
        "run tests",
        "execute the test suite",
        "test command?",
        "make sure all tests pass",
        "tests laufen lassen",
        "build it",
        "install dependencies and run the tests",
    ],
)
def test_an_order_to_build_or_test_needs_the_command(text: str) -> None:
    question = read_question(text)

    assert (question.certainty, question.aims) == (1.0, (Aim.DEVELOPING,))


@pytest.mark.parametrize(
    ("text", "aims"),
    [
        ("fix CI", (Aim.CONFIGURATION, Aim.CI)),
        ("add a CI job for Windows", (Aim.CONFIGURATION, Aim.CI)),
        ("Enable caching in GitHub Actions", (Aim.CONFIGURATION, Aim.CI)),
        ("set up pre-commit", (Aim.CONFIGURATION,)),
        ("enable strict mode in mypy", (Aim.CONFIGURATION,)),
        ("update the Dockerfile", (Aim.CONFIGURATION,)),
        ("add a ruff rule against prints", (Aim.CONFIGURATION,)),
        ("Bump ruff from 0.1 to 0.2", (Aim.CONFIGURATION,)),
        ("update pnpm to v7.16", (Aim.CONFIGURATION,)),
        ("upgrade click to 8.2", (Aim.CONFIGURATION,)),
        ("Fix the CI of forks that have no secrets", (Aim.CONFIGURATION, Aim.CI)),
        ("Make CI run for the main branch", (Aim.CONFIGURATION, Aim.CI)),
        ("group pull requests of dependabot", (Aim.CONFIGURATION,)),
        ("chore(ci): cache what is downloaded", (Aim.CONFIGURATION, Aim.CI)),
        ("add a note to the changelog", (Aim.ENTRIES,)),
        ("simplify the PR template", (Aim.CONTRIBUTING,)),
        ("docs: tell how sessions end", (Aim.HOW_TO,)),
        ("docs: remove a comment from the README", (Aim.HOW_TO,)),
        ("fix the broken link in the docs", (Aim.HOW_TO,)),
        ("update the cookies example", (Aim.HOW_TO,)),
    ],
)
def test_an_order_about_settings_and_pages_aims_at_them(text: str, aims: tuple[Aim, ...]) -> None:
    question = read_question(text)

    assert (question.certainty, question.aims) == (1.0, aims)


@pytest.mark.parametrize(
    "text",
    [
        "disable the formatter of numbers in `Table`",
        "add a workflow engine",
        "enable linting of templates",
        "use the makefile parser for targets",
        "fix(parser): a crash in docs",
        "docs: correct the @return tag of `total`",
        "docs(cart): clarify the comment on the discount",
    ],
)
def test_an_order_about_code_aims_at_nothing_else(text: str) -> None:
    assert read_question(text).certainty == 0


def test_who_brings_something_sees_where_such_things_are() -> None:
    assert read_question("how do I contribute a new syntax").aims == (Aim.CONTRIBUTING, Aim.EXTENDING)
    assert read_question("how do I contribute a fix").aims == (Aim.CONTRIBUTING,)


def test_a_difference_is_asked_for_in_few_words() -> None:
    assert read_question("difference between trim_blocks and lstrip_blocks").aims == (Aim.EXPLAIN,)


def test_an_order_to_change_how_tests_run_is_a_change() -> None:
    assert read_question("Run tests on pull requests of forks too").aims != (Aim.DEVELOPING,)


def test_the_name_of_the_project_says_little() -> None:
    question = read_question("how does bat detect the syntax")
    weaker = relate_to_project(question, "how does bat detect the syntax", "bat")

    assert weaker.terms["bat"] < 0.5 < weaker.terms["syntax"] == question.terms["syntax"]
    assert relate_to_project(read_question("what is bat"), "what is bat", "bat").terms["bat"] == 1


def test_an_upgrade_of_something_else_is_about_what_the_project_uses() -> None:
    text = "how do I upgrade rails from 7.2 to 8.1"
    question = read_question(text)

    assert question.aims == relate_to_project(question, text, "rails").aims == (Aim.RELEASES,)
    assert relate_to_project(question, text, "lobsters").aims == (Aim.CONFIGURATION, Aim.RELEASES)


@pytest.mark.parametrize(
    ("text", "is_question"),
    [
        ("Hi! After upgrading to 5.11 requests in flight are cut off when I call close(). Any idea?", False),
        ("After upgrade from 0.7 to 0.8 my nested router returns 404 for a trailing slash", False),
        ("upgrading from 0.80 to 3.0 broke my custom command palette provider", False),
        ("after upgrading to 5 what changed in the router", True),
        ("what breaks when upgrading from 4 to 5", True),
        ("what happens after migrations are run", True),
        ("what runs after updating a record?", True),
    ],
)
def test_what_fails_since_an_upgrade_is_a_report(text: str, is_question: bool) -> None:
    assert (read_question(text).certainty > 0) == is_question


@pytest.mark.parametrize(
    ("text", "aims"),
    [
        ("what changed in the latest release", (Aim.RELEASES,)),
        ("what is new in the last version?", (Aim.RELEASES,)),
        (
            "how is a new release written up, and which files carry the version",
            (Aim.CONTRIBUTING, Aim.ENTRIES, Aim.CONFIGURATION),
        ),
        ("how do I make a new release", (Aim.CONTRIBUTING, Aim.ENTRIES)),
        ("how are locks released", (Aim.EXPLAIN,)),
    ],
)
def test_releases_are_asked_for_in_several_ways(text: str, aims: tuple[Aim, ...]) -> None:
    assert read_question(text).aims == aims


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (".github/workflows/conventional-commits.yml", FilePlace.CONTRIBUTING),
        (".github/workflows/pull-request-title.yml", FilePlace.CONTRIBUTING),
        (".github/semantic.yml", FilePlace.CONTRIBUTING),
        (".github/workflows/ci.yml", FilePlace.WORKFLOW),
        (".bumpversion.cfg", FilePlace.MANIFEST),
    ],
)
def test_what_checks_titles_and_commits_tells_how_to_contribute(path: str, place: FilePlace) -> None:
    assert place_of(path) is place
    assert place is FilePlace.MANIFEST or given_score((Aim.CONTRIBUTING,), path) == 0


@pytest.mark.parametrize("kind", ["option", "flag", "parameter"])
def test_who_asks_for_a_named_option_asks_little_for_options(kind: str) -> None:
    named, kinds = (
        read_question(f"what does the wait {kind} do").terms,
        read_question(f"where are {kind}s read"),
    )

    assert named[stem(kind)] < named["wait"] == kinds.terms[stem(kind)]


def test_who_asks_for_a_signature_asks_for_nothing_that_is_signed() -> None:
    asked = read_question("what is the signature of ForMember?").terms
    signed = read_question("where is the signature of a token checked?").terms

    assert asked[stem("signature")] < asked[stem("member")]
    assert signed[stem("signature")] == 1.0


@pytest.mark.parametrize(
    ("text", "is_about_past"),
    [
        ("how do I change the redirect", False),
        ("what breaks if I change `save`", False),
        ("which pre-commit hooks run", False),
        ("what changed recently in the parser", True),
        ("why was the default changed", True),
        ("who is the author of the parser", True),
        ("which commits touched the parser", True),
    ],
)
def test_who_is_to_change_something_asks_for_no_past(text: str, is_about_past: bool) -> None:
    assert read_question(text).is_about_past is is_about_past


@pytest.mark.parametrize(
    ("text", "is_about_way"),
    [
        ("how does a request travel from the client to the socket", True),
        ("what happens between the login and the redirect", True),
        ("explain the call chain of save", True),
        ("how do I get from one page to the next", False),
        ("how does the cache work", False),
        ("upgrade from 1.2 to 2.0, what happens?", False),
    ],
)
def test_the_way_from_one_place_to_another_is_asked_for(text: str, is_about_way: bool) -> None:
    assert read_question(text).is_about_way is is_about_way


def test_what_asks_for_a_way_or_for_files_is_not_looked_for() -> None:
    way = read_question("how does a job get from the table to a process")

    assert way.terms["get"] < way.terms["job"] == 1
    assert ("job", "get") not in way.phrases
    assert read_question("which files do I touch to add a theme").own == {"add", "them"}
    assert read_question("what guards against a guessed password without a lock").own == {
        "guard",
        "guess",
        "password",
        "lock",
    }


def test_an_order_that_asks_for_its_places_is_half_a_question() -> None:
    assert read_question("add an option --wait: which files must I touch?").certainty == 0.5
    assert read_question("is there a guide to migrations of tables").certainty == 1.0


def test_a_question_names_languages() -> None:
    assert read_question("where is the german message for a missing row").named_languages == {"de"}
    assert read_question("where is the message for a missing row").named_languages == frozenset()


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Was passiert beim Monatsabschluss?", "monatsabschluss"),
        ("ab welchem Betrag gibt es eine Quittung?", "betrag quittung"),
        ("¿qué pasa cuando falla la conexión?", "falla conexión"),
    ],
)
def test_words_of_grammar_in_other_languages_are_not_looked_for(text: str, own: str) -> None:
    assert read_question(text).own == {stem(word) for word in own.split()}


def test_every_expression_is_found_by_its_first_word() -> None:
    for row in read_table("expressions.txt"):
        assert row in _find_expressions({stem(row.partition(" ")[0])})


@pytest.mark.parametrize(
    ("question", "word", "weight", "others"),
    [
        ("how do popups work", "work", 0.5, False),
        ("how does the worker process a job", "work", 1.0, True),
    ],
)
def test_a_vague_verb_has_no_words_of_the_same_meaning_and_who_does_it_is_not_vague(
    question: str, word: str, weight: float, others: bool
) -> None:
    terms = read_question(question).terms

    assert terms[word] == weight
    assert ("daemon" in terms) == others


def test_a_setting_is_no_form_of_what_sets_it() -> None:
    assert stem("settings") == stem("setting") != stem("set")
    assert "setting" in inflect(stem("setting"))
    assert "setting" not in inflect(stem("set"))


@pytest.mark.parametrize(
    ("question", "subjects"),
    [
        ("wie füge ich ein neues Modell hinzu", {"model", "modell"}),
        ("wie füge ich einen Befehl hinzu", {"command", "befehl"}),
        ("Wie schreibe ich ein eigenes Plugin?", {"plugin"}),
        ("cómo agrego un nuevo comando", {"command", "comando"}),
        ("comment ajouter un nouveau plugin", {"plugin"}),
        ("como adicionar um novo comando", {"command", "comando"}),
        ("如何添加一个新的命令", {"command"}),
        ("如何编写插件", {"plugin"}),
        ("新しいコマンドを追加するには", {"command"}),
        ("как добавить новую интеграцию", {"integration", "интеграцию"}),
    ],
)
def test_who_adds_one_in_another_language_asks_about_what_it_is(question: str, subjects: set[str]) -> None:
    read = read_question(question)

    assert read.aims == (Aim.HOW_TO, Aim.EXTENDING)
    assert (
        {stem(one) for one in subjects} >= {one for one in read.own if read.terms.get(one, 0) >= 1} != set()
    )


@pytest.mark.parametrize(
    "question", ["wie starte ich den Server", "wo werden Fehler behandelt", "¿cómo funciona?"]
)
def test_other_questions_in_other_languages_add_nothing(question: str) -> None:
    assert Aim.EXTENDING not in read_question(question).aims


@pytest.mark.parametrize(
    ("text", "agents"),
    [
        ("how is a request routed?", {"router", "routers"}),
        ("where is the configuration validated", {"validator"}),
        ("where are the records written", {"writer"}),
        ("how are orders scheduled and sent", {"scheduler", "sender"}),
        ("how does it route a request", set()),
        ("how do I get routed", set()),
    ],
)
def test_what_does_what_is_done_has_its_name(text: str, agents: set[str]) -> None:
    found = read_question(text).agents

    assert agents <= found
    assert bool(found) == bool(agents)


def test_what_people_get_says_little_of_it() -> None:
    terms = read_question("why do I get a 403?").terms

    assert terms["get"] < 0.5
    assert terms["forbidden"] == 1.0
    assert read_question("why does get fail?").terms["get"] == 1.0


def test_to_change_something_says_little_of_it() -> None:
    terms = read_question("how do I change the port it listens on?").terms

    assert terms[stem("change")] < 0.3 < terms[stem("port")]
    assert read_question("where is the change of a port announced?").terms[stem("change")] == 1


def test_of_a_linter_linting_is_what_it_does_and_not_what_checks_it() -> None:
    text = "how do I exclude a folder from linting?"
    question = read_question(text)

    assert "eslint" in relate_to_project(question, text, "tea").terms
    assert "eslint" not in relate_to_project(question, text, "tea-lint").terms


def test_workflows_that_look_after_issues_run_nothing_of_a_project() -> None:
    aside, main = ".github/workflows/lock.yml", ".github/workflows/regress.yml"

    assert place_factor((Aim.CI,), aside) < place_factor((Aim.CI,), main)
    assert place_factor((Aim.CI,), ".github/workflows/pr-labeler.yaml") == place_factor((Aim.CI,), aside)
    assert place_factor((Aim.CI,), ".github/workflows/uv-lock-upgrade.yml") == place_factor((Aim.CI,), main)
    assert given_score((Aim.CI,), main) > given_score((Aim.CI,), ".github/workflows/publish.yml")


def test_a_type_is_named_by_the_question_for_its_methods() -> None:
    asked = ("which methods does Element have", "what properties does the Element have", "methods of Element")

    assert [read_question(text).literals for text in asked] == [("Element",)] * 3
    assert not read_question("which methods does it have").literals


@pytest.mark.parametrize(
    "word", ["although nothing", "however", "somehow", "otherwise", "apparently", "by yourself"]
)
def test_words_of_grammar_tell_nothing(word: str) -> None:
    question = read_question(f"why does the parser fail {word}")

    assert question.own == {stem("parser"), stem("fail")}
