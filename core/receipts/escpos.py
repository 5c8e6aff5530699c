"""Render a document as ESC/POS bytes for an 80 mm thermal printer: 48 columns of font A.

Code page 858 has every letter of Catalan, Spanish and English, and the euro sign.
"""

from core.receipts import qr
from core.receipts.charset import encodable
from core.receipts.document import Document, Emphasis, Qr
from core.receipts.layout import COLUMNS, Layout

ENCODING = "cp858"
PRINTABLE_DOTS = 576
MAX_MODULE_DOTS = 8
QUIET_MODULES = 4

ESC, GS = b"\x1b", b"\x1d"
# Reset; font A; United States character set (so that ASCII stays ASCII); code page 858.
START = ESC + b"@" + ESC + b"M\x00" + ESC + b"R\x00" + ESC + b"t\x13"
LEFT, CENTRE = ESC + b"a\x00", ESC + b"a\x01"
FEED_AND_CUT = GS + b"VB\x00"
_STYLE = {
    Emphasis.NORMAL: ESC + b"E\x00" + GS + b"!\x00",
    Emphasis.BOLD: ESC + b"E\x01" + GS + b"!\x00",
    Emphasis.LARGE: ESC + b"E\x01" + GS + b"!\x11",
}


def render(document: Document) -> bytes:
    """Return the bytes to send to the printer, from its reset to the cut."""
    layout = Layout(lambda text: encodable(text, ENCODING), large_columns=COLUMNS // 2)
    out = bytearray(START)
    style = b""
    for item in layout.lines(document):
        if isinstance(item, Qr):
            out += CENTRE + _qr(item.data) + LEFT
            continue
        if _STYLE[item.emphasis] != style:
            style = _STYLE[item.emphasis]
            out += style
        out += item.text.encode(ENCODING) + b"\n"
    return bytes(out + FEED_AND_CUT)


def _qr(data: str) -> bytes:
    """Return the printer's QR commands: model 2, module size, error level M, store, print."""
    modules = len(qr.symbol(data).matrix) + 2 * QUIET_MODULES
    dots = max(1, min(MAX_MODULE_DOTS, PRINTABLE_DOTS // modules))
    return b"".join(
        GS + b"(k" + len(body).to_bytes(2, "little") + body
        for body in (
            b"1A2\x00",
            b"1C" + bytes([dots]),
            b"1E1",
            b"1P0" + data.encode(),
            b"1Q0",
        )
    )
