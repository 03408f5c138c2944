"""`satchel size`: find the largest window of a local model that fits on the card."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_workspace, parse_tokens, whole_number
from satchel.cli.setup import load_config, plan
from satchel.view.tables import json_text

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.sizing.fitting import Card
    from satchel.sizing.models.gguf import Header
    from satchel.sizing.options import Run

DESCRIPTION = """\
Size the window of a local model: the largest that fits into a card's memory, what limits it, and
the memory that a given window takes. MODEL is a .gguf file, a folder, ollama:NAME, or the address
of a llama-server."""

EXAMPLES = """\
  satchel size qwen3-8b-q4_k_m.gguf
  satchel size qwen3-8b-q4_k_m.gguf --vram 12GiB --kv-type q8_0
  satchel size ollama:llama3.1 --context 32768 --format json"""

DOES_NOT_FIT = 4
"""The exit code if the cards can't hold the window."""
ADDRESS_PREFIXES = ("http://", "https://")


def fill(parser: Parser) -> None:
    """Add the arguments of `size`."""
    parser.add_argument(
        "model", metavar="MODEL", help="a .gguf file, a folder, ollama:NAME, or a server's address"
    )
    _fill_memory(parser)
    _fill_run(parser)
    shown = parser.add_argument_group("what you see")
    shown.add_argument(
        "--table", action="store_true", help="add the largest window for each cache type and offload"
    )
    shown.add_argument(
        "--engine", action="store_true", help="ask an installed llama-cpp-python for the memory of the window"
    )
    shown.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    add_workspace(parser)


def _fill_memory(parser: Parser) -> None:
    memory = parser.add_argument_group("memory")
    memory.add_argument(
        "--vram",
        action="append",
        metavar="24GiB",
        help="assume this much free memory on a card instead of asking it; repeatable",
    )
    memory.add_argument(
        "--margin", metavar="SIZE", help="memory held back on each card (default: 512 MiB and 1 %% of it)"
    )
    memory.add_argument(
        "--context", type=_tokens, metavar="N|32k", help="show what a window of N tokens takes; 32k is 32,000"
    )


def _fill_run(parser: Parser) -> None:
    run = parser.add_argument_group("how the model is run")
    run.add_argument("--kv-type", metavar="T", help="type of keys and values: f16 (default), q8_0, q4_0, ...")
    run.add_argument("--kv-type-k", metavar="T", help="type of keys only")
    run.add_argument("--kv-type-v", metavar="T", help="type of values only")
    run.add_argument(
        "--ubatch",
        type=whole_number(0),
        default=512,
        metavar="U",
        help="tokens of a micro-batch (default: 512)",
    )
    run.add_argument(
        "--slots", type=whole_number(0), default=1, metavar="S", help="conversations at a time (default: 1)"
    )
    run.add_argument("--unified", action="store_true", help="let the slots share one pool of cells")
    run.add_argument("--swa-full", action="store_true", help="keep the whole window in sliding layers too")
    run.add_argument(
        "--outputs",
        type=whole_number(0),
        default=0,
        metavar="O",
        help="rows of logits (default: one per slot)",
    )
    run.add_argument(
        "--gpu-layers", type=whole_number(0), metavar="N", help="layers on the card (default: all)"
    )
    run.add_argument(
        "--flash-attn", choices=("on", "off"), default="on", help="fused attention (default: on)"
    )


def _tokens(text: str) -> int:
    return 0 if text == "0" else parse_tokens(text, "--context")


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Size the window directly, or plan it if the cards must be probed."""
    if args.model.startswith(ADDRESS_PREFIXES):
        return _of_server(args)
    run = _make_run(args)
    if args.vram or args.context is not None:
        from satchel.sizing.models.opening import open_model
        from satchel.sizing.sizing import name_cards

        cards = name_cards(args.vram or (), margin=_margin(args))
        return _size(args, open_model(args.model), run, cards)
    config = load_config(args)
    margin = _margin(args)

    def _work(host: Host) -> Outcome:
        from satchel.sizing.models.opening import open_model
        from satchel.sizing.sizing import cards_of

        header = open_model(args.model)  # What is wrong with the model is said before a card is asked.
        return _size(args, header, run, cards_of(host, config, margin=margin))

    return plan(config, _work)


def _make_run(args: argparse.Namespace) -> Run:
    from satchel.sizing.models.gguf import cache_kind
    from satchel.sizing.options import ALL_LAYERS, Run, check_run

    both = args.kv_type or "f16"
    run = Run(
        context=args.context or 0,
        key_kind=cache_kind(args.kv_type_k or both),
        value_kind=cache_kind(args.kv_type_v or both),
        micro_batch=args.ubatch,
        slots=args.slots,
        unified=args.unified,
        full_sliding=args.swa_full,
        outputs=args.outputs,
        flash_attention=args.flash_attn == "on",
        gpu_layers=ALL_LAYERS if args.gpu_layers is None else args.gpu_layers,
    )
    check_run(run._replace(context=args.slots) if args.context is None else run)
    return run


def _margin(args: argparse.Namespace) -> int | None:
    from satchel.sizing.devices import parse_memory

    return None if args.margin is None else parse_memory(args.margin, what="--margin")


def _size(args: argparse.Namespace, header: Header, run: Run, cards: Sequence[Card]) -> Outcome:
    from satchel.sizing.sizing import choices, size_header
    from satchel.view.sizings import as_json, as_text

    answer = size_header(args.model, header, run, cards=cards)
    if args.engine:
        from satchel.sizing.engine import ask_engine

        answer = ask_engine(answer)
    shared = run._replace(shares=answer.run.shares)
    ways = tuple(choices(answer.shape, shared, cards)) if args.table and cards else ()
    text = json_text(as_json(answer, ways)) if args.format == "json" else as_text(answer, ways)
    return Outcome(text, exit_code=0 if answer.fits else DOES_NOT_FIT)


def _of_server(args: argparse.Namespace) -> Outcome:
    from satchel.sizing.models.opening import read_llama_server
    from satchel.view.sizings import running_json, running_text

    running = read_llama_server(args.model)
    is_json = args.format == "json"
    return Outcome(json_text(running_json(args.model, running)) if is_json else running_text(running))
