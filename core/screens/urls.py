"""Map the addresses of the screens."""

from django.urls import URLPattern, path

from core.contributions import contributed_items
from core.screens import board, check, coupon, terminal

urlpatterns: list[URLPattern] = [
    path("", board.Board.as_view(), name="board"),
    path("check", check.Check.as_view(), name="check"),
    path("coupon", coupon.Coupon.as_view(), name="coupon"),
    path("terminal/", terminal.Terminal.as_view(), name="terminal"),
    path("terminal/player/", terminal.Player.as_view(), name="terminal_player"),
    *contributed_items("public_pages", "PAGES"),
]
