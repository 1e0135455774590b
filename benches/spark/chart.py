"""Two charts in plain SVG: lines over logarithmic axes, and bars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

COLOURS = ("#9aa0a6", "#1a6fb5", "#c4521c", "#2e8540")
STYLE = "font-family='sans-serif' font-size='13' fill='#333'"


def lines(to: Path, series: Mapping[str, Sequence[tuple[float, float]]], title: str, x: str, y: str) -> None:
    """Writes lines; both axes are logarithmic."""
    width, height, left, top, right, bottom = 720, 440, 70, 50, 30, 60
    every = [point for points in series.values() for point in points]
    low = [math.floor(math.log10(min(point[axis] for point in every))) for axis in (0, 1)]
    high = [math.ceil(math.log10(max(point[axis] for point in every))) for axis in (0, 1)]

    def place(point: tuple[float, float]) -> tuple[float, float]:
        share = [(math.log10(point[axis]) - low[axis]) / (high[axis] - low[axis]) for axis in (0, 1)]
        return left + share[0] * (width - left - right), height - bottom - share[1] * (height - top - bottom)

    out = [_text(width / 2, 26, title, "middle", 16)]
    for power in range(low[0], high[0] + 1):
        at, _ = place((10**power, 10 ** low[1]))
        out.append(_line(at, top, at, height - bottom, "#ddd"))
        out.append(_text(at, height - bottom + 18, f"{10**power:,}", "middle"))
    for power in range(low[1], high[1] + 1):
        _, at = place((10 ** low[0], 10**power))
        out.append(_line(left, at, width - right, at, "#ddd"))
        out.append(_text(left - 8, at + 4, f"{10**power:,}", "end"))
    out.append(_text(width / 2, height - 18, x, "middle"))
    middle = (top + height - bottom) / 2
    out.append(f"<g transform='rotate(-90 18 {middle})'>{_text(18, middle, y, 'middle')}</g>")
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in map(place, points))
        dash = " stroke-dasharray='6 4'" if number == 0 else ""
        out.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2.5'{dash}/>")
        at = top + 16 + 20 * number
        out.append(_line(width - 270, at - 4, width - 240, at - 4, colour, 3))
        out.append(_text(width - 232, at, name))
    _write(to, width, height, out)


def bars(to: Path, rows: Sequence[tuple[str, float]], title: str, x: str) -> None:
    """Writes bars from 0, each with its number."""
    width, left, top, step = 720, 300, 50, 28
    height = top + step * len(rows) + 40
    most = max(value for _, value in rows)
    out = [_text(width / 2, 26, title, "middle", 16)]
    for number, (name, value) in enumerate(rows):
        at = top + step * number
        length = (width - left - 80) * value / most
        out.append(_text(left - 8, at + 15, name, "end"))
        out.append(f"<rect x='{left}' y='{at}' width='{length:.1f}' height='{step - 8}' fill='{COLOURS[1]}'/>")
        out.append(_text(left + length + 6, at + 15, f"{value:.1f}"))
    out.append(_text(left, height - 14, x))
    _write(to, width, height, out)


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 13) -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' font-size='{size}'>{escape(text)}</text>"


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1) -> str:
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}' stroke-width='{width}'/>"


def _write(to: Path, width: float, height: float, parts: Sequence[str]) -> None:
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}'>"
    ground = f"<rect width='{width}' height='{height}' fill='white'/>"
    to.write_text("\n".join([head, ground, f"<g {STYLE}>", *parts, "</g></svg>"]) + "\n", encoding="utf-8")
