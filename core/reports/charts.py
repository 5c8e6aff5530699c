"""Draw a table as a small SVG inside the page. The picture loads nothing from anywhere."""

import re
from collections.abc import Sequence
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from core.receipts.document import present_language
from core.receipts.formats import format_cents
from core.reports.tables import Kind, Table

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 720, 240, 90, 28, 44
BESIDE_A_FORM = 420
"""A width for narrow places. A picture is never shown narrower than it is drawn (`house.css`), so
that its letters of 12 px stay so.
"""
LABEL = 78
"""The room that the name of a column takes."""
MOST_BARS = 60
MOST_STEPS = 4
"""The most steps from zero to the largest value, so that an axis has few marks."""
_WHOLE_EUROS = re.compile(r"[.,]00(?=\D*$)")
COLOURS = ("#1d6fb8", "#c2571a", "#2e7d4f", "#7a4fa3")


def svg(table: Table, *, width: int = WIDTH) -> SafeString:
    """Return the picture of a report, `width` CSS pixels or wider: empty if it has no picture or no
    rows.
    """
    picture = table.report.picture
    if picture is None or not table.rows:
        return SafeString("")
    labels, series = _series(table, picture.label, picture.values)
    low = min(0, *(value for values in series for value in values))
    high = max(0, *(value for values in series for value in values))
    draw = _lines if picture.line and len(labels) > 1 else _bars
    places = [table.report.column(name) for name in picture.values]
    cents = table.report.columns[places[0]].kind is Kind.CENTS
    scale = _Scale(low, high, len(labels), least=100 if cents else 1, width=width)
    names = [str(table.report.columns[place].title) for place in places]
    return format_html(
        '<div class="house-scroll"><svg class="house-chart {}" viewBox="0 0 {} {}" role="img"'
        ' aria-label="{}">{}{}{}</svg></div>',
        "narrow" if width < WIDTH else "",
        width,
        HEIGHT,
        str(table.report.title),
        _axes(scale, labels, cents=cents),
        draw(scale, series, labels, cents=cents),
        _legend(names, width),
    )


class _Scale:
    """The scale that puts a value and a column on the sheet.

    It goes in equal round steps from the lowest value to the highest, and is never shorter than
    `least`: all zero is drawn at the foot of one unit.
    """

    def __init__(
        self, low: int, high: int, many: int, *, least: int = 1, width: int = WIDTH
    ) -> None:
        self.step = _step(max(high - low, least))
        self.low = low // self.step * self.step
        self.high = max(-(-high // self.step) * self.step, self.low + least)
        self.many = max(many, 1)
        self.width = width

    @property
    def marks(self) -> range:
        return range(self.low, self.high + 1, self.step)

    def y(self, value: int) -> int:
        height = HEIGHT - TOP - BOTTOM
        return TOP + height * (self.high - value) // (self.high - self.low)

    def x(self, place: int) -> int:
        """Return the left edge of a column."""
        return LEFT + (self.width - LEFT - 10) * place // self.many


def _step(span: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, ... that divides a span into few steps."""
    power = 1
    while True:
        for step in (power, 2 * power, 5 * power):
            if MOST_STEPS * step >= span:
                return step
        power *= 10


def _series(table: Table, label: str, values: Sequence[str]) -> tuple[list[str], list[list[int]]]:
    at, places = table.report.column(label), [table.report.column(name) for name in values]
    summed: dict[Any, list[int]] = {}
    for row in table.rows:
        sums = summed.setdefault(row[at], [0] * len(places))
        for number, place in enumerate(places):
            sums[number] += row[place] or 0
    if not table.report.picture or not table.report.picture.line:
        largest = sorted(summed.items(), key=lambda item: -item[1][0])[:MOST_BARS]
        summed = dict(largest)
    columns = list(summed.items())
    return [str(key) for key, _ in columns], [
        [sums[number] for _, sums in columns] for number in range(len(places))
    ]


def _number_text(value: int, *, cents: bool) -> str:
    return format_cents(value, present_language()) if cents else f"{value:,}"


def _mark_texts(scale: _Scale, *, cents: bool) -> list[str]:
    """Return the texts of the axis: without cents if every mark is of whole euros."""
    texts = [_number_text(mark, cents=cents) for mark in scale.marks]
    whole = cents and all(_WHOLE_EUROS.search(text) for text in texts)
    return [_WHOLE_EUROS.sub("", text) for text in texts] if whole else texts


def _axes(scale: _Scale, labels: Sequence[str], *, cents: bool) -> SafeString:
    lines = format_html_join(
        "",
        '<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="currentColor" stroke-opacity=".2"/>'
        '<text x="{}" y="{}" font-size="12" text-anchor="end" fill="currentColor">{}</text>',
        (
            (
                LEFT,
                scale.width - 10,
                scale.y(m),
                scale.y(m),
                LEFT - 6,
                scale.y(m) + 4,
                text,
            )
            for m, text in zip(scale.marks, _mark_texts(scale, cents=cents), strict=True)
        ),
    )
    step = max(1, -(-len(labels) * LABEL // (scale.width - LEFT - 10)))
    names = format_html_join(
        "",
        '<text x="{}" y="{}" font-size="12" fill="currentColor">{}</text>',
        (
            (scale.x(place), HEIGHT - BOTTOM + 16, text[:12])
            for place, text in enumerate(labels)
            if place % step == 0
        ),
    )
    return format_html("{}{}", lines, names)


def _bars(
    scale: _Scale, series: list[list[int]], labels: Sequence[str], *, cents: bool
) -> SafeString:
    width = max(1, (scale.x(1) - scale.x(0)) * 4 // 5 // len(series))
    return format_html_join(
        "",
        '<rect x="{}" y="{}" width="{}" height="{}" fill="{}"><title>{}: {}</title></rect>',
        (
            (
                scale.x(place) + number * width,
                min(scale.y(value), scale.y(0)),
                width,
                max(1, abs(scale.y(value) - scale.y(0))),
                COLOURS[number % len(COLOURS)],
                labels[place],
                _number_text(value, cents=cents),
            )
            for number, values in enumerate(series)
            for place, value in enumerate(values)
        ),
    )


def _lines(
    scale: _Scale, series: list[list[int]], labels: Sequence[str], *, cents: bool
) -> SafeString:
    return format_html_join(
        "",
        '<polyline fill="none" stroke="{}" stroke-width="2" points="{}"/>{}',
        (
            (
                COLOURS[number % len(COLOURS)],
                " ".join(f"{scale.x(p)},{scale.y(value)}" for p, value in enumerate(values)),
                format_html_join(
                    "",
                    '<circle cx="{}" cy="{}" r="3" fill="{}"><title>{}: {}</title></circle>',
                    (
                        (
                            scale.x(p),
                            scale.y(value),
                            COLOURS[number % len(COLOURS)],
                            labels[p],
                            _number_text(value, cents=cents),
                        )
                        for p, value in enumerate(values)
                    ),
                ),
            )
            for number, values in enumerate(series)
        ),
    )


def _legend(names: Sequence[str], width: int) -> SafeString:
    room = min(180, (width - LEFT) // len(names))
    return format_html_join(
        "",
        '<rect x="{}" y="6" width="12" height="12" fill="{}"/>'
        '<text x="{}" y="16" font-size="12" fill="currentColor">{}</text>',
        (
            (LEFT + room * number, COLOURS[number % len(COLOURS)], LEFT + room * number + 18, name)
            for number, name in enumerate(names)
        ),
    )
