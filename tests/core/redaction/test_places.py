"""Secrets by the place that calls them so: whatever their form, and no value of any other place."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel.redaction import redact

LETTERS = string.ascii_letters + string.digits
PLACES = {
    "terraform variable": 'variable "db_password" {{\n  type    = string\n  default = "{}"\n}}\n',
    "terraform with a description": 'variable "api_token" {{\n  sensitive = true\n  default   = "{}"\n}}\n',
    "wide assignment": '  password             = "{}"\n',
    "csv": "user,password,role\nanna,{},admin\n",
    "csv in a diff": "@@ -0,0 +1,2 @@\n+user,password,role\n+anna,{},admin\n",
    "csv in a coloured diff": "\x1b[32m+\x1b[m\x1b[32muser,password,role\x1b[m\n"
    "\x1b[32m+\x1b[m\x1b[32manna,{},admin\x1b[m\n",
    "csv, of grep": "./users.csv:1:user,password,role\n./users.csv:2:anna,{},admin\n",
    "csv, numbered": "     1\tuser,password,role\n     2\tanna,{},admin\n",
    "csv, quoted": '"user","api_key","role"\n"anna","{}","admin"\n',
    "csv, second name": "id;user;passwort;password\n1;anna;x;{}\n",
    "tsv": "user\tsecret\trole\nanna\t{}\tdev\n",
    "markdown": "| user | password |\n| --- | --- |\n| anna | `{}` |\n",
    "psql": " id | user | password \n----+------+---------\n  1 | anna | {}\n(1 row)\n",
    "mysql": "+----+----------+\n| id | password |\n+----+----------+\n|  1 | {} |\n+----+----------+\n",
    "insert": "INSERT INTO users (name, password) VALUES ('anna', '{}');\n",
    "xml, next line": "<password>\n    {}\n</password>\n",
    "xml, name and value": "<name>db.ConnectionPassword</name>\n  <value>{}</value>\n",
    "plist": "<key>ApiSecret</key>\n<string>{}</string>\n",
    "ini, next line": "[db]\npassword =\n    {}\n",
    "yaml, next line": "db:\n  password:\n    {}\n",
    "properties, next line": "db.password=\\\n   {}\n",
    "json, value first": '{{"value": "{}", "name": "DB_PASSWORD"}}\n',
    "environment table": "Name                 Value\n----                 -----\nDB_PASSWORD          {}\n",
    "word diff": "password = [-{}-]{{+none+}}\n",
    "word diff, new": '"password": "[-none-]{{+{}+}}",\n',
    "address with a slash": "postgres://user:ab/{}@db.example.org:5432/app\n",
    "curl -U": "curl -U bob:{} https://example.org\n",
    "curl --proxy-user": "curl --proxy-user bob:{} https://example.org\n",
    "httpie": "http -a admin:{} https://example.org/\n",
    "twine": "twine upload -u __token__ -p {} dist/*\n",
    "sqlcmd": "sqlcmd -S db -U sa -P '{}' -Q \"select 1\"\n",
    "ldapsearch": 'ldapsearch -x -D "cn=admin" -w {} -b dc=example\n',
    "mongosh": "mongosh --host db -u root -p {} admin\n",
    "htpasswd": "htpasswd -b .htpasswd anna {}\n",
    "htpasswd to stdout": "htpasswd -nbB anna {}\n",
    "vault": "vault login {}\n",
    "smbclient": "smbclient //srv/share -U anna%{}\n",
    "net use": "net use Z: \\\\srv\\share {} /user:DOM\\anna\n",
    "docker login": "docker login -u anna -p {} registry.example.org\n",
    "rabbitmqctl": "rabbitmqctl add_user anna {}\n",
    "7z": "7z x -p{} a.7z\n",
    "zip": "zip -P {} out.zip f\n",
    "lftp": "lftp -u anna,{} ftp.example.org\n",
    "freerdp": "xfreerdp /u:anna /p:{} /v:host\n",
    "ipmitool": "ipmitool -H h -U admin -P {} power status\n",
    "plink": "plink -pw {} host\n",
    "mc": "mc alias set mine https://m.example.org anna {}\n",
    "chpasswd": "echo 'root:{}' | chpasswd\n",
    "gh secret": 'gh secret set NAME -b"{}"\n',
    "secret string": "aws secretsmanager create-secret --name x --secret-string {}\n",
    "literal": "kubectl create secret generic s --from-literal=any={}\n",
    "literal in quotes": 'kubectl create secret generic s --from-literal "other={}"\n',
    "access log, behind a page": '"GET / HTTP/1.1" 200 9 "https://x.dev/pass" "{}" 0.2\n',
    "access log, in a page": '"GET / HTTP/1.1" 200 9 "https://anna:{}@x.dev/pass" "curl/8.5.0" 0.2\n',
    "access log, in a query": '"GET / HTTP/1.1" 200 9 "https://x.dev/?password={}" "curl/8.5.0" 0.2\n',
    "in quotes behind its name": 'the password "{}" is old\n',
}
AGENT = "curl/8.5.0"
AGENTS_FOR_PASSWORDS = (
    f'"https://x.dev/pass": "{AGENT}"\n',
    f'"pass" "{AGENT}"\n',
    f'"https://x.dev/" the password "{AGENT}"\n',
)
OTHERS = (
    f'"GET / HTTP/1.1" 200 9 "https://x.dev/pass" "{AGENT}" 0.2\n',
    '"GET / HTTP/1.1" 200 9 "https://x.dev/a/reset-password" "python-requests/2.31.0"\n',
    "first_key = '3f2b8c1e-7d4a-4e6f-9b0a-1c2d3e4f5a6b'\n",
    "SECRET_KEY='dev'\n",
    "call(a, token, b)\nother(c, d, e)\n",
    "    None,\n    None,\n    'aB3dE5gH7jK9',\n",
    "type Options struct {\n\tPassword string\n\tName2 string\n}\n",
    'variable "region" {\n  default = "eu-central-1a2B3c4D"\n}\n',
    "user,name,role\nanna,aB3dE5gH7jK9,admin\n",
    "https://example.org:8080/path/aB3dE5gH7jK9@2x.png\n",
    "git@github.com:owner/aB3dE5gH7jK9.git\n",
    "zip -r out.zip aB3dE5gH7jK9\n",
    "twine upload dist/aB3dE5gH7jK9.whl\n",
    "net user anna /delete\n",
    "    --- PASS: TestDecode/aB3dE5gH7jK9 (0.00s)\n",
    "vault login -method=oidc\n",
    "ldapsearch -w $PASSWORD -b dc=example\n",
    "kubectl create secret generic s --from-literal=password=$PASSWORD\n",
    "docker login -u anna -p ${TOKEN} registry.example.org\n",
    "password:\n  type: string\n",
    "secrets:\n  db_password_field:\n    minLength: 8\n",
)


def drawn(seed: int) -> list[str]:
    """Return a token, a key and a password that a person would make up."""
    rng = random.Random(seed)
    token, key = ("".join(rng.choices(LETTERS, k=size)) for size in (24, 40))
    password = "".join(rng.choices(LETTERS, k=7)) + "7#Kq" + "".join(rng.choices(LETTERS, k=5))
    return [token, key, password]


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_is_found_by_its_place(place: str) -> None:
    secrets = [secret for seed in range(5) for secret in drawn(seed)]

    assert [one for one in secrets if one in redact(PLACES[place].format(one)).text] == []


@pytest.mark.parametrize("place", PLACES)
def test_the_place_stays_and_so_do_its_lines(place: str) -> None:
    text = PLACES[place].format(drawn(1)[0])
    clean = redact(text)

    assert clean.text.count("\n") == text.count("\n")
    assert redact(clean.text).text == clean.text
    assert clean.found


@pytest.mark.parametrize("text", OTHERS)
def test_other_places_are_left_as_they_are(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize("text", AGENTS_FOR_PASSWORDS)
def test_what_looks_like_a_program_is_a_password_where_no_page_is_before_it(text: str) -> None:
    assert AGENT not in redact(text).text


def test_every_row_of_a_table_is_looked_at() -> None:
    secrets = [drawn(seed)[0] for seed in range(50)]
    rows = "".join(f'{number},"a, b",{secret}\n' for number, secret in enumerate(secrets))
    clean = redact(f"id,name,password\n{rows}\nnext,part,{secrets[0]}\n").text

    assert [one for one in secrets[1:] if one in clean] == []


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.sampled_from(("password", "token", "id", "name", "api_key")), min_size=2, max_size=6),
    st.sampled_from((",", ";", "\t", "|")),
    st.integers(1, 6),
    st.integers(0, 999),
)
def test_columns_under_the_name_of_a_secret_go_and_no_others(
    names: list[str], delimiter: str, rows: int, seed: int
) -> None:
    rng = random.Random(seed)
    cells = [["".join(rng.choices(LETTERS, k=20)) for _ in names] for _ in range(rows)]
    table = "".join(delimiter.join(row) + "\n" for row in [names, *cells])
    clean = redact(table).text
    for row in cells:
        for name, cell in zip(names, row, strict=True):
            assert (cell in clean) is (name in {"id", "name"})
