"""Secrets that show by their place: in addresses, headers, commands, hashed passwords and tokens."""

from __future__ import annotations

from satchel.redaction.rules import LETTERS_DIGITS, Rule
from satchel.redaction.values import decoded, is_address_password, is_filler, is_password, is_random


def is_basic(value: str) -> bool:
    """Return whether it is base64 of `user:password`, with a password that is no placeholder."""
    user, colon, password = decoded(value).partition(":")
    usable = bool(user) and bool(colon) and (user + password).isprintable()
    return usable and user.lower() != "aladdin" and is_address_password(password)


def is_json_token(value: str) -> bool:
    """Return whether the first part of a JSON web token decodes to a header (RFC 7515, section 3)."""
    header = decoded(value.partition(".")[0])
    return header.startswith("{") and ('"alg"' in header or '"typ"' in header) and not is_filler(value)


CREDENTIALS = (
    Rule(
        "address-password",
        "url-password",
        ("://",),
        r"://[^\s/:@\"'<>\\]{0,128}:([^\s/@\"'<>\\]{3,256})@[\w\[{$%-]",
        check=is_address_password,
    ),
    Rule("address-token", "url-token", ("://",), r"://([^\s/:@\"'<>\\]{20,256})@[\w\[]", check=is_random),
    Rule(
        "bearer",
        "bearer-token",
        ("Bearer ", "bearer ", "BEARER ", "Bearer%20"),
        r"[Bb](?:earer|EARER)(?: {1,3}|%20)([\w.~+/%-]{16,8192}+={0,2})",
        check=is_random,
    ),
    Rule(
        "basic",
        "basic-auth",
        ("Basic ", "basic "),
        r"[Bb]asic {1,3}([A-Za-z0-9+/_-]{8,1024}+={0,2})(?![\w.])",
        check=is_basic,
    ),
    Rule(
        "registry-auth",
        "basic-auth",
        ('"auth"', "_auth"),
        r"(?:\"auth\"|_auth)\s{0,4}[:=]\s{0,4}\"?([A-Za-z0-9+/]{8,1024}+={0,2})",
        check=is_basic,
    ),
    Rule(
        "jwt",
        "jwt",
        ("eyJ",),
        r"eyJ[\w-]{8,4096}+\.[\w-]{2,32768}+\.[\w-]{16,4096}+(?:\.[\w-]{8,8192}+\.[\w-]{8,512}+)?",
        check=is_json_token,
    ),
    Rule(
        "jwe",
        "jwt",
        ("eyJ",),
        r"eyJ[\w-]{8,4096}+\.[\w-]{0,2048}+\.[\w-]{12,64}+\.[\w-]{8,32768}+\.[\w-]{16,64}+",
        check=is_json_token,
    ),
    Rule(
        "password-hash",
        "password-hash",
        ("$apr1$", "$2y$", "$2b$", "$2a$", "{SHA}", "$6$", "$5$", "$y$"),
        r"[\w.@+-]{1,64}:((?:\$(?:apr1|2[aby]|6|5|y)\$|\{SHA\})[^\s:\"']{20,200})",
        back=66,
        lead=LETTERS_DIGITS + "_.@+-:",
    ),
    Rule(
        "netrc",
        "netrc-password",
        ("machine ",),
        r"machine\s{1,4}\S{1,128}\s{1,8}login\s{1,4}\S{1,128}\s{1,8}password\s{1,4}(\S{3,256})",
        check=is_address_password,
    ),
    Rule(
        "command-user",
        "command-password",
        ("-u ", "--user ", "--user=", "-u"),
        r"(?<![\w-])(?:-u|--user)[ =]?[\"']?[\w.@+-]{1,64}:([^\s\"'@/]{6,128})",
        check=is_password,
    ),
    Rule(
        "command-mysql",
        "command-password",
        ("mysql", "sshpass ", "mariadb"),
        r"(?:mysql|mariadb|sshpass)[^\n|;]{0,120}? -p ?[\"']?([^\s\"'-][^\s\"']{5,64})",
        check=is_password,
    ),
    Rule(
        "sql-identified",
        "database-password",
        ("IDENTIFIED BY ", "identified by "),
        r"(?:IDENTIFIED BY|identified by) (?:PASSWORD |password )?['\"]([^\s'\"]{6,128})['\"]",
        check=is_password,
    ),
    Rule(
        "wordpress-salt",
        "wordpress-salt",
        ("_KEY'", "_SALT'", '_KEY"', '_SALT"'),
        r"_(?:KEY|SALT)['\"],\s{0,12}['\"]([^'\"\n\\]{40,90})['\"]",
        check=is_random,
    ),
)
