"""`satchel mcp`: serve an agent over the Model Context Protocol."""

from __future__ import annotations

import argparse
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from satchel import config as configuration
from satchel.cli.parsing import Parser, add_no_plugin, add_running, add_settings, parse_tokens, whole_number
from satchel.cli.setup import LOOPBACK, listen
from satchel.cli.streams import check_folder, say
from satchel.errors import SatchelError
from satchel.paths import absolute

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.mcp_server.server import McpServer

DESCRIPTION = """\
Serve tools, files and prompts to an agent over the Model Context Protocol: on stdin and stdout, or with
--http on loopback for clients that know the token. The workspace stays open, so that answers are fast."""

EXAMPLES = """\
  satchel mcp
  claude mcp add satchel -- satchel mcp
  satchel mcp --http 8765 --root ~/src/shop"""

TOKEN = "SATCHEL_MCP_TOKEN"  # noqa: S105 (the name of a variable)
_INSTALL = "satchel mcp needs the MCP SDK: pip install 'satchel[mcp]', or: uvx --with mcp satchel mcp"


def fill(parser: Parser) -> None:
    """Add the arguments of `mcp`."""
    served = parser.add_argument_group("what is served")
    served.add_argument(
        "--root",
        action="append",
        metavar="DIR",
        help="folder to serve if the client names none (default: the current one); repeatable",
    )
    served.add_argument(
        "--most", default="10k", metavar="N", help="maximum size of an answer in tokens (default: 10k)"
    )
    served.add_argument(
        "--http",
        type=whole_number(0),
        metavar="PORT",
        help=f"serve HTTP on 127.0.0.1 at this port (0: any free one); token: {TOKEN}, or one on stderr",
    )
    group = parser.add_argument_group("plugins")
    add_no_plugin(group)
    add_settings(group)
    add_running(parser)


def serve(args: argparse.Namespace) -> int:
    """Serve until the client closes stdin, or until the process is stopped."""
    most = parse_tokens(args.most, "--most")
    roots = _roots(args.root)
    try:
        import anyio

        from satchel.mcp_server.server import McpServer
    except ImportError as error:
        raise SatchelError(f"{_INSTALL} ({error})") from None
    from satchel.mcp_server.answers import Answers
    from satchel.mcp_server.workspaces import Workspaces

    workspaces = Workspaces(partial(_open_host, args.disable))
    answers = Answers(workspaces, partial(_open_host, args.disable, None), most)
    server = McpServer(answers, workspaces, roots, shared=args.http is not None)
    try:
        if args.http is None:
            anyio.run(server.serve_stdio)
        else:
            _serve_http(server, args.http)
    finally:
        workspaces.close()
    return 0


def _serve_http(server: McpServer, port: int) -> None:
    import anyio

    from satchel.mcp_server.server import PATH, make_token, serve_http

    token = os.environ.get(TOKEN, "")
    with listen(port, "--http") as listening:
        say(f"satchel: serving http://{LOOPBACK}:{listening.getsockname()[1]}{PATH}")
        if not token:
            token = make_token()
            say(f"satchel: token {token}")
        anyio.run(serve_http, server, listening, token)


def _roots(given: list[str] | None) -> list[Path]:
    """Return the folders to serve; [] if it is this one and too large to be a project."""
    if given:
        return [absolute(check_folder(root)).resolve() for root in given]
    here = Path.cwd()
    return [] if here == Path(here.anchor) or here == Path.home() else [here]


def _open_host(disable: list[str] | None, root: Path | None) -> Host:
    from satchel.installed import find_plugins

    config = configuration.load(root, env=os.environ, flags={"disable": disable})
    return find_plugins(config, announce=say)
