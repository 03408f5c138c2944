"""Keys of platforms that publish a prefix of their own: data, deployment, identity, AI, messaging."""

from __future__ import annotations

import re

from satchel.redaction.rules import DIGITS, LETTERS_DIGITS, Rule
from satchel.redaction.values import is_numbered, is_random

_END = r"(?![A-Za-z0-9])"
_UUID = r"[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"
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
        rf"{_UUID}:fx(?!\w)",
        back=36,
        lead=f"{DIGITS}abcdefABCDEF-",
        check=is_numbered,
    ),
    Rule("intra42", "intra42-secret", ("s-s4t2", "u-s4t2"), rf"[su]-s4t2(?:ud|af)-[a-f0-9]{{64}}{_END}"),
    Rule("locationiq", "locationiq-key", ("pk.",), rf"pk\.[a-f0-9]{{32}}{_END}", check=is_numbered),
    Rule("pagerduty", "pagerduty-key", ("u+",), r"u\+[\w-]{18}(?![\w+/=-])", check=is_random),
    Rule("riot", "riot-key", ("RGAPI-",), rf"RGAPI-{_UUID}"),
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
