"""A second list of secrets, written from what makers publish before its author had read a rule.

`docs/benchmarks/redaction.py --unseen` measures with it. Templates only: `{w24}` is 24 letters and digits, drawn.
"""

# ruff: noqa: E501, E741 (a table)
from __future__ import annotations

import base64
import json
import random
import re
import string
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

SETS = {
    "x": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "n": string.digits,
    "l": string.ascii_lowercase,
    "a": string.ascii_lowercase + string.digits,
    "A": string.ascii_uppercase + string.digits,
    "U": string.ascii_uppercase,
    "w": string.ascii_letters + string.digits,
    "b": string.ascii_letters + string.digits + "-_",
    "B": string.ascii_letters + string.digits + "+/",
    "T": string.ascii_uppercase + "234567",
    "p": string.ascii_letters + string.digits + "!#*+-_=?^",
    "m": string.ascii_letters + string.digits + "_",
    "h": "qpzry9x8gf2tvdw0s3jn54khce6mua7l".upper(),
    "L": string.ascii_letters,
    "t": string.ascii_letters + string.digits + "~._-",
    "8": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}


def fill(t: str, rng: random.Random) -> str:
    def one(m: re.Match[str]) -> str:
        kind, lo, hi = m[1], int(m[2]), int(m[3] or m[2])
        if kind == "J":
            return b64u(json.dumps({"u": fill(UUID, rng), "id": fill(UUID, rng)}).encode())
        return "".join(rng.choice(SETS[kind]) for _ in range(rng.randint(lo, hi)))

    return re.sub(r"\{(\w)(\d+)(?:-(\d+))?\}", one, t)


UUID = "{x8}-{x4}-4{x3}-a{x3}-{x12}"


def b64u(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def jwt(rng: random.Random, payload: dict[str, Any] | None = None, alg: str = "HS256") -> str:
    p = payload or {"sub": fill("{n10}", rng), "name": "J", "iat": rng.randrange(10**9, 2 * 10**9)}
    return ".".join(
        [
            b64u(json.dumps({"alg": alg, "typ": "JWT"}, separators=(",", ":")).encode()),
            b64u(json.dumps(p, separators=(",", ":")).encode()),
            fill("{b43}", rng),
        ]
    )


# name: (name for assignments, template). Form: recognisable without a name.
FORM = {
    "aws-access": ("AWS_ACCESS_KEY_ID", "AKIA{T16}"),
    "aws-temp": ("accessKeyId", "ASIA{T16}"),
    "aws-bedrock-long": ("AWS_BEARER_TOKEN_BEDROCK", "ABSKQmVkcm9ja0FQSUtleS{B100-110}"),
    "aws-bedrock-short": ("AWS_BEARER_TOKEN_BEDROCK", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{B200}"),
    "aws-mws": ("mws_auth", "amzn.mws." + UUID),
    "gcp-api": ("GOOGLE_API_KEY", "AIza{b35}"),
    "gcp-oauth-secret": ("client_secret", "GOCSPX-{b28}"),
    "gcp-refresh": ("refresh_token", "1//0{b1}{b90-100}"),
    "gcp-access": ("access_token", "ya29.a0{b150}"),
    "gemini-new": ("GEMINI_API_KEY", "AQ.Ab8RN6{b44}"),
    "azure-ad-secret": ("AZURE_CLIENT_SECRET", "{m3}8Q~{t34}"),
    "azure-devops-new": ("AZURE_DEVOPS_PAT", "{w76}AZDO{w4}"),
    "azure-storage": ("AccountKey", "{B76}+ASt{B6}=="),
    "azure-apim": ("SubscriptionKey", "{w22}AzSe{w14}"),
    "github-pat": ("GITHUB_TOKEN", "ghp_{w36}"),
    "github-oauth": ("token", "gho_{w36}"),
    "github-u2s": ("token", "ghu_{w36}"),
    "github-s2s": ("GH_TOKEN", "ghs_{w36}"),
    "github-refresh": ("refresh", "ghr_{w36}"),
    "github-fine": ("GITHUB_PAT", "github_pat_11{A20}_{w59}"),
    "gitlab-pat": ("GITLAB_TOKEN", "glpat-{b20}"),
    "gitlab-pat-routable": ("GITLAB_TOKEN", "glpat-{b27}.{a2}.{a2}0{a7}"),
    "gitlab-deploy": ("DEPLOY", "gldt-{b20}"),
    "gitlab-runner": ("runner", "glrt-{b20}"),
    "gitlab-runner-reg": ("runner", "GR1348941{b20}"),
    "gitlab-trigger": ("trigger", "glptt-{x40}"),
    "gitlab-cibuild": ("job", "glcbt-{x2}_{b20}"),
    "gitlab-feed": ("feed", "glft-{b20}"),
    "gitlab-imap": ("imap", "glimt-{b25}"),
    "gitlab-agent": ("agent", "glagent-{b50}"),
    "gitlab-oauth": ("app", "gloas-{x64}"),
    "gitlab-scim": ("scim", "glsoat-{b20}"),
    "gitlab-featureflag": ("unleash", "glffct-{b20}"),
    "bitbucket-app": ("BITBUCKET_APP_PASSWORD", "ATBB{w24}{X8}"),
    "atlassian-api": ("JIRA_TOKEN", "ATATT3xFfGF0{b170}={X8}"),
    "atlassian-access": ("access", "ATCTT3xFfGN0{b170}={X8}"),
    "slack-bot": ("SLACK_BOT_TOKEN", "xoxb-{n12}-{n13}-{w24}"),
    "slack-user": ("SLACK_TOKEN", "xoxp-{n12}-{n12}-{n13}-{x32}"),
    "slack-app": ("SLACK_APP_TOKEN", "xapp-1-A{A10}-{n13}-{x64}"),
    "slack-config": ("config", "xoxe.xoxp-1-{B140}"),
    "slack-config-refresh": ("config", "xoxe-1-{w146}"),
    "slack-cookie": ("d", "xoxd-{w120}"),
    "slack-legacy": ("t", "xoxs-{n11}-{n11}-{n11}-{x10}"),
    "slack-webhook": ("hook", "https://hooks.slack.com/services/T{A10}/B{A10}/{w24}"),
    "slack-workflow": ("hook", "https://hooks.slack.com/workflows/T{A10}/A{A10}/{n18}/{w24}"),
    "discord-bot": ("DISCORD_TOKEN", "MT{w24}.G{b5}.{b38}"),
    "discord-webhook": ("hook", "https://discord.com/api/webhooks/{n18}/{b68}"),
    "teams-webhook": (
        "hook",
        "https://acme.webhook.office.com/webhookb2/" + UUID + "@" + UUID + "/IncomingWebhook/{x32}/" + UUID,
    ),
    "telegram": ("BOT_TOKEN", "{n10}:AA{b33}"),
    "twilio-key": ("TWILIO_API_KEY", "SK{x32}"),
    "sendgrid": ("SENDGRID_API_KEY", "SG.{b22}.{b43}"),
    "mailgun": ("MAILGUN_KEY", "key-{x32}"),
    "mailgun-new": ("MAILGUN_API_KEY", "{x32}-{x8}-{x8}"),
    "mailchimp": ("MAILCHIMP_API_KEY", "{x32}-us14"),
    "sendinblue": ("BREVO_KEY", "xkeysib-{x64}-{w16}"),
    "brevo-smtp": ("SMTP", "xsmtpsib-{x64}-{w16}"),
    "resend": ("RESEND_API_KEY", "re_{w8}_{w24}"),
    "stripe-live": ("STRIPE_KEY", "sk_live_{w24}"),
    "stripe-live-long": ("STRIPE_KEY", "sk_live_51{w97}"),
    "stripe-test": ("STRIPE_KEY", "sk_test_{w24}"),
    "stripe-restricted": ("STRIPE_KEY", "rk_live_{w24}"),
    "stripe-whsec": ("endpointSecret", "whsec_{w32}"),
    "svix-whsec": ("SVIX", "whsec_{B32}"),
    "square-access": ("SQUARE", "EAAA{b60}"),
    "square-old": ("SQUARE", "sq0atp-{b22}"),
    "square-secret": ("SQUARE", "sq0csp-{b43}"),
    "braintree": ("BRAINTREE", "access_token$production${a16}${x32}"),
    "adyen": ("ADYEN_API_KEY", "AQEyhmfxK{B90}-{B43}=-{w16}"),
    "plaid-access": ("plaid", "access-production-" + UUID),
    "razorpay": ("RAZORPAY_KEY", "rzp_live_{w14}"),
    "flutterwave": ("FLW", "FLWSECK-{x32}-X"),
    "paystack": ("PAYSTACK", "sk_live_{x40}"),
    "lob": ("LOB", "live_{x35}"),
    "shopify-admin": ("SHOPIFY", "shpat_{x32}"),
    "shopify-custom": ("SHOPIFY", "shpca_{x32}"),
    "shopify-private": ("SHOPIFY", "shppa_{x32}"),
    "shopify-secret": ("SHOPIFY", "shpss_{x32}"),
    "openai-old": ("OPENAI_API_KEY", "sk-{w20}T3BlbkFJ{w20}"),
    "openai-proj": ("OPENAI_API_KEY", "sk-proj-{b74}T3BlbkFJ{b74}"),
    "openai-svc": ("OPENAI_API_KEY", "sk-svcacct-{b74}T3BlbkFJ{b74}"),
    "openai-admin": ("OPENAI_ADMIN_KEY", "sk-admin-{b74}T3BlbkFJ{b74}"),
    "anthropic-api": ("ANTHROPIC_API_KEY", "sk-ant-api03-{b93}AA"),
    "anthropic-admin": ("ANTHROPIC_ADMIN_KEY", "sk-ant-admin01-{b93}AA"),
    "anthropic-oauth": ("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-{b93}AA"),
    "anthropic-refresh": ("refresh", "sk-ant-ort01-{b93}AA"),
    "openrouter": ("OPENROUTER_API_KEY", "sk-or-v1-{x64}"),
    "groq": ("GROQ_API_KEY", "gsk_{w52}"),
    "xai": ("XAI_API_KEY", "xai-{w80}"),
    "perplexity": ("PPLX", "pplx-{w48}"),
    "replicate": ("REPLICATE", "r8_{w37}"),
    "huggingface": ("HF_TOKEN", "hf_{L34}"),
    "huggingface-org": ("HF", "api_org_{L34}"),
    "langsmith": ("LANGSMITH_API_KEY", "lsv2_pt_{x32}_{x10}"),
    "langsmith-sk": ("LANGSMITH", "lsv2_sk_{x32}_{x10}"),
    "langfuse": ("LANGFUSE_SECRET_KEY", "sk-lf-" + UUID),
    "pinecone": ("PINECONE", "pcsk_{w5}_{w63}"),
    "tavily": ("TAVILY", "tvly-dev-{w32}"),
    "firecrawl": ("FIRECRAWL", "fc-{x32}"),
    "elevenlabs": ("ELEVENLABS_API_KEY", "sk_{x48}"),
    "fireworks": ("FIREWORKS_API_KEY", "fw_{w22}"),
    "nvidia": ("NVIDIA_API_KEY", "nvapi-{b64}"),
    "cerebras": ("CEREBRAS_API_KEY", "csk-{a48}"),
    "jina": ("JINA_API_KEY", "jina_{x32}{b28}"),
    "voyage": ("VOYAGE_API_KEY", "pa-{b43}"),
    "together": ("TOGETHER_API_KEY", "tgp_v1_{b43}"),
    "wandb": ("WANDB_API_KEY", "wandb_v1_{w27}_{w50}"),
    "databricks": ("DATABRICKS", "dapi{x32}"),
    "dbt": ("DBT", "dbtc_{b40}"),
    "dbt-user": ("DBT", "dbtu_{b40}"),
    "npm": ("NPM_TOKEN", "npm_{w36}"),
    "pypi": ("TWINE", "pypi-AgEIcHlwaS5vcmc{b150-170}"),
    "rubygems": ("GEM", "rubygems_{x48}"),
    "crates": ("CARGO", "cio{w32}"),
    "nuget": ("NUGET", "oy2{a43}"),
    "clojars": ("CLOJARS", "CLOJARS_{x60}"),
    "docker-pat": ("DOCKER", "dckr_pat_{b27}"),
    "docker-oat": ("DOCKER", "dckr_oat_{b32}"),
    "terraform": ("TF", "{w14}.atlasv1.{b67}"),
    "vault-hvs": ("VAULT", "hvs.{b94}"),
    "vault-hvb": ("VAULT", "hvb.{b140}"),
    "vault-old": ("VAULT_TOKEN", "s.{w24}"),
    "doppler-pt": ("DOPPLER", "dp.pt.{w43}"),
    "doppler-st": ("DOPPLER", "dp.st.prd.{w43}"),
    "doppler-ct": ("DOPPLER", "dp.ct.{w43}"),
    "doppler-sa": ("DOPPLER", "dp.sa.{w43}"),
    "doppler-audit": ("DOPPLER", "dp.audit.{w43}"),
    "doppler-scim": ("DOPPLER", "dp.scim.{w43}"),
    "1password-svc": ("OP", "ops_eyJ{B260}"),
    "1password-secret": ("OP", "A3-{A6}-{A11}-{A5}-{A5}-{A5}"),
    "infisical": ("INFISICAL", "st.{x24}.{x32}.{x32}"),
    "pulumi": ("PULUMI", "pul-{x40}"),
    "fly": ("FLY_API_TOKEN", "fo1_{b43}"),
    "fly-macaroon": ("FLY_API_TOKEN", "FlyV1 fm2_{B200}"),
    "heroku": ("HEROKU", "HRKU-AA{b58}"),
    "netlify": ("NETLIFY_AUTH_TOKEN", "nfp_{w36}"),
    "vercel-new": ("VERCEL_TOKEN", "vcp_{w56}"),
    "vercel-blob": ("BLOB_READ_WRITE_TOKEN", "vercel_blob_rw_{w16}_{w30}"),
    "cloudflare-origin": ("CA", "v1.0-{x24}-{x146}"),
    "cloudflare-new": ("CLOUDFLARE_API_TOKEN", "cfut_{w40}{x8}"),
    "do-pat": ("DO", "dop_v1_{x64}"),
    "do-oauth": ("DO", "doo_v1_{x64}"),
    "do-refresh": ("DO", "dor_v1_{x64}"),
    "newrelic-user": ("NR", "NRAK-{A27}"),
    "newrelic-license": ("NR", "{x36}NRAL"),
    "newrelic-insert": ("NR", "NRII-{b32}"),
    "newrelic-query": ("NR", "NRIQ-{b32}"),
    "newrelic-browser": ("NR", "NRJS-{x19}"),
    "grafana-sa": ("GRAFANA", "glsa_{w32}_{x8}"),
    "grafana-cloud": ("GRAFANA", "glc_eyJ{B80}"),
    "grafana-old": ("GRAFANA", "eyJrIjoi{w90-100}=="),
    "sentry-org": ("SENTRY", "sntrys_eyJpYXQiOjE{B140}_{b43}"),
    "sentry-user": ("SENTRY", "sntryu_{x64}"),
    "honeycomb": ("HONEYCOMB", "hcaik_01{a60}"),
    "pagerduty": ("PAGERDUTY_API_KEY", "u+{b18}"),
    "linear": ("LINEAR", "lin_api_{w40}"),
    "linear-oauth": ("LINEAR", "lin_oauth_{x64}"),
    "notion-new": ("NOTION", "ntn_{n11}{w35}"),
    "notion-old": ("NOTION", "secret_{w43}"),
    "airtable": ("AIRTABLE", "pat{w14}.{x64}"),
    "figma": ("FIGMA", "figd_{b40}"),
    "dropbox-short": ("DROPBOX", "sl.{b136}"),
    "supabase": ("SUPABASE", "sbp_{x40}"),
    "supabase-secret": ("SUPABASE", "sb_secret_{b22}_{b8}"),
    "planetscale": ("PSCALE", "pscale_tkn_{b43}"),
    "planetscale-pw": ("PSCALE", "pscale_pw_{b43}"),
    "planetscale-oauth": ("PSCALE", "pscale_oauth_{b43}"),
    "neon": ("NEON_API_KEY", "napi_{a64}"),
    "fcm": ("FCM", "AAAA{w7}:APA91b{b134}"),
    "facebook": ("FB", "EAAB{w100-160}"),
    "facebook-app": ("FB", "EAACEdEose0cBA{w120}"),
    "twitter-bearer": ("TW", "AAAAAAAAAAAAAAAAAAAAAP{w30}%3D{w46}"),
    "mapbox-sk": ("MAPBOX", "sk.eyJ1Ijoi{w80}.{b22}"),
    "contentful": ("CONTENTFUL", "CFPAT-{b43}"),
    "prefect": ("PREFECT", "pnu_{w36}"),
    "postman": ("POSTMAN", "PMAK-{x24}-{x34}"),
    "readme": ("README_IO", "rdme_{a70}"),
    "buildkite": ("BUILDKITE", "bkua_{x40}"),
    "buildkite-agent": ("BUILDKITE_AGENT_TOKEN", "bkct_{b60}"),
    "circleci-pat": ("CIRCLE", "CCIPAT_{w22}_{x40}"),
    "circleci-prj": ("CIRCLE", "CCIPRJ_{w22}_{x40}"),
    "sonar-user": ("SONAR", "squ_{x40}"),
    "sonar-project": ("SONAR", "sqp_{x40}"),
    "sonar-global": ("SONAR", "sqa_{x40}"),
    "snyk-new": ("SNYK", "snyk_uat.{x8}.eyJ{b60}.{b60}"),
    "jfrog-akc": ("ARTIFACTORY", "AKCp{w69}"),
    "jfrog-ref": ("ARTIFACTORY", "cmVmdGtuOjAxOj{w50}"),
    "dynatrace": ("DT", "dt0c01.{T24}.{T64}"),
    "age": ("AGE", "AGE-SECRET-KEY-1{h58}"),
    "easypost": ("EP", "EZAK{w54}"),
    "easypost-test": ("EP", "EZTK{w54}"),
    "duffel": ("DUFFEL", "duffel_live_{b43}"),
    "frameio": ("FIO", "fio-u-{b64}"),
    "shippo": ("SHIPPO", "shippo_live_{x40}"),
    "typeform": ("TYPEFORM", "tfp_{b44}_{b14}"),
    "alibaba": ("ALIYUN", "LTAI{w20}"),
    "tencent": ("TENCENT", "AKID{w32}"),
    "yandex": ("YC", "AQVN{b35}"),
    "yandex-oauth": ("YC", "y0_AgAAAA{b50}"),
    "scaleway": ("SCW", "SCW{A17}"),
    "intra42": ("X42", "s-s4t2ud-{x64}"),
    "hashicorp-batch": ("VAULT", "hvr.{b94}"),
    "posthog-personal": ("POSTHOG", "phx_{w43}"),
    "clerk": ("CLERK_SECRET", "sk_test_{w42}"),
    "workos": ("WORKOS", "sk_live_{w46}"),
    "ngrok": ("NGROK", "2{w26}_{w21}"),
    "tailscale": ("TAILSCALE", "tskey-auth-k{w16}CNTRL-{w32}"),
    "tailscale-api": ("TAILSCALE", "tskey-api-k{w16}CNTRL-{w32}"),
    "onepassword-connect": ("RENDER", "rnd_{w28}"),
    "zapier-hook": ("hook", "https://hooks.zapier.com/hooks/catch/{n7}/{a7}/"),
    "ghost-locationiq": ("LOCATIONIQ", "pk.{x32}"),
    "sourcegraph": ("SRC", "sgp_{x16}_{x40}"),
    "hubspot": ("HUBSPOT", "pat-na1-" + UUID),
    "checkly": ("CHECKLY", "cu_{x32}"),
    "logfire": ("LOGFIRE", "pylf_v1_us_{w43}"),
    "e2b": ("E2B", "e2b_{x40}"),
    "convex": ("OPENSEA", "prod:{l6}-{l6}-{n3}|{w50}"),
    "cursor": ("CURSOR", "key_{x64}"),
    "octopus": ("OCTO", "API-{A26}"),
    "harness": ("HARNESS", "pat.{w22}.{x24}.{w20}"),
    "launchdarkly": ("LD_SDK", "sdk-" + UUID),
    "launchdarkly-api": ("LD", "api-" + UUID),
    "confluent": ("CONFLUENT_API_SECRET", "cflt{B60}"),
    "turso-asana": ("ASANA", "1/{n16}:{x32}"),
    "asana-v2": ("ASANA", "2/{n16}/{n16}:{x32}"),
    "monday-jwt-like": ("MONDAY", "eyJhbGciOiJIUzI1NiJ9.eyJ0aWQiOjE{b90}.{b43}"),
    "rootly": ("ROOTLY", "rootly_{x64}"),
    "artifactory-idtoken": (
        "PRISMIC",
        "eyJ2ZXIiOiIyIiwidHlwIjoiSldUIiwiYWxnIjoiUlMyNTYifQ.eyJzdWIiOi{b90}.{b300}",
    ),
    "deno": ("DENO_DEPLOY", "ddp_{w36}"),
    "sanity": ("SANITY", "sk{w178}"),
    "tinybird": ("TB", "p.{J1}.{b43}"),
    "upstash": ("UPSTASH_REDIS_REST_TOKEN", "AYAg{B56}=="),
    "ably": ("ABLY_API_KEY", "{b6}.{b6}:{b43}"),
    "getstream-nylas": ("NYLAS_API_KEY", "nyk_v0_{w64}"),
    "loops-knock": ("KNOCK", "sk_prod_{b43}"),
    "zoho-refresh": ("ZOHO", "1000.{x32}.{x32}"),
}
# only recognisable by the name beside it
NAMED = {
    "aws-secret": ("aws_secret_access_key", "{B40}"),
    "aws-session": ("aws_session_token", "IQoJb3JpZ2luX2Vj{B300}"),
    "azure-devops": ("AZURE_DEVOPS_EXT_PAT", "{a52}"),
    "azure-cosmos": ("COSMOS_KEY", "{B86}=="),
    "azure-openai": ("AZURE_OPENAI_API_KEY", "{x32}"),
    "bitbucket-secret": ("BITBUCKET_CLIENT_SECRET", "{b32}"),
    "slack-signing": ("SLACK_SIGNING_SECRET", "{x32}"),
    "discord-secret": ("DISCORD_CLIENT_SECRET", "{b32}"),
    "twilio-auth": ("TWILIO_AUTH_TOKEN", "{x32}"),
    "postmark": ("POSTMARK_SERVER_TOKEN", UUID),
    "paypal": ("PAYPAL_CLIENT_SECRET", "E{b79}"),
    "plaid-secret": ("PLAID_SECRET", "{x30}"),
    "mistral": ("MISTRAL_API_KEY", "{w32}"),
    "cohere": ("COHERE_API_KEY", "{w40}"),
    "weaviate": ("WEAVIATE_API_KEY", "{w36}"),
    "snowflake": ("SNOWFLAKE_PASSWORD", "{p16}"),
    "heroku-old": ("HEROKU_API_KEY", UUID),
    "vercel": ("VERCEL_TOKEN", "{w24}"),
    "cloudflare-token": ("CLOUDFLARE_API_TOKEN", "{b40}"),
    "cloudflare-global": ("CF_API_KEY", "{x37}"),
    "linode": ("LINODE_TOKEN", "{x64}"),
    "hetzner": ("HCLOUD_TOKEN", "{w64}"),
    "scaleway-secret": ("SCW_SECRET_KEY", UUID),
    "fastly": ("FASTLY_API_TOKEN", "{b32}"),
    "datadog-api": ("DD_API_KEY", "{x32}"),
    "datadog-app": ("DATADOG_APP_KEY", "{x40}"),
    "rollbar": ("ROLLBAR_ACCESS_TOKEN", "{x32}"),
    "bugsnag": ("BUGSNAG_API_KEY", "{x32}"),
    "opsgenie": ("OPSGENIE_API_KEY", UUID),
    "box": ("BOX_CLIENT_SECRET", "{w32}"),
    "okta": ("OKTA_API_TOKEN", "00{b40}"),
    "auth0": ("AUTH0_CLIENT_SECRET", "{b64}"),
    "linkedin": ("LINKEDIN_CLIENT_SECRET", "{w16}"),
    "twitch": ("TWITCH_CLIENT_SECRET", "{a30}"),
    "spotify": ("SPOTIFY_CLIENT_SECRET", "{x32}"),
    "algolia": ("ALGOLIA_ADMIN_KEY", "{x32}"),
    "twitter-secret": ("TWITTER_CONSUMER_SECRET", "{w50}"),
    "circleci": ("CIRCLECI_TOKEN", "{x40}"),
    "travis": ("TRAVIS_TOKEN", "{b22}"),
    "snyk": ("SNYK_TOKEN", UUID),
    "sumo": ("SUMO_ACCESS_KEY", "{w64}"),
    "splunk": ("SPLUNK_HEC_TOKEN", UUID),
    "wireguard": ("PrivateKey", "{B42}A="),
    "django": ("SECRET_KEY", "{p50}"),
    "django-insecure": ("SECRET_KEY", "django-insecure-{p40}"),
    "laravel": ("APP_KEY", "base64:{B43}="),
    "rails": ("secret_key_base", "{x128}"),
    "generic-pass": ("db_password", "{p14}"),
    "generic-pass2": ("PASSWORD", "{w12}!{n2}"),
    "generic-secret": ("client_secret", "{w40}"),
    "generic-token": ("auth_token", "{x40}"),
    "api-key": ("api_key", "{a32}"),
    "apikey": ("apikey", "{w32}"),
    "x-api-key": ("x_api_key", "{w40}"),
    "encryption": ("ENCRYPTION_KEY", "{x64}"),
    "jwt-secret": ("JWT_SECRET", "{w48}"),
    "session-secret": ("SESSION_SECRET", "{x48}"),
    "signing": ("signing_key", "{B44}"),
    "webhook": ("WEBHOOK_SECRET", "{w32}"),
    "bearer": ("bearer_token", "{b60}"),
    "refresh": ("refresh_token", "{b64}"),
    "license": ("LICENSE_KEY", "{A5}-{A5}-{A5}-{A5}-{A5}"),
    "smtp": ("SMTP_PASSWORD", "{w20}"),
    "redis": ("REDIS_PASSWORD", "{w24}"),
    "minio": ("MINIO_ROOT_PASSWORD", "{w18}"),
    "kaggle": ("KAGGLE_KEY", "{x32}"),
    "segment": ("SEGMENT_WRITE_KEY", "{w32}"),
    "mixpanel": ("MIXPANEL_SECRET", "{x32}"),
    "zendesk": ("ZENDESK_API_TOKEN", "{w40}"),
    "intercom": ("INTERCOM_ACCESS_TOKEN", "dG9rO{w50}="),
    "etherscan": ("ETHERSCAN_API_KEY", "{A34}"),
    "eth-private": ("PRIVATE_KEY", "0x{x64}"),
    "infura": ("INFURA_PROJECT_SECRET", "{x32}"),
    "keycloak": ("KEYCLOAK_CLIENT_SECRET", "{w32}"),
    "passphrase": ("passphrase", "{p20}"),
    "master": ("MASTER_KEY", "{x32}"),
    "elastic": ("ELASTIC_PASSWORD", "{w20}"),
    "camel": ("clientSecret", "{b36}"),
    "camel-pass": ("dbPassword", "{p16}"),
    "camel-token": ("accessToken", "{w48}"),
    "kebab": ("api-key", "{w32}"),
    "pascal": ("ApiSecret", "{w40}"),
    "passwd": ("passwd", "{p12}"),
    "pwd": ("DB_PWD", "{p14}"),
    "pgpass": ("PGPASSWORD", "{w16}"),
    "mysqlroot": ("MYSQL_ROOT_PASSWORD", "{w16}"),
    "ansible": ("ansible_become_pass", "{p15}"),
    "secretaccess": ("SecretAccessKey", "{B40}"),
    "storekey": ("storePassword", "{w14}"),
    "sshpass": ("SSHPASS", "{w16}"),
    "tg-hash": ("api_hash", "{x32}"),
    "ghapp": ("GITHUB_CLIENT_SECRET", "{x40}"),
    "okta2": ("OKTA_CLIENT_TOKEN", "{b42}"),
    "credential": ("credentials", "{w32}"),
    "salt": ("PASSWORD_SALT", "{x32}"),
}
ANY: dict[str, Callable[[str, str], str]] = {  # (name, secret, rng) -> text, and how the secret stands there
    "env": lambda n, s: f"# settings\nDEBUG=1\n{n}={s}\nPORT=80\n",
    "env-quoted": lambda n, s: f'{n}="{s}"\n',
    "export": lambda n, s: f"#!/bin/sh\nexport {n}='{s}'\n",
    "py": lambda n, s: f'import os\n\n{n} = "{s}"\n',
    "py-default": lambda n, s: f'    key = os.environ.get("{n}", "{s}")\n',
    "py-dict": lambda n, s: f"config = {{'debug': True, '{n}': '{s}'}}\n",
    "kwarg": lambda n, s: f'client = Client(region="eu", {n.lower().replace("-", "_")}="{s}", timeout=3)\n',
    "json": lambda n, s: f'{{\n  "a": 1,\n  "{n}": "{s}"\n}}\n',
    "json-min": lambda n, s: f'{{"a":1,"{n}":"{s}","b":[]}}',
    "json-escaped": lambda n, s: f'{{"body": "{{\\"{n}\\": \\"{s}\\"}}"}}',
    "yaml": lambda n, s: f"app:\n  env:\n    {n}: {s}\n    other: x\n",
    "yaml-quoted": lambda n, s: f"app:\n  {n}: '{s}'  # rotate\n",
    "yaml-k8s-env": lambda n, s: f'        env:\n        - name: {n}\n          value: "{s}"\n',
    "compose": lambda n, s: f"    environment:\n      - {n}={s}\n",
    "toml": lambda n, s: f'[auth]\n{n} = "{s}"\n',
    "ini-crlf": lambda n, s: f"[auth]\r\n{n} = {s}\r\nx = 1\r\n",
    "properties": lambda n, s: f"app.{n}={s}\n",
    "dockerfile": lambda n, s: f"FROM alpine\nENV {n} {s}\nRUN true\n",
    "dockerfile-arg": lambda n, s: f"FROM alpine\nARG {n}={s}\n",
    "powershell": lambda n, s: f'$env:{n} = "{s}"\n',
    "csharp": lambda n, s: f'    private const string {n} = "{s}";\n',
    "java": lambda n, s: f'    static final String {n} = "{s}";\n',
    "go": lambda n, s: f'\tcfg := Config{{\n\t\tName: "x",\n\t\t{n}: "{s}",\n\t}}\n',
    "go-walrus": lambda n, s: f'\t{n} := "{s}"\n',
    "js": lambda n, s: f"const {n} = '{s}';\n",
    "js-template": lambda n, s: f"const {n} = `{s}`;\n",
    "ts-object": lambda n, s: f"export default {{\n  {n}: '{s}',\n}}\n",
    "ruby": lambda n, s: f'config.{n.lower()} = "{s}"\n',
    "ruby-rocket": lambda n, s: f'{{ :{n} => "{s}" }}\n',
    "php-define": lambda n, s: f"define('{n}', '{s}');\n",
    "php-array": lambda n, s: f"    '{n}' => '{s}',\n",
    "terraform": lambda n, s: f'resource "x" "y" {{\n  {n.lower()} = "{s}"\n}}\n',
    "xml": lambda n, s: f"<config>\n  <{n}>{s}</{n}>\n</config>\n",
    "xml-attr": lambda n, s: f'<add key="{n}" value="{s}" />\n',
    "diff-plus": lambda n, s: f"@@ -1,2 +1,2 @@\n context\n+{n}={s}\n",
    "diff-minus": lambda n, s: f'@@ -1,2 +1,2 @@\n-{n} = "{s}"\n+{n} = os.environ["X"]\n',
    "log": lambda n, s: f"2026-01-02T10:00:00Z INFO loaded config {n}={s} region=eu\n",
    "log-colon": lambda n, s: f"[debug] {n}: {s}\n",
    "repr": lambda n, s: f"Config(debug=False, {n}='{s}')\n",
    "query": lambda n, s: f"GET https://api.example.net/v1/x?{n}={s}&page=2 200\n",
    "header": lambda n, s: f"curl -H 'X-{n.replace('_', '-')}: {s}' https://api.example.net\n",
    "flag": lambda n, s: f"tool --{n.lower().replace('_', '-')} {s} --verbose\n",
    "flag-eq": lambda n, s: f"tool --{n.lower().replace('_', '-')}={s}\n",
    "comment": lambda n, s: f"# old: {n} = {s}\n",
    "markdown": lambda n, s: f"Set `{n}={s}` before you start.\n",
    "html-attr": lambda n, s: f'<input type="hidden" name="{n}" value="{s}">\n',
    "data-attr": lambda n, s: f'<div data-{n.lower().replace("_", "-")}="{s}"></div>\n',
    "helm": lambda n, s: f"helm upgrade x --set auth.{n}={s}\n",
    "set-cmd": lambda n, s: f"set {n}={s}\r\n",
    "fish": lambda n, s: f"set -gx {n} {s}\n",
    "setx": lambda n, s: f'setx {n} "{s}"\n',
    "gh-secret": lambda n, s: f"gh secret set {n} --body {s}\n",
    "rust": lambda n, s: f'const {n}: &str = "{s}";\n',
    "kotlin": lambda n, s: f'val {n}: String = "{s}"\n',
    "py-annot": lambda n, s: f'{n}: str = "{s}"\n',
    "py-bytes": lambda n, s: f'{n} = b"{s}"\n',
    "subscript": lambda n, s: f"app.config['{n}'] = '{s}'\n",
    "setter": lambda n, s: f'conf.set("{n}", "{s}");\n',
    "compare": lambda n, s: f'if {n} == "{s}":\n',
    "sql": lambda n, s: f"INSERT INTO settings (k, v) VALUES ('{n}', '{s}');\n",
    "url-enc-json": lambda n, s: f"payload=%7B%22{n}%22%3A%22{s}%22%7D\n",
}
BARE: dict[str, Callable[[str], str]] = {  # only for forms
    "bare": lambda s: f"{s}\n",
    "prose": lambda s: f"I used {s} and it failed.\n",
    "paren": lambda s: f"call({s!r})\n",
    "angle": lambda s: f"<code>{s}</code>\n",
    "list": lambda s: f"- {s}\n- other\n",
    "path": lambda s: f"https://api.example.net/x/{s}/items\n",
    "userinfo": lambda s: f"git clone https://oauth2:{s}@git.example.net/a/b.git\n",
    "authz": lambda s: f"Authorization: Bearer {s}\n",
    "authz-token": lambda s: f'headers={{"Authorization": "token {s}"}}\n',
    "backtick": lambda s: f"key `{s}`.\n",
    "diff": lambda s: f"-{s}\n",
    "csv": lambda s: f"id,{s},3\n",
    "tab": lambda s: f"id\t{s}\t3\n",
    "esc-nl": lambda s: f'"line\\n{s}\\nmore"\n',
    "ansi": lambda s: f"\x1b[32m{s}\x1b[0m\n",
    "colon": lambda s: f"key:{s}\n",
}


def pem(rng: random.Random, label: str, n: int = 24) -> str:
    body = "\n".join(fill("{B64}", rng) for _ in range(n)) + "\n" + fill("{B30}==", rng)
    return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----\n"


def body_lines(text: str) -> list[str]:
    return [l for l in text.splitlines() if len(l) > 20 and "-----" not in l and ":" not in l]


def structured(rng: random.Random) -> Iterator[tuple[str, str, list[str]]]:
    """yield kind, text, secrets that must be gone"""
    for label in (
        "RSA PRIVATE KEY",
        "PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "DSA PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ):
        p = pem(rng, label)
        ls = body_lines(p)
        yield f"pem {label}", p, ls
        yield f"pem crlf {label}", p.replace("\n", "\r\n"), ls
        yield f"pem json {label}", json.dumps({"type": "service_account", "private_key": p}), ls
        yield f"pem json twice {label}", json.dumps(json.dumps({"k": p})), ls
        yield f"pem indent {label}", "key: |\n" + textwrap.indent(p, "    ") + "other: 1\n", ls
        yield f"pem diff {label}", "".join("+" + l + "\n" for l in p.splitlines()), ls
        yield f"pem py {label}", 'KEY = """' + p + '"""\n', ls
        yield f"pem concat {label}", "\n".join(f'    "{l}\\n" +' for l in p.splitlines()), ls
        yield f"pem comment {label}", "".join(f"# {l}\n" for l in p.splitlines()), ls
        yield f"pem env {label}", 'KEY="' + p.replace("\n", "\\n") + '"\n', ls
        yield (
            f"pem b64 {label}",
            "KEY_B64: " + base64.b64encode(p.encode()).decode() + "\n",
            [base64.b64encode(p.encode()).decode()[100:160]],
        )
        yield f"pem html {label}", "<pre>" + p.replace("\n", "<br>\n") + "</pre>", ls
        yield f"pem xml cdata {label}", "<key><![CDATA[" + p + "]]></key>", ls
        yield f"pem oneline spaces {label}", "KEY=" + p.replace("\n", " ") + "\n", ls
        yield f"pem log {label}", "".join(f"2026-01-01 10:00:00 DEBUG {l}\n" for l in p.splitlines()), ls
    p = (
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 2\nAAAAC3NzaC1lZDI1NTE5AAAAI\nAAAA\nPrivate-Lines: 1\n"
        + (s := fill("{B43}=", rng))
        + "\nPrivate-MAC: "
        + fill("{x64}", rng)
        + "\n"
    )
    yield "putty", p, [s]
    d = fill("{b43}", rng)
    yield (
        "jwk",
        json.dumps({"kty": "EC", "crv": "P-256", "x": fill("{b43}", rng), "y": fill("{b43}", rng), "d": d}),
        [d],
    )
    d = fill("{b342}", rng)
    yield (
        "jwk-rsa",
        json.dumps(
            {"kty": "RSA", "n": fill("{b342}", rng), "e": "AQAB", "d": d, "p": fill("{b171}", rng)}, indent=2
        ),
        [d],
    )
    k = fill("{b43}", rng)
    yield "jwk-oct", json.dumps({"kty": "oct", "k": k, "alg": "HS256"}), [k]
    s = fill("{B42}A=", rng)
    yield "wireguard", f"[Interface]\nPrivateKey = {s}\nAddress = 10.0.0.1/24\n", [s]
    s = fill("{B42}A=", rng)
    yield "wireguard-psk", f"[Peer]\nPublicKey = {fill('{B42}A=', rng)}\nPresharedKey = {s}\n", [s]
    for scheme in (
        "postgres",
        "postgresql+psycopg2",
        "mysql",
        "mongodb",
        "mongodb+srv",
        "redis",
        "rediss",
        "amqp",
        "amqps",
        "smtp",
        "smtps",
        "ldap",
        "ftp",
        "sftp",
        "https",
        "mssql",
        "clickhouse",
        "nats",
        "mqtt",
        "kafka",
        "neo4j",
        "cockroachdb",
        "rabbitmq",
        "jdbc:postgresql",
        "ssh",
        "git+https",
        "socks5",
        "imaps",
        "elasticsearch",
        "influxdb",
    ):
        s = fill("{w16}", rng)
        yield (
            f"uri {scheme}",
            f"DATABASE_URL={scheme}://svc_user:{s}@db.internal.example.net:5432/app?ssl=1\n",
            [s],
        )
        s = fill("{p14}", rng).replace("#", "a").replace("?", "b").replace("^", "c")
        yield f"uri punct {scheme}", f'url = "{scheme}://admin:{s}@10.0.0.7/x"\n', [s]
    s = fill("{w24}", rng)
    yield "redis no user", f"redis://:{s}@cache:6379/0", [s]
    s = fill("{w12}", rng) + "%40" + fill("{w6}", rng)
    yield "uri pct", f"postgres://u:{s}@h/db", [s]
    s = fill("{w16}", rng)
    yield "jdbc query", f"jdbc:mysql://db:3306/app?user=root&password={s}&useSSL=false", [s]
    s = fill("{w16}", rng)
    yield "jdbc sqlserver", f"jdbc:sqlserver://db:1433;databaseName=app;user=sa;password={s};", [s]
    s = fill("{w8}/{w8}", rng)
    yield "jdbc oracle", f"jdbc:oracle:thin:scott/{(s := fill('{w14}', rng))}@//db:1521/X", [s]
    s = fill("{w16}", rng)
    yield (
        "ado",
        f'"Server=tcp:x.database.windows.net,1433;Initial Catalog=a;User ID=sa;Password={s};Encrypt=True;"',
        [s],
    )
    s = fill("{w16}", rng)
    yield "ado pwd", f'connectionString="Data Source=.;Uid=sa;Pwd={s}"', [s]
    s = fill("{w16}", rng)
    yield "odbc", "Driver={ODBC Driver 17};Server=x;UID=u;PWD={" + s + "};", [s]
    s = fill("{B86}==", rng)
    yield (
        "az storage cs",
        f"DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={s};EndpointSuffix=core.windows.net",
        [s],
    )
    s = fill("{B86}==", rng)
    yield "az cosmos cs", f"AccountEndpoint=https://acme.documents.azure.com:443/;AccountKey={s};", [s]
    s = fill("{B43}=", rng)
    yield (
        "az sb cs",
        f"Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey={s}",
        [s],
    )
    s = fill("{B43}=", rng)
    yield (
        "az appconfig",
        f"Endpoint=https://acme.azconfig.io;Id=abcd-l0-s0:{fill('{w20}', rng)};Secret={s}",
        [s],
    )
    s = fill("{B43}=", rng)
    yield "az iothub", f"HostName=acme.azure-devices.net;DeviceId=d1;SharedAccessKey={s}", [s]
    s = fill("{B43}=", rng)
    yield "az eventgrid", f"aeg-sas-key: {s}\n", [s]
    s = fill("{w43}", rng)
    yield (
        "az sas",
        f"https://acme.blob.core.windows.net/c/f?sv=2022-11-02&ss=b&srt=o&sp=r&se=2026-01-01T00:00:00Z&sig={s}%3D",
        [s],
    )
    s = fill("{b32}", rng)
    yield "az func", f"https://acme.azurewebsites.net/api/fn?code={(s := fill('{b54}==', rng))}", [s]
    s = fill("{x64}", rng)
    yield (
        "aws presigned",
        f"https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=60&X-Amz-Signature={s}",
        [s],
    )
    s = fill("{x32}", rng)
    yield "sentry dsn old", f"dsn=https://{fill('{x32}', rng)}:{s}@sentry.io/{fill('{n6}', rng)}", [s]
    for user, pw in (
        ("admin", fill("{w14}", rng)),
        ("jo@x.org", fill("{w20}", rng)),
        ("svc", fill("{p16}", rng)),
    ):
        e = base64.b64encode(f"{user}:{pw}".encode()).decode()
        yield "basic", f"Authorization: Basic {e}\r\nHost: x\r\n", [e]
        yield "basic json", json.dumps({"auths": {"https://index.docker.io/v1/": {"auth": e}}}), [e]
        yield "basic js", f"headers: {{ 'Authorization': 'Basic {e}' }}", [e]
        yield "npmrc", f"//registry.npmjs.org/:_auth={e}\n", [e]
    s = UUID
    s = fill(UUID, rng)
    yield "npmrc token", f"//registry.npmjs.org/:_authToken={s}\n", [s]
    s = fill("{p18}", rng)
    yield "curl -u", f"curl -u admin:{s} https://x", [s]
    s = fill("{w18}", rng)
    yield "curl --user", f"curl --user 'admin:{s}' https://x", [s]
    s = fill("{w18}", rng)
    yield "wget", f"wget --user=a --password={s} https://x", [s]
    s = fill("{w18}", rng)
    yield "mysql -p", f"mysqldump -uroot -p{s} app > x.sql", [s]
    s = fill("{w18}", rng)
    yield "sshpass", f"sshpass -p {s} ssh root@h", [s]
    s = fill("{w18}", rng)
    yield "docker login", f"docker login -u me -p {s} reg.example.net", [s]
    s = fill("{w18}", rng)
    yield "redis-cli", f"redis-cli -h x -a {s} ping", [s]
    s = fill("{w18}", rng)
    yield "docker login stdin", f"echo {s} | docker login -u me --password-stdin", [s]
    s = fill("{w18}", rng)
    yield "netrc", f"machine git.example.net\n  login me\n  password {s}\n", [s]
    s = fill("{w18}", rng)
    yield "netrc line", f"machine h login me password {s}", [s]
    s = fill("{w18}", rng)
    yield "pgpass", f"db.example.net:5432:app:me:{s}\n", [s]
    s = fill("{w16}", rng)
    yield "sql create", f"CREATE USER app WITH PASSWORD '{s}';", [s]
    s = fill("{w16}", rng)
    yield "sql identified", f"CREATE USER 'a'@'%' IDENTIFIED BY '{s}';", [s]
    s = fill("{w16}", rng)
    yield "sql alter", f"ALTER ROLE app PASSWORD '{s}';", [s]
    s = fill("{w16}", rng)
    yield "redis requirepass", f"requirepass {s}\n", [s]
    s = fill("{w16}", rng)
    yield "redis masterauth", f"masterauth {s}\n", [s]
    s = fill("{w16}", rng)
    yield "erlang cookie", f"-setcookie {s}\n", [s]
    s = "$2b$12$" + fill("{w53}", rng)
    yield "bcrypt htpasswd", f"admin:{s}\n", [s[7:]]
    s = fill("{w22}", rng)
    yield "apr1", "bob:$apr1$ab12cd34$" + s + "\n", [s]
    s = fill("{w86}", rng)
    yield "shadow", f"root:$6$saltsalt${s}:19000:0:99999:7:::\n", [s]
    s = fill("{w43}", rng)
    yield "yescrypt", f"root:$y$j9T$saltsaltsalt${s}:19000:0:99999:7:::\n", [s]
    t = jwt(rng)
    yield "jwt", f"token is {t}\n", [t.split(".")[2]]
    t = jwt(rng)
    yield "jwt cookie", f"Cookie: session={t}; theme=dark\n", [t.split(".")[2]]
    t = jwt(
        rng,
        {"role": "service_role", "iss": "supabase", "ref": "abcdefgh", "iat": 1700000000, "exp": 2000000000},
    )
    yield "supabase jwt", f"SUPABASE_SERVICE_ROLE_KEY={t}\n", [t.split(".")[2]]
    t = jwt(rng, {"iss": "kubernetes/serviceaccount", "sub": "system:serviceaccount:default:x"}, "RS256")
    yield "k8s token", f"    token: {t}\n", [t.split(".")[2]]
    t = jwt(rng)
    yield "jwt url", f"wss://x.example.net/socket?jwt={t}", [t.split(".")[2]]
    s = fill("{a6}.{a16}", rng)
    yield (
        "kubeadm",
        f"kubeadm join 10.0.0.1:6443 --token {s} --discovery-token-ca-cert-hash sha256:{fill('{x64}', rng)}",
        [s],
    )
    raw = fill("{p18}", rng)
    e = base64.b64encode(raw.encode()).decode()
    yield (
        "k8s secret",
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ntype: Opaque\ndata:\n  password: {e}\n",
        [e],
    )
    yield "k8s secret order", f"apiVersion: v1\ndata:\n  db-pass: {e}\nkind: Secret\n", [e]
    yield "k8s stringData", f"apiVersion: v1\nkind: Secret\nstringData:\n  token: {raw}\n", [raw]
    s = fill("{B60}", rng)
    yield (
        "kubeconfig",
        f"users:\n- name: x\n  user:\n    client-key-data: {base64.b64encode(pem(rng, 'RSA PRIVATE KEY', 2).encode()).decode()}\n",
        [],
    )
    s = fill("{w24}", rng)
    yield "tfstate", '{"resources":[{"instances":[{"attributes":{"master_password":"' + s + '"}}]}]}', [s]
    s = fill("{w20}", rng)
    yield "settings.xml", f"<server><id>c</id><username>u</username><password>{s}</password></server>", [s]
    s = fill("{w32}", rng)
    yield "nuget.config", f'<add key="ClearTextPassword" value="{s}" />', [s]
    s = fill("{w20}", rng)
    yield "gradle", f'signingConfigs {{ release {{ storePassword "{s}" }} }}', [s]
    s = fill("{b64}", rng)
    yield "cookie sessionid", f"Set-Cookie: sessionid={s}; HttpOnly\n", [s]
    s = fill("{x32}", rng)
    yield "rails credentials", f"RAILS_MASTER_KEY={s}\n", [s]
    s = fill("{w20}", rng)
    yield "wp-config", f"define( 'DB_PASSWORD', '{s}' );\n", [s]
    s = fill("{p64}", rng)
    yield "wp salt", f"define('AUTH_KEY',         '{s}');\n", [s]
    s = fill("{w20}", rng)
    yield "smb", f"//srv/x /mnt cifs username=u,password={s},uid=1 0 0\n", [s]
    s = fill("{w20}", rng)
    yield "wpa", f'network={{\n ssid="x"\n psk="{s}"\n}}\n', [s]
    s = fill("{w20}", rng)
    yield "cisco", f"enable secret 5 $1$mERr${(s := fill('{w22}', rng))}\n", [s]
    s = fill("{w20}", rng)
    yield "ldap", f"bindpw {s}\n", [s]
    s = fill("{x40}", rng)
    yield "pip index", f"--extra-index-url https://build:{s}@pkgs.example.net/simple\n", [s]
    s = fill("{w20}", rng)
    yield "ansible uri", f'  user: x\n  password: "{s}"\n', [s]
    s = fill("{w32}", rng)
    yield "openvpn", f"<auth-user-pass>\nuser\n{s}\n</auth-user-pass>\n", [s]
    s = fill("{x512}", rng)
    yield (
        "openvpn static",
        "-----BEGIN OpenVPN Static key V1-----\n"
        + "\n".join(textwrap.wrap(s, 32))
        + "\n-----END OpenVPN Static key V1-----\n",
        textwrap.wrap(s, 32),
    )
    s = fill("{B64}", rng)
    yield "pem no end", f"-----BEGIN RSA PRIVATE KEY-----\n{s}\n{fill('{B64}', rng)}\n", [s]
    s = fill("{p24}", rng)
    yield "graphql", 'mutation { login(user: "a", password: "' + s + '") { id } }', [s]
    s = fill("{w24}", rng)
    yield "form body", f"grant_type=password&username=a&password={s}&client_id=x", [s]
    s = fill("{w24}", rng)
    yield "hcl vault", f'vault kv put secret/x password="{s}"\n', [s]
    s = fill("{w24}", rng)
    yield "ssh env", f"ssh h 'DB_PASSWORD={s} ./run'\n", [s]
    s = fill("{w24}", rng)
    yield "cmd env prefix", f"API_TOKEN={s} npm start\n", [s]
    s = fill("{w24}", rng)
    yield "multi-line dict", f'"password":\n    "{s}",\n', [s]
    s = fill("{w24}", rng)
    yield "yaml folded", f"password: >-\n  {s}\nuser: x\n", [s]
    s = fill("{w24}", rng)
    yield "yaml tag", f"password: !!str {s}\n", [s]
    s = fill("{w24}", rng)
    yield "yaml anchor", f"password: &pw {s}\n", [s]
    s = fill("{w24}", rng)
    yield "getenv or", f'token = os.getenv("TOKEN") or "{s}"\n', [s]
    s = fill("{w24}", rng)
    yield "shell default", 'TOKEN="${TOKEN:-' + s + '}"\n', [s]
    s = fill("{w24}", rng)
    yield "js ||", f'const apiKey = process.env.API_KEY || "{s}";\n', [s]
    s = fill("{w24}", rng)
    yield "js ??", f"const secret = process.env.SECRET ?? '{s}'\n", [s]
    s = fill("{w24}", rng)
    yield "java setter", f'ds.setPassword("{s}");\n', [s]
    s = fill("{w24}", rng)
    yield "java props", f'props.put("sasl.password", "{s}");\n', [s]
    s = fill("{w24}", rng)
    yield "jaas", f'PlainLoginModule required username="a" password="{s}";\n', [s]
    s = fill("{w24}", rng)
    yield "cs attr", f'new NetworkCredential("user", "{s}")\n', [s]
    s = fill("{w24}", rng)
    yield "requests auth", f'requests.get(url, auth=("user", "{s}"))\n', [s]
    s = fill("{w24}", rng)
    yield "elixir", f'config :app, secret_key_base: "{s}"\n', [s]
    s = fill("{w24}", rng)
    yield "swift", f'let apiKey = "{s}"\n', [s]
    s = fill("{w24}", rng)
    yield "objc", f'NSString *apiSecret = @"{s}";\n', [s]
    s = fill("{w24}", rng)
    yield "c define", f'#define API_KEY "{s}"\n', [s]
    s = fill("{w24}", rng)
    yield "perl", f"my $password = '{s}';\n", [s]
    s = fill("{w24}", rng)
    yield "lua", f'local api_key = "{s}"\n', [s]
    s = fill("{w24}", rng)
    yield "r", f'api_key <- "{s}"\n', [s]
    s = fill("{w24}", rng)
    yield "scala", f'val dbPassword = "{s}"\n', [s]
    s = fill("{w24}", rng)
    yield "vb", f'Dim password As String = "{s}"\n', [s]
    s = fill("{w24}", rng)
    yield "lisp", f'(setq api-key "{s}")\n', [s]
    s = fill("{w24}", rng)
    yield "clojure", f'{{:api-key "{s}"}}\n', [s]
    s = fill("{w24}", rng)
    yield "nix", f'  services.x.password = "{s}";\n', [s]
    s = fill("{w24}", rng)
    yield "dart", f"const String apiKey = '{s}';\n", [s]
    s = fill("{w24}", rng)
    yield "makefile", f"API_TOKEN ?= {s}\n", [s]
    s = fill("{w24}", rng)
    yield "makefile :=", f"API_TOKEN := {s}\n", [s]
    s = fill("{w24}", rng)
    yield "systemd", f'Environment="DB_PASSWORD={s}"\n', [s]
    s = fill("{w24}", rng)
    yield "gha", f"      env:\n        API_TOKEN: {s}\n", [s]
    s = fill("{w24}", rng)
    yield "bat", f'set "DB_PASSWORD={s}"\r\n', [s]
    s = fill("{w24}", rng)
    yield "english", f"The password is {s}\n", [s]
    s = fill("{w24}", rng)
    yield "english colon", f"Password: {s}\n", [s]
    s = fill("{w24}", rng)
    yield "table", f"| api_key | {s} |\n", [s]
    s = fill("{w24}", rng)
    yield "utf-8 bom", f"\ufeffpassword={s}\n", [s]
    s = fill("{w24}", rng)
    yield "bearer lower", f"authorization: bearer {s}\n", [s]
    s = fill("{w40}", rng)
    yield "x-auth", f"X-Auth-Token: {s}\n", [s]
    s = fill("{w40}", rng)
    yield "private-token", f'curl --header "PRIVATE-TOKEN: {s}" https://x\n', [s]
    s = fill("{x64}", rng)
    yield (
        "hmac sig aws",
        f"Authorization: AWS4-HMAC-SHA256 Credential=AKIA{fill('{T16}', rng)}/20260101/eu/s3/aws4_request, SignedHeaders=host, Signature={s}\n",
        [s],
    )


def cases(seed: int) -> Iterator[tuple[str, str, str, str, list[str]]]:
    """Yield group, kind, context, text and the secrets that must be gone from it."""
    rng = random.Random(seed)
    for kind, (name, t) in FORM.items():
        for ctx, f in ANY.items():
            s = fill(t, rng)
            yield "form", kind, ctx, f(name, s), [s]
        for ctx, bare in BARE.items():
            s = fill(t, rng)
            yield "bare", kind, ctx, bare(s), [s]
    for kind, (name, t) in NAMED.items():
        for ctx, f in ANY.items():
            s = fill(t, rng)
            yield "named", kind, ctx, f(name, s), [s]
    for kind, text, secrets in structured(rng):
        yield "struct", kind, "-", text, secrets
