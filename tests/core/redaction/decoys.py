"""A second list of texts that look like secrets and are none, written without a look at the rules.

Random ones are drawn from a fixed seed, so that nothing here is a copy of anything.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import uuid

_rng = random.Random(41)
HEX = string.hexdigits[:16]
ALNUM = string.ascii_letters + string.digits


def _draw(letters: str, size: int) -> str:
    return "".join(_rng.choice(letters) for _ in range(size))


def _hash(name: str) -> str:
    return hashlib.new(name, _rng.randbytes(9)).hexdigest()


def _b64(size: int) -> str:
    return base64.b64encode(_rng.randbytes(size)).decode()


def _uuid() -> str:
    return str(uuid.UUID(int=_rng.getrandbits(128), version=4))


def _sri(bits: int) -> str:
    return f"sha{bits}-{_b64(bits // 8)}"


_MAP = json.dumps(
    {"version": 3, "sources": ["a.ts"], "mappings": "AAAA,SAASA,IAAIC,GAAG,CAAC;AACdC,OAAO" * 6}
)

DECOYS = (
    # hashes and what is named after them
    f"commit {_hash('sha1')}\nAuthor: Jo <jo@example.org>",
    f"parent {_hash('sha1')}\ntree {_hash('sha1')}",
    f"{_hash('sha1')} refs/heads/main",
    f"@@ -1,3 +1,3 @@ {_hash('sha1')[:12]}",
    f"pick {_hash('sha1')[:7]} Fix the token refresh",
    f"rev: {_hash('sha1')}  # frozen: v4.5.0",
    f'"gitHead": "{_hash("sha1")}"',
    f"https://github.com/a/b/compare/{_hash('sha1')}...{_hash('sha1')}",
    f"https://raw.githubusercontent.com/a/b/{_hash('sha1')}/README.md",
    f"git+https://github.com/a/b.git@{_hash('sha1')}#egg=b",
    f"source = git+https://github.com/a/b?rev={_hash('sha1')[:7]}#{_hash('sha1')}",
    f"MD5 ({'a.iso'}) = {_hash('md5')}",
    f"{_hash('md5')} *release.zip",
    f"SHA512 (a.tar.xz) = {_hash('sha512')}",
    f"sha256sums=('{_hash('sha256')}')",
    f'sha256 "{_hash("sha256")}"',
    f"b2sums: {_hash('blake2b')}",
    f"    {{file = 'a-1.0-py3-none-any.whl', hash = 'sha256:{_hash('sha256')}'}},",
    f"      --hash=sha256:{_hash('sha256')} \\",
    f'checksum = "{_hash("sha256")}"',
    f"image: ghcr.io/a/b:v1@sha256:{_hash('sha256')}",
    f"FROM node:20@sha256:{_hash('sha256')} AS build",
    f"Digest: sha256:{_hash('sha256')}",
    f'"layers": ["sha256:{_hash("sha256")}"]',
    f"distributionSha256Sum={_hash('sha256')}",
    f"nixpkgs.url = github:NixOS/nixpkgs/{_hash('sha1')}",
    f'narHash = "sha256-{_b64(32)}"',
    f'vendorHash = "sha256-{_b64(32)}";',
    f'cargoSha256 = "{_draw("0123456789abcdfghijklmnpqrsvwxyz", 52)}";',
    f"golang.org/x/net v0.21.0 h1:{_b64(32)}",
    f"golang.org/x/net v0.21.0/go.mod h1:{_b64(32)}",
    f"  integrity {_sri(512)}",
    f'"integrity": "{_sri(512)}",',
    f"integrity: {_sri(384)}",
    f'<script src="/a.js" integrity="{_sri(384)}" crossorigin="anonymous"></script>',
    f"resolution: {{integrity: {_sri(512)}}}",
    f"  checksum: 10c0/{_hash('sha512')}",
    f'"contentHash": "{_b64(64)}"',
    f'"sha512": "{_b64(64)}"',
    f"SPEC CHECKSUMS:\n  Alamofire: {_hash('sha1')}",
    f"PODFILE CHECKSUM: {_hash('sha1')}",
    f'"content-hash": "{_hash("md5")}"',
    f'content-hash = "{_hash("sha256")}"',
    f'"etag": "W/\\"{_hash("md5")}\\""',
    f'ETag: "{_hash("sha1")}"',
    f"/static/js/main.{_hash('md5')[:8]}.chunk.js",
    f"/_next/static/chunks/{_hash('md5')[:16]}.js",
    f"assets/index-{_draw(ALNUM, 8)}.css",
    f'exports[`renders 1`] = `<div class="css-{_draw(string.ascii_lowercase + string.digits, 7)}"/>`;',
    f"snapshot: {_hash('sha256')}",
    f"expect(hash(x)).toBe('{_hash('sha256')}')",
    f'assert digest == "{_hash("sha256")}"',
    f"password_hash_algorithm: sha256 # {_hash('sha256')[:10]}",
    f"fingerprint = {':'.join(_hash('md5')[at : at + 2].upper() for at in range(0, 32, 2))}",
    f"SHA256:{_b64(32).rstrip('=')} jo@host (RSA)",
    f"gpg: key {_hash('md5')[:16].upper()}: public key imported",
    f"Primary key fingerprint: {_hash('sha1').upper()}",
    f"--recv-keys {_hash('sha1').upper()}",
    # ids
    _uuid(),
    f"urn:uuid:{_uuid()}",
    f'"id": "{_uuid()}"',
    f"user_id={_uuid()}",
    f"X-Request-Id: {_uuid()}",
    f"correlationId: {_uuid()}",
    f"<ProjectGuid>{{{_uuid().upper()}}}</ProjectGuid>",
    f'Project("{{{_uuid().upper()}}}") = "App", "App.csproj"',
    f"tenant_id: {_uuid()}",
    f"/subscriptions/{_uuid()}/resourceGroups/prod",
    f"traceparent: 00-{_hash('md5')}-{_hash('md5')[:16]}-01",
    f"trace_id={_hash('md5')} span_id={_hash('md5')[:16]}",
    f"ObjectId('{_hash('sha1')[:24]}')",
    f"01{_draw('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24)}",
    "arn:aws:iam::123456789012:role/service-role/deployer-a1b2",
    "projects/my-project/secrets/db-password/versions/3",
    f"container {_hash('sha256')[:12]} exited",
    f"pod/api-{_hash('md5')[:10]}-x7k2p",
    f"vpc-{_hash('md5')[:17]} subnet-{_hash('md5')[:17]}",
    f"cus_{_draw(ALNUM, 14)} pi_{_draw(ALNUM, 24)}",
    f"pk_test_{_draw(ALNUM, 24)}",
    f"test_{_hash('md5')[:12]}_login",
    # published examples
    "AKIAIOSFODNN7EXAMPLE",
    "AKIAI44QH8DHBEXAMPLE",
    "aws_secret_access_key = je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
    "ASIAIOSFODNN7EXAMPLE",
    "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/"
    "K1SZFPTOtr/KBHBeksoGMGw==",
    "Authorization: Bearer mF_9.B5f-4.1JqM",
    "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    '{"auth": "Basic dXNlcjpwYXNzd29yZDEyMw=="}',
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ."
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "ghp_" + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "xoxb-" + "000000000000-000000000000-xxxxxxxxxxxxxxxxxxxxxxxx",
    "https://hooks.slack.com/services/" + "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "SG.xxxxx.yyyyy",
    "sk-ant-api03-...",
    "AIza" + "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    "https://examplePublicKey@o0.ingest.sentry.io/0",
    # placeholders and references
    "password=<your-password>",
    "API_KEY=your_api_key_here",
    "token: REPLACE_ME",
    "secret: changeme123",
    'password = "P@ssw0rd!"',
    'client_secret: "Cl1ent$ecret!"',
    "mysecret='03#pa33w0rd'",
    "password: AbcDef123!@#",
    'api_key = "INSERT-API-KEY-HERE-12345"',
    "TOKEN=${GITHUB_TOKEN}",
    "password: ${{ secrets.DB_PASSWORD_2 }}",
    "password: '{{ vault_db_password }}'",
    "password = var.db_password_v2",
    "secret_key = data.aws_ssm_parameter.key2.value",
    'token = os.environ["GITHUB_TOKEN_2"]',
    'const token = process.env["API_TOKEN_V2"]!;',
    'password := os.Getenv("DB_PASSWORD_2")',
    'String password = System.getenv("DB_PASS2");',
    'password: ENV.fetch("DB_PASSWORD_2")',
    "$password = getenv('DB_PASSWORD2');",
    'let key = std::env::var("API_KEY_2").unwrap();',
    "password = getPasswordHash(user, salt2)",
    "token = generate_token(user_id=42)",
    "private async refreshAccessTokenIfNeeded2(): Promise<void> {",
    "def verify_password_hash_v2(password: str, hashed: str) -> bool:",
    "api_key: str | None = Field(default=None, alias='apiKeyV2')",
    "password: { type: DataTypes.STRING(64), allowNull: false }",
    "password VARCHAR(255) NOT NULL,",
    "ALTER TABLE users ADD COLUMN password_reset_token_2 TEXT;",
    "if (token !== expectedToken2) throw new Error('bad');",
    "secrets: inherit",
    "secretKeyRef:\n  name: db-credentials-v2\n  key: password",
    "op://Private/database/password",
    "password_file = /run/secrets/db_password_2",
    '"passwordPolicy": {"minLength": 12, "requireDigits": true}',
    # texts for people
    '"login.password.label": "Passwort (mind. 8 Zeichen)"',
    '"forgotPassword": "Mot de passe oublié\u00a0?"',
    "password_too_short: 'Das Passwort muss mindestens 8 Zeichen lang sein'",
    'msgid "Your password can’t be entirely numeric."',
    "The token expires after 3600 seconds.",
    "Pass `--disable-warning=FSTWRN003` to disable a specific warning",
    # encoded data, public parts
    f"data:image/png;base64,iVBORw0KGgo{_b64(300)}",
    f"src: url(data:font/woff2;base64,d09GMgABAAAA{_b64(300)})",
    f'"image/png": "iVBORw0KGgo{_b64(150)}"',
    f"//# sourceMappingURL=data:application/json;base64,{base64.b64encode(_MAP.encode()).decode()}",
    _MAP,
    r"DESCRIPTOR = AddSerializedFile(b'\n\x0btoken.proto\x12\x04\x61\x75\x74\x68\x22\x13\n\x05Token\x12\n')",
    f"-----BEGIN CERTIFICATE-----\n{_b64(48)}\n{_b64(48)}\n-----END CERTIFICATE-----",
    f"-----BEGIN PUBLIC KEY-----\n{_b64(48)}\n-----END PUBLIC KEY-----",
    f"-----BEGIN CERTIFICATE REQUEST-----\n{_b64(48)}\n-----END CERTIFICATE REQUEST-----",
    f"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{_b64(48)}\n-----END PGP PUBLIC KEY BLOCK-----",
    f"-----BEGIN PGP SIGNATURE-----\n\n{_b64(48)}\n-----END PGP SIGNATURE-----",
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{_b64(32)} jo@host",
    f"ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAA{_b64(60)} jo",
    f"PublicKey = {_b64(32)}",
    f'{{"kty": "RSA", "e": "AQAB", "use": "sig", "n": "{_b64(190).replace("+", "-").replace("/", "_")}"}}',
    f"public_key: {_b64(32)}",
    "certificate-authority-data: "
    + base64.b64encode(b"-----BEGIN CERTIFICATE-----" + _rng.randbytes(60)).decode(),
    f"v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0{_b64(120)}",
    f"script-src 'nonce-{_b64(12)}' 'sha256-{_b64(32)}'",
    # code
    "!function(e,t){var n=t(1),r=t(2);e.exports={a1:n.b2,c3:r.d4,e5:function(f6){return g7(f6)}}}(h8,i9);",
    "var a0_0x4f2b=['push','shift'];(function(_0x1a2b3c,_0x4d5e6f){_0x1a2b3c[_0x4d5e6f]()})(a0_0x4f2b,0x1f);",
    ".token.keyword{color:#a626a4}.token-2x{width:calc(100% - 12px)}",
    "--color-key-500: #7c3aed; --shadow-auth: 0 1px 2px rgb(0 0 0 / 5%);",
    "background:linear-gradient(135deg,#667eea 0%,#764ba2 100%)",
    "com.example.security.oauth2.client.token.OAuth2AccessTokenResponseClientV2",
    "org.springframework.security.crypto.password.Pbkdf2PasswordEncoder",
    "eyJ.not.a.token",
    "one.two-three.four_five",
    "@babel/plugin-transform-async-to-generator@7.23.3",
    'parse-passwd: "npm:^1.0.0"',
    'resolution: "$repo-utils@link:../scripts/repo-utils::locator=%40a%2Fb%40workspace%3Ab"',
    '"x-token-lib@npm:1.2.3, x-token-lib@npm:^1.2.0":',
    "keycloak-24.0.5-SNAPSHOT+build.20240501",
    "v1.2.3-rc.1+g7f3c2ab",
    "https://docs.example.org/en/latest/reference/authentication/api-keys-and-tokens/rotating-keys-2024.html",
    "https://cdn.example.org/npm/@scope/auth-token-manager@12.3.1/dist/index.umd.min.js",
    "https://user%20name:p%40ssword@example.com",
    "imaps://user:p4ssw0rd@host/",
    "postgres://postgres:postgres@localhost:5432/test",
    "amqp://guest:guest@rabbitmq:5672//",
    "redis://default:password@redis:6379/1",
    "MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43UOV3HO6DZPI",
    "0x" + _draw(HEX, 64),
    "address 0x" + _draw(HEX, 40),
    "KEY_LEFT = 0x25; KEY_RIGHT = 0x27",
    "#define AUTH_TOKEN_MAX_LEN_V2 4096",
    "CONFIG_SECURITY_KEYS_REQUEST_CACHE_V2=y",
    "tokens = tokenizer.encode('sk-learn and key-value stores')",
    "key=lambda item: (item.created_at2, item.name)",
    '"primaryKey": ["tenant_id", "user_id2"]',
    "cache_key = f'user:{user_id}:profile:v2'",
    "partitionKey: 'ORDER#2024-05-01#8842'",
    "\x1b[38;2;248;248;242mpassword:\x1b[0m\x1b[38;2;230;219;116m",
)
