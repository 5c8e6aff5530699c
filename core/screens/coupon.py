"""Prepare a coupon on a phone: a page that reads published files and sends nothing.

The coupon is shown as a QR symbol, which a till reads (docs/coupon.md).
"""

from core.screens.board import Board
from core.screens.panels import Panel, coupon_panels


class Coupon(Board):
    """Show the sections in which each game's coupons are marked, without sign-on."""

    template_name = "screens/coupon.html"

    def sections(self) -> tuple[Panel, ...]:
        return coupon_panels()
