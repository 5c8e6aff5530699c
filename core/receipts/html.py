"""Render a document as a self-contained HTML fragment: escaped, inline styles, QR as inline SVG."""

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from core.receipts import qr
from core.receipts.charset import clean
from core.receipts.document import (
    Align,
    Block,
    Document,
    Emphasis,
    Line,
    Notice,
    Pair,
    Qr,
    Rule,
    Spacer,
    Table,
    Title,
)

_PAPER = (
    "box-sizing:border-box;width:100%;max-width:32rem;margin:0 auto;padding:1rem;"
    "font-family:sans-serif;line-height:1.35;overflow-wrap:anywhere;background:#fff;color:#000"
)
_BANNER = "border:.25rem solid;padding:.5rem;text-align:center;font-size:2rem;font-weight:700"
_EMPHASIS = {
    Emphasis.NORMAL: "",
    Emphasis.BOLD: "font-weight:700;",
    Emphasis.LARGE: "font-weight:700;font-size:1.75em;",
}
_CELLS = _EMPHASIS | {
    Emphasis.LARGE: "font-weight:700;font-size:1.4em;line-height:1.3;word-spacing:.25em;"
}
_VERTICAL = {"th": "bottom", "td": "top"}


def render(document: Document) -> SafeString:
    """Return one `<section>` that is safe to put into any page."""
    banners = format_html_join(
        "", '<p role="alert" style="{}">{}</p>', ((_BANNER, text) for text in document.banners)
    )
    return format_html(
        '<section class="receipt" lang="{}" style="{}">{}{}{}</section>',
        document.language,
        _PAPER,
        banners,
        format_html_join("", "{}", ((_block(block),) for block in document.blocks)),
        banners,
    )


def _block(block: Block) -> SafeString:
    match block:
        case Title(text):
            return format_html('<h2 style="text-align:center">{}</h2>', clean(text))
        case Line(text, align, emphasis):
            style = (
                f"{_EMPHASIS[emphasis]}text-align:{align.value};white-space:pre-line;"
                "text-wrap:balance"
            )
            return format_html('<p style="{}">{}</p>', style, clean(text))
        case Pair(label, value, emphasis):
            return _pair(clean(label), clean(value), emphasis)
        case Table():
            return _table(block)
        case Rule():
            return mark_safe("<hr>")
        case Notice(text):
            return format_html(
                '<p role="note" style="border:1px solid;padding:.5rem;text-align:center;'
                'font-weight:700;white-space:pre-line;text-wrap:balance">{}</p>',
                clean(text),
            )
        case Spacer(lines):
            return format_html('<div style="height:{}em"></div>', lines)
        case Qr(data):
            return format_html(
                '<div role="img" aria-label="QR" style="width:44mm;max-width:100%;margin:0 auto">'
                "{}</div>",
                qr.drawing(data),
            )


def _pair(label: str, value: str, emphasis: Emphasis) -> SafeString:
    return format_html(
        '<div style="{}display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1em">'
        '<span>{}</span><span style="margin-left:auto;text-align:right;white-space:pre-line">'
        "{}</span></div>",
        _EMPHASIS[emphasis],
        label,
        value,
    )


def _table(table: Table) -> SafeString:
    # A column is as wide as the longest word of its heading, which is never broken.
    whole = "font-size:.85em;overflow-wrap:normal;"
    header = _cells("th", whole, table.header, table) if table.header else ""
    style = _CELLS[table.emphasis]
    rows = format_html_join(
        "", "<tr>{}</tr>", ((_cells("td", style, row, table),) for row in table.rows)
    )
    return format_html(
        '<table style="width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums">'
        "{}<tbody>{}</tbody></table>",
        format_html("<thead><tr>{}</tr></thead>", header) if header else "",
        rows,
    )


def _cells(tag: str, style: str, cells: tuple[str, ...], table: Table) -> SafeString:
    widths = [""] * table.columns
    # An amount is not broken over lines; the words above it may be.
    wraps = {
        align: "nowrap" if (tag, align) == ("td", Align.RIGHT) else "pre-line" for align in Align
    }
    if table.emphasis is Emphasis.LARGE:
        widths[-1] = "width:100%;"  # the last column has all that the others do not need
    return format_html_join(
        "",
        '<{} style="{}text-align:{};vertical-align:{};padding:0 .5em 0 0;white-space:{}">{}</{}>',
        (
            (tag, style + width, align.value, _VERTICAL[tag], wraps[align], clean(cell), tag)
            for cell, align, width in zip(cells, table.column_aligns, widths, strict=True)
        ),
    )
