"""Keys of messengers, payments, shops, monitors and other services that programs talk to."""

from __future__ import annotations

import string

from satchel.redaction.rules import Rule
from satchel.redaction.values import is_numbered, is_random

_END = r"(?![A-Za-z0-9])"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
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
        lead=string.digits,
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
        r"A{16,24}[A-Za-z0-9%+/=]{50,140}",
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
