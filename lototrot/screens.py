"""Lototrot on the screens of the core: its tab of the terminal and what its scripts say."""

from django.utils.translation import gettext_lazy as _

from core.screens import texts
from core.screens.panels import Panel
from core.screens.panels import register as register_panel
from core.screens.texts import ngettext_noop

_MODULES = (
    "bet", "board", "confirmation", "day", "display", "last", "annulment", "sale",
)  # fmt: skip


def register() -> None:
    register_panel(
        Panel(
            name="lototrot", title=_("Lototrot"), module="lototrot/terminal/panel.js",
            styles=("lototrot/terminal/panel.css",), texts="lototrot",
            preload=tuple(f"lototrot/terminal/{name}.js" for name in _MODULES),
        )
    )  # fmt: skip
    texts.define("lototrot", _SELLING | _AFTERWARDS)


_SELLING: dict[str, texts.Text] = {
    "lototrot": _("Lototrot"),
    "races": _("Races"),
    "race_numbered": _("Race {race}"),
    "race_named": _("Race {race}: {name}"),
    "contest": _("Contest"),
    "nothing_on_sale": _("Nothing is on sale now."),
    "closes_in": _("Closes in"),
    "closing": _("Time to closing"),
    "closed": _("Closed"),
    "price_of_bet": _("Price of a bet"),
    "to_prizes": _("{percent} % to prizes"),
    "jackpot": _("Jackpot"),
    "rules": _("Rules"),
    "withdrawn": _("withdrawn"),
    "suspended": _("Sales are suspended."),
    "not_authorised": _("These premises are not authorised to sell now."),
    "quick_pick_all": _("Quick pick"),
    "quick_pick_race": _("Quick pick of race {race}"),
    "quick_picked": ngettext_noop("{n} number at random", "{n} numbers at random"),
    "at_random": ngettext_noop("{n} number at random", "{n} numbers at random"),
    "repeat": _("Repeat"),
    "clear": _("Clear"),
    "confirm_bet": _("Confirm"),
    "bets": ngettext_noop("{n} bet", "{n} bets"),
    "too_many_bets": _("At most {most} bets on a ticket"),
    "no_such_number": _("Number {number} is not on sale in this race."),
    "your_bet": _("Your bet"),
    "confirm_before_paying": _("Look at it before paying: afterwards no error can be claimed."),
    "sell_for": _("Sell for"),
    "change_bet": _("Change it"),
    "ticket_sold": ngettext_noop("Sold: {n} bet, {amount}", "Sold: {n} bets, {amount}"),
    "not_sold": _("Not sold."),
    "marks_withdrawn": _("Withdrawn, and no longer marked: {numbers}"),
    "marks_not_offered": _("Look at race {race}."),
    "display_title": _("Before selling: the poster"),
    "display_why": _(
        "Programme, rules and the percentage for prizes must hang where players see them."
    ),
    "print_poster": _("Print the poster"),
    "is_displayed": _("It is on display"),
}
_AFTERWARDS: dict[str, texts.Text] = {
    "registered_without_paper": _("The ticket is registered, but its paper is not given any more."),
    "annulled_meanwhile": _("That ticket has been annulled."),
    "given_up": _("Given up: nothing was sold, and it never will be."),
    "last_ticket": _("Last ticket"),
    "copy": _("Duplicate"),
    "copy_of": _("Duplicate of the ticket of {time}"),
    "annulled": _("annulled"),
    "correct": _("Correct an error"),
    "annul_title": _("Annul a ticket sold in error"),
    "annul_why": _("The player gives the ticket back. Scan it, keep it, and return the money."),
    "ticket_code": _("Code of the ticket"),
    "annul_reason": _("Reason"),
    "annul_reason_default": _("Number mistyped"),
    "annul_for": _("Annul and give back {amount}"),
    "do_not_annul": _("Do not annul"),
    "give_back": _("Annulled. Give {amount} back to the player."),
    "tickets": _("Tickets"),
    "bets_made": _("Bets"),
    "takings": _("Takings"),
    "annulled_tickets": _("Annulled tickets"),
    "given_back": _("Given back"),
    "last_tickets": _("Last tickets"),
    "no_tickets": _("No tickets yet."),
    "printed": _("printed"),
    "not_printed": _("not printed"),
    "sold_at": _("Sold at"),
    "amount": _("Amount"),
    "operator": _("Operator"),
    "paper": _("Paper"),
}
