"""The terminal's web app: a page, and the player's second screen. It speaks the public API only."""

from typing import Any

from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _

from core.screens import texts
from core.screens.panels import panels
from core.screens.views import Screen


class Terminal(Screen):
    template_name = "screens/terminal.html"

    def catalogues(self) -> tuple[str, ...]:
        return ("terminal", *[panel.texts for panel in panels()])

    def get_context_data(self, **given: Any) -> dict[str, Any]:
        config = {
            "panels": [
                {"name": each.name, "title": str(each.title), "module": static(each.module)}
                for each in panels()
            ]
        }
        return super().get_context_data(**given, config=config, panels=panels())


class Player(Screen):
    template_name = "screens/player.html"
    texts = ("player",)


def define() -> None:
    texts.define("player", {"player_idle": _("Good luck!")})
    texts.define(
        "terminal",
        {
            "line_up": _("Online"),
            "line_lost": _("No connection"),
            "loading": _("Loading…"),
            "try_again": _("Try again"),
            "sign_off": _("Sign off"),
            "enrol": _("Enrol this terminal"),
            "enrol_why": _("Type the enrolment code that the organiser gave for this terminal."),
            "enrolment_code": _("Enrolment code"),
            "enrol_do": _("Enrol"),
            "sign_on": _("Sign on"),
            "sign_on_why": _("Operator number and PIN."),
            "operator_number": _("Operator number"),
            "pin": _("PIN"),
            "sign_on_do": _("Sign on"),
            "backspace": _("Delete the last digit"),
            "day": _("Day"),
            "waiting_answer": _("Waiting for the answer"),
            "waiting_answer_why": _(
                "The sale is kept and sent again until it is answered. It is never sold twice. "
                "Do not charge the player yet."
            ),
            "waiting_paper": _("Sold. The paper is coming"),
            "waiting_paper_why": _("The ticket is registered. It is printed as soon as possible."),
            "give_up": _("Give up this sale"),
            "print_again": _("Print again"),
            "to_prizes": _("{percent} % to prizes"),
            "suspended": _("Sales are suspended."),
            "not_authorised": _("These premises are not authorised to sell now."),
            "sell_for": _("Sell for"),
            "not_sold": _("Not sold."),
            "given_up": _("Given up: nothing was sold, and it never will be."),
            "copy": _("Duplicate"),
            "takings": _("Takings"),
            "paper_fails": _("The paper cannot be printed"),
        },
    )
