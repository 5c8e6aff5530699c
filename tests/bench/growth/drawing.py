"""Draw how figures grow with the length of the history, as a text SVG of two logarithmic axes."""

import math
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 420
_LEFT, _TOP, _RIGHT, _BOTTOM = 60, 40, 190, 50
_LEAST, _MOST = 0.5, 16.0
_COLOURS = (
    *("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf"),
    *("#e377c2", "#7f7f7f", "#bcbd22", "#393b79", "#637939", "#843c39", "#000000", "#f7b6d2"),
)


def growth(title: str, lengths: Sequence[int], seconds: Mapping[str, Sequence[float]]) -> str:
    """Return the SVG: each figure by its ratio to the shortest history, and what is linear.

    `seconds` has, by name, one figure for each length. Ratios beyond the axis are drawn at its end.
    """
    elements = [_text(_LEFT, 22, title, size=15)]
    for ratio in (0.5, 1, 2, 4, 8, 16):
        y = _y(ratio)
        elements.append(_line([(_LEFT, y), (WIDTH - _RIGHT, y)], "#dddddd"))
        elements.append(_text(_LEFT - 8, y + 4, f"{ratio:g}", anchor="end"))
    for length in lengths:
        x = _x(length, lengths)
        elements.append(_text(x, HEIGHT - _BOTTOM + 20, f"{length} H", anchor="middle"))
    linear = [(_x(length, lengths), _y(length / lengths[0])) for length in lengths]
    elements.append(_line(linear, "#555555", dashes="6 4"))
    elements.append(_text(linear[-1][0] + 8, linear[-1][1] + 4, "linear"))
    for number, (name, values) in enumerate(seconds.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        points = [
            (_x(length, lengths), _y(value / max(values[0], 1e-9)))
            for length, value in zip(lengths, values, strict=True)
        ]
        elements.append(_line(points, colour))
        ratio = values[-1] / max(values[0], 1e-9)
        y = _TOP + 30 + 18 * number
        elements.append(_line([(WIDTH - _RIGHT + 14, y - 4), (WIDTH - _RIGHT + 32, y - 4)], colour))
        elements.append(_text(WIDTH - _RIGHT + 38, y, f"{name} {ratio:.2f}"))
    body = "\n".join(elements)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' font-family="sans-serif">\n<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n'
        f"{body}\n</svg>\n"
    )


def _x(length: int, lengths: Sequence[int]) -> float:
    share = math.log(length / lengths[0]) / math.log(lengths[-1] / lengths[0])
    return round(_LEFT + 10 + share * (WIDTH - _LEFT - _RIGHT - 60), 1)


def _y(ratio: float) -> float:
    kept = min(max(ratio, _LEAST), _MOST)
    share = math.log(kept / _LEAST) / math.log(_MOST / _LEAST)
    return round(HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM), 1)


def _line(points: Sequence[tuple[float, float]], colour: str, *, dashes: str = "") -> str:
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>'


def _text(x: float, y: float, text: str, *, size: int = 12, anchor: str = "start") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}">{escape(text)}</text>'
    )
