"""With a question, what matches it comes first: names, whole definitions, rows with all of its words."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples, some

from satchel import squeeze
from satchel.output.asking import Question
from satchel.output.families import DIFF, FILE, PROSE
from satchel.output.sections import beginning_of, find_asked_sections
from satchel.tokens import guess


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))


def _function(at: int) -> str:
    return "".join(
        [
            f"    def step_{at}(self, value, context_{at}):\n",
            f'        """Take the value number_{at} on to the next of the steps_{at}."""\n',
            *(f"        local_{at}_{line} = self.apply_{at}(value, other_{line})\n" for line in range(8)),
            f"        return local_{at}_0\n\n",
        ]
    )


METHOD = """\
    @overload
    def renew_token(self) -> None: ...

    def renew_token(self, later=False):
        \"\"\"Renew it.\"\"\"
        if later:
            return self.queue.put(self)

        return self.client.post(self.url)

"""
CODE = (
    "class Session:\n"
    + "".join(map(_function, range(60)))
    + METHOD
    + "".join(map(_function, range(60, 100)))
    + "def main():\n    Session().renew_token()\n\n\n"
    + "class Other:\n    def exit(self):\n        return 0\n\n\n"
    + "class Context:\n    def exit(self, code):\n        self.close()\n        raise Exit(code)\n"
)


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    "question", ["renew_token", "where is renew_token called?", "how do I renew a token"]
)
@pytest.mark.parametrize("budget", [300, 1_000, 3_000])
def test_a_definition_that_a_question_names_is_shown_whole(question: str, budget: int) -> None:
    shown = squeeze(CODE, command="cat session.py", question=question, budget=budget, count=guess).text

    assert METHOD.strip("\n") in shown
    assert shown.startswith("class Session:\n")


def test_every_line_with_a_rare_name_is_shown() -> None:
    shown = squeeze(CODE, command="cat session.py", question="renew_token", budget=300, count=guess).text

    assert shown.count("renew_token") == CODE.count("renew_token") == 3


def test_a_method_is_that_of_the_class_that_is_named() -> None:
    lines = CODE.split("\n")
    found = find_asked_sections(FILE, lines, Question("what does Context.exit do"))

    assert lines[found[0].head] == "    def exit(self, code):"
    assert lines[found[0].parents[-1]] == "class Context:"


def test_the_section_of_a_page_that_a_question_names_comes_first() -> None:
    pages = [
        f"## Topic {at}\n\nSome words about what_{at} is and how part_{at} works.\n" * 2 for at in range(200)
    ]
    page = "\n".join(
        [*pages[:90], "## Install the tool\n\nFetch it.\n\n### On a Mac\n\nBrew.\n", *pages[90:]]
    )

    shown = squeeze(page, command="cat README.md", question="how do I install the tool?", budget=300).text

    assert "## Install the tool\n\nFetch it.\n\n### On a Mac\n\nBrew.\n" in shown
    assert find_asked_sections(PROSE, page.split("\n"), Question("what is a zebra")) == []


@pytest.mark.parametrize(
    ("head", "body", "name"),
    [
        ("func (s *Store) Get(key string) error {", "\treturn nil", "Get"),
        ("export async function loadUser(id) {", "  return id;", "loadUser"),
        ("    pub fn parse_all(&self) -> Vec<u8> {", "        vec![]", "parse_all"),
        ("public static int countAll(List<A> of) {", "    return 3;", "countAll"),
        ("MAX_SIZE: int = {", "    1,", "MAX_SIZE"),
    ],
)
def test_definitions_of_many_languages_have_their_ends(head: str, body: str, name: str) -> None:
    closes = " " * (len(head) - len(head.lstrip())) + "}"
    lines = ["x", head, body, "", body, closes, "y"]

    found = find_asked_sections(FILE, lines, Question(f"what is `{name}`"))

    assert [list(beginning_of(one)) for one in found] == [[1, 2, 3, 4, 5]]


ROWS = [
    (at, ("free", "pro")[at % 2], ("DE", "US", "FR")[at % 3], (0, 19, 49, 99, 7)[at % 5]) for at in range(900)
]
TABLE = "id,plan,country,mrr\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in ROWS)


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("budget", [300, 3_000])
def test_rows_with_all_words_of_a_question_come_first(budget: int) -> None:
    shown = squeeze(TABLE, command="cat a.csv", question="pro plan in FR with 49", budget=budget).text

    all_of_it = [f"{a},{b},{c},{d}" for a, b, c, d in ROWS if (b, c, d) == ("pro", "FR", 49)]
    rows = re.findall(r"^\d+,.*$", shown, re.MULTILINE)
    assert len(set(rows) & set(all_of_it)) >= min(len(all_of_it), 10)
    assert shown.startswith("id,plan,country,mrr\n")


@pytest.mark.weekly
def test_a_word_that_many_rows_have_is_an_answer_where_no_rarer_one_is_found() -> None:
    shown = squeeze(TABLE, command="cat a.csv", question="which are in DE", budget=1_000).text

    assert shown.count(",DE,") > 20


@pytest.mark.weekly
def test_a_state_of_one_letter_is_found() -> None:
    rows = [
        f"www {at * 7 % 9999:>6} {'S' if at != 431 else 'Z'}  0:00 /usr/bin/worker --queue mail"
        for at in range(900)
    ]

    shown = squeeze(
        "USER PID STAT TIME COMMAND\n" + "\n".join(rows), command="ps aux", question="a zombie, state Z"
    ).text

    assert rows[431] in shown


@pytest.mark.weekly
def test_what_a_diff_has_of_a_name_comes_before_its_other_files() -> None:
    def file(at: int, inner: str) -> str:
        return (
            f"diff --git a/src/part_{at}.py b/src/part_{at}.py\nindex 1111111..2222222 100644\n"
            f"--- a/src/part_{at}.py\n+++ b/src/part_{at}.py\n"
            f"@@ -{at},3 +{at},4 @@ def run_{at}():\n context_{at}\n+{inner}\n other_{at}\n"
        )

    diff = "".join(
        file(at, "flag_value = 3" if at in (150, 290) else f"value_{at} = {at}") for at in range(300)
    )

    shown = squeeze(diff, command="git diff", question="what changed in flag_value handling", budget=300).text
    of_file = squeeze(diff, command="git diff", question="what changed in src/part_77.py", budget=300).text

    assert shown.count("+flag_value = 3") == 2
    assert "b/src/part_150.py\n" in shown
    assert "b/src/part_290.py\n" in shown
    assert "+value_77 = 77" in of_file
    assert find_asked_sections(DIFF, diff.split("\n"), Question("flag_value")) == []


@pytest.mark.costly
@pytest.mark.parametrize("command", ["cat a.py", "git log", "git diff", ""])
@settings(max_examples=examples(20), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["def load(self):", "    return token", "", "class Cart:", "    total = 3", "# Cart", "x" * 90]
        ),
        min_size=60,
        max_size=200,
    ),
    st.sampled_from(["load", "where is token_3", "Cart.load", "total 3", "Z", "", "the and a"]),
)
def test_a_larger_budget_shows_what_a_smaller_one_does(command: str, lines: list[str], question: str) -> None:
    text = "".join(f"{line} {at}\n" if line else "\n" for at, line in enumerate(lines))

    shown = [
        {
            line.partition(" [x")[0]
            for line in squeeze(
                text, command=command, question=question, budget=budget, count=guess
            ).text.split("\n")
            if not line.startswith("[")
        }
        for budget in some((120, 300, 600, 1_000), 4)
    ]

    for smaller, larger in itertools.pairwise(shown):
        assert smaller <= larger


def test_the_record_of_data_that_a_question_names_is_shown_whole() -> None:
    packages = {
        f"node_modules/part-{at}": {
            "url": f"https://registry.test/{at * 7919}/part-{at}.tgz",
            "sum": f"sha512-{'Ab3' * 25}{at}",
            "version": f"3.{at}.8",
        }
        for at in range(40)
    }
    text = json.dumps({"packages": packages}, indent=2)

    shown = squeeze(text, command="cat lock.json", question="which version of part-17 is it", budget=250).text

    assert '"version": "3.17.8"' in shown


def test_what_answers_in_a_report_is_shown_below_what_it_stands_in() -> None:
    steps = [
        line
        for at in range(90)
        for line in (
            f"stage{at} runs on node",
            f"    pulls image registry/part{at}",
            f"    took {at} s",
            "    done",
        )
    ]

    shown = squeeze(
        "\n".join(steps), command="make all", question="which stage pulls registry/part37", budget=300
    ).text.split("\n")

    at = shown.index("    pulls image registry/part37")
    assert shown[at - 1] == "stage37 runs on node"


def test_a_row_has_the_words_of_its_header_and_of_its_section(tmp_path: Path) -> None:
    pods = [f"  shop        web-{at:<20} 120m (6%)     0 (0%)      {at * 7}h" for at in range(24)]
    text = "\n".join(
        [
            "Name:               ip-10-0-3-77",
            "Roles:              worker",
            "Capacity:",
            "  cpu:                2",
            "  memory:             7Gi",
            "Allocatable:",
            "  cpu:                1930m",
            "  memory:             6Gi",
            "Non-terminated Pods:          (24 in total)",
            "  Namespace   Name                     CPU Requests  CPU Limits  Age",
            "  ---------   ----                     ------------  ----------  ---",
            *pods,
            "  shop        cpu-limiter              10m (0%)      20m (1%)    9h",
            "  shop        cpu-requests-exporter    10m (0%)      20m (1%)    9h",
            "Allocated resources:",
            "  Resource           Requests     Limits",
            "  --------           --------     ------",
            "  cpu                1880m (97%)  2 (103%)",
            "  memory             5120Mi (72%)  9Gi (131%)",
            "Events:              <none>",
        ]
    )

    shown = squeeze(
        text,
        command="kubectl describe node ip-10-0-3-77",
        question="how much cpu is requested",
        budget=150,
        store=tmp_path,
    ).text

    assert "  cpu                1880m (97%)  2 (103%)" in shown
