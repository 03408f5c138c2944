"""Every value below `data` and `stringData` of a Kubernetes Secret goes, however the object is written."""

from __future__ import annotations

import base64
import json
import random
import textwrap
from typing import Any

import pytest
from tests.amounts import sized

from satchel.redaction import redact

from .formats import ALNUM, draw

RNG = random.Random(4)
WORDS = {name: draw((ALNUM, length))(RNG) for name, length in (("user", 5), ("pin", 4), ("tls.key", 33))}
DATA = {name: base64.b64encode(word.encode()).decode() for name, word in WORDS.items()}
COLOURS = {"colour": "Ymx1ZQ==", "shade": "ZGFyaw=="}


def made(kind: str = "Secret", **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", **fields, "kind": kind, "metadata": {"name": "db-settings"}, "type": "Opaque"}


SECRET = made(data=DATA)
MAP = made("ConfigMap", data=COLOURS)
ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"


def applied(indent: int | None = None) -> dict[str, Any]:
    inner = json.dumps(SECRET, separators=(",", ":"), indent=indent) + "\n"
    return {**made(), "metadata": {"annotations": {ANNOTATION: inner}, "name": "db"}}


def yaml(kind: str = "Secret", data: dict[str, str] = DATA, section: str = "data") -> str:
    entries = "".join(f"  {name}: {value}\n" for name, value in data.items())
    rest = "metadata:\n  name: db-settings\ntype: Opaque\n"
    return f"apiVersion: v1\n{section}:\n{entries}kind: {kind}\n{rest}"


def numbered(text: str, form: str = "{}:") -> str:
    return "".join(form.format(at) + line + "\n" for at, line in enumerate(text.splitlines(), start=7))


PRETTY = json.dumps(SECRET, indent=4)
ITEM = textwrap.indent(yaml(), "  ").replace("  apiVersion", "- apiVersion", 1)
OTHER = textwrap.indent(yaml("ConfigMap", COLOURS), "  ").replace("  apiVersion", "- apiVersion", 1)
FIRST_KIND = "kind: Secret\napiVersion: v1\n" + yaml().replace("kind: Secret\n", "").partition("\n")[2]
FLOW = ", ".join(f"{name}: {value}" for name, value in DATA.items())

FORMS = {
    "json": PRETTY,
    "compact": json.dumps(SECRET, separators=(",", ":")),
    "blanks": json.dumps(SECRET).replace('":', '" : '),
    "kind-first": json.dumps({"kind": "Secret", "data": DATA}),
    "list": json.dumps({"kind": "List", "items": [MAP, SECRET, MAP]}),
    "pretty-list": json.dumps({"kind": "List", "items": [MAP, SECRET, MAP]}, indent=2),
    "applied": json.dumps(applied(), indent=2),
    "applied-compact": json.dumps(applied()),
    "applied-pretty": json.dumps(applied(2)),
    "applied-twice": json.dumps({"log": json.dumps(applied())}),
    "applied-thrice": json.dumps([json.dumps({"log": json.dumps(applied())})]),
    "applied-yaml": f"metadata:\n  annotations:\n    {ANNOTATION}: |\n      {json.dumps(SECRET)}\n",
    "python": repr(SECRET),
    "in-a-log": f"2026-11-23 10:00 it's \"applied: {json.dumps(SECRET)} {{}}",
    "lines": json.dumps(SECRET) + "\n" + json.dumps(MAP) + "\n" + json.dumps(SECRET),
    "truncated": PRETTY.replace('"kind": "Secret",', "").replace("{", '{\n    "kind": "Secret",', 1)[:-90],
    "numbered-json": numbered(PRETTY),
    "numbered-blanks": numbered(PRETTY, "{:6} "),
    "grep-json": numbered(PRETTY, "db.json:{}:"),
    "dated-json": numbered(PRETTY, "2026-11-23T12:00:{}Z "),
    "diff-json": textwrap.indent(PRETTY, "+"),
    "yaml": yaml(),
    "crlf": yaml().replace("\n", "\r\n"),
    "kind-first-yaml": FIRST_KIND,
    "immutable": yaml() + "immutable: true\n",
    "documents": f"---\n{yaml('ConfigMap', COLOURS)}---\n{yaml()}---\n{yaml('ConfigMap', COLOURS)}",
    "items": f"apiVersion: v1\nitems:\n{OTHER}{ITEM}{OTHER}kind: List\n",
    "indented-items": "items:\n" + textwrap.indent(OTHER + ITEM + OTHER, "  ") + "kind: List\n",
    "quoted": yaml().replace("user:", '"user":').replace("data:", '"data":').replace("kind: S", '"kind": S'),
    "single-quoted": "".join(yaml(data={name: f"'{value}'" for name, value in DATA.items()})),
    "comments": yaml().replace("data:\n", "data:  # keep\n  # all\n\n").replace("Secret\n", "Secret # yes\n"),
    "flow": f"apiVersion: v1\ndata: {{{FLOW}}}\nkind: Secret\n",
    "flow-lines": "kind: Secret\ndata: {\n  " + FLOW.replace(", ", ",\n  ") + "\n}\ntype: Opaque\n",
    "all-flow": f"{{apiVersion: v1, kind: Secret, data: {{{FLOW}}}}}\n",
    "block": "kind: Secret\ndata:\n" + "".join(f"  {key}: |\n    {DATA[key]}\n" for key in DATA),
    "folded": "kind: Secret\ndata:\n"
    + "".join(f"  {key}: >-\n    {DATA[key][:5]}\n    {DATA[key][5:]}\n" for key in DATA),
    "tagged": yaml().replace("user: ", "user: !!binary ").replace("pin: ", "pin: &pin "),
    "markdown": "1. Apply:\n\n   ```yaml\n" + textwrap.indent(yaml(), "   ") + "   ```\n",
    "diff": "@@ -1 +1 @@\n"
    + textwrap.indent(yaml(), " ").replace("   pin", "+  pin").replace(" kind", "+kind"),
    "added": textwrap.indent(yaml(), "+"),
    "removed": textwrap.indent(textwrap.indent(yaml(), "  "), "-"),
    "mail": textwrap.indent(yaml(), "> "),
    "grep": numbered(yaml(), "db.yaml:{}:"),
    "grep-context": numbered(yaml(), "k8s/my-db.yaml-{}-").replace("-11-kind", ":11:kind"),
    "dated": numbered(yaml(), "2026-11-23T12:00:{}.5Z "),
    "listing": numbered(yaml(), "{:4}\t"),
    "helm": "{{- if .Values.on }}\n" + yaml().replace("data:\n", "data:\n{{- range .x }}\n") + "{{- end }}\n",
}


@pytest.mark.parametrize("form", sorted(FORMS))
def test_no_value_is_left_and_the_rest_stays(form: str) -> None:
    text = FORMS[form]
    told = [value[:5] for value in DATA.values() if value[:5] in text]
    assert len(told) == 3 or form == "truncated"

    clean = redact(text).text

    assert [value for value in told if value in clean] == []
    kept = ("db-settings", "tls.key", *COLOURS.values())
    assert [clean.count(word) for word in kept] == [text.count(word) for word in kept]
    assert redact(clean).text == clean
    assert clean.count("\n") == text.count("\n")


@pytest.mark.parametrize("form", [form for form in FORMS if "applied" not in form and form != "in-a-log"])
def test_objects_of_other_kinds_stay(form: str) -> None:
    text = FORMS[form]
    for kind in ("SealedSecret", "ExternalSecret", "ConfigMap", "SecretList"):
        other = text.replace("Secret", kind)
        assert redact(other).text == other


def test_json_is_json_still() -> None:
    for form in ("json", "compact", "list", "applied", "applied-thrice"):
        assert type(json.loads(redact(FORMS[form]).text)) is type(json.loads(FORMS[form]))


@pytest.mark.parametrize(
    "value", ["two words here", "a: b", "it's", "x", "#1", "é", "/etc/passwd", "yes", "12345", "changeme"]
)
def test_every_value_of_string_data_goes(value: str) -> None:
    told = json.dumps(value, ensure_ascii=False)
    plain = f"kind: Secret\nstringData:\n  token: {told}\n  next: abcd\ntype: Opaque\n"

    for text in (plain, json.dumps({"stringData": {"token": value}, "kind": "Secret"}, ensure_ascii=False)):
        clean = redact(text).text
        assert told.strip('"') not in clean.replace("kind: S", "").replace("next", "")
        assert "token" in clean


@pytest.mark.parametrize(
    "value",
    [
        "{{ .Values.password | b64enc }}",
        "${PASSWORD}",
        "$(PASSWORD)",
        "<your-password>",
        "ENC[AES256_GCM,data:x7,iv:a+b=,tag:c==,type:str]",
        "",
        '""',
    ],
)
def test_what_stands_for_a_value_stays(value: str) -> None:
    text = f"kind: Secret\nstringData:\n  password: {value}\n"

    assert redact(text).text == text


def test_values_of_several_lines_and_odd_keys_go() -> None:
    told = ["first words", "last words", "http://x", "sunshine", "it''s here", "pear"]
    text = (
        f'kind: Secret\nstringData:\n  a: "{told[0]}\n    {told[1]}"\n  b.yaml: |\n    url: {told[2]}\n\n'
        f"    - {told[3]}\n  \"c d\": '{told[4]}'\n  ? e\n  : {told[5]}\ntype: Opaque\n"
    )

    clean = redact(text).text

    assert [value for value in told if value in clean] == []
    assert clean.count('"') == text.count('"')
    assert clean.endswith("\ntype: Opaque\n")


def test_a_kind_that_another_object_names_makes_no_secret_of_it() -> None:
    text = "kind: Event\ninvolvedObject:\n  kind: Secret\n  name: db\ndata:\n  colour: Ymx1ZQ==\n"
    event = {"kind": "Event", "involvedObject": {"kind": "Secret"}, "data": COLOURS}

    assert redact(text).text == text
    assert redact(json.dumps(event)).text == json.dumps(event)


def test_a_secret_as_large_as_kubernetes_takes_loses_all_its_values() -> None:
    data = {f"chunk{at}": draw((ALNUM, 30_000))(RNG) for at in range(sized(40))}

    for text in (yaml(data=data), json.dumps(made(data=data)), json.dumps(made(data=data), indent=2)):
        clean = redact(text).text
        assert [value for value in data.values() if value[:9] in clean or value[-9:] in clean] == []
