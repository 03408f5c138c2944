"""Find the kinds of answers that a question aims at, by its words and its form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from satchel.patterns import lazily, read_patterns
from satchel.questions.aims import Aim
from satchel.questions.languages import is_foreign
from satchel.questions.literals import hide_paths
from satchel.questions.orders import MAY_ASK, is_about_ci, tells_what_to_do, uses_in_ci
from satchel.questions.releases import LATEST, RELEASES, RELEASING, SINCE, UPGRADES
from satchel.questions.whole_project import is_about_whole
from satchel.questions.words import TRANSLATION
from satchel.workspace.index.terms import WORD

_SHORT = 10
"""Most words of a text that is about CI if it names it; a longer one may name it in passing."""
_WAY = lazily(
    r"(?i)\bhow (?:does|do|is|are|did|will)\b(?! (?:i|we|you|u|one|people|users?)\b).{3,80}?"
    r"\b(?:travel|get|go|flow|pass|propagat|make|find|end|reach|come|becom|turn|mov|bubbl|surfac|arriv|land|dispatch"
    r"|rout)\w*\b.{0,60}\b(?:from|through|until|all the way)\b"
    r"|\bwhat (?:happens|is called|runs|is executed|goes on)\b.{0,80}\b(?:between|from)\b.{3,80}"
    r"\b(?:and|to|until)\b"
    r"|\b(?:explain|describe|trace|show|walk me through)\b.{3,80}\bfrom\b.{3,80}\b(?:to|until|into|through)\b"
    r"|\b(?:call|code|control|data|execution|request) (?:path|flow|chain|graph|stack|sequence)\b"
    r"|\bfrom\b.{3,60}\b(?:all the way|down|up|through) to\b"
    r"|\bwie (?:gelangt|kommt|wandert|läuft)\b.{3,80}\b(?:von|vom|in|bis|zu[mr]?)\b"
    r"|\bcómo (?:llega|viaja|pasa)\b"
    r"|\bcomment .{2,40} (?:arrive|(?<!mot de )passe|parvient)\b|\bкак (?:попадает|проходит|доходит)\b"
    r"|如何从.+到|怎么从.+到"
)
"""A question for the way from one place to another."""
_ENTRIES = lazily(r"\b(changelog|history (file|entr\w+)|news (entr\w+|fragments?))")
_AIMS = (
    (Aim.RELEASES, RELEASES),
    (Aim.RELEASES, LATEST),
    (Aim.RELEASES, SINCE),
    (Aim.RELEASES, UPGRADES),
    *((Aim(name), pattern) for name, pattern in read_patterns(Path(__file__).with_name("aims.txt"))),
)
_TESTS_ELSEWHERE = (
    r"\btests? (laufen lassen|ausführen|starten)|\b(ejecutar|correr|lancer|exécuter|rodar|executar) "
    r"(los |las |les |os )?(tests?|testes|pruebas)\b|\b(запустить|прогнать) тест\w*"
    r"|运行测试|跑测试|テストを(実行|走)"
)
_DOCS_ARE_BUILT = lazily(
    r"\bhow (is|are) the (docs|documentation|doc ?site|website)( (pages?|site))? "
    r"(built|build|generated|compiled)\W*$"
)
_DEVELOPING = lazily(
    r"\b(run|execute|start|launch|invoke)(ning)?( \w+){0,2}? "
    r"(tests?|test ?suites?|specs|linters?|lint|benchmarks?|formatter|(type|style) ?check\w*|test cases)\b"
    r"(?! (for|of) my\b)|\bstart (the |this )?(project|repo\w*)\b"
    rf"|{_TESTS_ELSEWHERE}"
    r"|\b(baue[nt]?|starten?|kompilieren?)\b.{0,40}\b(lokal|projekt|repo\w*)\b"
    r"|\b(compil(o|ar)|construir|ejecut(o|ar)|inici(o|ar))\b.{0,40}\b(localmente|en local|proyecto)\b"
    r"|\b(compiler|construire|lancer|démarrer)\b.{0,40}\b(localement|en local|projet)\b"
    r"|\b(собрать|скомпилировать|запустить)\b.{0,40}\b(локально|проект|репозиторий|из исходников)\b"
    r"|\b(build|compile|hack on|work on|develop|bootstrap)( \w+){0,2}? "
    r"(this|it|project|repo\w*|from source|locally|docs|documentation|main branch)\b"
    r"|\b(build|compile|building|compiling)( (?!an?\b)\w+){0,3}? (on|for|under|with|using) (an? |the )?"
    r"(macos|mac|osx|windows|linux|ubuntu|debian|freebsd|android|ios|wasm"
    r"|meson|cmake|make|bazel|ninja|gradle|maven|cargo|msvc|visual studio|mingw|clang|gcc|nix|emscripten)\b"
    r"|(?<!\b(?:of|to|in|on) the )(?<!\bfor (?:the|our) )(?<!\b(?:of|to|in|on) my )(?<!\bfor my )"
    r"\b(dev|development) (environment|setup|server|install\w*)\b"
    r"|\b(run|set)(ning)? (it|this) (up )?(locally|from source)\b"
)
"""A question about how the project itself is built and tested."""
_DEVELOPS = lazily(
    r"(?i)(please )?(how (to|do (i|we|you)) )?((run|execute|start|launch)( \w+){0,3}? "
    r"(tests?|test ?suites?|specs|linters?|lint|benchmarks?|type ?checks?|dev(elopment)? server)"
    r"( (locally|again|here|now))?"
    r"|(build|compile)( (it|this|everything|from source|locally|(the|this) (project|repo\w*|code|docs))){0,2}"
    r"|(test|build|lint|dev) commands?"
    r"|(make sure|check|verify|ensure) (that )?(all |the |all the |everything )?(tests )?(still )?pass(es)?"
    r"|set ?up (the|a|my) (dev|development) (environment|setup|server)"
    r"|install (the |all )?dependencies( and run (the |all )?tests)?|(get|run) (it|this) (running )?locally"
    rf"|{_TESTS_ELSEWHERE})\W*"
)
"""The same as a plain order: "run the tests" needs the command."""
_MAY_DEVELOP = ((Aim.HOW_TO,), (Aim.ANY,))
_AND_WHERE = lazily(
    r"(?i)^\W*(how|why|when|what (?!(part|code|file|function|method|module|class)))\b.*"
    r"(\b(and|but|or)|[,?;]) (where|which (file|function|module|part|class|method))\b"
)
"""A question about how something is done, and where in addition."""
_WHERE_SETTINGS = lazily(
    r"\bwhere (do|can|could|should|would|must) (i|we|you|one) (set|configure|change|put)\b"
    r"|\bwhere (do|does|are|is) (the |my |its |all |your )*(settings?|config(uration)?s?|preferences)"
    r"( (files?|go(es)?|lives?|kept|stored|saved|located|found|defined|made)){0,2}( (for|of|on|in)\b.*)?\W*$"
    r"|\bwhere (is|are) [^?.]{1,60} configured\W*$"
)
"""A question about where a person writes settings, and not which code reads them."""
_HANDLED = r"(validat|pars|load|merg|read|resol|overrid)\w*"
_HANDLES_SETTINGS = lazily(
    rf"\b{_HANDLED} (of )?((the|a|an|its|all|user|default) )*(config\w*|settings)\b"
    rf"|\b(config(uration)?s?|settings) (file )?(is |are |gets? )?{_HANDLED}"
)
"""A question about the code that reads settings, and not about the settings."""
_WORKS_SO = lazily(
    r"(?i)^\W*(how (do|does|did|is|are|was|were|will) (?!(i|we|you|u|one|people|users?)\b)"
    r"|what (happens|makes|causes|triggers)\b|why (do|does|did)\b)"
)
"""A question about the work of a program, in which a version or an indentation is its object."""
_OF_SETTINGS = lazily(
    r"\b(config\w*|settings?|ci|lint\w*|workflows?|(build|deploy\w*|test) (pipelines?|jobs?)|releas\w*"
    r"|dependenc\w+ (\w+ )?(manag|pin|declar|specif|updat|lock|install|vendor|handl|list|kept)\w*"
    r"|(code|source|files?|project) (is |are |gets? |be )?formatted"
    r"|hooks?|enforc\w*|pinned|built|tested|supp?orted|minimum|defaults?"
    r"|(code|coding) style|this project|repo\w*)\b"
)
"""A matter of settings, in any form of question."""
_OF_CHANGES = lazily(
    r"\b(patch(es)?|propos\w+|review(ed|er)?s?|prs?|(pull|merge) requests?|commit messages?)\b"
)
"""Words for changes that contributors make, and that programs deal with, too."""
_OF_CONTRIBUTORS = lazily(
    r"\b(i|we|you|my|our|here|process|workflow|project|repo\w*)\b"
    r"|^\W*how (do|are) (the )?(prs?|(pull|merge) requests?|commit messages?)\b"
    r"|^\W*where (?:is|are) (?!.*\b(\w{2,}(ed|en|ound|ilt|ept|ent)|made)\b).*\b(prs?|requests?|messages?)\b"
)
"""Words beside these that ask about contributors, and forms of question that ask about no deed."""
_MEMBERS = lazily(
    r"\b(api|members|methods) (of|for)\b"
    r"|\b(which|what) (methods?|functions|members|fields|properties|attributes) .*"
    r"\b(have to|must|should|implement|overrid\w+|offers?|provides?)\b"
    r"|\b(which|what) (public )?(methods|functions|members|fields|properties|attributes) (do|does) .*"
    r"\b(have|expose|export|support|define)\b"
)
"""A question for the members of a type, and not for the place of something."""
_CALLS = lazily(
    r"\bwhich (functions?|methods?|class(es)?|types?|modules?) (do|should|can|must|would) (i|we|you|one) \w+"
)
"""A question of somebody who calls the code, and not of one who changes it."""
_FORMS_OF_WHERE = (
    (_WHERE_SETTINGS, (Aim.HOW_TO, Aim.CONFIGURATION)),
    (_MEMBERS, (Aim.API,)),
    (_CALLS, (Aim.WHERE, Aim.API)),
)
"""Forms of a question with "where" or "which", and its aims."""
_EXTENDS = lazily(r"\b(add|adding|implement|introduce|write|create|make)\b (a |an )?(new|another|support)\b")
"""A question about adding one more of something, which needs pages on it and the place of the others."""
_OWN = lazily(
    r"\b(write|create|make|implement|build|develop|define|author|provide)\b (a |an |my |your |our |one's )?"
    r"((own|custom)\b|((simple|basic|new|minimal) )?(\w+ ){0,2}?(plugins?|extensions?|middlewares?|adapters?"
    r"|converters?|backends?|drivers?|hooks?|filters?|formatters?|renderers?|transports?|schedulers?"
    r"|loaders?|exporters?|serializers?|validators?|decorators?|add-?ons?|connectors?|resolvers?"
    r"|processors?|reporters?|rules?|listeners?|interceptors?|providers?|handlers?|parsers?|scorers?"
    r"|encoders?|decoders?|runners?|matchers?|strateg(y|ies))\b)"
    r"(?! (function|file|option|class|method|test)s?\b)"
    r"|\b(add|adding|create|write)\b (a |an )?(\w+ ){0,2}?"
    r"(migrations?|endpoints?|(sub)?commands?|controllers?|routes?|widgets?|backends?|drivers?|adapters?"
    r"|providers?|exporters?|connectors?|formatters?|renderers?|reporters?|parsers?|encoders?|decoders?"
    r"|serializers?|transports?|sinks?|strateg(y|ies))\b"
    r"|\b(add|adding)\b (a |an )?(\w+ ){0,2}?(fields?|columns?|attributes?|propert(y|ies)|methods?) to\b"
    r"(?! (an?|my|our|one)\b)"
)
"""A question about writing an extension, which needs the page on it, its interface, and an example."""
_CONTRIBUTES = lazily(
    r"\b(contribut|submit|donat)\w* (to )?(a|an|the|my|our|some|new|another|more)\b "
    r"(?!(pull|pr|mr|merge|patch|fix|change|bug|issue|commit|code|project|repo)s?\b)"
)
"""A contribution of one thing: the place of such things counts as much as how to contribute."""
_ALONE = (Aim.RELEASES, Aim.HISTORY, Aim.CONTRIBUTING, Aim.TESTS, Aim.WHERE)
"""Aims that exclude all others."""
_OWN_TESTS = lazily(
    r"\bhow (?:do|can|should|would|to) (?:(?:i|we|you|one) )?(?:write|add|create|make|name|organi[sz]e) "
    r"(?:(?:an?|new|some|my|more|own|unit|integration|regression|e2e) ){0,3}(?:tests?|specs?|test cases?)"
    r"(?: (?:for|in|to) (?:this|the) (?:project|repo\w*|code ?base))?\W*$"
    r"|\b(?:how are|conventions? (?:for|of)) (?:(?:the|unit|integration|new) ){0,2}"
    r"(?:tests?|specs?|test cases?)"
    r"(?: (?:named|written|organi[sz]ed|structured)(?: here| in this project)?)?\W*$"
)
"""A question about how the tests of a project are written, and not about the tested code."""


def asks_for_way(text: str) -> bool:
    """Return whether a text asks for the way through the code from one place to another."""
    return _WAY.search(text) is not None


def orders_to_develop(text: str) -> bool:
    """Return whether a text only orders to build or test the project: "run the tests"."""
    return _DEVELOPS.fullmatch(text.strip()) is not None


def refine_aims(
    aims: tuple[Aim, ...], ordered: tuple[Aim, ...], text: str, terms: Mapping[str, float]
) -> tuple[Aim, ...]:
    """Return the aims of a question with these terms by its form: orders ask how, or have `ordered` aims."""
    is_order = tells_what_to_do(text) or MAY_ASK.match(text) is not None
    if is_order and Aim.CONTRIBUTING not in aims and Aim.CONFIGURATION not in aims:
        aims = (Aim.HOW_TO,)
    if orders_to_develop(text) or (aims in _MAY_DEVELOP and _DEVELOPING.search(text.lower())):
        return (Aim.DEVELOPING,)
    if ordered:
        return ordered
    if Aim.HOW_TO in aims and uses_in_ci(text):
        return (Aim.HOW_TO,)
    is_short = len(WORD.findall(text)) <= _SHORT
    if Aim.CONFIGURATION in aims and Aim.CI not in aims and is_short and is_about_ci(text):
        return (*aims, Aim.CI)
    if aims in _MAY_DEVELOP and is_foreign(text):
        found = _find_aims(" ".join(term for term, weight in terms.items() if weight >= TRANSLATION))
        return found if aims == (Aim.ANY,) or Aim.CONTRIBUTING in found else aims
    return aims


def read_aims(text: str, *, is_way: bool) -> tuple[Aim, ...]:
    """Return the aims of a text: those of a way through the code, or else by its words."""
    low = hide_paths(text).lower()
    if dict(_AIMS)[Aim.CI].search(low):
        return (Aim.CONFIGURATION, Aim.CI)
    aims = _find_aims(low)
    if aims == (Aim.WHERE,) and is_about_whole(text.strip(), ""):  # "which files should I read first"
        return (Aim.EXPLAIN,)
    if aims == (Aim.WHERE,) and _AND_WHERE.search(low):
        return (Aim.HOW_TO if dict(_AIMS)[Aim.HOW_TO].search(low) else Aim.EXPLAIN, Aim.WHERE)
    return (Aim.EXPLAIN, Aim.WHERE) if is_way and Aim.RELEASES not in aims else aims


def _match_aims(text: str) -> list[Aim]:
    """Return the aims whose words a text has; code explains the handling of settings."""
    found = [aim for aim, pattern in _AIMS if pattern.search(text)]
    tells_work = _WORKS_SO.match(text) is not None
    if Aim.CONTRIBUTING in found and (tells_work or Aim.WHERE in found) and _names_change_alone(text):
        found.remove(Aim.CONTRIBUTING)  # "how does it apply a patch to a file"
    if tells_work and Aim.WHERE in found and not _AND_WHERE.search(text):
        found.remove(Aim.WHERE)  # "how does it go on where it stopped"
    is_work = tells_work and not _OF_SETTINGS.search(text)
    is_work = is_work or (Aim.HOW_TO not in found and _HANDLES_SETTINGS.search(text) is not None)
    if not found and tells_work:
        return [Aim.EXPLAIN]
    if Aim.CONFIGURATION in found and is_work:
        return [*(aim for aim in found if aim not in (Aim.CONFIGURATION, Aim.EXPLAIN)), Aim.EXPLAIN]
    return found


def _names_change_alone(text: str) -> bool:
    """Return whether one word for a change is all that a text has of contributing."""
    rest, count = _OF_CHANGES.subn(" ", text)
    is_asked = dict(_AIMS)[Aim.CONTRIBUTING].search(rest) or _OF_CONTRIBUTORS.search(text)
    return count == 1 and is_asked is None


def _find_aims(text: str) -> tuple[Aim, ...]:
    """Return the aims of a text in lower case by its words."""
    if _OWN_TESTS.search(text):
        return (Aim.CONTRIBUTING, Aim.TESTS)
    found = _match_aims(text)
    alone = next((aim for aim in _ALONE if aim in found), None)
    forms = _FORMS_OF_WHERE if alone is Aim.WHERE else ()
    if aims := next((aims for form, aims in forms if form.search(text)), None):
        return aims
    if RELEASING.search(text):
        settings = (Aim.CONFIGURATION,) if Aim.CONFIGURATION in found else ()
        return (Aim.CONTRIBUTING, Aim.ENTRIES, *settings)
    if alone is Aim.RELEASES and SINCE.search(text):
        return (alone, Aim.HISTORY)
    if alone is Aim.CONTRIBUTING and _ENTRIES.search(text):
        return (alone, Aim.ENTRIES)
    if alone is Aim.CONTRIBUTING and _CONTRIBUTES.search(text):
        return (alone, Aim.EXTENDING)
    if alone is Aim.CONTRIBUTING and Aim.CONFIGURATION in found:
        return (alone, Aim.CONFIGURATION)
    if alone is not None:
        return (alone,)
    if _DOCS_ARE_BUILT.search(text):
        return (Aim.DEVELOPING,)
    if Aim.HOW_TO in found:
        return _find_ways(text, found)
    return tuple(found) or (Aim.ANY,)


def _find_ways(text: str, found: Sequence[Aim]) -> tuple[Aim, ...]:
    """Return the aims of a text that asks how something is done."""
    if _DEVELOPING.search(text):
        return (Aim.DEVELOPING,)
    if _EXTENDS.search(text):
        return (Aim.EXTENDING,)
    if _OWN.search(text):
        return (Aim.HOW_TO, Aim.EXTENDING)
    return tuple(aim for aim in found if aim in (Aim.HOW_TO, Aim.CONFIGURATION))
