"""Make QR symbols that are the same in every output: error level M, no micro symbols."""

import segno


def symbol(data: str) -> segno.QRCode:
    """Return the symbol of `data`; upper-case letters, digits and hyphens take the dense mode."""
    return segno.make_qr(data, error="m", boost_error=False)
