"""Private keys in every wrapping, PuTTY keys and Kubernetes secrets lose each line of theirs."""

from __future__ import annotations

import base64
import json
import random
import re
import textwrap

import pytest

from satchel.redaction import redact

from .formats import ALNUM, BASE64, draw

RNG = random.Random(11)
BODY = [draw((BASE64, 64))(RNG) for _ in range(6)] + [draw((ALNUM, 10), "==")(RNG)]
KINDS = [
    "RSA PRIVATE KEY",
    "EC PRIVATE KEY",
    "PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
]


def armoured(kind: str = "PRIVATE KEY", end: str = "\n") -> str:
    return end.join([f"-----BEGIN {kind}-----", *BODY, f"-----END {kind}-----"]) + end


def leaks(text: str) -> list[str]:
    redacted = redact(text).text
    assert redacted.count("\n") == text.count("\n")
    return [line for line in BODY if line in redacted]


@pytest.mark.parametrize("kind", KINDS)
def test_each_line_of_a_private_key_is_a_mark(kind: str) -> None:
    redacted = redact(armoured(kind))

    assert re.fullmatch(r"(\[redacted:private-key:[0-9a-f]{4}\]\n)\1{8}", redacted.text)
    assert [finding.line for finding in redacted.found] == [1]


WRAPPINGS = {
    "crlf": armoured(end="\r\n"),
    "indented": "key: |\n" + textwrap.indent(armoured(), "    "),
    "diff": "@@ -1 +1 @@\n" + textwrap.indent(armoured(), "+"),
    "comment": textwrap.indent(armoured(), "# "),
    "python": f'KEY = """{armoured()}"""\nx = 1\n',
    "escaped": json.dumps({"private_key": armoured()}),
    "twice-escaped": json.dumps(json.dumps({"private_key": armoured()})),
    "one-line": armoured(end=" "),
    "pieces": "\n".join(f'    "{line}\\n" +' for line in armoured().splitlines()),
    "truncated": armoured().partition("-----END")[0],
    "truncated-in-text": armoured().partition("-----END")[0] + "Some text here.\n",
    "headed": armoured().replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n", 1),
    "two": armoured("EC PRIVATE KEY") + armoured(),
    "truncated-then-whole": armoured().partition("-----END")[0] + armoured(),
    "ssh2": armoured().replace("-----BEGIN", "---- BEGIN").replace("-----END", "---- END"),
}


@pytest.mark.parametrize("wrapping", sorted(WRAPPINGS))
def test_no_line_of_a_key_is_left_in_any_wrapping(wrapping: str) -> None:
    assert leaks(WRAPPINGS[wrapping]) == []


def test_what_stands_around_a_key_stays() -> None:
    text = redact(f'KEY = """{armoured()}"""\nx = 1\n').text
    diff = redact(WRAPPINGS["diff"]).text

    assert text.startswith('KEY = """[redacted:private-key:')
    assert text.endswith('"""\nx = 1\n')
    assert all(line.startswith("+[redacted:") for line in diff.splitlines()[1:])


def test_one_key_has_one_mark_in_its_file_and_in_json() -> None:
    pattern = r"\[redacted:private-key:\w{4}\]"

    marks = {
        text: set(re.findall(pattern, redact(WRAPPINGS[text]).text))
        for text in ("crlf", "indented", "escaped")
    }

    assert len(set.union(*marks.values())) == 1


def test_a_putty_key_loses_its_private_lines_only() -> None:
    text = (
        f"PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\n{'A' * 64}\nPrivate-Lines: 7\n"
        + "\n".join(BODY)
        + "\nPrivate-MAC: 0a\n"
    )

    assert leaks(text)[1:] == []
    assert "A" * 64 in redact(text).text


def test_a_key_that_is_encoded_once_more_is_found_and_a_certificate_is_not() -> None:
    key = base64.b64encode(armoured().encode()).decode()
    certificate = base64.b64encode(armoured("CERTIFICATE").encode()).decode()

    assert key not in redact(f"client-key-data: {key}").text
    assert certificate in redact(f"client-certificate-data: {certificate}").text


SECRET = """\
apiVersion: v1
kind: {kind}
metadata:
  name: my-app-settings
data:
  username: YWRtaW4=
  pin: MTIzNA==
type: Opaque
---
kind: ConfigMap
data:
  colour: Ymx1ZQ==
"""


def test_the_data_of_a_kubernetes_secret_goes_and_its_names_stay() -> None:
    text = redact(SECRET.format(kind="Secret")).text

    assert "YWRtaW4=" not in text
    assert "MTIzNA==" not in text
    assert all(word in text for word in ("my-app-settings", "username: [", "type: Opaque", "Ymx1ZQ=="))


def test_the_data_of_other_kinds_stays() -> None:
    text = SECRET.format(kind="ConfigMap")

    assert redact(text).text is text


def test_data_before_the_kind_counts_too() -> None:
    assert "MTIzNA==" not in redact("data:\n  pin: MTIzNA==\nkind: Secret\n").text


def cut_off(prefix: str) -> str:
    """Return the first lines of a key, each behind what a tool writes before it, and text after them."""
    lines = armoured().splitlines()[:6]
    return "".join(prefix.format(at) + line + "\n" for at, line in enumerate(lines, start=9)) + "and so on\n"


PREFIXES = {
    "grep": "{}:",
    "files": "deploy/my-app/tls.key-{}-",
    "dates": "2026-11-23T12:00:{}.123456789Z ",
    "pods": "[pod/my-app-7d9c5b8f6d-x2x4q/web] ",
    "blame": "f7c3bc1d (Some Author 2026-11-23 12:00:00 +0000 {}) ",
    "mail": "> > ",
    "cat": "{:6}\t",
}


@pytest.mark.parametrize("prefix", sorted(PREFIXES))
def test_a_key_behind_what_a_tool_writes_before_each_line_is_found(prefix: str) -> None:
    form = PREFIXES[prefix]
    whole = "".join(form.format(at) + line + "\n" for at, line in enumerate(armoured().splitlines(), start=9))

    assert leaks(whole + "and so on\n") == []
    assert leaks(cut_off(form)) == []
    assert "and so on\n" in redact(cut_off(form)).text


@pytest.mark.parametrize("lines", [2, 3, 5])
def test_the_last_lines_of_a_key_are_found_without_its_first(lines: int) -> None:
    text = "last\nlines\n" + "\n".join(armoured().splitlines()[-lines - 1 :]) + "\ndone\n"

    assert leaks(text) == []
    assert redact(text).text.startswith("last\nlines\n")
    assert redact(text).text.endswith("\ndone\n")


@pytest.mark.parametrize("end", ["\r", "\r\n", "\\n", "\\\\n", " ", "<br>\n", "&#10;", "\\u000a", " |\n"])
def test_a_key_with_any_line_ends_is_found_whole_and_cut_off(end: str) -> None:
    assert leaks(armoured(end=end)) == []
    assert leaks(armoured(end=end).partition("-----END")[0]) == []


@pytest.mark.parametrize("lead", ["", "> ", "+", "12:", "    "])
def test_a_putty_key_is_found_behind_what_stands_before_its_lines(lead: str) -> None:
    key = "Private-Lines: 7\n" + "\n".join(BODY) + "\nPrivate-MAC: 0a\n"

    assert leaks(textwrap.indent(key, lead)) == []
    assert leaks(json.dumps({"ppk": key})) == []


def test_a_key_that_is_encoded_once_more_and_wrapped_is_found() -> None:
    encoded = "\n".join(textwrap.wrap(base64.b64encode(armoured().encode()).decode(), 76))

    clean = redact(f"tls.key:\n{textwrap.indent(encoded, '  ')}\nnext: line\n").text

    assert [line for line in encoded.splitlines() if line in clean] == []
    assert clean.endswith("\nnext: line\n")


def test_a_large_key_without_an_end_is_no_work_for_each_beginning() -> None:
    text = "Version: -----BEGIN PRIVATE KEY-----\n" * 8_000

    assert redact(text).text == text


def test_a_key_in_an_address_or_behind_colours_is_found() -> None:
    form = armoured().replace("\n", "%0A").replace(" ", "%20")
    colours = "".join(f"\x1b[32m{line}\x1b[0m\n" for line in armoured().splitlines())

    assert leaks(f"POST /?key={form}&x=1") == []
    assert leaks(colours) == []
    assert leaks(colours.partition("-----END")[0]) == []


@pytest.mark.parametrize("line", BODY[1:3])
@pytest.mark.parametrize(
    "form",
    [
        "@@ -20,3 +20,4 @@ {}\n def up():\n+    pass\n",
        "diff --git a/a b/a\n@@ -1 +1,2 @@ {}\n",
        "@@@ -20,3 -20,3 +20,4 @@@ {}\n",
        "| @@ -20,3 +20,4 @@ {}\r\n",
        "\x1b[36m@@ -20,3 +20,4 @@\x1b[m {}\x1b[m\n",
    ],
)
def test_a_line_of_a_key_that_heads_a_hunk_is_found(form: str, line: str) -> None:
    text = form.format(f"x{line}"[: len(line)])

    assert line[1:40] not in redact(text).text
    assert redact(text).text.startswith(text[:4])


@pytest.mark.parametrize(
    "heading",
    ["def upload(name):", "class HttpServerConnectionFactory2", "e3b0c44298fc1c149afbf4c8996fb924", "x1"],
)
def test_other_headings_of_hunks_stay(heading: str) -> None:
    text = f"@@ -20,3 +20,4 @@ {heading}\n def up():\n"

    assert redact(text).text == text


NUMBER = draw((ALNUM, 43))(RNG)
JWK = {"kty": "EC", "crv": "P-256", "x": draw((ALNUM, 43))(RNG), "d": NUMBER, "use": "sig"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(JWK),
        json.dumps(json.dumps(JWK)),
        json.dumps({"a": json.dumps({"b": json.dumps(JWK)})}),
        repr(JWK),
        "".join(f"{name}: {value}\n" for name, value in JWK.items()),
        json.dumps({"kty": "oct", "k": NUMBER}, indent=2),
    ],
)
def test_the_private_number_of_a_web_key_goes_and_the_public_ones_stay(text: str) -> None:
    clean = redact(text).text

    assert NUMBER not in clean
    assert clean.count(JWK["x"]) == text.count(JWK["x"])
