"""Draw the recalls by budget as a plain SVG file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 320, 44, 96, 40, 40
COLORS = ("#0b6e4f", "#c1440e", "#2f5d9b", "#8a6d00", "#7b3f98", "#555555")
_APART = 13

Lines = Mapping[str, Mapping[int, float]]
"""Values from 0 to 1, by system and budget."""


class Panel(NamedTuple):
    """One chart: what it shows, and a line for each system."""

    title: str
    lines: Lines


def draw(panels: Sequence[Panel]) -> str:
    """Return the charts side by side."""
    width = WIDTH * len(panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" '
        f'viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for place, panel in enumerate(panels):
        parts += [f'<g transform="translate({WIDTH * place} 0)">', *_panel(panel), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel) -> list[str]:
    budgets = sorted({budget for values in panel.lines.values() for budget in values})
    parts = [f'<text x="{LEFT}" y="20" font-size="14" font-weight="bold">{escape(panel.title)}</text>']
    for percent in range(0, 101, 20):
        y = _y(percent / 100)
        parts.append(
            f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#dddddd"/>'
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{percent}</text>'
        )
    for budget in budgets:
        at = f'x="{_x(budget, budgets):.1f}" y="{HEIGHT - BOTTOM + 18}"'
        parts.append(f'<text {at} text-anchor="middle">{budget:,}</text>')
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 6}" fill="#555555">budget, tokens</text>')
    labels = _labels({name: values[max(values)] for name, values in panel.lines.items() if values})
    for place, (name, values) in enumerate(panel.lines.items()):
        parts += _line(name, values, budgets, color=COLORS[place % len(COLORS)], label=labels.get(name, 0.0))
    return parts


def _line(
    name: str, values: Mapping[int, float], budgets: Sequence[int], *, color: str, label: float
) -> list[str]:
    points = [(_x(budget, budgets), _y(values[budget])) for budget in sorted(values)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in points]
    return [
        f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>',
        *dots,
        f'<text x="{WIDTH - RIGHT + 8}" y="{label + 4:.1f}" fill="{color}">{escape(name)}</text>',
    ]


def _labels(ends: Mapping[str, float]) -> dict[str, float]:
    """Return where the names stand: beside the ends of their lines, but apart from each other."""
    places: dict[str, float] = {}
    lowest = 0.0
    for name in sorted(ends, key=lambda name: -ends[name]):
        lowest = max(_y(ends[name]), lowest + _APART)
        places[name] = lowest
    return places


def _x(budget: int, budgets: Sequence[int]) -> float:
    low, high = math.log(budgets[0]), math.log(budgets[-1])
    share = (math.log(budget) - low) / (high - low) if high > low else 0.5
    return LEFT + 12 + share * (WIDTH - LEFT - RIGHT - 24)


def _y(value: float) -> float:
    return TOP + (1 - value) * (HEIGHT - TOP - BOTTOM)
