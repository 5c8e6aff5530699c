"""Make QR symbols that are the same in every output: error level M, no micro symbols."""

import segno
from django.utils.safestring import SafeString, mark_safe


def symbol(data: str) -> segno.QRCode:
    """Return the symbol of `data`; upper-case letters, digits and hyphens take the dense mode."""
    return segno.make_qr(data, error="m", boost_error=False)


def drawing(data: str) -> SafeString:
    """Return the symbol as SVG with its quiet zone, as wide as what it stands in."""
    drawn = symbol(data).svg_inline(border=4, light="#fff", omitsize=True)
    return mark_safe(drawn)  # noqa: S308  # holds no text
