"""Keys of clouds, hosts, databases and secret stores, from what their makers publish."""

from __future__ import annotations

from satchel.redaction.rules import LETTERS_DIGITS, Rule
from satchel.redaction.values import is_random

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
