"""Formats of secrets that a word in them announces, grouped by their makers; one rule for each."""

from __future__ import annotations

import re

from satchel.redaction.rules import DIGITS, LETTERS_DIGITS, Rule
from satchel.redaction.values import (
    HEX,
    decoded,
    is_address_password,
    is_filler,
    is_numbered,
    is_password,
    is_random,
    is_stand_in,
    surprise,
    unquoted,
)

_END = r"(?![A-Za-z0-9])"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

CLOUDS = (
    Rule(
        "aws-access-key",
        "aws-access-key-id",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        rf"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{{16}}{_END}",
    ),
    Rule(
        "aws-session",
        "aws-session-token",
        ("FwoGZXIvYXdz", "IQoJb3JpZ2lu"),
        r"[FI][A-Za-z0-9+/%]{80,4096}+={0,2}",
    ),
    Rule("aws-mws", "aws-mws-token", ("amzn.mws.",), rf"amzn\.mws\.{_UUID}"),
    Rule("aws-bedrock", "aws-bedrock-key", ("ABSK",), r"ABSK[A-Za-z0-9+/]{100,280}+={0,2}"),
    Rule(
        "aws-bedrock-short",
        "aws-bedrock-key",
        ("bedrock-api-key-",),
        r"bedrock-api-key-[A-Za-z0-9+/=]{60,4096}+",
    ),
    Rule("gcp-api", "gcp-api-key", ("AIza",), r"AIza[\w-]{35}(?![\w-])"),
    Rule("google-oauth-secret", "google-oauth-secret", ("GOCSPX-",), r"GOCSPX-[\w-]{24,40}"),
    Rule("google-access", "google-oauth-token", ("ya29.",), r"ya29\.[\w-]{20,2048}+"),
    Rule("google-refresh", "google-oauth-token", ("1//0",), r"1//0[\w-]{40,200}", check=is_random),
    Rule("firebase-server", "firebase-key", ("AAAA",), r"AAAA[\w-]{7}:[\w-]{120,180}"),
    Rule(
        "azure-client",
        "azure-client-secret",
        ("7Q~", "8Q~", "9Q~"),
        r"[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])",
        back=3,
        lead=LETTERS_DIGITS + "_~.-",
    ),
    Rule(
        "azure-account",
        "azure-storage-key",
        ("AccountKey=", "accountkey=", "accountKey="),
        r"[Aa]ccount[Kk]ey=([A-Za-z0-9+/]{60,100}={0,2})",
    ),
    Rule(
        "azure-shared",
        "azure-shared-key",
        ("SharedAccessKey=", "sharedAccessKey=", "SharedSecret="),
        r"[Ss]hared(?:AccessKey|Secret)=([A-Za-z0-9+/]{40,100}={0,2})",
    ),
    Rule("azure-sas", "azure-sas", ("sig=",), r"sig=([\w%+/-]{40,120}={0,2})", check=is_random),
    Rule(
        "azure-service",
        "azure-key",
        ("JQQJ99",),
        r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26,40}",
        back=52,
    ),
    Rule(
        "azure-devops",
        "azure-devops-token",
        ("AZDO",),
        r"[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}",
        back=80,
    ),
    Rule("digitalocean", "digitalocean-token", ("doo_v1_", "dop_v1_", "dor_v1_"), r"do[opr]_v1_[a-f0-9]{64}"),
    Rule(
        "digitalocean-spaces",
        "digitalocean-key",
        ("DO00", "DO80"),
        rf"DO[08]0[A-Z0-9]{{16}}{_END}",
        check=is_random,
    ),
    Rule("heroku", "heroku-key", ("HRKU-",), r"HRKU-[\w-]{36,80}"),
    Rule(
        "fly",
        "fly-token",
        ("fm1", "fm2_", "fo1_"),
        r"(?:fo1_[\w-]{40,60}|fm[12][ar]?_[A-Za-z0-9+/_-]{80,4096}+={0,3})",
    ),
    Rule(
        "vercel",
        "vercel-token",
        ("vcp_", "vci_", "vca_", "vcr_", "vck_"),
        r"vc[piark]_[A-Za-z0-9]{24,80}",
        check=is_random,
    ),
    Rule("vercel-blob", "vercel-token", ("vercel_blob_rw_",), r"vercel_blob_rw_[A-Za-z0-9_]{30,80}"),
    Rule("netlify", "netlify-token", ("nfp_", "nfc_", "nfo_", "nfu_"), r"nf[pcou]_[A-Za-z0-9]{36,60}"),
    Rule("cloudflare-ca", "cloudflare-origin-key", ("v1.0-",), r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    Rule("cloudflare", "cloudflare-token", ("cfut_", "cfat_", "cfk_"), r"cf(?:ut|at|k)_[A-Za-z0-9_-]{36,80}"),
    Rule("alibaba", "alibaba-key-id", ("LTAI",), rf"LTAI[A-Za-z0-9]{{12,26}}{_END}", check=is_random),
    Rule("tencent", "tencent-key-id", ("AKID",), rf"AKID[A-Za-z0-9]{{28,36}}{_END}", check=is_random),
    Rule("yandex-api", "yandex-key", ("AQVN",), r"AQVN[\w-]{35,38}(?![\w-])"),
    Rule(
        "yandex-access", "yandex-key", ("YCA", "YCM", "YCP"), r"YC[AMP][\w-]{35,40}(?![\w-])", check=is_random
    ),
    Rule("yandex-iam", "yandex-token", ("t1.",), r"t1\.[A-Za-z0-9_-]{20,512}+={0,2}\.[\w-]{80,100}={0,2}"),
    Rule("scaleway", "scaleway-key-id", ("SCW",), rf"SCW[A-Z0-9]{{17}}{_END}", check=is_random),
    Rule("supabase", "supabase-key", ("sbp_",), r"sbp_(?:v0_)?[a-f0-9]{40}"),
    Rule("supabase-secret", "supabase-key", ("sb_secret_",), r"sb_secret_[\w-]{24,80}"),
    Rule("planetscale", "planetscale-token", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[\w=.-]{32,64}"),
    Rule("neon", "neon-key", ("napi_",), r"napi_[a-z0-9]{40,80}"),
    Rule("mongodb-atlas", "mongodb-atlas-secret", ("mdb_sa_sk_",), r"mdb_sa_sk_[\w-]{32,60}"),
    Rule("render", "render-key", ("rnd_",), r"rnd_[A-Za-z0-9]{24,60}", check=is_random),
    Rule(
        "terraform-cloud",
        "terraform-token",
        (".atlasv1.",),
        r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,80}",
        back=14,
    ),
    Rule("vault", "vault-token", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[\w-]{20,512}+", check=is_random),
    Rule(
        "doppler",
        "doppler-token",
        ("dp.",),
        r"dp\.(?:ct|pt|sa|scim|st|audit)(?:\.[\w-]{2,40})?\.[A-Za-z0-9]{40,44}",
    ),
    Rule("pulumi", "pulumi-token", ("pul-",), r"pul-[a-f0-9]{40}"),
    Rule(
        "databricks",
        "databricks-token",
        ("dapi", "dose", "dkea"),
        rf"d(?:api|ose|kea)[a-f0-9]{{32}}(?:-\d)?{_END}",
    ),
    Rule("infracost", "infracost-key", ("ico-",), r"ico-[A-Za-z0-9]{32}", check=is_random),
    Rule(
        "snowflake",
        "snowflake-token",
        ("ver:1-hint:",),
        r"ver:1-hint:[\w:-]{1,60}ETMsDgAAA[\w+/=-]{60,2048}+",
    ),
    Rule("1password", "1password-token", ("ops_eyJ",), r"ops_eyJ[A-Za-z0-9+/_-]{100,4096}+={0,3}"),
    Rule(
        "1password-secret",
        "1password-key",
        ("A3-",),
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    Rule(
        "tailscale",
        "tailscale-key",
        ("tskey-",),
        r"tskey-(?:[a-z]{2,12}-)?[A-Za-z0-9]{8,24}-[A-Za-z0-9]{20,48}",
    ),
    Rule("harness", "harness-token", ("pat.", "sat."), r"[ps]at\.[\w-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}"),
    Rule(
        "age",
        "age-secret-key",
        ("AGE-SECRET-KEY-1",),
        r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
    ),
    Rule("age-pq", "age-secret-key", ("AGE-SECRET-KEY-PQ-1",), r"AGE-SECRET-KEY-PQ-1[A-Z0-9]{50,100}"),
    Rule("ibm-cloud", "ibm-key", ("ApiKey-",), rf"ApiKey-{_UUID}"),
)


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
    """Return whether a password with slashes or at signs in an address is not a path."""
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


def is_basic(value: str) -> bool:
    """Return whether it is base64 of `user:password`, with a password that is not a placeholder."""
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


FORGES = (
    Rule(
        "github",
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        r"gh[pousr]_[A-Za-z0-9]{30,255}",
        check=is_random,
    ),
    Rule(
        "github-app",
        "github-token",
        ("ghs_",),
        r"ghs_(?:(?!eyJ)[\w-]){4,60}+eyJ[\w-]{10,400}+\.[\w-]{10,2000}\.[\w-]{40,800}",
    ),
    Rule("github-fine", "github-token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{36,255}"),
    Rule(
        "gitlab",
        "gitlab-token",
        (
            "glpat-",
            "gldt-",
            "glrt-",
            "glrtr-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
            "glffct-",
        ),
        r"gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w.-]{18,255}",
        check=is_numbered,
    ),
    Rule("gitlab-runner", "gitlab-token", ("GR1348941",), r"GR1348941[\w-]{20,60}"),
    Rule(
        "bitbucket",
        "bitbucket-password",
        ("ATBB",),
        rf"ATBB[A-Za-z0-9]{{32}}(?:[A-F0-9]{{8}})?{_END}",
        check=is_random,
    ),
    Rule("bitbucket-http", "bitbucket-token", ("BBDC-",), r"BBDC-[A-Za-z0-9+/@_-]{40,60}"),
    Rule(
        "atlassian",
        "atlassian-token",
        ("ATATT3", "ATCTT3", "ATOAT", "ATSTT3"),
        r"AT(?:ATT|CTT|OAT|STT)[\w=.+/-]{60,400}",
    ),
    Rule("npm", "npm-token", ("npm_",), r"npm_[A-Za-z0-9]{36,60}", check=is_random),
    Rule("pypi", "pypi-token", ("pypi-",), r"pypi-[\w-]{50,1024}+", check=is_random),
    Rule("rubygems", "rubygems-key", ("rubygems_",), r"rubygems_[a-f0-9]{48}"),
    Rule("nuget", "nuget-key", ("oy2",), rf"oy2[a-z0-9]{{43}}{_END}"),
    Rule("crates", "crates-token", ("cio",), rf"cio[A-Za-z0-9]{{32}}{_END}", check=is_random),
    Rule("docker", "docker-token", ("dckr_",), r"dckr_(?:pat|oat)_[\w-]{24,60}"),
    Rule("clojars", "clojars-token", ("CLOJARS_",), r"CLOJARS_[a-z0-9]{60}"),
    Rule("artifactory", "artifactory-key", ("AKCp",), rf"AKCp[A-Za-z0-9]{{60,80}}{_END}"),
    Rule("artifactory-ref", "artifactory-token", ("cmVmdGtu",), rf"cmVmdGtu[A-Za-z0-9]{{50,60}}{_END}"),
    Rule(
        "jfrog",
        "artifactory-token",
        ("eyJ2ZXIiOiI",),
        r"eyJ2ZXIiOiI[\w-]{10,512}+\.[\w-]{20,4096}+\.[\w-]{20,1024}+",
    ),
    Rule("packagist", "packagist-token", ("packagist_",), r"packagist_[a-z]{2,4}_[a-f0-9]{60,80}"),
    Rule("circleci", "circleci-token", ("CCIPAT_", "CCIPRJ_"), r"CCIP(?:AT|RJ)_[A-Za-z0-9_]{40,100}"),
    Rule("buildkite", "buildkite-token", ("bkua_", "bkct_", "bkaj_"), r"bk(?:ua|ct|aj)_[A-Za-z0-9]{40,80}"),
    Rule("sonar", "sonar-token", ("sqp_", "squ_", "sqa_"), r"sq[pua]_[a-f0-9]{40}"),
    Rule(
        "sourcegraph",
        "sourcegraph-token",
        ("sgp_", "sgd_"),
        r"sg[pd]_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40,64}",
    ),
    Rule("launchdarkly", "launchdarkly-key", ("sdk-", "api-"), rf"(?:sdk|api)-{_UUID}"),
    Rule("octopus", "octopus-key", ("API-",), rf"API-[A-Z0-9]{{26,32}}{_END}", check=is_random),
    Rule("prefect", "prefect-key", ("pnu_", "pnb_"), r"pn[ub]_[A-Za-z0-9]{36}"),
    Rule("posthog", "posthog-key", ("phx_", "phs_"), r"ph[xs]_[A-Za-z0-9]{40,60}"),
    Rule("postman", "postman-key", ("PMAK-",), r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    Rule("postman-collection", "postman-key", ("PMAT-",), r"PMAT-[A-Z0-9]{26}"),
    Rule("readme", "readme-key", ("rdme_",), r"rdme_[a-z0-9]{70}"),
    Rule("github-old-app", "github-token", ("v1.",), rf"v1\.[a-f0-9]{{40}}{_END}"),
    Rule("expo", "expo-token", ("expo_",), r"expo_[A-Za-z0-9_-]{40}"),
    Rule("unkey", "unkey-key", ("unkey_",), r"unkey_[A-Za-z0-9]{20,40}", check=is_random),
    Rule(
        "openai",
        "openai-key",
        ("sk-", "sess-"),
        r"(?:sk|sess)-(?:[a-z]{2,10}-)?[\w-]{32,220}",
        check=is_random,
    ),
    Rule("anthropic", "anthropic-key", ("sk-ant-",), r"sk-ant-[\w-]{32,220}", check=is_random),
    Rule("openrouter", "openrouter-key", ("sk-or-",), r"sk-or-v1-[a-f0-9]{64}"),
    Rule("langfuse", "langfuse-key", ("sk-lf-",), rf"sk-lf-{_UUID}"),
    Rule("huggingface", "huggingface-token", ("hf_",), r"hf_[A-Za-z0-9]{30,60}(?![\w-])", check=is_random),
    Rule("huggingface-org", "huggingface-token", ("api_org_",), r"api_org_[A-Za-z0-9]{30,60}"),
    Rule("groq", "groq-key", ("gsk_",), r"gsk_[A-Za-z0-9]{40,60}"),
    Rule("replicate", "replicate-token", ("r8_",), r"r8_[A-Za-z0-9]{37,40}"),
    Rule("perplexity", "perplexity-key", ("pplx-",), r"pplx-[A-Za-z0-9]{40,60}"),
    Rule("xai", "xai-key", ("xai-",), r"xai-[A-Za-z0-9]{60,100}"),
    Rule("fireworks", "fireworks-key", ("fw_",), r"fw_[A-Za-z0-9]{22,30}(?![\w-])", check=is_random),
    Rule("elevenlabs", "elevenlabs-key", ("sk_",), rf"sk_[a-f0-9]{{48}}{_END}"),
    Rule(
        "langsmith",
        "langsmith-key",
        ("lsv2_", "ls__"),
        r"ls(?:v2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|__[a-f0-9]{32})",
    ),
    Rule("pinecone", "pinecone-key", ("pcsk_",), r"pcsk_[A-Za-z0-9_]{50,100}"),
    Rule("nvidia", "nvidia-key", ("nvapi-",), r"nvapi-[\w-]{60,80}"),
    Rule("cerebras", "cerebras-key", ("csk-",), r"csk-[a-z0-9]{40,60}"),
    Rule("tavily", "tavily-key", ("tvly-",), r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,60}"),
    Rule("jina", "jina-key", ("jina_",), r"jina_[A-Za-z0-9_-]{50,80}"),
    Rule("wandb", "wandb-key", ("wandb_v1_",), r"wandb_v1_[A-Za-z0-9_]{40,120}"),
    Rule("voyage", "voyage-key", ("pa-",), r"pa-[A-Za-z0-9_-]{40,50}(?![\w-])", check=is_random),
    Rule("e2b", "e2b-key", ("e2b_",), r"e2b_[a-f0-9]{40}"),
    Rule("firecrawl", "firecrawl-key", ("fc-",), rf"fc-[a-f0-9]{{32}}{_END}"),
    Rule("roboflow", "roboflow-key", ("rf_",), r"rf_[A-Za-z0-9]{20,28}(?![\w-])", check=is_random),
    Rule("google-gemini", "gcp-api-key", ("AQ.",), r"AQ\.[A-Za-z0-9_-]{40,80}", check=is_random),
)


_PLATFORM_UUID = r"[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"
# What Microsoft writes into the keys of its services so that scanners know them.
_SIGNED = ("+ASt", "+ABa", "+AMC", "+ASb", "+AEh", "+ARm", "+ACR", "ACDb", "AIoT", "AzSe", "AzCa", "AzFu")

PLATFORMS = (
    Rule("dbt", "dbt-token", ("dbtc_", "dbtu_"), r"dbt[cu]_[\w-]{30,60}", check=is_random),
    Rule("infisical", "infisical-token", ("st.",), r"st\.[a-f0-9]{24}\.[a-f0-9]{32}\.[a-f0-9]{32}"),
    Rule(
        "snyk",
        "snyk-token",
        ("snyk_",),
        r"snyk_[a-z]{2,4}\.[a-f0-9]{8}\.eyJ[\w-]{20,2048}+\.[\w-]{20,1024}+",
    ),
    Rule("yandex-oauth", "yandex-token", ("y0_",), r"y0_{1,2}[\w-]{50,80}", check=is_random),
    Rule("checkly", "checkly-key", ("cu_",), rf"cu_[a-f0-9]{{32}}{_END}", check=is_numbered),
    Rule("cursor", "cursor-key", ("key_",), rf"key_[a-f0-9]{{64}}{_END}"),
    Rule("logfire", "logfire-token", ("pylf_",), r"pylf_v\d_[a-z]{2,8}_[A-Za-z0-9]{32,60}"),
    Rule(
        "deno", "deno-token", ("ddp_", "ddo_", "ddw_"), r"dd[pow]_[A-Za-z0-9]{36,40}(?!\w)", check=is_random
    ),
    Rule("nylas", "nylas-key", ("nyk_",), r"nyk_(?:v\d_)?[A-Za-z0-9]{40,80}"),
    Rule("together", "together-key", ("tgp_",), r"tgp_v\d_[\w-]{40,60}"),
    Rule("buildkite-cluster", "buildkite-token", ("bkct_", "bkpi_"), r"bk(?:ct|pi)_[\w-]{40,100}"),
    Rule("mailersend", "mailersend-token", ("mlsn.",), r"mlsn\.[a-f0-9]{60,70}"),
    Rule(
        "azure-signed",
        "azure-key",
        _SIGNED,
        rf"[A-Za-z0-9+/_-]{{20,80}}?(?:{'|'.join(map(re.escape, _SIGNED))})"
        r"[A-Za-z0-9+/]{5,14}={0,2}(?![\w+/=])",
        back=80,
        lead=LETTERS_DIGITS + "+/_-",
        check=is_random,
    ),
    Rule(
        "convex",
        "convex-key",
        ("prod:", "dev:", "preview:"),
        r"(?:prod|dev|preview):[\w:-]{3,80}\|[\w+/=-]{40,400}",
        check=is_random,
    ),
    Rule("sanity", "sanity-token", ("sk",), rf"sk[A-Za-z0-9]{{140,200}}{_END}", check=is_random),
    Rule(
        "paseto",
        "paseto",
        ("v1.", "v2.", "v3.", "v4."),
        r"v[1-4]\.(?:local|public)\.[\w-]{40,4096}+(?:\.[\w-]{2,400})?",
    ),
    Rule(
        "ngrok", "ngrok-token", ("ak_2", "cr_2"), rf"(?:ak|cr)_2[A-Za-z0-9]{{24,30}}{_END}", check=is_random
    ),
    Rule("hashicorp", "hashicorp-secret", ("hcp.",), r"hcp\.[\w-]{40,200}", check=is_random),
    Rule("temporal", "temporal-key", ("tmprl_",), r"tmprl_[\w-]{30,80}", check=is_random),
    Rule("confluent", "confluent-secret", ("cflt",), rf"cflt[A-Za-z0-9+/]{{50,70}}{_END}", check=is_random),
    Rule("aiven", "aiven-password", ("AVNS_",), r"AVNS_[\w-]{15,40}", check=is_numbered),
    Rule("aiven-token", "aiven-token", ("aivenv1",), r"aivenv1[A-Za-z0-9+/]{60,400}={0,2}"),
    Rule(
        "onfido",
        "onfido-token",
        ("api_live", "api_sandbox"),
        r"api_(?:live|sandbox)(?:_[a-z]{2})?\.[\w-]{10,20}\.[\w-]{20,40}",
    ),
    Rule(
        "deepl",
        "deepl-key",
        (":fx",),
        rf"{_PLATFORM_UUID}:fx(?!\w)",
        back=36,
        lead=f"{DIGITS}abcdefABCDEF-",
        check=is_numbered,
    ),
    Rule("intra42", "intra42-secret", ("s-s4t2", "u-s4t2"), rf"[su]-s4t2(?:ud|af)-[a-f0-9]{{64}}{_END}"),
    Rule("locationiq", "locationiq-key", ("pk.",), rf"pk\.[a-f0-9]{{32}}{_END}", check=is_numbered),
    Rule("pagerduty", "pagerduty-key", ("u+",), r"u\+[\w-]{18}(?![\w+/=-])", check=is_random),
    Rule("riot", "riot-key", ("RGAPI-",), rf"RGAPI-{_PLATFORM_UUID}"),
    Rule("age-plugin", "age-key", ("AGE-PLUGIN-",), r"AGE-PLUGIN-[A-Z0-9-]{3,40}1[A-Z0-9]{40,120}"),
    Rule("wallet", "wallet-key", ("xprv", "yprv", "zprv", "tprv"), r"[xyzt]prv[A-Za-z0-9]{100,112}(?!\w)"),
    Rule("nostr", "nostr-key", ("nsec1",), r"nsec1[a-z0-9]{58}(?!\w)"),
    Rule(
        "openvpn-static",
        "vpn-key",
        ("BEGIN OpenVPN Static key",),
        r"BEGIN OpenVPN Static key V\d-{4,5}\s{1,4}((?:[a-f0-9]{32}\s{1,4}){16})",
    ),
)


# What base64 makes of a Discord snowflake's first two digits.
_SNOWFLAKES = ("MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT")

SERVICES = (
    Rule(
        "slack",
        "slack-token",
        (
            "xoxa-",
            "xoxb-",
            "xoxc-",
            "xoxd-",
            "xoxe-",
            "xoxo-",
            "xoxp-",
            "xoxr-",
            "xoxs-",
            "xoxe.xox",
            "xapp-",
        ),
        r"(?:xoxe\.)?(?:xox[abcdeoprs]|xapp)-[A-Za-z0-9%+/-]{16,400}",
        check=is_numbered,
    ),
    Rule(
        "slack-webhook",
        "slack-webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack(?:-gov)?\.com/((?:services|workflows|triggers)/[A-Za-z0-9+/_-]{30,160})",
    ),
    Rule(
        "discord-bot",
        "discord-token",
        _SNOWFLAKES,
        r"[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,45}(?![\w.])",
        check=is_random,
    ),
    Rule("discord-mfa", "discord-token", ("mfa.",), r"mfa\.[\w-]{80,100}"),
    Rule(
        "discord-webhook", "discord-webhook", ("/api/webhooks/",), r"/api/webhooks/(\d{15,22}/[\w-]{50,100})"
    ),
    Rule(
        "teams-webhook",
        "teams-webhook",
        ("webhook.office.com/",),
        r"webhook\.office\.com/(webhookb2/[\w@/-]{60,300})",
    ),
    Rule(
        "telegram",
        "telegram-token",
        (":AA",),
        r"\d{7,11}:AA[\w-]{32,34}(?![\w-])",
        back=11,
        lead=DIGITS,
    ),
    Rule("twilio", "twilio-key", ("SK",), rf"SK[a-f0-9]{{32}}{_END}", check=is_numbered),
    Rule("twilio-account", "twilio-account", ("AC",), rf"AC[a-f0-9]{{32}}{_END}", check=is_numbered),
    Rule("sendgrid", "sendgrid-key", ("SG.",), r"SG\.[\w-]{16,32}\.[\w-]{16,64}", check=is_random),
    Rule("mailgun", "mailgun-key", ("key-", "pubkey-"), rf"(?:pub)?key-[a-f0-9]{{32}}{_END}"),
    Rule("mailchimp", "mailchimp-key", ("-us",), r"[a-f0-9]{32}-us\d{1,2}(?!\w)", back=32),
    Rule("brevo", "brevo-key", ("xkeysib-", "xsmtpsib-"), r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    Rule("resend", "resend-key", ("re_",), r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,32}(?![\w-])", check=is_random),
    Rule("intercom", "intercom-token", ("dG9rOi",), rf"dG9rOi[A-Za-z0-9+/]{{40,60}}={{0,2}}{_END}"),
    Rule(
        "zapier-webhook",
        "zapier-webhook",
        ("hooks.zapier.com/",),
        r"hooks\.zapier\.com/(hooks/catch/\d{1,12}/\w{5,20})",
    ),
    Rule(
        "messagebird",
        "messagebird-key",
        ("AccessKey ",),
        r"AccessKey ([A-Za-z0-9]{25})(?!\w)",
        check=is_random,
    ),
    Rule(
        "stripe",
        "stripe-key",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_"),
        r"[sr]k_(?:live|test|prod)_[A-Za-z0-9_-]{16,250}",
        check=lambda text: is_random(text[8:]),
    ),
    Rule("webhook-signing", "webhook-secret", ("whsec_",), r"whsec_[A-Za-z0-9+/]{24,100}={0,2}"),
    Rule("square", "square-token", ("sq0",), r"sq0(?:atp|csp|i[dp]p)-[\w-]{22,50}"),
    Rule("square-access", "square-token", ("EAAA",), r"EAAA[\w-]{60}(?![\w+/=-])", check=is_random),
    Rule("facebook", "facebook-token", ("EAA",), r"EAA[A-Za-z0-9]{80,400}(?![\w+/=-])", check=is_random),
    Rule(
        "paypal",
        "paypal-token",
        ("access_token$",),
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
    ),
    Rule(
        "paypal-bearer", "paypal-token", ("A21AA", "A101."), r"A(?:21AA|101\.)[\w.-]{60,200}", check=is_random
    ),
    Rule(
        "plaid",
        "plaid-token",
        ("access-", "public-"),
        rf"(?:access|public)-(?:sandbox|development|production)-{_UUID}",
    ),
    Rule(
        "shopify",
        "shopify-token",
        ("shpat_", "shpca_", "shppa_", "shpss_", "shptka_"),
        r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}",
    ),
    Rule("flutterwave", "flutterwave-key", ("FLWSECK",), r"FLWSECK(?:_TEST)?-[a-z0-9]{12,40}-X"),
    Rule("razorpay", "razorpay-key", ("rzp_",), r"rzp_(?:live|test)_[A-Za-z0-9]{14,24}"),
    Rule("lob", "lob-key", ("live_", "test_"), r"(?:live|test)_(?:pub_)?[a-f0-9]{31,35}(?!\w)"),
    Rule("mollie", "mollie-key", ("live_", "test_"), r"(?:live|test)_[A-Za-z0-9]{30}(?!\w)", check=is_random),
    Rule(
        "gocardless",
        "gocardless-token",
        ("live_", "sandbox_"),
        r"(?:live|sandbox)_[\w=-]{40}(?![\w-])",
        check=is_random,
    ),
    Rule("shippo", "shippo-token", ("shippo_",), r"shippo_(?:live|test)_[a-f0-9]{40}"),
    Rule("easypost", "easypost-key", ("EZAK", "EZTK"), r"EZ[AT]K[A-Za-z0-9]{54}"),
    Rule("duffel", "duffel-token", ("duffel_",), r"duffel_(?:live|test)_[\w=-]{43}"),
    Rule(
        "adyen", "adyen-key", ("AQE",), r"AQE[A-Za-z0-9+/=]{40,400}-[A-Za-z0-9+/=]{20,200}-[^\s\"'\\]{8,32}"
    ),
    Rule("coinbase", "coinbase-key", ("organizations/",), rf"organizations/{_UUID}/apiKeys/{_UUID}"),
    Rule(
        "newrelic",
        "newrelic-key",
        ("NRAK-", "NRAA-", "NRJS-", "NRII-", "NRRA-", "NRIQ-"),
        r"NR(?:AK|AA|JS|II|RA|IQ)-[\w-]{19,48}",
    ),
    Rule(
        "newrelic-license",
        "newrelic-key",
        ("NRAL",),
        rf"(?:eu01xx)?[a-f0-9]{{30,36}}(?:FFFF)?NRAL{_END}",
        back=46,
    ),
    Rule(
        "sentry",
        "sentry-token",
        ("sntryu_", "sntrys_"),
        r"sntry(?:u_[a-f0-9]{64}|s_eyJ[A-Za-z0-9+/=_]{60,1024}+)",
    ),
    Rule(
        "sentry-dsn",
        "sentry-dsn",
        ("://",),
        r"://([a-f0-9]{32}(?::[a-f0-9]{32})?)@[\w.:-]{1,120}/",
        check=is_random,
    ),
    Rule("grafana", "grafana-token", ("glsa_",), r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    Rule("grafana-cloud", "grafana-token", ("glc_",), r"glc_[A-Za-z0-9+/]{32,400}={0,3}", check=is_random),
    Rule("grafana-legacy", "grafana-token", ("eyJrIjoi",), r"eyJrIjoi[A-Za-z0-9+/]{40,400}={0,3}"),
    Rule(
        "honeycomb",
        "honeycomb-key",
        ("hcaik_", "hcbik_", "hcaic_", "hcxik_", "hcxmk_", "hcxlk_"),
        r"hc[abx][imlc][kc]_[a-z0-9]{40,70}",
    ),
    Rule("dynatrace", "dynatrace-token", ("dt0",), r"dt0[a-z]\d{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    Rule("okta", "okta-token", ("SSWS ", "ssws "), r"(?:SSWS|ssws) (00[\w-]{40})"),
    Rule("airtable", "airtable-token", ("pat",), r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    Rule("notion", "notion-token", ("ntn_",), r"ntn_[A-Za-z0-9]{40,60}"),
    Rule("notion-old", "notion-token", ("secret_",), r"secret_[A-Za-z0-9]{43}(?!\w)", check=is_random),
    Rule("linear", "linear-key", ("lin_",), r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,64}"),
    Rule("asana", "asana-token", ("1/", "2/", "0/"), r"[012]/\d{10,20}(?:/\d{10,20})?:[a-f0-9]{32}"),
    Rule(
        "figma",
        "figma-token",
        ("figd_", "figo_", "figu_", "figr_", "figoh_", "figor_"),
        r"fig(?:d|o|u|r|oh|or)_[\w-]{38,60}",
    ),
    Rule("mapbox", "mapbox-token", ("sk.eyJ", "pk.eyJ", "tk.eyJ"), r"[spt]k\.eyJ[\w-]{40,400}\.[\w-]{20,60}"),
    Rule("mapbox-old", "mapbox-token", ("pk.", "sk."), r"[sp]k\.[a-z0-9]{60}\.[a-z0-9]{22}(?!\w)"),
    Rule(
        "twitter-bearer",
        "twitter-token",
        ("AAAAAAAAAA",),
        r"A{16,24}(?!A)[A-Za-z0-9%=]{50,140}(?![+/])",
        check=lambda text: is_random(text.lstrip("A")),
    ),
    Rule("dropbox", "dropbox-token", ("sl.",), r"sl\.(?:[A-Za-z]\.)?[\w-]{100,2048}+={0,2}", check=is_random),
    Rule("contentful", "contentful-token", ("CFPAT-",), r"CFPAT-[\w-]{40,64}"),
    Rule("typeform", "typeform-token", ("tfp_",), r"tfp_[\w.=-]{40,70}"),
    Rule("frameio", "frameio-token", ("fio-u-",), r"fio-u-[\w=-]{64}"),
    Rule("hubspot", "hubspot-token", ("pat-",), rf"pat-[a-z]{{2}}\d-{_UUID}"),
    Rule("salesforce", "salesforce-token", ("00D",), r"00D[A-Za-z0-9]{12,15}![\w.]{60,200}"),
    Rule("clickup", "clickup-token", ("pk_",), r"pk_\d{6,10}_[A-Z0-9]{32}(?!\w)"),
    Rule(
        "rapidapi",
        "rapidapi-key",
        ("jsn",),
        r"[a-f0-9]{10}msh[a-f0-9]{15}p1[a-f0-9]{5,6}jsn[a-f0-9]{12}",
        back=36,
    ),
    Rule(
        "atlassian-old",
        "atlassian-token",
        ("ATLASSIAN_",),
        r"ATLASSIAN_\w{0,20}[=:] ?([A-Za-z0-9]{24})(?!\w)",
        check=is_random,
    ),
    Rule("instagram", "facebook-token", ("IGQV", "IGAA"), r"IG(?:QV|AA)[\w-]{60,300}", check=is_random),
    Rule(
        "sumologic",
        "sumologic-key",
        ("collectors.sumologic.com/",),
        r"collectors\.sumologic\.com/(receiver/v1/http/[\w=-]{60,200})",
    ),
    Rule("zoho", "zoho-token", ("1000.",), r"1000\.[a-f0-9]{32}\.[a-f0-9]{32}(?!\w)"),
    Rule(
        "cloudinary",
        "cloudinary-url",
        ("cloudinary://",),
        r"cloudinary://\d{10,20}:([\w-]{20,40})@",
        check=is_random,
    ),
    Rule("cisco-webex", "webex-token", ("Y2lzY29zcGFyazov",), r"Y2lzY29zcGFyazov[\w+/=-]{40,200}"),
)


RULES: tuple[Rule, ...] = (*CLOUDS, *FORGES, *PLATFORMS, *SERVICES, *CREDENTIALS, *COMMANDS)
