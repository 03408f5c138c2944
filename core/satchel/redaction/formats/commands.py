"""Secrets that show by the command, the setting or the signature that they stand in."""

from __future__ import annotations

import re

from satchel.redaction.rules import Rule
from satchel.redaction.values import HEX, is_password, is_random

_VALUE = r"[\"']?([^\s\"'|;&<>]{6,128})"

# The private numbers of RFC 7517's keys, as they are and in a string of JSON.
_JWK_WORDS = tuple(
    f"{quote}{name}{quote}" for name in ("d", "k", "p", "q", "dp", "dq", "qi") for quote in ('"', '\\"')
)

# What takes a name and a password.
_PAIRS = tuple(
    f"{word}("
    for word in (
        *("Credential", "Credentials", "BasicAuth", "basic_auth", "HTTPBasicAuth", "HttpBasicAuth"),
        *("HTTPDigestAuth", "NetworkCredential", "PSCredential", "PasswordAuthentication"),
        *("UsernamePasswordCredential", "UsernamePasswordCredentials", "UsernamePasswordAuthenticationToken"),
    )
)

COMMANDS = (
    Rule(
        "command-login",
        "command-password",
        (
            "docker login",
            "podman login",
            "helm registry login",
            "az login",
            "npm login",
            "oc login",
            "skopeo login",
        ),
        rf"(?:docker|podman|helm registry|az|oc|skopeo) login[^\n|;]{{0,160}}? (?:-p|--password)[ =]{_VALUE}",
        check=is_password,
    ),
    Rule(
        "command-redis",
        "command-password",
        ("redis-cli ",),
        rf"redis-cli [^\n|;]{{0,120}}?-a {_VALUE}",
        check=is_password,
    ),
    Rule(
        "command-stdin",
        "command-password",
        ("echo ", "printf "),
        rf"(?:echo|printf) (?:-n )?{_VALUE}[\"']? {{0,2}}\| {{0,2}}[^\n|]{{1,120}}"
        r"--?(?:password|token|pass)-?(?:stdin|fd)?",
        check=is_password,
    ),
    Rule(
        "setting",
        "password",
        ("requirepass ", "masterauth ", "bindpw ", "-setcookie ", "rootpw "),
        rf"(?:requirepass|masterauth|bindpw|-setcookie|rootpw) {{1,8}}{_VALUE}",
        check=is_password,
    ),
    Rule(
        "cisco",
        "password-hash",
        ("secret 5 ", "secret 8 ", "secret 9 ", "password 7 "),
        r"(?:secret|password) [5789] ([^\s\"']{8,120})",
        check=lambda text: any(map(str.isdecimal, text)),
    ),
    Rule(
        "jdbc-oracle",
        "database-password",
        ("jdbc:oracle:",),
        r"jdbc:oracle:\w{3,5}:[\w.-]{1,64}/([^\s@\"']{4,128})@",
        check=is_password,
    ),
    Rule(
        "sql-password",
        "database-password",
        ("PASSWORD '", "password '"),
        r"(?:PASSWORD|password) '([^\s']{6,128})'",
        check=is_password,
    ),
    Rule(
        "aws-signature",
        "aws-signature",
        ("X-Amz-Signature=", "Signature=", "x-amz-signature="),
        r"(?:X-Amz-|x-amz-)?[Ss]ignature=([a-f0-9]{64})(?!\w)",
    ),
    Rule(
        "azure-function",
        "azure-key",
        ("?code=", "&code="),
        r"[?&]code=([\w-]{40,80}={0,2})(?![\w-])",
        check=is_random,
    ),
    Rule(
        "session-cookie",
        "session-cookie",
        ("Cookie: ", "cookie: ", "Cookie', '", 'Cookie", "', 'Cookie": "', 'cookie": "'),
        r"[Cc]ookie(?:: |', '|\"[,:] ?\")(?:[\w.-]{1,60}=[^;\s\"']{0,400}; ){0,8}?(?:__(?:Host|Secure)-)?"
        r"(?:[\w.-]{0,40}(?:sess(?:ion)?(?:_?id|token)?|auth|token|PHPSESSID|JSESSIONID)[\w.-]{0,20}|connect\.sid|sid)="
        r"([^;\s\"']{16,4096}+)",
        check=is_random,
    ),
    Rule(
        "credential-pair",
        "password",
        ("auth=(", "auth = (", *_PAIRS),
        rf"(?:auth ?= ?\(|{'|'.join(map(re.escape, _PAIRS))})(?:[\w.]{{1,40}}, ?)?"
        r"[\"'][^\"'\n]{1,80}[\"'], ?[\"']([^\s\"']{6,128})[\"']",
        check=is_password,
    ),
    Rule(
        "pgpass",
        "database-password",
        (":5432:", ":*:", ":5433:", ":6432:"),
        r":(?:5432|5433|6432|\*):[\w*.-]{1,63}:[\w*.-]{1,63}:([^\s:\"']{6,128})",
        check=is_password,
    ),
    Rule(
        "jwk",
        "private-jwk",
        _JWK_WORDS,
        r"\\?\"(?:dp|dq|qi|[dkpq])\\?\" ?: ?\\?\"([\w-]{42,1400})\\?\"",
        check=lambda text: is_random(text) and not HEX.fullmatch(text),
    ),
    Rule(
        "wifi",
        "wifi-password",
        ("psk=", "psk =", "wpa_passphrase=", "PreSharedKey"),
        rf"(?:psk|wpa_passphrase|PreSharedKey) ?= ?{_VALUE}",
        check=is_password,
    ),
    Rule(
        "mnemonic",
        "wallet-phrase",
        ("mnemonic", "MNEMONIC", "Mnemonic", "seed_phrase", "SEED_PHRASE", "seedPhrase", "seed phrase"),
        r"(?i:mnemonic|seed[_ ]?phrase)\w{0,12}[\"']? ?(?:=|:|=>) ?[\"']?"
        r"((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![\w ])",
        check=lambda text: len(set(text.split())) > 9,
    ),
    Rule(
        "vpn-user",
        "password",
        ("<auth-user-pass>",),
        r"<auth-user-pass>\r?\n[^\n]{1,128}\n([^\s<]{6,256})",
        check=is_password,
    ),
    Rule(
        "telegram-app",
        "telegram-token",
        ("api_hash", "api-hash", "API_HASH", "apiHash", "ApiHash"),
        r"(?:api[_-]hash|API_HASH|[aA]piHash)(?:%22|%3[Aa]|[^\w\n]){1,12}"
        r"(?:(?:value|string|String|str|body)\W{1,5}){0,2}([a-f0-9]{32})(?!\w)",
    ),
    Rule(
        "kubeadm",
        "kubernetes-token",
        ("--token ", "token: "),
        r"(?:--token|token:) ([a-z0-9]{6}\.[a-z0-9]{16})(?!\w)",
    ),
    Rule(
        "device-hash",
        "password-hash",
        ("$1$", "$argon2", "$scrypt$", "pbkdf2_sha", "$pbkdf2", "$7$", "{SSHA"),
        r"(?:\$1\$[\w./]{1,8}\$[\w./]{22}|\$argon2id?\$v=\d+\$[\w=,]{5,40}\$[\w+/]{10,90}\$[\w+/]{20,140}|"
        r"\$(?:scrypt|pbkdf2)[\w-]{0,12}\$[\w=,$./+]{40,300}|pbkdf2_sha\d{1,3}\$\d{3,9}\$\w{6,40}\$[\w+/=]{30,100}|"
        r"\{SSHA(?:256|512)?\}[A-Za-z0-9+/]{24,140}={0,2})",
    ),
)
