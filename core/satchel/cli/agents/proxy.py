"""`satchel proxy`: sit in front of a model server and compact conversations on the way."""

from __future__ import annotations

import argparse

from satchel.cli.parsing import Parser, add_running, add_settings, parse_tokens, whole_number
from satchel.cli.setup import LOOPBACK, listen
from satchel.cli.streams import say
from satchel.errors import SatchelError, UsageError
from satchel.private_files import state_folder

DESCRIPTION = """\
Sit in front of a model server: requests pass unchanged, except conversations that do not fit.
Those are compacted, each with a state of its own, so that the beginning stays and the prompt cache holds.
Speaks OpenAI's chat and responses, Anthropic's messages, and Ollama's chat. Listens on loopback only."""

EXAMPLES = """\
  satchel proxy --upstream https://api.anthropic.com
  ANTHROPIC_BASE_URL=http://127.0.0.1:8484 claude
  satchel proxy --upstream http://127.0.0.1:11434 --window 32k"""
_PORT = 8484
_INSTALL = "satchel proxy needs starlette, uvicorn and httpx: pip install 'satchel[proxy]'"


def fill(parser: Parser) -> None:
    """Add the arguments of `proxy`."""
    parser.add_argument("--upstream", required=True, metavar="URL", help="the server that requests go to")
    parser.add_argument(
        "--port", type=whole_number(0), default=_PORT, metavar="N", help=f"port (default: {_PORT}); 0: any"
    )
    fits = parser.add_argument_group("what fits")
    fits.add_argument(
        "--budget", default="", metavar="N", help="maximum size of a request in tokens, like 90k"
    )
    fits.add_argument(
        "--window",
        default="",
        metavar="N|auto",
        help="tokens of the window (default: that of the requested model); auto: what fits on the card",
    )
    fits.add_argument("--num-ctx", default="", metavar="N", help="window to request from Ollama")
    parser.add_argument(
        "--no-save",
        action="store_true",
        help="keep conversation states only in memory; after a restart each is compacted again",
    )
    add_settings(parser.add_argument_group("plugins and settings"))
    add_running(parser)


def serve(args: argparse.Namespace) -> int:
    """Serve until the process is stopped."""
    if not args.upstream.startswith(("http://", "https://")):
        raise UsageError("--upstream: expected an address that begins with http:// or https://")
    is_sized = args.window == "auto"
    if is_sized:
        args.window = ""
    numbers = {
        name: parse_tokens(given, f"--{name.replace('_', '-')}") if (given := getattr(args, name)) else 0
        for name in ("budget", "window", "num_ctx")
    }
    if numbers["budget"] > numbers["window"] > 0:
        raise UsageError(f"--budget {args.budget} is more than --window {args.window}")
    try:
        import uvicorn

        from satchel.proxy_server import ProxySettings, hide_credentials, make_app
    except ImportError as error:
        raise SatchelError(f"{_INSTALL} ({error})") from None
    folder = "" if args.no_save else str(state_folder() / "proxy")
    app = make_app(ProxySettings(args.upstream, **numbers, is_sized=is_sized, folder=folder), say)
    with listen(args.port, "--port") as listening:
        port = listening.getsockname()[1]
        upstream = hide_credentials(args.upstream)
        say(f"satchel: http://{LOOPBACK}:{port} forwards requests to {upstream}; Ctrl-C stops it")
        settings = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=2,
            server_header=False,  # those of the server are handed on
            date_header=False,
            proxy_headers=False,  # nobody stands before it: it listens on loopback alone
        )
        uvicorn.Server(settings).run(sockets=[listening])
    return 0
