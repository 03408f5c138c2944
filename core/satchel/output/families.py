"""Recognise the kind of an output: a file, matches, a diff, a history, a list, data, prose, or a report."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from satchel.conversation.wrappers import count_client_lines
from satchel.output.naming import NUMBER
from satchel.output.states import SHORT_STATE
from satchel.output.tables import find_header, find_records, is_table
from satchel.output.templates import keys
from satchel.output.trees import draws_packages
from satchel.patterns import lazily


class OutputFamily(NamedTuple):
    """The settings for shortening outputs of a kind; see `satchel.output.passages`."""

    name: str
    run: int = 3
    """Fewest lines shown together in a small budget."""
    long_run: int = 3
    """The same in a larger one."""
    per_cost: float = 1.0
    """Exponent of a passage's tokens in its gain in a small budget: below 1, longer ones are preferred."""
    first: float = 0.0
    """Worth of the first line besides its content."""
    last: float = 0.0
    """Worth of the last line besides its content."""
    judged: float = 0.0
    """Extra worth of lines with errors, warnings and results."""
    most: float = math.inf
    """Tokens that suffice for a text that does not fit, if no budget is given."""
    always: bool = False
    """Whether they suffice for a given budget too: more would be a sample, and its shape says more."""
    share: float = 0.0
    """The part of a text that suffices if that is more."""
    times: float = 1.0
    """Least ratio of such a text to the budget."""
    whole: float = math.inf
    """Tokens of the longest text that is shown whole if it fits."""
    headed: bool = False
    """Whether a piece of a long line needs the beginning of the line, such as that of a row or a match."""
    named: float = math.inf
    """Most that a name is worth: little in a list and in a history, where each line has one."""


FILE = OutputFamily("file")
MATCHES = OutputFamily("matches", headed=True, run=2, long_run=2, per_cost=0.7, first=1.0, last=1.0)
DIFF = OutputFamily("diff", first=4.0)
HISTORY = OutputFamily("history", run=2, first=20.0, last=2.0, most=700, share=0.04, times=1.5, named=0.2)
BLAME = OutputFamily("blame", run=2, first=20.0, last=6.0, most=300, share=0.04, times=0, whole=1_900)
LISTING = OutputFamily(
    "listing",
    run=1,
    long_run=2,
    per_cost=0.7,
    first=1.0,
    last=2.0,
    judged=1.0,
    always=True,
    most=700,
    times=4,
    named=0.5,
)
TREE = LISTING._replace(name="tree", most=300, always=False, times=0, whole=1_900)
"""Packages below those that need them: a sample of its folders would say nothing."""
TABLE = OutputFamily(
    "table",
    headed=True,
    run=1,
    long_run=2,
    per_cost=0.7,
    first=20.0,
    last=2.0,
    judged=1.0,
    most=450,
    times=0,
    named=0.5,
)
"""Records below a header that names their fields."""
DATA = OutputFamily("data", first=2.0, last=1.0, judged=1.0, most=700, times=10)
PLAN = OutputFamily("plan", run=1, first=1.0, last=1.0, judged=1.0)
"""A tool's planned changes to each resource."""
PROSE = OutputFamily("prose", run=1, per_cost=0.7, first=1.0, last=1.0)
STEPS = OutputFamily("steps", first=3.0, last=4.0, judged=1.0)
"""A program's report of its steps: the first and the last show the result."""
STATUS = OutputFamily("status", run=1, long_run=1, per_cost=0.7, named=0.2)
"""The staged, changed, conflicting and untracked files."""
REPORT = OutputFamily("report")
"""Test runs, builds, logs: similar lines are folded, and errors come first."""


class FamilyRule(NamedTuple):
    """Commands whose output is of a family."""

    family: OutputFamily
    pattern: str
    examples: tuple[str, ...]


_TEST = r"(?:\S*[:_-])?(?:tests?|spec)\b"
RULES = (
    FamilyRule(STATUS, r"(?:git|rtk git|yadm)\b[^|]*?\sstatus\b", ("git status", "git -C web status -sb")),
    FamilyRule(
        DIFF,
        r"(?:git|rtk git|hg|svn|jj|yadm)\b.*?\s(?:diff|show|format-patch|stash show|interdiff)\b"
        r"|git\b.*\slog\b.*\s(?:-p|-u|--patch)\b|gh pr diff\b|(?:diff|colordiff|delta)\b",
        ("git diff HEAD~3", "git -C web show 1f2e3d4", "gh pr diff 12", "diff -u a b"),
    ),
    FamilyRule(
        HISTORY,
        r"(?:git|hg|jj|svn)\b.*?\s(?:log|reflog|shortlog|whatchanged|rev-list)\b|git\b.*?\sstash\s+list\b",
        ("git log -20", "git -C web log --oneline", "git rev-list HEAD", "git stash list"),
    ),
    FamilyRule(BLAME, r"(?:git|hg|svn)\b.*?\s(?:blame|annotate)\b", ("git blame src/login.py",)),
    FamilyRule(
        MATCHES,
        r"(?:grep|egrep|fgrep|zgrep|rg|ag|ack|ugrep|findstr|select-string)\b|git\b.*?\sgrep\b",
        ("rg -n login src", "grep -rn login .", "git grep login"),
    ),
    FamilyRule(
        LISTING,
        r"(?:find|fd|fdfind|tree|ls|dir|exa|eza|get-childitem|du|wc|tar|zipinfo)\b|unzip\s+-l|dpkg\S*\s+-l|rpm\s+-qa|apt\s+list|(?:gh|glab)\s+[\w-]+\s+list\b|git\b.*?\s(?:ls-files|ls-tree|ls-remote|branch|tag|for-each-ref|show-ref)\b",
        (
            "find . -name '*.rs'",
            "ls -la src",
            "git ls-files",
            "gh pr list --limit 200",
            "tar tzf a.tgz",
            "dpkg -l",
        ),
    ),
    FamilyRule(
        DATA,
        r"(?:kubectl|oc)\b.*?\sdescribe\b|(?:npm|pnpm|cargo|bundle|composer)\s+audit\b|pip-audit\b"
        r"|apt(?:-cache|itude)?\s+(?:policy|show)\b|(?:uv\s+)?pip3?\s+check\b"
        r"|openssl\s+(?:x509|req|crl|pkcs\d+|cms)\b.*?-(?:text|print)\b",
        (
            "kubectl describe pod web -n shop",
            "npm audit --omit=dev",
            "apt-cache policy curl git",
            "pip check",
            "openssl x509 -in site.pem -noout -text",
        ),
    ),
    FamilyRule(
        REPORT,
        r"(?:pytest|py\.test|vitest|jest|mocha|ava|tap|playwright|cypress|unittest|nose2|tox|nox|rspec|minitest"
        r"|phpunit|pest|ctest|gotestsum|invoke-pester|bats|busted)\b"
        r"|python\S*\s.*-m\s(?:pytest|unittest|tox|nox)\b"
        r"|(?:turbo|nx|lerna|ng|ember|bazelisk|pants|earthly|gleam|pixi|hatch|rye|composer|artisan|rails|node|php)"
        rf"\b.*?\s(?:--)?{_TEST}|(?:vue-tsc|svelte-check|pre-commit)(?:\s|$)"
        r"|(?:go|cargo|npm|pnpm|yarn|bun|deno|make|just|task|mise|rake|bundle|dotnet|mix|swift|mvn|mvnw|gradle"
        rf"|gradlew|sbt|stack|cabal|zig|bazel|buck2?|meson|ninja|flutter|dart|lein|rebar3)\b.*?\s{_TEST}"
        r"|(?:make|cmake|ninja|tsc|eslint|ruff|mypy|pyright|basedpyright|pylint|flake8|golangci-lint|staticcheck|biome"
        r"|prettier|markdownlint\S*|shellcheck|rustc|gcc|g\+\+|clang\S*|javac|webpack|vite|rollup|esbuild|docker"
        r"|podman|kubectl|helm|terraform|ansible\S*|pip3?|apt|apt-get|brew|cargo|npm|pnpm|yarn|bun|go|mvn|gradle\w?"
        r"|rubocop|standardrb|mix|phpcs|phpstan|psalm|swiftlint|ktlint|detekt|stylelint|yamllint|ansible-lint|hadolint"
        r"|tflint|sqlfluff|bandit|cppcheck|codespell|vale"
        r"|dotnet|journalctl|dmesg|systemctl|df|ps|flyway|liquibase|dbmate|goose)(?:\s|$)|gh run\b"
        r"|git\b.*?\s(?:bisect\s+run|submodule\s+foreach|rebase\s.*(?:-x|--exec))\b"
        r"|(?:dnf5?|yum|zypper|apk|snap|flatpak|conda|mamba|gem|composer|poetry|pdm"
        r"|pipenv|uv|pixi|bundle|pod)\b.*?\s"
        r"(?:install|upgrade|update|dup|remove|add|refresh|lock|sync|create|compile)\b"
        r"|(?:swift|cabal|stack|zig|bazel|buck2?|dune|nix|hugo|jekyll|mkdocs)\b.*?\sbuild\b"
        r"|(?:xcodebuild|sphinx-build|nix-build|pdflatex|xelatex|lualatex|latexmk)(?:\s|$)"
        r"|(?:alembic|flask\s+db)\b.*?\s(?:heads|current|upgrade|downgrade|check|show|branches|stamp)\b",
        (
            "pytest -q",
            "npm run test:unit",
            "python -m unittest",
            "make -j4",
            "npx eslint .",
            "npx -y markdownlint-cli2 docs",
            "docker logs web",
            "alembic heads --verbose",
            "git bisect run make test",
            "mix credo --strict",
            "dnf -y upgrade",
            "poetry lock",
            "uv pip compile requirements.in",
            "bazel build //...",
            "pdflatex thesis.tex",
            "bundle exec rubocop app",
        ),
    ),
    FamilyRule(
        DATA,
        r"(?:curl|wget|http|https|xh|jq|yq|gh|glab|aws|az|gcloud|invoke-restmethod|invoke-webrequest)\b",
        ("gh api repos/a/b/pulls", "curl -s localhost", "jq . a.json"),
    ),
    FamilyRule(
        FILE,
        r"(?:cat|bat|batcat|head|tail|nl|less|more|sed\s+-\w*n\w*|get-content|type|tac|strings)\b"
        r"|git\b.*?\s(?:show|cat-file)\b.*\S:\S",
        ("cat src/login.py", "sed -n 20,80p a.go", "head -50 README.md"),
    ),
)
"""The first one found in a command of the line decides."""
_TABLE = lazily("|".join(f"(?P<r{at}>(?:{rule.pattern}))" for at, rule in enumerate(RULES)), re.IGNORECASE)
_OBJECT = lazily(r"git\b.*?\sshow\s+(?:-\S+\s+)*[^\s-]\S*:\S", re.IGNORECASE)
"""`git show main:src/login.py` reads a file."""
_HEREDOC = lazily(r"<<-?\s*['\"]?(\w+)['\"]?.*?\n\1\b", re.DOTALL)
_COMMANDS = lazily(r"&&|\|\||;|\n")
_NOTHING_SAID = lazily(
    r"(?:cd|pushd|popd|export|set|unset|source|\.|echo|printf|sleep|mkdir|touch|rm|cp|mv|pwd|true|false|test|\[)"
    r"(?:\s|$)|#|\$?\w+\s*=\s*(?!\S+\s+\S)"
)
_RUN = lazily(
    r"(?:python[\d.]*|node|ruby|perl|php|java|deno|julia|rscript|lua|elixir|bash|sh|zsh|pwsh|powershell)\s"
    r"|[\w./-]+\.(?:sh|py|rb|pl|js|ps1)\b",
    re.IGNORECASE,
)
"""A program that is run."""
_BEFORE = lazily(
    r"(?:\w+=(?:\"[^\"]*\"|'[^']*'|\S*)\s+|(?:time(?:\s+-p)?|nice|env|command|exec|rtk|xvfb-run|wsl|stdbuf\s+\S+)\s+"
    r"|sudo\s+(?:-[ugh]\s+[^\s-]\S*\s+|-\S+\s+)*|(?:/\S*/)?(?:ba|z|da|k|fi)?sh\s+-[a-z]*c\s+[\"']?"
    r"|(?:npx|bunx|uvx)\s+(?:-\S+\s+)*|direnv\s+exec\s+\S+\s+|(?:conda|mamba)\s+run\s+(?:-\w\s+\S+\s+)?"
    r"|timeout\s+(?:-\S+\s+)*\S+\s+|ssh\s+(?:-[pilFJo]\s+[^\s-]\S*\s+|-\S+\s+)*[\w.@-]+\s+[\"']?(?=\w)"
    r"|(?:pnpm|yarn|poetry|pipenv|pdm|uv|mise|bundle|hatch|rye|pixi)\s+(?:exec|run|x)\s+"
    r"(?:--with\s+\S+\s+)*(?:--\s+)?(?!tests?\b)"
    r"|(?:docker|podman)(?:\s+compose|-compose)?\s+exec\s+(?:-\w\s+[^\s=-][^\s=]*=\S*\s+|-\S+\s+)*[\w.-]+\s+"
    r"|(?:kubectl|oc)\s+exec\s[^|;]{1,200}?\s--\s+"
    r"|python[\d.]*\s+-m\s+(?=(?:pytest|unittest|mypy|ruff|tox|nox|pip|flake8|pylint|pyright|bandit|coverage)\b)"
    r"|(?:[^\s/=]*/)+(?=[\w.-]+(?:\s|$))|[({&]\s*)"
)
_LOG_FILE = lazily(r"\.(?:log|out|err|txt)(?:\.\d+)?(?:[\s\"']|$)|/(?:log|logs|tasks)/|<\s*\S", re.IGNORECASE)
_LONGEST_LINE = 8_000
_LONGEST_COMMAND = _LONGEST = 400
"""Characters that are read of a command line, of a command in it, and of a line of output."""
_SAID_SO = frozenset(("task", "agent", "skill", "taskoutput", "webfetch", "websearch"))
"""Tools of agents whose answers are prose."""


def recognise(command: str, lines: Sequence[str]) -> OutputFamily:
    """Return the family of an output by its command, or by its text if the command does not show it."""
    told, lines = _by_command(command), lines[count_client_lines(lines) :]
    is_diff = told in (STEPS, STATUS) or DIFF in map(_find_family, _parts_of(command))
    if is_diff and told is not DIFF and _has_hunks(lines):
        return DIFF  # of another command of the line
    if told is None or told in (FILE, DATA):
        return _by_text(lines, told, is_log=told is not None and _LOG_FILE.search(command) is not None)
    if told is REPORT and any(map(_PLANNED.match, lines)):
        return PLAN
    if (told is REPORT or (told is LISTING and find_header(lines) == 0)) and is_table(lines):
        return TABLE
    if told is REPORT and draws_packages(lines[:_SAMPLE]):
        return TREE
    if told is REPORT and _share(lines[:_SAMPLE], TEST_NAMED.fullmatch) >= _DIFFERENT_STATES:
        return LISTING
    if told in (LISTING, REPORT, HISTORY, STATUS, STEPS) and (is_document(lines) or find_records(lines)):
        return DATA
    if told is STATUS and not _is_status([line for line in lines if line.strip()]):
        return STEPS
    if told is DIFF and (_OBJECT.search(command) or not _has_hunks(lines)):
        return _by_text(lines, FILE if _OBJECT.search(command) else STEPS, is_log=False)
    return told


def tells_family(command: str) -> bool:
    """Return whether a command line alone determines the family of its output."""
    return _by_command(command) is not None


def reports_beside(command: str, family: OutputFamily) -> bool:
    """Return whether another command of the line tests, builds or runs a program."""
    parts = [*_parts_of(command)]
    families = [*map(_find_family, parts)]
    known = [at for at, told in enumerate(families) if told]
    own = next((at for at in known if families[at] is family), known[0] if known else -1)
    return any(
        told is REPORT or (told is None and _RUN.match(part) is not None)
        for at, (part, told) in enumerate(zip(parts, families, strict=True))
        if at != own
    )


def _by_command(command: str) -> OutputFamily | None:
    if command.strip().lower() in _SAID_SO:
        return PROSE
    told = next(filter(None, map(_find_family, _parts_of(command))), None)
    return REPORT if told is STEPS and reports_beside(command, STEPS) else told


def _find_family(part: str) -> OutputFamily | None:
    """Return the family of the output of one command of a line."""
    found = _TABLE.match(part.partition(" | ")[0][:_LONGEST_COMMAND])
    if found and found.lastgroup:
        return RULES[int(found.lastgroup[1:])].family
    return STEPS if part.startswith("git ") else None


def _parts_of(command: str) -> Iterator[str]:
    """Yield the commands of a line that can have output, without prefixes."""
    for part in _COMMANDS.split(_HEREDOC.sub("", command[:_LONGEST_LINE])):
        bare = part.strip()[:_LONGEST_COMMAND]
        while (before := _BEFORE.match(bare)) and before.end():
            bare = bare[before.end() :]
        if bare and not _NOTHING_SAID.match(bare):
            yield bare


_PLANNED = lazily(
    r"(?:Terraform|OpenTofu) will perform the following actions:"
    r"|[\w.-]{1,200}, \S{1,200}, \w{1,80} \(\S{0,80}\) has (?:changed|been (?:added|removed)):$"
)
"""The beginning of a plan of Terraform, and a resource's line in `helm diff`."""
_ON_BRANCH = lazily(
    r"(?:On branch \S|HEAD detached |Not currently on any branch|Changes (?:to be|not staged))"
)
_DIFFERENT_STATES = 0.9
"""Least share of lines that are files of `git status --short`."""
TEST_NAMED = lazily(r"(?!.* [A-Z]{4,}\b)([\w./-]{1,200}\.\w{1,6})::\S.*")
"""A test in a list of them; its file."""
_HUNK = lazily(r"@@ -\d+(?:,\d+)? \+\d+")
_OF_DIFF = lazily(r"[-+ \\]|@@ |(?:diff|index|Index:|===+|Only in|commit|Author:|Date:)(?: |$)")
_COMMIT = lazily(r"(?:[*|\\/ ]*)commit [0-9a-f]{7,40}\b")
_MATCH = lazily(
    r"(?!(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b|[^:]{0,200}\d{4}-\d\d-\d\d[ _T])"
    r"(?=[^:]{0,200}[./\\])[A-Za-z_.~/\\@](?:[\w@.+~/\\-]| (?! )){0,200}[:-]\d+[:-]"
    r"(?!\d+(?:[:)]|\s+(?:error|warning)\b)|\s*(?:error|warning|note|info|fatal|[A-Z]{1,6}\d{2,5})\b)"
)
"""Not `a.py:3:14:` and not `a.py:3: error`, as compilers say; no record of a log, no row of columns."""
_BLAMED = lazily(r"\^?[0-9a-f]{7,40} [^(]{0,200}\(.{1,80} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} +\d+\)")
_REFERENCE = lazily(r"[*+ ] \S+ +[0-9a-f]{7,40} |[0-9a-f]{40}\s(?:\w+\s)?refs/")
_NUMBERED = lazily(r"\s*(?:L|Line )?(\d{1,9})(?:→|\t|: |:$|\s*[│|] )")
_BARE_PATH = r"(?:(?:[A-Za-z]:)?[\w@.+~-]*(?:[/\\][\w@.+~-]+)+[/\\]?|[\w@+~-]+\.\w{1,6})"
_PATH = lazily(rf"(?:\d[\d.,]*[KMGTB]?\s+)?{_BARE_PATH}(?::\d+)?")
"""A path, with the size that `du` and `wc` put before it or the count that `grep -c` puts after it."""
RECORD_HEAD = lazily(r"-\[ RECORD \d+ \][-+]*|\*{3,} \d+\. row \*{3,}")
"""A database's line above a record that has one line per field."""
_FIELD_OF_RECORD = lazily(r"\s*[A-Za-z][\w ()]{0,60}\s*(?:: |:$|\|)|-\[ RECORD|\*{3,} \d")
"""A field of it, or its head: a report in a field has other lines."""
_QUERY_STEP = lazily(r"\((?:cost|actual time)=\d[\d.]*\.\.\d.{0,200} rows=\d")
"""A step of the plan of a query, as in `EXPLAIN` of PostgreSQL and MySQL."""
CHANGED_FILE = lazily(r"(?:[MADRCTU]\d{0,3}\t| (?=\S.*\|))(\S.*?)(?: +\| +(?:\d+|Bin)\b.*)?")
"""A file of `git diff --stat` or `--name-status`; its path."""
_ENTRY = lazily(
    r"[*|\\/_ ]*(?=[0-9]*[a-f])(?=[a-f]*[0-9])(?:[0-9a-f]{7,12}|[0-9a-f]{40})(?:[ |\t,;]\S|$)"
    r"|[*|\\/_ ]*[|\\/_ ]$"
)
"""An entry of `git log --oneline` or of a format that begins with the hash, or the graph between two."""
_LISTED = lazily(r"[bcdlps-](?:[r-][w-][xsStT-]){3}|total \d+$")
"""A line of `ls -l`."""
_HEADED_MATCH = lazily(rf"{NUMBER}[:-](?!\d\d\b)")
"""A match below the name of its file."""
_MATCHED_FILE = lazily(rf"(?:File: )?{_BARE_PATH}:?")
_ABOVE_MATCHES = 3
"""Lines in which the first file is named."""
ELEMENT = lazily(
    r"\s*- (?:<changed> )?(?P<role>[a-z]+)(?: (?P<name>\"[^\"]+\"))?.{0,200}\[ref=\w+\]|\s*- ref=\w+ \["
)
"""An element of a page, as browsers describe it to agents."""
_FORMS = (
    (ELEMENT, PROSE),
    (_BLAMED, BLAME),
    (_ENTRY, HISTORY),
    (_LISTED, LISTING),
    (_REFERENCE, LISTING),
    (CHANGED_FILE, LISTING),
    (_MATCH, MATCHES),
)
_HEADING = lazily(r"#{1,6} \S|```|\|.*\|$")
_LOGGED = lazily(
    r"\W{0,2}(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d"
    r"|(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b)",
    re.IGNORECASE,
)
_ANSWERED = lazily(r"(?:< )?HTTP/\d")
_BEFORE_BODY = lazily(r"[*<>](?: |$)|[{}] \[\d+ bytes")
"""Lines of `curl -v` around an answer."""
_PAGE = lazily(r"\s*<(?:!doctype|html|\?xml)\b", re.IGNORECASE)
_PAGE_HEADING = lazily(r"#{1,6} \S")
_SENTENCE = lazily(r"[A-Za-z][a-z']+(?:,? [A-Za-z`(][\w'`().:/-]*){6,}")
_SAMPLE, _MOST = 400, 0.6
_SOME = 0.3
_FEW_LINES = 4
_DIFFERENT = 0.75
_OPENING = 3
"""Words at the beginning that lines of a log have in common."""
_HEADINGS = 3
_KEY = lazily(r"\s*(?:- +)*[\"']?([A-Za-z][\w./-]*)[\"']?:(?: (?! )|$)")
"""A field of YAML."""
_SETTING = lazily(r"([A-Za-z_][\w.-]{0,80}) ?= ?.*")
"""A line of `env` or of `sysctl -a`."""
_MOSTLY_KEYS, _DIFFERENT_KEYS, _SOME_NESTED, _ALL_DIFFERENT = 0.7, 10, 0.2, 0.9
"""Shares of a document's lines that are fields and that are nested; number and share of different fields."""


def _by_text(lines: Sequence[str], told: OutputFamily | None, *, is_log: bool) -> OutputFamily:
    """Return the family of a text by its form; a file or data, unless it is a log."""
    body = _skip_headers(lines)
    sample = list(itertools.islice((line[:_LONGEST] for line in body if line.strip()), _SAMPLE))
    if is_table(body):
        return TABLE
    if draws_packages(body[:_SAMPLE]):
        return TREE
    form = LISTING if _lists_folders(body) else _by_form(sample)
    if form and not (form is MATCHES and _ends_with_findings(body)):
        return form
    if is_log or _share(sample, _LOGGED.match) >= _MOST:
        told = None
    if sample and sample[0].startswith("<?xml"):
        return DATA
    if told is FILE:
        return FILE
    if sample and _PAGE.match(sample[0]):
        return DATA
    if told is None and not is_log and (is_document(body) or find_records(body)):
        return DATA
    prose = _share(sample, _is_prose) >= _SOME and not _is_repeated(sample)
    if prose or _is_marked(sample):
        return PROSE
    return FILE if told is None and not is_log and _is_code(sample) else told or REPORT


def _skip_headers(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines below the head of an HTTP answer."""
    if not any(map(_ANSWERED.match, lines[:_SAMPLE])):
        return lines
    spoken = [line for line in lines if not _BEFORE_BODY.match(line)]
    if not spoken or not _ANSWERED.match(spoken[0]):
        return spoken
    return spoken[next((at for at, line in enumerate(spoken) if not line.strip()), 0) :]


def find_body(lines: Sequence[str]) -> int:
    """Return the first line below the head of the last HTTP answer, 0 if there is none."""
    answers = [at for at, line in enumerate(lines[:_SAMPLE]) if _ANSWERED.match(line)]
    if not answers:
        return 0
    is_marked, is_over = lines[answers[-1]].startswith("<"), False
    for at in range(answers[-1] + 1, min(len(lines), _SAMPLE)):
        is_blank = not lines[at].strip()
        is_head = _BEFORE_BODY.match(lines[at]) if is_marked else not is_over
        if not is_blank and not is_head:
            return at
        is_over = is_over or is_blank
    return 0


def _by_form(sample: Sequence[str]) -> OutputFamily | None:
    first = sample[0].lstrip() if sample else ""
    if any(map(_PLANNED.match, sample)):
        return PLAN
    if _is_diff(sample):
        return DIFF
    if _COMMIT.match(first) or _is_full_history(sample):
        return HISTORY
    if _is_status(sample):
        return STATUS
    if _is_data(first, sample):
        return DATA
    if len(sample) < _FEW_LINES:
        return None
    named = any(map(_MATCHED_FILE.fullmatch, sample[:_ABOVE_MATCHES]))
    if named and _share(sample, _HEADED_MATCH.match) >= _MOST:
        return MATCHES
    if _is_numbered(sample):
        return FILE
    for pattern, family in _FORMS:
        if _share(sample, pattern.match) >= _MOST:
            return family
    if _share(sample, lambda line: _PATH.fullmatch(line.strip())) >= _MOST:
        return None if any(map(_COMPLAINT.search, sample)) else LISTING
    return None


_FINDINGS = lazily(
    r"(?<![\w./:-])(?:\d{1,6}|no) (?:[a-z]{1,12} )?"
    r"(?:problem|error|warning|issue|offen[cs]e|violation|finding)(?:s|\(s\))?\b",
    re.IGNORECASE,
)
_VERDICT_LINES = 6


def _ends_with_findings(lines: Sequence[str]) -> bool:
    """Return whether a text ends with a linter's count of errors, unlike matches of a search."""
    told = itertools.islice(filter(str.strip, reversed(lines)), _VERDICT_LINES)
    return any(
        _FINDINGS.search(line[:_LONGEST])
        for line in told
        if not _MATCH.match(line) and not _HEADED_MATCH.match(line)
    )


def _is_data(first: str, sample: Sequence[str]) -> bool:
    """Return whether a text is records with a field a line, JSON, or the plan of a query."""
    opening = sample[:_FEW_LINES]
    if any(map(_QUERY_STEP.search, opening)):
        return True
    if any(map(RECORD_HEAD.fullmatch, opening)) and _share(sample, _FIELD_OF_RECORD.match) >= _SOME:
        return True
    return first[:1] in ("{", "[") and _looks_like_data(sample)


def _is_diff(sample: Sequence[str]) -> bool:
    """Return whether a text is a diff, and not the log of a build that shows one."""
    if any(line.startswith("diff --git ") for line in sample[:40]):
        return True
    return _has_hunks(sample) and _share(sample, _OF_DIFF.match) >= _MOST


def _lists_folders(lines: Sequence[str]) -> bool:
    """Return whether a text is `ls -R` output: each folder's name with a colon below a blank line."""
    names = [at for at, line in enumerate(lines[:_SAMPLE]) if _FOLDER.fullmatch(line)]
    return len(names) > 1 and names[0] == 0 and not any(lines[at - 1].strip() for at in names[1:])


def _is_numbered(sample: Sequence[str]) -> bool:
    """Return whether lines begin with their numbers, like those of a listed file; `du` writes sizes."""
    numbers = [int(found[1]) for found in map(_NUMBERED.match, sample) if found]
    follow = sum(after == before + 1 for before, after in itertools.pairwise(numbers))
    return len(numbers) >= _MOST * len(sample) and 2 * follow >= len(numbers) - 1


_COMPLAINT = lazily(r"\b(?:error|warning)(?:[:\[]| [A-Z]{1,4}\d{3,5}:)", re.IGNORECASE)
"""A compiler's message between the names of the files that it compiles."""
_FOLDER = lazily(r"(?:\.|~|/|[\w.-]+/)[^:]{0,300}:|\.:")
_FULL_HASH = lazily(r"[0-9a-f]{40}(?: \S|$)")


def _is_full_history(sample: Sequence[str]) -> bool:
    """Return whether entries begin with whole hashes, with or without other lines between them."""
    return bool(sample and _FULL_HASH.match(sample[0])) and sum(map(bool, map(_FULL_HASH.match, sample))) > 2


_CODE = lazily(
    r".*(?:[{}();,:\[\]]|\bdo(?: \|.*\|)?)\s*(?://.*|#.*|/\*.*)?$|\s*[\w.@$\[\]]+ (?:[-+*/|:]?=|<-) \S|\s*(?://|/?\*|#|--\s|;;|<!--|@\w|</?\w)"
    r"|\s*(?:return|yield|raise|throw|end|else|elif|import|from|use|using|package|include|require|let|var|const|val)\b"
)
_DECLARES = lazily(
    r"\s*(?:(?:export|default|public|private|protected|static|async|pub(?:\(\w+\))?|final|abstract)\s+)*"
    r"(?:import|from|use|using|package|namespace|def|defp?|defmodule|class|func|function|fn|interface|struct|enum|trait"
    r"|impl|module|type|const|let|var|void|int|static|require\w*)\s+[\w\"'<({*&:@/.]|\s*#\s*(?:include|define)\b"
)
_REPORTED = lazily(
    r"[=_-]{3,} .*[=_-]{3,}$|E {3}|Traceback \(|\s+at \S.*:\d+\)?$|(?:FAILED|FAIL|ERROR)\b[: ]"
    r"|(?:error|warning)[:\[]|\S+:\d+(?::\d+)?: |\s*[×✖✗●] |\$ \S"
)
"""Lines around code from test runs and compilers."""
_MOSTLY_CODE, _DECLARATIONS = 0.6, 3


def _is_code(sample: Sequence[str]) -> bool:
    """Return whether a text is source code, and not a report that quotes some."""
    declared = sum(_DECLARES.match(line) is not None for line in sample)
    return (
        declared >= _DECLARATIONS
        and _share(sample, _CODE.match) >= _MOSTLY_CODE
        and not any(map(_REPORTED.match, sample))
    )


def _is_status(sample: Sequence[str]) -> bool:
    """Return whether a text is `git status` output, in its long form or its short one."""
    if any(map(_ON_BRANCH.match, sample[:_FEW_LINES])):
        return True
    entries = sample[1:] if sample and sample[0].startswith("## ") else sample
    short = sum(SHORT_STATE.fullmatch(line) is not None for line in entries)
    return len(entries) >= _FEW_LINES and short >= _DIFFERENT_STATES * len(entries)


def _has_hunks(lines: Sequence[str]) -> bool:
    return any(line.startswith("@@ ") and _HUNK.match(line) for line in lines)


_INSPECTED = lazily(r"\s*(?:[A-Za-z_$][\w$]{0,80}: \S.{0,400}|(?:[\[{}\]],? ?){1,3})")
"""A field of an object as JavaScript prints it, or brackets that open or end one."""


def _looks_like_data(sample: Sequence[str]) -> bool:
    if sample[0].strip() in ("[", "{", "[ {") and _share(sample, _INSPECTED.fullmatch) >= _DIFFERENT_STATES:
        return True
    text = "\n".join(sample)[:4_000]
    return text.count('":') >= 2 or (text.startswith(("[{", "[\n", "[[")) and '"' in text)


def is_document(lines: Sequence[str]) -> bool:
    """Return whether a text is one document of JSON, or of fields as in YAML, and not lines of a log."""
    sample = [line[:_LONGEST] for line in lines[:_SAMPLE] if line.strip()]
    first, second = (*sample, "", "")[:2]
    if first[:1] in ("{", "[") and not second.startswith("{"):
        return _looks_like_data(sample)
    settings = [found[1] for found in map(_SETTING.fullmatch, sample) if found]
    if len(set(settings)) >= max(_DIFFERENT_KEYS, _ALL_DIFFERENT * len(sample)):
        return True
    keys = [found[1] for found in map(_KEY.match, sample) if found]
    nested = sum(line[0] in " \t" for line in sample)
    return (
        len(keys) >= _MOSTLY_KEYS * len(sample)
        and len(set(keys)) >= _DIFFERENT_KEYS
        and nested >= _SOME_NESTED * len(sample)
    )


def _is_prose(line: str) -> bool:
    return _HEADING.match(line) is not None or _SENTENCE.search(line) is not None


def _is_marked(sample: Sequence[str]) -> bool:
    """Return whether a text is a page of Markdown: some headings and code."""
    headings = sum(_PAGE_HEADING.match(line) is not None for line in sample)
    return headings >= _HEADINGS and any(line.lstrip().startswith("```") for line in sample)


def _is_repeated(sample: Sequence[str]) -> bool:
    """Return whether many lines differ only in numbers, or begin with the same words, as in logs."""
    lines = keys("\n".join(sample).encode("utf-8", "replace"))
    openings = Counter(b" ".join(line.split()[:_OPENING]) for line in lines)
    begun = sum(count for count in openings.values() if count >= _FEW_LINES)
    return len(set(lines)) < _DIFFERENT * len(sample) or begun > (1 - _SOME) * len(sample)


def _share(sample: Sequence[str], test: Callable[[str], object]) -> float:
    return sum(bool(test(line)) for line in sample) / max(1, len(sample))
