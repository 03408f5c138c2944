"""Secrets that show by the command, the setting or the signature that they stand in."""

from __future__ import annotations

import re

from satchel.redaction.entropy import surprise
from satchel.redaction.rules import Rule
from satchel.redaction.values import HEX, is_address_password, is_password, is_random, is_stand_in, unquoted

_SHORTEST = 6
_VALUE = r"[\"']?([^\s\"'|;&<>]{6,128})"
_GIVEN = (
    r"[\"']?((?<=')[^'\n]{4,128}(?=')|(?<=\")[^\"\n]{4,128}(?=\")|"
    r"(?<![\"'])[^\s\"'|;&<>()`\\]{4,128})(?![^\s\"'|;&<>)`\\,])"
)
"""A word of a command line, quoted or not."""

_OPTIONS = {
    "-p": (
        *(
            "twine ",
            "mongo ",
            "mongosh ",
            "mongodump ",
            "mongorestore ",
            "mongoexport ",
            "mongoimport ",
            "sshpass ",
        ),
        *(
            "docker login",
            "podman login",
            "oc login",
            "skopeo login",
            "buildah login",
            "nerdctl login",
            "cf login",
        ),
        *(
            "mysqladmin ",
            "arangosh ",
            "cqlsh ",
            "ncftp ",
            "tsm ",
            "svn ",
            "cypher-shell ",
            "vncdo ",
            "az login",
        ),
    ),
    "-P": (
        "sqlcmd ",
        "bcp ",
        "zip ",
        "unzip ",
        "ipmitool ",
        "isql ",
        "osql ",
        "jar ",
        "pdftk ",
        "mosquitto_pub ",
        "mosquitto_sub ",
    ),
    "-w": (
        "ldapsearch ",
        "ldapadd ",
        "ldapmodify ",
        "ldapdelete ",
        "ldapwhoami ",
        "ldappasswd ",
        "ldapcompare ",
    ),
    "-a": ("redis-cli ", "keydb-cli ", "valkey-cli "),
    "-A": ("snmpwalk ", "snmpget ", "snmpset ", "snmpbulkwalk "),
    "-X": ("snmpwalk ", "snmpget ", "snmpset ", "snmpbulkwalk "),
    "-pw": ("plink ", "pscp ", "psftp ", "plink.exe ", "pscp.exe "),
    "-b": ("gh secret set ",),
    "-k": ("openssl enc ", "aescrypt "),
}
"""Commands by their short option for a password; long options show by their names."""
_PASSED = {
    "curl-user": (("--proxy-user", "-U "), r"(?<![\w-])(?:--proxy-user|-U)[ =]?[\"']?[\w.@+-]{1,64}:"),
    "httpie": (
        ("http ", "https ", "xh "),
        r"(?:https?|xh) [^\n|;]{0,120}?(?:-a|--auth)[ =][\"']?[\w.@+-]{1,64}:",
    ),
    "percent": (
        ("smbclient ", "rpcclient ", "smbget ", "net ads ", "net rpc ", "wmic ", "winexe "),
        r"(?:smbclient|rpcclient|smbget|net (?:ads|rpc)|wmic|winexe) [^\n|;]{0,160}?"
        r"(?:-U|--user)[ =]?[\"']?[^\s%\"'|;]{1,80}%",
    ),
    "net-use": (("net use ",), r"net use (?:(?:[A-Z*]:?|\\\\[^\s]{1,200}|/user:\S{1,100}) ){1,3}"),
    "net-user": (("net user ",), r"net user [\w.$-]{1,64} "),
    "htpasswd": (
        ("htpasswd ",),
        r"htpasswd -\w{0,4}b\w{0,4} (?:-\w{1,3} (?:\d{1,3} )?){0,3}"
        r"(?:(?!-)\S{1,200} ){1,2}?(?=\S{1,200}[ \t]{0,8}(?:[|;&>\n]|\Z))",
    ),
    "rabbitmq": (
        ("rabbitmqctl ",),
        r"rabbitmqctl (?:-\S{1,60} (?:\S{1,60} )?){0,3}"
        r"(?:add_user|change_password|authenticate_user) \S{1,80} ",
    ),
    "vault-login": (("vault login ",), r"vault login (?:-[\w=-]{1,60} ){0,4}(?![-\w]{0,40}=)"),
    "lftp": (("lftp ", "sftp ", "ftp "), r"s?l?ftp [^\n|;]{0,120}?(?:-u|--user)[ =][\w.@+-]{1,64},"),
    "rdp": (
        ("freerdp ", "xfreerdp ", "wlfreerdp ", "rdesktop "),
        r"(?:[xw]?l?freerdp|rdesktop) [^\n|;]{0,200}?(?:/p:|-p )",
    ),
    "archive": (
        ("7z ", "7za ", "7zz ", "rar ", "unrar "),
        r"(?:7z[az]?|(?:un)?rar) [a-z] (?:[^\n|;]{0,160}? )?(?:-h?p)(?=[^\s-])",
    ),
    "minio": (
        ("mc alias set ", "mc config host add "),
        r"mc (?:alias set|config host add) [\w-]{1,64} \S{1,200} \S{1,128} ",
    ),
    "secret-string": (("--secret-string",), r"--secret-string[ =]"),
    "chpasswd": (
        ("echo ", "printf "),
        r"(?:echo|printf) (?:-\w )?[\"']?[\w.-]{1,64}:(?=[^\n|]{4,128}\|[^\n|]{0,40}chpasswd)",
    ),
    "crypt-pass": (("-passin pass:", "-passout pass:", "pass:"), r"(?:-pass(?:in|out)? )?pass:"),
}
"""What stands before a password, after the words that begin it."""


def is_given(value: str) -> bool:
    """Return whether a password that a command was given is one: no stand-in, and no plain word."""
    return is_address_password(value) and not value.startswith(("-", "/", "$"))


def _is_literal(value: str) -> bool:
    """Return whether a value of a Kubernetes Secret is none that stands for another."""
    return not is_stand_in(value)


def _is_odd_address_password(value: str) -> bool:
    """Return whether a password with slashes or at signs in an address is no path."""
    value = unquoted(value)
    pieces = re.split(r"[/?#@+]", value)
    if len(value) < _SHORTEST or pieces[0].isdecimal() or not is_password(value):
        return False
    return surprise(value) > 0 or any(map(is_random, [value, *pieces]))


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
    *(
        Rule(
            f"option{option}",
            "command-password",
            words,
            rf"(?:{'|'.join(re.escape(word.strip()) for word in words)})[ \t]"
            rf"(?:[^\n|;]{{0,240}}?[ \t])?{option}[ =]?{_GIVEN}",
            check=is_given,
        )
        for option, words in _OPTIONS.items()
    ),
    *(
        Rule(f"given-{name}", "command-password", words, f"{before}{_GIVEN}", check=is_given)
        for name, (words, before) in _PASSED.items()
    ),
    Rule(
        "secret-literal",
        "kubernetes-secret",
        ("--from-literal",),
        r"--from-literal[= ][\"']?[\w.-]{1,253}=[\"']?"
        r"((?<=')[^'\n]{1,512}(?=')|(?<=\")[^\"\n]{1,512}(?=\")|[^\s\"'|;&<>]{1,512})",
        check=_is_literal,
    ),
    Rule(
        "address-odd-password",
        "url-password",
        ("://",),
        r"://[^\s/:@\"'<>\\]{0,128}:([^\s\"'<>\\,;)(|]{6,256})@[\w\[{$%-]",
        check=_is_odd_address_password,
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
