"""Packs for who asks for a setting by its name in words: the lines that declare it come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from .repositories import write_files
from .test_answering import answered

USES = "".join(
    f"export function sendTea{at}(mail) {{\n  return mail + env.DEFAULT_CUP;\n}}\n\n" for at in range(9)
)
PLAIN = {
    f"src/mail/tea{at}.js": f"// The default cup of a mail, and a cup by default.\n{USES}" for at in range(9)
}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".example.env", "# Optional\nPORT=1\n\n# Of what one drinks\nDEFAULT_CUP=blue\n"),
        ("src/env.js", 'const spec = {\n  PORT: num(),\n  DEFAULT_CUP: str({ default: "blue" }),\n};\n'),
        (
            "src/config.py",
            'create(\n    "server.port",\n)\n\ncreate(\n    "server.defaultCup",\n    "blue",\n)\n',
        ),
        (
            "docs/reference.md",
            "# Options\n\n### `port`\n\nA number.\n\n### `defaultCup`\n\nOne that is blue.\n",
        ),
        ("README.md", "# Tea\n\n| Name | Value |\n|---|---|\n| `PORT` | 1 |\n| `DEFAULT_CUP` | blue |\n"),
    ],
    ids=["example", "code", "call", "heading", "table"],
)
@pytest.mark.parametrize("question", ["how do I change the default cup?", "what is the default cup?"])
def test_the_line_that_declares_a_setting_comes_before_code_that_uses_it(
    tmp_path: Path, path: str, text: str, question: str
) -> None:
    write_files(tmp_path / "loom", {**PLAIN, path: text})

    shown = answered(tmp_path / "loom", question, 400)

    assert shown.items[0].path == path
    assert "blue" in shown.text


@pytest.mark.parametrize("question", ["how do I turn on cold brew?", "how do I run it in cold brew mode?"])
def test_an_option_may_be_written_beside_what_turns_it_off(tmp_path: Path, question: str) -> None:
    rows = "".join(f"| `--cup{at}` | A cup |\n" for at in range(9))
    page = f"# Flags\n\n| Flag | What |\n|---|---|\n{rows}| `--[no-]cold-brew` | Blue |\n"
    files = {f"src/cold{at}.js": f"// Cold brew in a mode.\n{USES}" for at in range(9)}
    write_files(tmp_path / "loom", {**files, "docs/flags.md": page})

    assert answered(tmp_path / "loom", question, 400).items[0].path == "docs/flags.md"


def test_words_in_short_name_a_setting(tmp_path: Path) -> None:
    others = "".join(f"  cup{at}: {at}\n" for at in range(40))
    settings = f"server:\n  port: 1\n{others}  maxUploadSize: 200\n"
    uses = "// The maximum size of an upload: the upload size at its maximum.\n" * 9
    files = {f"src/upload{at}.ts": f"{uses}export const uploadSize{at} = 1;\n" for at in range(9)}
    write_files(tmp_path / "loom", {"config/server.yaml": settings, **files})

    shown = answered(tmp_path / "loom", "how do I change the maximum upload size?", 200)

    assert shown.items[0].path == "config/server.yaml"


def test_a_setting_with_many_more_words_is_another(tmp_path: Path) -> None:
    other = "".join(f"CUP_{name}_DEFAULT_OF_TEA={at}\n" for at, name in enumerate(("RED", "BLUE")))
    page = "# Cups\n\nThe default cup is drunk from by default: change the default cup with `brew --cup`.\n"
    write_files(tmp_path / "loom", {".env.example": other, "docs/cups.md": page})

    assert (
        answered(tmp_path / "loom", "how do I change the default cup?", 300).items[0].path == "docs/cups.md"
    )


def test_the_default_of_a_setting_is_asked_for_where_none_is_called_default(tmp_path: Path) -> None:
    others = "".join(f'  "cup{at}": {at},\n' for at in range(40))
    uses = "// By default a port is open, and the default port is closed by default.\n" * 9
    files = {f"src/port{at}.ts": f"{uses}export const open{at} = 1;\n" for at in range(9)}
    write_files(tmp_path / "loom", {"settings.json": f'{{\n{others}  "port": 8080\n}}\n', **files})

    shown = answered(tmp_path / "loom", "what is the default port?", 200)

    assert shown.items[0].path == "settings.json"
    assert "8080" in shown.text


def test_the_variables_that_begin_with_what_is_set_up_come_before_its_code(tmp_path: Path) -> None:
    """Of other settings, few beside them are shown."""
    kettle = "".join(f"KETTLE_{name}=false\n" for name in ("SERVER", "PORT", "USER", "TLS"))
    lamps = "".join(f"LAMP{at}_SIZE={at}\n" for at in range(60))
    code = "".join(
        f"  kettle{at}(login) {{\n    return this.kettle.login({at});\n  }}\n\n" for at in range(9)
    )
    files = {
        "src/kettle.js": f"/** Logs in by the kettle. */\nclass KettleLogin {{\n{code}}}\n",
        ".env.example": "LAMP=1\n\n# Of the kettle\nKETTLE_SERVER=false\n",
        ".env.example.complete": f"{lamps}\n# Of the kettle\n{kettle}\n{lamps}",
    }
    write_files(tmp_path / "loom", files)

    shown = answered(tmp_path / "loom", "how do I set up kettle login?", 400)

    assert shown.items[0].path == ".env.example.complete"
    assert kettle in shown.text
    assert shown.text.count("LAMP") < 30


def test_the_program_and_its_server_are_no_words_of_a_setting(tmp_path: Path) -> None:
    """What tests are set to is told by nothing."""
    lamps = "".join(f"# TEA_LAMP{at}_SIZE={at}\n" for at in range(40))
    code = "// The port of a cup: the default port is a port by default.\n" * 9
    files = {f"src/cup{at}.ts": f"{code}export const portOf{at} = 1;\n" for at in range(9)}
    files["test/oidc/docker-compose.yml"] = "services:\n  tea:\n    port: 9\n"
    files["tea-kettle.env.example"] = f"{lamps}# TEA_SERVER_PORT=80\n{lamps}"
    write_files(tmp_path / "loom", files)

    shown = answered(tmp_path / "loom", "how do I change the default port?", 300)

    assert shown.items[0].path == "tea-kettle.env.example"
    assert "TEA_SERVER_PORT=80" in shown.text
    assert "docker-compose" not in shown.text


def test_variables_that_have_a_word_of_what_is_set_up_are_shown(tmp_path: Path) -> None:
    lamps = "".join(f"LAMP_{at}=1\n\n# More of it.\n" for at in range(40))
    kettle = "TEA_K7_URL=x\nTEA_K7_NAME=y\nTEA_K7_STYLE=z\n"
    code = "def set_up_k7_storage():\n" + "    storage.k7()\n" * 9
    write_files(tmp_path / "loom", {".env.sample": f"{lamps}\n{kettle}", "src/k7.py": code})

    shown = answered(tmp_path / "loom", "how do I set up k7 storage", 300)

    assert shown.items[0].path == ".env.sample"
    assert "TEA_K7_STYLE" in shown.items[0].text
    assert shown.items[0].text.count("LAMP") < 20


def test_settings_that_rank_low_are_looked_at_for_what_is_set_up(tmp_path: Path) -> None:
    code = 'def limit_{0}(cups):\n    """Limit the steeping."""\n' + "    cups.steeping()\n" * 40
    files = {f"src/steeping/cups_{number}.py": code.format(number) for number in range(130)}
    other = "".join(f"lamp_{number}:\n  on: true\n  colour: red\n\n" for number in range(200))
    files["src/resources/default-tea-config.yml"] = f"{other}steeping:\n  minutes: 3\n"
    write_files(tmp_path / "loom", files)

    shown = answered(tmp_path / "loom", "how do I limit the steeping", 1_000)

    assert shown.items[0].path == "src/resources/default-tea-config.yml"
    assert "minutes: 3" in shown.items[0].text


def test_a_word_that_many_sections_have_tells_none_of_them(tmp_path: Path) -> None:
    rest = "  colour: red\n" * 9
    sections = "".join(f"Tea/Cup{number}:\n  enabled: true\n{rest}\n" for number in range(9))
    page = "# Disabling a cup\n\nTo disable a cup, write `cup: off` above it.\n"
    write_files(tmp_path / "loom", {"config/default.yml": sections, "docs/cups.md": page})

    shown = answered(tmp_path / "loom", "how do I disable a cup", 300)

    assert shown.items[0].path == "docs/cups.md"


TEA_CONF = (
    "# Settings of tea. More tea is more cups: see max_cups.\n\n"
    + "# Cups of tea that are poured at once, cups for each pot.\n#cups green\n\n"
    + "".join(f"#lamp_{at} on\n" for at in range(60))
    + "#max_cups -1\n"
    + "".join(f"#light_{at} on\n" for at in range(60))
    + "#PermitMilkSugar no\n"
)


@pytest.mark.parametrize("path", ["tea.conf", "conf/tea.conf.default", "tea_config"])
@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("how do I limit the number of cups", "#max_cups -1"),
        ("how do I disable milk sugar", "#PermitMilkSugar no"),
        ("how do I change the light_33", "#light_33 on"),
    ],
)
def test_settings_that_stand_before_their_values_are_found(
    tmp_path: Path, path: str, question: str, shown: str
) -> None:
    code = 'def disable_milk(limit):\n    """Disable milk sugar, limit the number of cups."""\n'
    write_files(tmp_path / "loom", {path: TEA_CONF, "src/milk.py": code + "    limit.cups()\n" * 20})

    packed = answered(tmp_path / "loom", question, 500)

    assert packed.items[0].path == path
    assert shown in packed.items[0].text


def test_settings_of_a_program_come_before_those_of_its_development(tmp_path: Path) -> None:
    rows = "".join(f"| LAMP_{at}{' ' * 30}| on | A lamp. |\n" for at in range(40))
    files = {
        "Taskfile.yml": "env:\n  TEA_PORT: 9000\n",
        "docs/docs/start/install/tea-config.md": f"# Tea\n\n| Name | Value | |\n|-|-|-|\n{rows}"
        f"| API_PORT{' ' * 30}| 9000 | Where tea is poured. |\n",
    }
    write_files(tmp_path / "loom", files)

    packed = answered(tmp_path / "loom", "how do I change the default port", 400)

    assert packed.items[0].path == "docs/docs/start/install/tea-config.md"
    assert "Where tea is poured" in packed.items[0].text


def test_what_is_on_the_screen_sets_nothing(tmp_path: Path) -> None:
    shown = "<script>\nexport default {\n  tea_time: 3,\n  minutes: 9,\n}\n</script>\n"
    page = "# Tea\n\nSet the time of tea, the tea time.\n\ntea_time: 5\n\nMore tea takes more time.\n"
    write_files(tmp_path / "loom", {"web/time.html": shown, "website/using.md": page})

    packed = answered(tmp_path / "loom", "how do I set the tea time", 400)

    assert packed.items[0].path == "website/using.md"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("README.md", '# Tea\n\n| Name | Is |\n|---|---|\n{}| <Ref id="cup">DefaultCup</Ref>    | blue |\n'),
        ("README.md", "# Tea\n\n| Name | Is |\n|---|---|\n{}| [`defaultCup`](#cup) | blue |\n"),
        ("tea.go", 'package tea\n\ntype Config struct {{\n{}\tDefaultCup string `json:"blue"`\n}}\n'),
        ("tea.ts", "export interface TeaOptions {{\n{}  defaultCup?: Blue; // blue\n}}\n"),
    ],
    ids=["tag", "link", "field", "interface"],
)
def test_settings_stand_in_cells_with_tags_and_links_and_in_types_of_options(
    tmp_path: Path, path: str, text: str
) -> None:
    row = "| Jug | Of clay. |\n" if path.endswith(".md") else "\t// Of clay.\n"
    page = "# Cups\n\n## Cups by default\n\n" + "The default cup is changed by default, cup by cup.\n" * 9
    write_files(tmp_path / "loom", {**PLAIN, path: text.format(row * 20), "docs/cups.md": page})

    shown = answered(tmp_path / "loom", "how do I change the default cup?", 400)

    assert shown.items[0].path == path
    assert "blue" in shown.items[0].text


def test_a_short_file_that_is_called_like_what_is_set_up_comes_first(tmp_path: Path) -> None:
    tea = "tea.jug=1\ntea.url=${TEA_URL:tea://local}\n"
    compose = (
        "services:\n  tea:\n    environment:\n      - TEA_USER=a\n      - TEA_CUP=b\n      - TEA_JUG=c\n"
    )
    files = {
        "src/main/resources/application-tea.properties": tea,
        "src/main/resources/application.properties": "server.port=1\n",
        "docker-compose.yml": f"{compose}      - CUP_SIZE=1\n" + "# Tea is used here, and tea there.\n" * 9,
    }
    write_files(
        tmp_path / "loom", {**files, "src/main.js": "export function pour(tea) {\n  return tea;\n}\n"}
    )

    shown = answered(tmp_path / "loom", "how do I use tea instead of water?", 800)

    assert [item.path for item in shown.items][:2] == [
        "src/main/resources/application-tea.properties",
        "docker-compose.yml",
    ]
