"""Show the public board and its wall mode: a page, without sign-on, that reads published files."""

from typing import Any

from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core.database import clock
from core.receipts.qr import symbol
from core.screens import texts
from core.screens.panels import Panel, board_panels
from core.screens.views import Screen


class Board(Screen):
    """Show the sections of all games; `?wall` shows them in large type for a screen on the wall."""

    template_name = "screens/board.html"

    def sections(self) -> tuple[Panel, ...]:
        return board_panels()

    def catalogues(self) -> tuple[str, ...]:
        return ("board", *[panel.texts for panel in self.sections()])

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        wall = "wall" in self.request.GET
        config = {
            "at": clock.now(),
            "phone": _picture(self.request.build_absolute_uri(reverse("coupon"))) if wall else None,
            "sections": [
                {"name": panel.name, "title": str(panel.title), "module": static(panel.module)}
                for panel in self.sections()
            ],
        }
        return super().get_context_data(**context, config=config, panels=self.sections(), wall=wall)


def _picture(address: str) -> str:
    """Return the QR symbol of an address as a `data:` address of an image."""
    return str(symbol(address).svg_data_uri(border=2, dark="#111", light="#fff"))


TEXTS: dict[str, texts.Text] = {
    "loading": _("Loading…"),
    "board_live": _("Live"),
    "board_cut": _("No connection"),
    "board_old": _("The connection is lost. These figures are of {time}."),
}
