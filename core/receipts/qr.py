"""QR symbols, the same in every output: error level M, no micro symbols."""

import segno


def symbol(data: str) -> segno.QRCode:
    """The symbol of `data`; upper-case letters, digits and hyphens take the dense mode."""
    return segno.make_qr(data, error="m", boost_error=False)
