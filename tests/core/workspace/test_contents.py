from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import WorkspaceError
from satchel.plugin_api import classify, decode, is_credentials, read_bytes
from satchel.workspace import HUGE_BYTES, Kind, language_of

PEM = b"-----BEGIN RSA PRIVATE KEY-----\nabc\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def test_a_file_is_read(root: Path) -> None:
    (root / "a").write_bytes(b"\0text")

    assert read_bytes(root, "a", 10) == b"\0text"


def test_a_file_over_the_limit_is_refused(root: Path) -> None:
    (root / "a").write_bytes(b"x" * 11)

    assert len(read_bytes(root, "a", 11)) == 11
    with pytest.raises(WorkspaceError, match="more than 10 bytes"):
        read_bytes(root, "a", 10)


def test_a_link_is_refused_even_to_a_file_of_the_workspace(root: Path) -> None:
    (root / "a").touch()
    (root / "link").symlink_to("a")

    with pytest.raises(WorkspaceError, match="is a link"):
        read_bytes(root, "link", 10)


def test_a_linked_folder_is_followed_within_the_root_only(root: Path) -> None:
    (root / "real").mkdir()
    (root / "real/a").write_bytes(b"in")
    (root.parent / "secret").write_bytes(b"out")
    (root / "near").symlink_to("real")
    (root / "far").symlink_to("..")

    assert read_bytes(root, "near/a", 10) == b"in"
    with pytest.raises(WorkspaceError, match="leads out"):
        read_bytes(root, "far/secret", 10)


def test_a_sibling_whose_name_begins_like_the_root_is_outside(root: Path) -> None:
    (root.parent / "root-secret").mkdir()
    (root.parent / "root-secret/a").touch()
    (root / "far").symlink_to("../root-secret")

    with pytest.raises(WorkspaceError, match="leads out"):
        read_bytes(root, "far/a", 10)


def test_the_root_may_be_a_link_itself(root: Path) -> None:
    (root / "a").write_bytes(b"in")
    (root.parent / "link").symlink_to("root")

    assert read_bytes(root.parent / "link", "a", 10) == b"in"


@pytest.mark.parametrize("path", ["", "../a", "b/../../a", "/etc/hostname", "a\0b"])
def test_a_path_that_leaves_the_root_is_refused(root: Path, path: str) -> None:
    with pytest.raises(WorkspaceError, match="is not a path below"):
        read_bytes(root, path, 10)


def test_nothing_but_a_regular_file_is_read(root: Path) -> None:
    os.mkfifo(root / "fifo")
    (root / "folder").mkdir()

    for path in ("fifo", "folder"):
        with pytest.raises(WorkspaceError, match="is not a regular file"):
            read_bytes(root, path, 10)


def test_a_socket_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")

        with pytest.raises(WorkspaceError, match="can't be read"):
            read_bytes(root, "socket", 10)


def test_a_missing_file_is_an_error_that_names_it(root: Path) -> None:
    with pytest.raises(WorkspaceError, match="a/b can't be read: no such file"):
        read_bytes(root, "a/b", 10)


def test_a_file_deeper_than_the_system_takes_paths_is_read(
    root: Path, dig: Callable[[Path, int], str]
) -> None:
    assert read_bytes(root, dig(root, 2_500), 10) == b"leaf"


def test_a_deep_path_is_not_followed_through_a_link(root: Path, dig: Callable[[Path, int], str]) -> None:
    leaf = dig(root, 2_500)
    (root / "link").symlink_to("d")

    with pytest.raises(WorkspaceError, match=r"can't be read|is a link"):
        read_bytes(root, f"link{leaf[1:]}", 10)


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("naïve".encode(), "naïve", "utf-8"),
        (b"\xef\xbb\xbfa", "a", "utf-8-sig"),
        ("\ufeffné".encode("utf-16-le"), "né", "utf-16-le"),
        ("\ufeffné".encode("utf-16-be"), "né", "utf-16-be"),
        ("plain text\n".encode("utf-16-le"), "plain text\n", "utf-16-le"),
        ("plain text\n".encode("utf-16-be"), "plain text\n", "utf-16-be"),
        (b"caf\xe9\n", "café\n", "latin-1"),
        (b"it\x92s\n", "it’s\n", "cp1252"),
        (b"\xe9\x81\n", "é\x81\n", "latin-1"),
        (b"# -*- coding: koi8-r -*-\n# \xc4\xc1\n", "# -*- coding: koi8-r -*-\n# да\n", "koi8-r"),
        (b"", "", "utf-8"),
    ],
)
def test_text_is_decoded_without_loss(data: bytes, text: str, encoding: str) -> None:
    assert decode(data) == (text, encoding)


def test_a_few_broken_bytes_do_not_spoil_utf8() -> None:
    decoded = decode("ä ö ü ".encode() + b"\xff\n")

    assert decoded == ("ä ö ü \ufffd\n", "utf-8")


@pytest.mark.parametrize("data", [b"a\0b", b"\x89PNG\r\n\x1a\n", bytes(range(256)) * 4, b"%PDF-1.7\n%\xe2\n"])
def test_binary_data_has_no_text(data: bytes) -> None:
    assert decode(data) == ("", "binary")
    assert classify("a.py", data) is Kind.BINARY


def test_a_declared_encoding_that_does_not_fit_is_passed_over() -> None:
    assert decode(b"# coding: euc-jp\n\xe9 \n").encoding == "latin-1"
    assert decode(b"# coding: cp-none\n\xe9\n").encoding == "latin-1"


@given(st.text())
def test_utf8_comes_back_as_it_was(text: str) -> None:
    if "\0" not in text and not text.startswith("\ufeff"):
        decoded = decode(text.encode())
        assert decoded.encoding == "binary" or decoded.text == text


@given(st.binary())
def test_any_bytes_are_decoded_and_classified(data: bytes) -> None:
    decoded = decode(data)

    assert (decoded.encoding == "binary") == (classify("a.py", data) is Kind.BINARY)
    if decoded.encoding != "binary" and "\ufffd" not in decoded.text:
        encoded = decoded.text.encode(decoded.encoding)
        assert data.endswith(encoded) or data.removeprefix(b"\xef\xbb\xbf") == encoded.removeprefix(
            b"\xef\xbb\xbf"
        )


@pytest.mark.parametrize(
    ("path", "data", "kind"),
    [
        ("a.py", b"x = 1\n", Kind.TEXT),
        ("a.py", b"", Kind.EMPTY),
        ("a.py", b" \n\t\n", Kind.EMPTY),
        ("a.txt", b"x\n" * HUGE_BYTES, Kind.HUGE),
        ("web/Package-lock.json", b"{}", Kind.LOCKFILE),
        ("uv.lock", b"version = 1\n", Kind.LOCKFILE),
        ("shop/gradlew", b"#!/bin/sh\n", Kind.GENERATED),
        ("a.js", b"var a=1;" * 400, Kind.MINIFIED),
        ("a.min.js", b"var a=1;" * 40, Kind.MINIFIED),
        ("a.md", b"a long paragraph " * 400, Kind.TEXT),
        ("a.py", b"import os\n\nprint(os)\n" * 80 + b"DATA = '" + b"A" * 20_000 + b"'\n", Kind.TEXT),
        ("a_pb2.py", b"# Generated by the protocol buffer compiler.  DO NOT EDIT!\nx = 1\n", Kind.GENERATED),
        ("a.go", b"// Code generated by mockgen. DO NOT EDIT.\npackage a\n", Kind.GENERATED),
        (
            "b.go",
            b"/*\nThe MIT License\n"
            + b"Permission is granted.\n" * 20
            + b"*/\n\n// Code generated by x. DO NOT EDIT.\n",
            Kind.GENERATED,
        ),
        ("c.go", b"// Notice.\n" * 30 + b"\npackage c\n\n// DO NOT EDIT.\n", Kind.TEXT),
        ("Shop.html", b"<html>\n<!-- Generated by javadoc (17) on Tue Jan 23 -->\n<body>", Kind.GENERATED),
        ("a.js", b"/**\n * @generated SignedSource<<0>>\n */\n", Kind.GENERATED),
        ("Cup.html", b'<head>\n<link rel="stylesheet" href="../css/jazzy.css" />\n</head>', Kind.GENERATED),
        ("cup.html", b'<head>\n<meta name="generator" content="Hugo 0.1">\n</head>', Kind.GENERATED),
        (
            "a.tar.gz.asc",
            b"-----BEGIN PGP SIGNATURE-----\n\niQIz\n-----END PGP SIGNATURE-----\n",
            Kind.GENERATED,
        ),
        ("lib/api/lib.api", b"public final class lib/Cup {\n}\n", Kind.GENERATED),
        ("Lib/PublicAPI.Shipped.txt", b"#nullable enable\nLib.Cup\nLib.Cup.Cup() -> void\n", Kind.GENERATED),
        ("etc/lib.api.md", b"## API Report File\n", Kind.GENERATED),
        ("a.c", b"/* A Bison parser, made by GNU Bison 3.8.2.  */\n\nint a;\n", Kind.GENERATED),
        ("a.c", b'#line 2 "a.c"\n\n/* A lexical scanner generated by flex */\n', Kind.GENERATED),
        ("A.java", b"// Generated from A.g4 by ANTLR 4.7.2\nclass A {\n}\n", Kind.GENERATED),
        ("a.c", b"/* Reads what is made by flexible tools and GNU Bison users */\n", Kind.TEXT),
        ("head.html", b'<meta name="generator" content="{{ site.generator }}">\n', Kind.TEXT),
        ("a.c", b"/* generated file\n * do not modify by hand */\n", Kind.GENERATED),
        (
            "validator.js",
            b"// This file is autogenerated by build/build-validation.js, do not edit\n'use strict'\n",
            Kind.GENERATED,
        ),
        ("a.mjs", b"var A = class {\n};\n//# sourceMappingURL=a.mjs.map\n", Kind.GENERATED),
        ("a.css", b"a {\n}\n/*# sourceMappingURL=a.css.map */", Kind.GENERATED),
        ("web/static/grid.js", b"/*!\n * Grid Tables v2.3.8\n * MIT\n */\nvar a = 1\n", Kind.GENERATED),
        ("public/js/a.css", b"/*\n * Built for us.\n */\n\n/*! Grid 2.3 */\na {\n}\n", Kind.GENERATED),
        ("public/js/a.js", b"/*!\n * ours\n * Copyright(c) 2009-2013 A\n */\nvar a = 1\n", Kind.TEXT),
        ("web/static/grid.js", b"/**\n * Draws the grid of a page.\n */\nvar a = 1.5\n", Kind.TEXT),
        ("src/grid.js", b"/*!\n * Grid Tables v2.3.8\n */\nvar a = 1\n", Kind.TEXT),
        ("a.js", b"var A = (() => {\n  var __defProp = Object.defineProperty;\n", Kind.GENERATED),
        (
            "a.js",
            b'"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n',
            Kind.GENERATED,
        ),
        ("a.js", b"/******/ (() => { // webpackBootstrap\n", Kind.GENERATED),
        ("a.js", b"const mark = '//# sourceMappingURL=a'\nuse(mark)\n", Kind.TEXT),
        ("a.js", b"x = 1\n//# sourceMappingURL=a.map\nuse(x)\n" * 40, Kind.TEXT),
        ("a.md", b"Ends in\n//# sourceMappingURL=a.map\n", Kind.TEXT),
        ("a.js", b"Object.defineProperty(exports, 'request', { get })\n", Kind.TEXT),
        ("gen.py", b"HEAD = 1\nTEXT = 'DO NOT EDIT'\n", Kind.TEXT),
        ("a.py", b"# do not modify this list without asking\n", Kind.TEXT),
        ("a.txt", "text\n".encode("utf-16"), Kind.TEXT),
        ("app/baseline-prof.txt", b"HSPLandroidx/core/Map;->next()V\n" * 1200, Kind.GENERATED),
        ("words", b"apple\n" * 999 + b"pear\n", Kind.GENERATED),
        ("words.txt", b"apple\n" * 999, Kind.TEXT),
        ("notes.txt", b"two words\n" * 1200, Kind.TEXT),
        ("names.py", b"NAME\n" * 1200, Kind.TEXT),
    ],
)
def test_a_file_is_of_the_kind_that_it_looks(path: str, data: bytes, kind: Kind) -> None:
    assert classify(path, data) is kind


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "app/.env.production",
        ".envrc",
        "prod.env",
        "key.pem",
        "ssh/id_rsa",
        ".netrc",
        "terraform.tfstate",
        "a/terraform.tfstate.backup",
        "kubeconfig",
        ".kube/config",
        "home/.aws/credentials",
        "store.jks",
        ".pypirc",
        "a/b/c/.ENV",
        "deploy/.Env.Staging",
        ".env-local",
        ".env_ci",
        "ssh/ID_RSA",
        "ssh/id_ed25519_sk",
        "ssh/id_rsa_work",
        "certs/Server.PEM",
        "certs/store.P12",
        "certs/store.pfx",
        "certs/store.keystore",
        "AuthKey_X.p8",
        "vault.KDBX",
        "x/.git-credentials",
        "x/.docker/config.json",
        "x/.htpasswd",
        "x/.pgpass",
        "x/.my.cnf",
        "x/.vault-token",
        "x/_netrc",
        "infra/prod.tfvars",
        "infra/prod.auto.tfvars.json",
        "config/master.key",
        "worker/.dev.vars",
        ".config/gcloud/application_default_credentials.json",
        "krb5.keytab",
    ],
)
def test_a_credential_file_is_known_by_its_path(path: str) -> None:
    assert is_credentials(path)
    assert classify(path, b"a=1\n") is Kind.CREDENTIALS


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        ".env.sample",
        ".env.template",
        "env.py",
        "environment.ts",
        "id_rsa.pub",
        "kube/config",
        "credentials.py",
        "src/credentials",
        "pem.py",
        "docs/.env.dist",
        ".envoy",
        "a/b/.ENV.EXAMPLE",
        "a/.env.production.example",
        "a/.env.local.sample",
        "a/.env.defaults",
        ".env-example",
        ".env.schema",
        "example.env",
        "sample.tfvars",
        "terraform.tfvars.example",
        "ID_ED25519.pub",
        "id_rsa.py",
        "src/env.d.ts",
        "docker/config.json",
        "keystore.py",
        "netrc.go",
    ],
)
def test_a_name_that_only_resembles_one_is_no_credential_file(path: str) -> None:
    assert not is_credentials(path)
    assert classify(path, b"a=1\n") is Kind.TEXT


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("notes.txt", PEM),
        ("deploy.key", b"\n# key\n" + PEM),
        (".npmrc", b"//registry.example.org/:_authToken=abc\n"),
        ("sa.json", b'{"type": "service_account", "private_key": "x"}'),
        ("cluster.yaml", b"apiVersion: v1\nkind: Config\nusers:\n- user:\n    token: abc\n"),
    ],
)
def test_a_credential_file_is_known_by_what_it_holds(path: str, data: bytes) -> None:
    assert classify(path, data) is Kind.CREDENTIALS


def test_settings_without_a_secret_are_text() -> None:
    assert classify(".npmrc", b"save-exact=true\n") is Kind.TEXT
    assert classify("a.yaml", b"kind: Config\nname: a\n") is Kind.TEXT
    assert classify("a.py", b"MARK = '''" + PEM + b"'''\n") is Kind.TEXT


@pytest.mark.parametrize(
    "unit", [b" ", b"\n", b"#", b"a=", b"\xe9", b"\xc3\xa9\xff", b"-", b"/*", b"\0\n", b"#\n "]
)
def test_no_repetition_takes_long(unit: bytes) -> None:
    data = unit * (4_000_000 // len(unit))
    start = time.process_time()

    for path in ("a.js", ".npmrc", "a.yaml", "a.json"):
        classify(path, data)
    decode(data)

    assert time.process_time() - start < 4


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/a.py", "python"),
        ("A.PYI", "python"),
        ("a.h", "c"),
        ("a.d.ts", "typescript"),
        ("a.tsx", "tsx"),
        ("Makefile", "makefile"),
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("CMakeLists.txt", "cmake"),
        ("a.rst", "rst"),
        (".bashrc", "bash"),
        (".aliases", "bash"),
        ("home/.vimrc", "vim"),
        ("a.unknown", ""),
        ("a.yml.sample", "yaml"),
        ("conf/a.conf.default", "ini"),
        ("settings.py.example", "python"),
        ("a.example", ""),
        (".sample", ""),
        ("py", ""),
        ("dir.py/file", ""),
        ("", ""),
    ],
)
def test_the_language_is_told_by_the_name(path: str, language: str) -> None:
    assert language_of(path) == language
