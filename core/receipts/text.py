"""Render a document as plain text of 48 columns, for consoles and logs of demonstrations."""

from core.receipts.charset import clean
from core.receipts.document import Document, Qr
from core.receipts.layout import COLUMNS, Layout


def render(document: Document) -> str:
    """Return lines of at most 48 characters, each ended by a newline.

    A QR symbol is shown as its data.
    """
    lines: list[str] = []
    for item in Layout(clean, large_columns=COLUMNS).lines(document):
        if isinstance(item, Qr):
            name = f"[QR {clean(item.data)}]"
            parts = (name[at : at + COLUMNS] for at in range(0, len(name), COLUMNS))
            lines += (part.center(COLUMNS).rstrip() for part in parts)
        else:
            lines.append(item.text)
    return "".join(f"{line}\n" for line in lines)
