"""The public board and its wall mode: a page, without sign-on, that reads the published files."""

from typing import Any

from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _

from core.database import clock
from core.screens import texts
from core.screens.panels import board_panels
from core.screens.views import Screen


class Board(Screen):
    """`?wall` shows it in large type for a screen on the wall."""

    template_name = "screens/board.html"

    def catalogues(self) -> tuple[str, ...]:
        return ("board", *[panel.texts for panel in board_panels()])

    def get_context_data(self, **given: Any) -> dict[str, Any]:
        config = {
            "at": clock.now(),
            "sections": [
                {"name": each.name, "title": str(each.title), "module": static(each.module)}
                for each in board_panels()
            ],
        }
        wall = "wall" in self.request.GET
        return super().get_context_data(**given, config=config, panels=board_panels(), wall=wall)


TEXTS: dict[str, texts.Text] = {
    "loading": _("Loading…"),
    "board_live": _("Live"),
    "board_cut": _("No connection"),
    "board_old": _("What is shown is of {time}: the connection is lost."),
}
