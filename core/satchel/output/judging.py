"""Judge one line of output: a verdict, a failure's name, an error, a warning, a detail, or noise."""

from __future__ import annotations

import bisect
import enum
import functools
import itertools
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from satchel.conversation.wrappers import is_client_note
from satchel.output.templates import Tone, foreign_tone, pieces, tone_of
from satchel.patterns import lazily


class Rank(enum.IntEnum):
    """The use of a line, from least to most."""

    NOISE = 0
    PLAIN = 1
    DETAIL = 2
    """Explains the line before or after it: a place, an expected and an actual value, a code line."""
    WARNING = 3
    ERROR = 4
    FAILURE = 5
    """Names something that failed: a test, a target, a file."""
    VERDICT = 6
    """Sums up: totals, the last word of a tool."""


class Judgement(NamedTuple):
    """A line's rank and its weight, 0 to 6 or so, among lines of its rank."""

    rank: Rank
    weight: float


_BADLY_NAMED = "(?:error|exception|fail|warn|assert|conflict|timeout|deprecat|missing)"
_TO_SUFFIX = r"[/\\.\w-]{0,120}\.\w"
"""The rest of a file's name; bounded, because it may be tried at many places of a long line."""
_NOTHING_WRONG = lazily(
    r"\b(?:(?:0|no|zero|without(?: any)?|any) (?:\w+ )?(?:errors?|fail\w*|warnings?|conflicts?"
    r"|vulnerabilit\w+|issues?|problems?|leaks?|missing|broken|changes?)\b"
    r"|(?:fail(?:ed|ing)|rejected|aborted|dropped|broken) (?:[a-z-]+ ){0,2}[a-z-]+\s?[=:]\s{0,2}0\b(?!\.?\d)"
    r"|(?:errors?|fail(?:ed|ing|ures?|s)?|unreachable|warnings?|skipped|missing(?: \w+)?|rescued|ignored"
    r"|exit(?:ed)?(?: code| status)?|status|code|rc|ret|dropped|lost|leaks?|timeouts?|retries)"
    r"[\"']?\s?[=:]\s{0,2}[\"']?(?:0\b(?!\.?\d)|none\b|null\b|false\b)"
    r"|(?!(?:fatal|panic)\b)\w++[\"']?\s?[=:]\s?[\"']?0\b(?!\.?\d| [a-z]+ )"
    r"|(?:on|if|when|upon|in case of) (?:an? )?(?:error|failure|conflict)s?\b"
    r"|unreachable:no\w+ op=|unmet optional\b|timeouts?[\"']?\s?[=:]\s?[\"']?\d"
    r"|error[- ]?(?:prone|free|handl\w+|detector)"
    r"|vulnerability [\w /]{2,40}:\s+(?:not affected|mitigation)\b|security[ _-]?groups?\b)"
    r"|#failure=\d|(?<![\w)-])--?[a-z][\w-]*+(?!:\s)"
    rf"|(?<=[\w/])[/\\.](?>[\w-]*{_BADLY_NAMED}\w*)(?={_TO_SUFFIX})"
    rf"|(?<![\w-])(\w++)-(?>[\w-]*{_BADLY_NAMED}\w*)(?={_TO_SUFFIX})"
)
"""In a line in lower case; group 1 is the text before it, which stays."""
_PROBE = lazily(
    r"(?:\[[^\]]{1,40}\] *)?(?:-- (?:Performing Test|Looking for|Check|Detecting)\b"
    r"|checking (?:for|whether|if|how)\b.*\.\.\.)"
)
"""A build's question to a machine: a missing flag or header is an answer, not a failure."""
_NAME_FORMS = (
    ("_+-", r"\b[a-z0-9]+(?:[_+-][a-z0-9]+)+\b(?!:)"),
    (
        ".",
        r"(?<![\w@+-])[\w@+-]*+(?<=\w)(?:\.[\w+-]++){0,8}\.(?:[a-z]{1,5}\d?|java|html|json)\b"
        r"(?!\.? \w+ (?:is|was)\b)",
    ),
    ("@", r"(?<![\w./@-])[\w./@-]+@\^?v?\d\S*"),
    ("/", r"(?<![\w.@+-])\.?/?(?:[\w@.+-]+/)+[\w@.+-]*"),
)
"""File names, paths, packages, `snake_case`: a name does not show the result. Before each form are the marks
of which it has one.
"""
_NAMES = {
    forms: lazily("|".join(pattern for nth, (_, pattern) in enumerate(_NAME_FORMS) if forms >> nth & 1))
    for forms in range(1, 1 << len(_NAME_FORMS))
}
_EXITS = lazily(
    r"exit(?:ed)?(?: with)?(?: code| status)[ :=]*(?:-|0x)?[1-9]|\b(?:returned|code|status"
    r"|rc|ret|exit)[\"']?(?: non-zero)?[ =:]+[\"']?(?!(?:20[0-8]|226|30[0-8])\b(?!/))(?:[1-9]\d{0,2}|-\d+)\b"
    r"(?=[^%\w.,]|,(?!\d)|$)"
)
_SEVERE = lazily(
    r"\b(?:severity|priority|impact)[\"']?\s?[:=]\s?[\"']?(?:high\b|critical|severe|blocker|urgent)"
)
_PHRASES = {
    "back": lazily(r"back ?off\b"),
    "bad": lazily(r"\bfirst bad commit\b"),
    "breaking": lazily(r"breaking change"),
    "bug": lazily(r"\bbug(?::| at )"),
    "but": lazily(r"\bbut (?:it |\S+ )(?:is|are) (?:not installable|to be installed|not going to be)\b"),
    "can": lazily(r"can't\b|can not\b"),
    "core": lazily(r"core dumped"),
    **dict.fromkeys(("could", "couldn"), lazily(r"could ?n[o']t\b")),
    "cve": lazily(r"(?<![\w/-])cve-\d(?!\S*\.[a-z])"),
    "data": lazily(r"data race|data loss"),
    **dict.fromkeys(("exit", "exited", "returned", "code", "status", "rc", "ret"), _EXITS),
    "heap": lazily(r"heap-\w+"),
    "depends": lazily(r"depends on uninitiali[sz]ed"),
    "http": lazily(r"\bhttp/[\d.]+\"? (?:5\d\d|4\d\d)\b"),
    "invalid": lazily(r"invalid (?:read|write) of size"),
    "enough": lazily(r"not enough (?:memory|space|room|disk|resources)\b"),
    "multiple": lazily(r"multiple definition\b"),
    "no": lazily(r"no such\b|no space left|no match(?:ing)?\b"),
    "not": lazily(r"not found\b|not ok\b"),
    "nothing": lazily(r"nothing provides\b"),
    "out": lazily(r"out of (?:memory|disk|space|bounds|range|date)"),
    "network": lazily(r"networkunavailable\s+true\b"),
    "pressure": lazily(r"pressure\s+true\b"),
    "problem": lazily(r"\bproblem(?: \d+)?:(?! 0\b)"),
    "ready": lazily(r"^ready\s+(?:false|unknown)\b"),
    "rip": lazily(r"\brip:? "),
    "security": lazily(r"security[:!](?=\s|$)"),
    **dict.fromkeys(("severity", "priority", "impact"), _SEVERE),
    "timed": lazily(r"timed ?out\b"),
    "too": lazily(r"too (?:quick|slow|frequent|ear|heavi|rapid)ly\b"),
    "use": lazily(r"use[- ]after"),
}
"""Phrases of an error, each by a word in it: others are not searched for."""
_ANY_PHRASE = lazily(r"non-zero|stack overflow|runtime error|unknown (?:error|symbol|command|option|type)")
"""Phrases of an error that hold no such word themselves."""
_NEGATED = lazily(
    r"\bnot (?:available|supported|allowed|defined|declared|installed|permitted|valid|reachable"
    r"|ready|persisted|exported|assignable|compatible|writable|wrapped|remade|used|a\b|\w+ed\b)"
    r"|no longer|\b(?:is|are|does|did|has|do|was|were|will) (?:not\b|no\b)"
)
_MILD_PHRASES = {
    "allocated": lazily(r"\ballocated by\b"),
    "located": lazily(r"\bis located \d+ bytes\b"),
    "back": lazily(r"\broll(?:ing)? back\b"),
    "freed": lazily(r"\bfreed by\b"),
    "gave": lazily(r"gave up"),
    "lock": lazily(r"\block wait\b|\bwaiting for (?:this|the) lock\b"),
    "must": lazily(r"must (?:be|not|have)"),
    **dict.fromkeys(("not", "no"), _NEGATED),
    "null": lazily(r"null pointer"),
    "previous": lazily(r"\bprevious (?:read|write|definition|declaration)\b"),
    "previously": lazily(r"\bpreviously allocated\b"),
    **dict.fromkeys(("restart", "restarts"), lazily(r"\brestart(?:s| count): +[1-9]")),
    "too": lazily(r"too (?:many|few|long|large|old|new|small|big|short)\b"),
    "will": lazily(r"will be (?:removed|lost|ignored|destroyed|replaced)"),
}
_ANY_MILD_PHRASE = lazily(
    r"(?:9[89]|100)%\s+/|\b(?:is|are|does|did|has|do|was|were|could|would|should)n['’]t\b|dead[- ]letter"
)
_TRIGGERS = frozenset(
    """
    is are does doesn didn did has return without
    """.split()  # noqa: SIM905
).union(_PHRASES, _MILD_PHRASES)
_LOUD = lazily(
    r"(?<![A-Za-z])(?:ERROR|ERR|FATAL|FAIL(?:ED|URE|URES)?|CRITICAL|SEVERE|PANIC|EMERG|ALERT"
    r"|EXCEPTION|WARN(?:ING)?|CONFLICT|LOST|NOT|DENIED|BREAKING|SECURITY|OOM|ABORT(?:ED)?|UNMET"
    r"|BAD)(?![A-Za-z])"
    r"|[✗✘✕❌⨯⛔🔴✖‼⚠💥]"
)
_MILD_LEVEL = lazily(
    r"(?:^|[\s\[\"=(|])(?:INFO|DEBUG|TRACE|NOTICE|VERBOSE|INF|DBG|VRB|info|debug|trace)(?=[\s\]\":,)|]|$)"
)
_LEVEL = lazily(
    r"(?:^|[\s\[\"=<(|/])(?:(ERROR|FATAL|CRITICAL|SEVERE|PANIC|EMERG|ALERT|CRIT|ERR|error|fatal"
    r"|eror|critical|panic|crit|err)|(WARN|WARNING|warn|warning))(?=[\s\]\":,>)|/]|$)"
)
_LEVELS = frozenset(
    """
    error fatal critical severe panic emerg alert crit err eror warn warning
    """.split()  # noqa: SIM905
)
"""Its words: most lines have none."""
_DUMPED = lazily(
    r"(?:=> ?)?\s*(?:0x[0-9a-f]{4,16}"
    r"|[A-Z][A-Za-z ]{2,30}(?=:\s+(?:[a-f][0-9a-f]|[0-9a-f][a-f]|(?:\d\d ){4})))"
    r":(?:[\[\] ]*[0-9a-f]{2}\b)+\]?"
    r"|\s*\d{1,4}: len \d{1,6}; hex [0-9a-f]*;.*"
)
"""Bytes of memory, by their address, and the meaning of some byte."""
_HEXADECIMAL = lazily(r"[0-9a-f]{7,8}:?(?: {1,2}[0-9a-f]{2}(?:[0-9a-f]{2})?\b){4,16} ")
"""A line of `xxd` or `hexdump -C`: words that its letters form are not errors."""
_LETTER = lazily(r"(?:([EF])|(W))(?:: |\d{4} \d\d:\d\d|/[\w.-]{1,40}\s?[(:])")
"""A level of one letter at the beginning: `E: `, `W1122 14:00:01.1`, `E/Tag( 12): `."""
_LETTER_AFTER = lazily(
    r"\[?\d[\dT:.,/ +-]{6,40}Z?\]?(?:\s+\d+){0,3}(?:\s\[[^\]]{1,60}\])?\s+\[?(?:([EF])|(W)|[DITV])(?:\]|/|\s)"
)
"""The same behind the time, numbers of processes and the name of a thread."""
_LEVEL_CODE = lazily(
    r"\"(?:level|severity)\":\s?(?:([56]0)|(40)|[123]0)\b"
    r"|\"(?:s|l|lvl|level|severity)\":\s?\"(?:([EF])|(W)|[DITV])\""
    r"|\"PRIORITY\":\s?\"?(?:([0-3])|(4)|[567])\b"
)
"""A level in a record of JSON that is a number or a letter: of pino and bunyan, MongoDB, journald."""
_RUNNER = lazily(
    r"\ufeff?(?:[^\t]{1,100}\t[^\t]{1,100}\t\ufeff?)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}(?:\d\d)?Z"
    r"(?: (?!##\[)|$)"
)
"""The time stamps that runners of GitHub and Azure, Docker and kubectl put before a line; and before that
the job and the step of `gh run view`.
"""
_LONGEST_RUNNER = 256
"""More characters than such a prefix has."""
_LEAD = lazily(
    r"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,6})?"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d:?\d\d)"
    r" \S{1,64} [\w.@/()-]{1,64}(?:\[\d{1,8}\])?: (?! *\d)"
    r"|[\w.-]{1,60}[-_]\d{1,3} {0,40}\|(?: (?!.{0,300} \| )|$)|==\d{1,8}== ?"
)
"""Other prefixes of a program's lines: the time, host and program of journals, the service of Compose, the
process of valgrind.
"""
_STAMP = lazily(
    r"(?:\[?(?:task )?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d)?\]?\s+)++"
    r"(?!\W?(?:ERROR|WARN|INFO|DEBUG|TRACE|NOTICE|FATAL|CRIT|SEVERE|PANIC|ALERT|EMERG|VERBOSE|ERR\b|[DEFITVW]\s|\d)|[\[(])"
)
"""The time stamp of a job's runner; before a level, it is one of a log."""
_DATE = lazily(r"-\d\d[T ]\d\d:")
"""The middle of each time stamp: a quick test."""
_STEP = lazily(r"#\d{1,4} (?:\d{1,6}\.\d{1,4} (?=\S)|(?=[A-Z]{4,}\b))")
"""The prefix of `docker build`: the number of the step, and the seconds since it began."""
_BEGINS_TEST = lazily(r"=== (?:RUN|PAUSE|CONT|NAME)\s|\[ RUN {6}\] ")
"""A tool's line for a test that begins: its name does not show the result."""
_CALL = lazily(
    r"(?:\[pid +\d{1,8}\] |\d{1,8} +)?(?:\d[\d:.]{4,20} +)?(?:<\.\.\. )?[a-z_]\w{0,40}(?:\(| resumed>)"
    r".{0,1000}"
    r"(?:\) {1,40}= (?:-1 (E[A-Z]{2,20})\b|-?\d|\?)|<unfinished \.\.\.>$)"
)
"""A system call, as traced by strace and the like; group 1 is the failure."""
_SAYING = lazily(r"\b(?:p?write|send)\w*\((?!-)")
"""A call by which a program writes text: the text may report an error."""
_EXITED = lazily(r"exit status \d{1,3}")
"""The whole last line of `go run`: the line above it is no reason."""
_EXPLAINED = "░░ "
"""The prefix of a journal's general explanation below a message."""
_FAILURE = lazily(
    r"^\s*(?:(?:FAILED|ERROR(?!: (?!\w+ ?\()| SUMMARY:)"
    r"|FAIL|XPASS|UNEXPECTED SUCCESS|BROKEN|CRASHED|TIMEOUT|FLAKY)"
    r"\b[:!]? +[\w./\\@(\[\"'-]"
    r"|--- FAIL: |not ok \d+|[✗✘✕×❌✖⨯●] ?\S|\[ *(?:FAIL(?:ED)?|TIMEOUT)[^\]]*\]|\d{1,4}\) (?!\s*(?:a"
    r"t |in )\b)\S|_{3,} \S.* _{3,}$"
    r"|\*\* ?(?:TEST|BUILD)|- \[(?:FAIL|fail)|\(fail\) |(?:rspec|phpunit) \.?/?\S+:\d+)"
    r"|(?:\.\.\.|\bSTATUS:?|[-–—:>|]|\t| {2}|\d%\]|\bTest +#\d+: \S+ [.*]{3,}) *\**(?:FAILED"
    r"|FAIL|FAILURE|ERROR|XPASS|unexpected success|CRASHED|TIMEOUT|Timeout|Failed|Not Run|SEGFAULT"
    r"|SEGV)\b(?:(?: ?[!(\[\d<]| in \d).{0,60})?$"
    r"|^\S{1,200}::\S.{0,300} (?:FAILED|ERROR)\b|^\S.{0,300} (?:FAILED|FAILURE)(?: \[.{0,60}\]"
    r"| \(.{0,60}\))?$|<<< (?:FAILURE|ERROR)!?"
)
_TRIED_AGAIN = lazily(r"\b(?:retries|attempts|tries) (?:left|remaining)\b|- RETRYING\b")
"""A failure that is tried again: the result comes later."""
PANICKED = lazily(r"thread '(?!main')([\w:]{1,300})' (?:\(\d{1,20}\) )?panicked at ")
"""A failed Rust test: group 1 is its name."""
_FAILED_TEST = lazily(r"● \S.{0,300} › \S|\d\d:\d\d (?:[+~-]\d{1,6} )*-\d{1,6}: .{1,400} \[E\]$")
"""Headlines of a failed test, whatever its name, as in Jest and Dart."""
_HEADING = lazily(
    r"(?:npm |yarn |\[)?(?:error|err!|warn|warning|info|debug)?(?:[^\w\[]|_|\[(?!help))*+"
    r"(?:|traceback \(most recent call last\)"
    r"|(?:stack ?trace|(?:stack )?backtrace|call stack|failures?|errors?|warnings?(?: summary)?|error message"
    r"|failed tests?|failing \w+|offen[cs]es|short test summary info|last \d+ lines of output)(?: \d+)?"
    r"|(?:to|run|see|re-?run|try|for more|use|more|a complete log|after correcting) .{0,40}(?:--?\w"
    r"|backtrace|details?|information|stack ?trace|help|log|found in|problems).{0,80}"
    r"|total limits may be over \d+ percent, i\.e\., overcommitted"
    r"|\[help \d+\](?: http.*)?|please refer to .*|for lists of .{1,60} rerun with: -\w)[\W_]*",
    re.IGNORECASE,
)
"""Lines that only announce something, or how to ask for more."""
_THROWS = lazily(
    r"(?:\d+\s+)?(?:>\s+)?(?:(?:throw|raise) (?:new )?[A-Za-z_][\w.]*(?:[;(]|$)|assert (?!fail)[^:]*$)"
    r"|(?:\d+ +)?(?:[-+] +)?(?:from [\w.]+ import [\w(*]|import [^;]{1,200} from [\"'])"
)
"""Code that mentions an error: it is not an error, but explains the one beside it."""
_CODE_ENDS = (";", "{", "; }", ");")
_TALLIES = frozenset(("total", "totals", "elapsed", "summary"))
"""Words that sum up with a count; test names contain them too."""
_SUM = lazily(r"\btotals?\b|\belapsed\b|\bsummary\b", re.IGNORECASE)
_COUNTED = frozenset(
    """
    pass passed passes passing fail failed failure failures failing fails error errors errored
    warning warnings skipped skip skips pending ignored test tests example examples assertion
    assertions suite suites spec specs file files problem problems issue issues package packages
    vulnerabilities vulnerability module modules target targets task tasks directories folders
    insertions insertion deletions deletion offenses offences rows row records record documents
    messages requests check checks scenario scenarios step steps succeeded ok changed unchanged
    upgraded updated
    added removed installed newly destroyed destroy add change objects lines matches results hosts
    host conflicts conflict items findings violations duplicates advisory advisories crate
    crates migrations
    dependencies jobs unexpected flaky broken cancelled canceled executed remaining reachable
    definitely received transmitted packet loss commits commit ahead behind hits entries total
    totals
    errores erreurs fehler échecs todo xfailed xpassed deselected rerun images services containers
    pods unreachable rescued
    """.split()  # noqa: SIM905
)
_FINAL = frozenset(
    """
    build finished finish done completed complete success successful successfully succeeded summary
    result results total totals ran found elapsed exit exited aborting aborted
    failed passed stop stopped remade coverage compile compiled aborting overall gate took time
    fatal returned conclusion verdict terminated
    """.split()  # noqa: SIM905
)
_COUNT = lazily(
    r"\d[\d,.]{0,30}+%? (?:[\w-]+ ){0,2}?([A-Za-zéÀ-ÿ]+)|(?<![A-Za-zéÀ-ÿ])([A-Za-zéÀ-ÿ]++)\"?\)? ?[:=(] ?\d"
)
_VERDICT = lazily(
    r"\b(?:build (?:fail(?:ed|ure)|success(?:ful)?)|(?:build|compilation|tests?|test run|run|job|pipeline"
    r"|plan|apply|deploy\w*|upgrade|install|installation|command|process|check|lint\w*|merge|rebase|push|backup"
    r"|restore|import|migration|suite)s?\s(?:\w+ )?"
    r"(?:failed|succeeded|passed|completed?|finished|aborted|cancelled|errored)\b"
    r"|ran \d|found \d|finished\b|in \d[\d.]* ?(?:s|ms|m|min|sec|seconds|minutes)\b"
    r"|exit(?:ed)?(?: with)? (?:code|status)\b|successfully\b|totals?\b|summary\b|elapsed\b(?!=)|not remade\b"
    r"|abort(?:ing|ed)\b|overall\b|result:|could not compile|no (?:issues|problems|errors) found\b"
    r"|all (?:checks|tests|files) |coverage\b.*\d%)"
    r"|\*\*\* .*(?:error|stop)|quality gate|^fatal: "
    r"|^\W*(?:ok|fail|pass|failed|success|failure|passed|error|done|finished|completed?)\b[.!:]?"
    r"(?:\s*\(.*\)|\s+in .*)?\W*$"
)
"""In a line in lower case; each beginning of a word is tried once."""
_PLACE = lazily(
    r"\w\.[A-Za-z]\w{0,9}(?::\d+|\(\d+(?:,\d+)?\)|[\"']?,? line \d+)|^\s*-->|^\s+at \S|^\s+File \""
    r"|\bline \d+\b"
)
_DETAIL = lazily(
    r"^\s*(?:E  |E\s+\S|>\s{1,8}\S|[-+?~] {0,20}\S|\? |(?:expected|actual|received|got|want(?:ed)?"
    r"|left|right|diff|note|help|hint|caused by|reason|because|message|difference|which is"
    r"|in file included|instead|detail|statement|context|suggestion|solution|fix|evaluated|expression|"
    r"required (?:from|by)|candidate|previous|attendu|erwartet)\b|at index |\|\s.*\^|\d+ +\|"
    r"|={1,3}>|\^+|~+\^)|[^:]:\s*$",
    re.IGNORECASE,
)
_CAUSE = lazily(
    r"^\s*(?:Caused by|Suppressed|During handling|The above exception|\[cause\]|root cause)\b"
    r"|^(?:E\s+|[\s|+]*)?[A-Za-z_][\w.$:]*(?:Error|Exception|Warning|Failure|Panic|Exit|Interrupt)\b(?::"
    r"|$| \[| \()",
    re.IGNORECASE,
)
_FRAME = lazily(
    r"^\s*(?:at\s+\S|by 0x|#\d+\s+(?!\d|\[|[A-Z]{4,}\b|sha256:|[a-z]+ing\s)"
    r"|\d{1,3}:\s+(?:<|\w+::|0x|_)|File \"|from\s+\S+:\d+|\.\.\. \d+ more"
    r"|\d{1,6}(?:\t| {2})(?:(?:from|import|def|class|if|elif|for|while|return|except|try|with|raise|assert"
    r"|else|switch|case|var|let|const|func|fn|public|private|static)\b|.{0,300}[({;,]$)"
    r"|\S+\.go:\d+ \+0x|main\.[\w.*()]+\(|\[0x|(?:>\s*)?\d+\s*[|│┃](?:\s|$)|\d+\s+\d+\s*[│┃⋮]"
    r"|\d{1,6}\s+\+(?:\s|$)|-\s{2,}\S"
    r"|[|│┃]\s*[\^~-]+(?:\s|$))"
)
_LOGGED_FRAME = "\tat "
"""A call of a stack behind the level of a log, which is not another error."""
_DIAGNOSTIC = lazily(
    r"^\s*(?:\S{1,300}\.\w{1,10}[:(])?\d+(?:[:,]\d+)?\)?:? +-? ?\[?(?:error|warning|[A-Z]{1,6}-?\d{2,5}\b)"
    r"|^\s*(?:\S{1,300}\.\w{1,10}[:(]\d+|\d+[:,]\d+)(?:[:,]\d+)?\)?:? +-? ?\[?[a-z]+(?:-[a-z]+)+\b"
    r"|^\S{1,300}\.\w{1,10}(?::\d+(?::\d+)?|[(\[]\d+(?:, ?\d+)?[)\]])"
    r"(?::\s{1,2}(?!required\b)\S| \[[A-Z]{1,2}\d{0,5}\] )"
    r"|^\s*(?:L|Ln|line):? *\d+ *\||^\s*[\^~-]*\^\s*[A-Z]{1,6}-?\d{2,5}\b"
    r"|^\s*(?:\d+:\d+|L\d+)\s+\S.*\s[a-z@][\w@/-]*-[\w/-]+$|^\s*[A-Z]{1,4}\d{2,5}:? |^::(?:error|warning)"
)
_FILE_TITLE = lazily(r"\s*(?:at )?[\w@.~/\\-]*[\w/\\-]\.\w{1,10}(?::\d+){0,2}\s.{0,120}\s[━─]{3,}")
"""A file, perhaps a place in it, and a rule: the title of the following lines."""
_WENT_WELL = lazily(
    r"^(?:[\w./-]+\.py [.sx]+(?: +\[ *\d+%\])?$|ok \d+\b(?!.*# *(?:TODO|todo))"
    r"|[✓✔√☑✅] *\S|\[ *(?:OK|PASS(?:ED)?|DONE) *\] +\S"
    r"|(?:--- PASS:|(?:PASS(?:ED)?|ok) {1,4}\[?)\s*[\w./\"'(])"
    r"|(?:\.{2,}|[-:–—|>\])✓✔]|\t| {2}) *\**(?:ok|OK|PASS(?:ED)?|passed|success|SUCCESS|done|up-to-date"
    r"|UP-TO-DATE)\**\.?(?:\s*[\[(]?\d[\d.,]{0,9} ?m?s(?:ec(?:onds)?)?[\])]?)?$"
)
"""A tool's words for a test or a step that went well; the words of its name then mean nothing."""
_DURATION = lazily(r"\s?[\[(]?\d[\d.,]{0,9} ?m?s[\])]?$")
_SINGLE = lazily(r"[\s│├└─|`+\\-]*+(?:[rwxdlst-]{9,}+.{0,60}? )?(?=[\w@.+~:,/-]*[a-z])[\w@.+~:,/-]*")
_BLANKS = lazily(r"\s{3,}")
_ONLY_MARKS = lazily(r"[\W_]*|(?=.*([─⎯=\-_*~])\1\1)[\W\d_]*")
"""Rules, also with a number: `⎯⎯⎯[2/12]⎯`."""
_STEMS = (
    "err",
    "fail",
    "warn",
    "exception",
    "fatal",
    "panic",
    "denied",
    "refused",
    "cannot",
    "abort",
    "kill",
    "corrupt",
    "conflict",
    "mismatch",
    "timeout",
    "timed out",
    "critical",
    "deprecat",
    "missing",
    "invalid",
    "lost",
    "unable",
    "crash",
    "reject",
    "not found",
    "refund",
    "dispute",
    "unexpected",
    "échec",
    "ошиб",
    "错误",
    "失败",
)
_LONGEST = 2_000
_NOISE = Judgement(Rank.NOISE, 0.0)
_ENDED = Judgement(Rank.VERDICT, 1.0)
_SHOWN_LAST = Judgement(Rank.NOISE, 1.0)
_PLAIN = Judgement(Rank.PLAIN, 0.0)
_DETAILED = Judgement(Rank.DETAIL, 0.5)
HUSHED = Judgement(Rank.WARNING, 1.5)
"""For words of an error in a line whose level is INFO or less."""


_OF_KERNEL = lazily(r"(?:<\d+>)?\[ *\d+\.\d{6}\] ")
"""The prefix of kernel messages: no line of such a log sums up others."""


def judge(line: str) -> Judgement:
    """Return the judgement of a line; only its first 2,000 characters are read."""
    if read_call(line) == "" and not _SAYING.search(line[:60]):
        return _PLAIN
    sums_nothing_up = _OF_KERNEL.match(strip_runner(line)) is not None
    line = _strip(line)
    told = _by_form(line)
    if told is not None:
        return told
    found = _judge(line, *_weigh_words(line))
    return _PLAIN if sums_nothing_up and found.rank is Rank.VERDICT else found


def judge_if_bad(line: str) -> Judgement | None:
    """Return the judgement of a line that reports an error or a warning, None for other lines."""
    line = _strip(line)
    said, weight = _weigh_words(line)
    return (_by_form(line) or _judge(line, said, weight)) if weight >= 1 else None


_OPTION = lazily(r"(?<!\S)-{1,2}[A-Za-z]\S*+(?<!:)")
_COMMAND = 4
"""Options from which a line is a command: their names do not show the result."""


def _strip(line: str) -> str:
    """Return a line without its time stamp, its step of a build, and the options of a command."""
    line = _BLANKS.sub("  ", strip_runner(line).strip()[:_LONGEST])
    line = _STAMP.sub("", line, count=1) if _DATE.search(line) else line
    line = _STEP.sub("", line) if line.startswith("#") else line
    return _OPTION.sub("", line) if line.count(" -") >= _COMMAND else line


def strip_runner(line: str) -> str:
    """Return a line without the prefix, with the time, of a job's runner, a journal or the like."""
    found = _RUNNER.match(line) if line.find("Z", 0, _LONGEST_RUNNER) >= 0 else None
    if found is None and (line[9:10] == ":" or line[13:14] == ":" or line[:2] == "==" or "|" in line):
        found = _LEAD.match(line)
    return line[found.end() :] if found else line


def is_file_title(line: str) -> bool:
    """Return whether a line is the title, with a rule, of the lines about a file; fast without the rule."""
    return ("━" in line or "─" in line) and _FILE_TITLE.match(line) is not None


def strip_message(line: str) -> str:
    """Return a line that names a failed test without its message: `FAILED a.py::test_b - broken`."""
    name, _, _ = line.partition(" - ")
    return name if "::" in name else line


def _by_form(line: str) -> Judgement | None:
    """Judge a line whose words do not count: marks, a frame, a heading, a lone name."""
    if _ONLY_MARKS.fullmatch(line) or _DUMPED.fullmatch(line):
        return _NOISE
    if _FAILED_TEST.match(line) or PANICKED.match(line):
        return Judgement(Rank.FAILURE, 2.0)
    if is_file_title(line):
        return Judgement(Rank.WARNING, 1.5)
    if _LOGGED_FRAME in line or _FRAME.search(line) or _THROWS.match(line):
        return Judgement(Rank.DETAIL, 0.5)
    if _HEADING.fullmatch(line):
        return _SHOWN_LAST
    if _PROBE.match(line) or _BEGINS_TEST.match(line) or _HEXADECIMAL.match(line):
        return _PLAIN
    if _EXITED.fullmatch(line):
        return _ENDED
    if line.startswith(_EXPLAINED):
        return _SHOWN_LAST
    if is_client_note(line):
        return Judgement(Rank.VERDICT, 4.0)
    return _PLAIN if _SINGLE.fullmatch(line) and not (line.isupper() or _ends_badly(line)) else None


_STATE_FIELD = lazily(r"[\w.-]+[:=]([a-z]+)")


def _ends_badly(line: str) -> bool:
    """Return whether a line is a field's name with a bad word as its value: `rdb_last_bgsave_status:err`."""
    found = _STATE_FIELD.fullmatch(line)
    return found is not None and tone_of(found[1]) is Tone.STRONG


def _judge(line: str, said: Sequence[str], weight: float) -> Judgement:
    if _went_well(line):
        return _PLAIN
    if weight >= 1:
        weight += 0.5 * (_LOUD.search(line) is not None)
        if _CAUSE.search(line):
            return Judgement(Rank.ERROR, weight + 1.5)
        if _FAILURE.search(line):
            return HUSHED if _TRIED_AGAIN.search(line) else Judgement(Rank.FAILURE, weight + 1)
    return _judge_conclusion(line, said, weight)


def read_call(line: str) -> str | None:
    """Return the failure of the system call that a line traces, "" for success, None for other lines."""
    found = _CALL.match(line)
    return (found[1] or "") if found else None


_ADDRESS = lazily(r"\s*(?:#\d{1,4} +|at |by )0x[0-9A-Fa-f]")


def is_frame(line: str) -> bool:
    """Return whether a line is a call of a stack with its address: `by 0x4C2B3F: main (main.c:31)`."""
    return _ADDRESS.match(line) is not None


def tells_nothing(line: str) -> bool:
    """Return whether a line only says that a test begins or went well."""
    line = _strip(line)
    return _BEGINS_TEST.match(line) is not None or _went_well(line)


def _went_well(line: str) -> bool:
    """Return whether a line names a test or a step that went well; a line that sums up many does not."""
    found = _WENT_WELL.search(line)
    if found is None:
        return False
    rest = _DURATION.sub("", f"{line[: found.start()]} {line[found.end() :]}")
    if _LOUD.search(rest):
        return False
    said = pieces(rest)
    return not _count_numbers(rest, said) and not _is_final(
        rest, [word for word in said if word not in _TALLIES]
    )


def _judge_conclusion(line: str, said: Sequence[str], weight: float) -> Judgement:
    """Judge a line that names neither a cause nor a failure: a verdict, a total, or a warning."""
    counted = 0 if line.endswith(_CODE_ENDS) else _count_numbers(line, said)
    if counted >= 2 or (counted and _is_final(line, said)):
        return Judgement(Rank.VERDICT, 2.0 + weight)
    if weight >= 2:
        return Judgement(Rank.ERROR, weight + 0.75 * (_PLACE.search(line) is not None))
    if counted or _is_final(line, said):
        return Judgement(Rank.VERDICT, 1.0 + weight)
    if weight >= 1 or (_DIAGNOSTIC.search(line) is not None and not _MILD_LEVEL.search(line)):
        return Judgement(Rank.WARNING, max(weight, 1.0))
    return _DETAILED if _tells_where(line) else _PLAIN


def _tells_where(line: str) -> bool:
    return (_DETAIL.search(line) or _PLACE.search(line)) is not None


def _is_final(line: str, said: Sequence[str]) -> bool:
    return not _FINAL.isdisjoint(said) and _VERDICT.search(line.lower()) is not None and _sums_up(line)


def _sums_up(line: str) -> bool:
    """Return whether a line that mentions a total has a number."""
    return any(map(str.isdigit, line)) or not _SUM.search(line)


def find_stems(lines: Sequence[str]) -> dict[int, list[str]]:
    """Return the beginnings of bad words in lines, by the place of the line.

    This is quick, and hardly any line that matters has none.
    """
    text = "\n".join(map(str.lower, lines))
    ends: list[int] = []
    found: dict[int, list[str]] = {}
    for stem in _STEMS:
        at = text.find(stem)
        while at >= 0:
            ends = ends or [
                at + end for at, end in enumerate(itertools.accumulate(map(len, text.split("\n"))), 1)
            ]
            place = bisect.bisect_right(ends, at)
            found.setdefault(place, []).append(stem)
            at = text.find(stem, ends[place])
    return found


def matters(line: str) -> bool:
    """Return whether a line reports an error or a warning."""
    return _weigh_words(line[:_LONGEST])[1] >= 1


def is_loud(line: str) -> bool:
    """Return whether a line has a word of an error or a warning in capitals, or a mark for one."""
    return _LOUD.search(line[:_LONGEST]) is not None


def _count_numbers(line: str, said: Sequence[str]) -> int:
    """Return how many numbers of a line are counts of tests, errors, files and the like."""
    if _COUNTED.isdisjoint(said):
        return 0
    found = {first or second for first, second in _COUNT.findall(line)}
    return sum(word.lower() in _COUNTED for word in found)


@functools.lru_cache(maxsize=64)
def _weigh_words(line: str) -> tuple[Sequence[str], float]:
    """Return a line's words, and 3 for a level or several words of an error, 2 for one, 1 for a warning.

    A line with a status is judged as the first of its kind, and again as the first with this status.
    """
    said = pieces(line)
    level = _read_level(line, said)
    if level is _Severity.ERROR and not _NOTHING_WRONG.search(line.lower()):
        return said, 3.0
    strong, weak = _count_tones(line, said)
    if level is _Severity.ERROR and strong + weak:
        return said, 3.0
    if level is _Severity.WARNING:
        return said, 1.4 + 0.6 * bool(strong)
    return said, _weight_of_words(strong, weak, mild=strong + weak > 0 and _is_mild(line, level))


class _Severity(enum.Enum):
    """The severity that a line of a log states."""

    MILD = 0
    WARNING = 1
    ERROR = 2


def _read_level(line: str, said: Sequence[str]) -> _Severity | None:
    """Return the level of a line of a log; `_is_mild` finds INFO and lower levels in words."""
    found = _LETTER.match(line) or (None if _LEVELS.isdisjoint(said) else _LEVEL.search(line))
    if found is None and line[:1] in "[0123456789":
        found = _LETTER_AFTER.match(line)
    elif found is None and line.startswith("{"):
        found = _LEVEL_CODE.search(line)
    if found is None:
        return None
    if found.lastindex is None:
        return _Severity.MILD
    return _Severity.ERROR if found.lastindex % 2 else _Severity.WARNING


def _is_mild(line: str, level: _Severity | None) -> bool:
    return level is _Severity.MILD or _MILD_LEVEL.search(line) is not None


def _weight_of_words(strong: int, weak: int, *, mild: bool) -> float:
    """Return the weight of words of an error and of a warning, in a line without a level."""
    if mild:
        return HUSHED.weight if strong else 0.5
    if strong:
        return 2.0 + min(1.0, 0.5 * (strong - 1)) + 0.25 * bool(weak)
    return 1.0 if weak else 0.0


def _strip_good_news(line: str) -> str:
    """Return a line without phrases that say that nothing is wrong, such as "0 errors"."""
    lower, kept, at = line.lower(), [], 0
    for found in _NOTHING_WRONG.finditer(lower):
        kept.append(line[at : max(found.start(), found.end(1))])
        at = found.end()
    # A letter that gets longer in lower case moves all later places.
    return " ".join((*kept, line[at:])) if len(lower) == len(line) else _NOTHING_WRONG.sub(r"\1 ", lower)


def _strip_names(line: str) -> str:
    """Return a line without names; forms whose marks it lacks are skipped, because each takes long."""
    forms = sum(1 << nth for nth, (marks, _) in enumerate(_NAME_FORMS) if any(mark in line for mark in marks))
    return _NAMES[forms].sub(" ", line) if forms else line


def _count_tones(line: str, said: Sequence[str]) -> tuple[int, int]:
    """Return how many different strong and weak words a line has; "0 errors" has none."""
    strong = weak = 0
    bad = {word for word in said if tone_of(word)}
    rest = _strip_names(line) if bad else ""
    if any(map(rest.lower().__contains__, bad)):
        tones = {word: tone_of(word) for word in pieces(_strip_good_news(rest))}
        strong = sum(tone is Tone.STRONG for tone in tones.values())
        weak = sum(tone is Tone.WEAK for tone in tones.values())
    triggers = _TRIGGERS.intersection(said)
    if triggers:
        strong += _has_phrase({_ANY_PHRASE, *filter(None, map(_PHRASES.get, triggers))}, line)
        weak += _has_phrase({_ANY_MILD_PHRASE, *filter(None, map(_MILD_PHRASES.get, triggers))}, line)
    if not line.isascii():
        foreign = foreign_tone(line)
        strong += foreign is Tone.STRONG
        weak += foreign is Tone.WEAK
    return strong, weak


def _has_phrase(phrases: Iterable[re.Pattern[str]], line: str) -> bool:
    """Return whether a line has one of the phrases, except where it says that nothing is wrong."""
    lower = line.lower()
    found = [phrase for phrase in phrases if phrase.search(lower)]
    if not found:
        return False
    rest = _strip_good_news(line).lower()
    return any(phrase.search(rest) for phrase in found)
