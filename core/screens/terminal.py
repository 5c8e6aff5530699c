"""Serve the terminal's web app and the player's second screen, which use only the public API."""

from typing import Any

from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _

from core.screens import texts
from core.screens.board import Board
from core.screens.panels import Panel, panels, player_panels
from core.screens.views import Screen


def _till_catalogues() -> tuple[str, ...]:
    return ("terminal", "prizes", *[panel.texts for panel in panels()])


class Terminal(Screen):
    for_terminals = True
    template_name = "screens/terminal.html"

    def catalogues(self) -> tuple[str, ...]:
        return _till_catalogues()

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        config = {
            "panels": [
                {"name": panel.name, "title": str(panel.title), "module": static(panel.module)}
                for panel in panels()
            ]
        }
        return super().get_context_data(**context, config=config, panels=panels())


class Player(Board):
    """Show the player what the terminal beside it does, in a language of its own; idle, what the
    boards' files say.
    """

    for_terminals = True
    template_name = "screens/player.html"

    def sections(self) -> tuple[Panel, ...]:
        return player_panels()

    def catalogues(self) -> tuple[str, ...]:
        """Return those of the till, too, whose words this screen says in its own language."""
        return tuple(dict.fromkeys((*super().catalogues(), *_till_catalogues())))

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        stages = [style for panel in panels() for style in panel.styles]
        return super().get_context_data(**context, stages=stages)


TERMINAL_TEXTS: dict[str, texts.Text] = {
    "line_up": _("Online"),
    "line_lost": _("No connection"),
    "fault": _("This screen has a fault. Reload it; nothing that was asked for is lost."),
    "loading": _("Loading…"),
    "open_elsewhere": _("This terminal is open in another window. Close that one to work here."),
    "try_again": _("Try again"),
    "sign_off": _("Sign off"),
    "enrol": _("Enrol this terminal"),
    "enrol_why": _("Scan or type the enrolment code that the organiser gave for this terminal."),
    "enrolment_code": _("Enrolment code"),
    "enrol_do": _("Enrol"),
    "sign_on": _("Sign on"),
    "sign_on_why": _("Operator number and PIN."),
    "operator_number": _("Operator number"),
    "pin": _("PIN"),
    "sign_on_do": _("Sign on"),
    "own_pin": _("Choose your own PIN"),
    "own_pin_why": _(
        "Somebody gave you the PIN that you typed, and knows it. Choose one of 6 to 12 digits that"
        " only you know."
    ),
    "new_pin": _("New PIN"),
    "new_pin_again": _("New PIN, once more"),
    "new_pin_differs": _("The two are different."),
    "own_pin_do": _("Keep it and sign on"),
    "backspace": _("Delete the last digit"),
    "try_again_in": _("Try again in {time}."),
    "scan_later": _("Finish this first, then scan again."),
    "day": _("Day"),
    "waiting_answer": _("Waiting for the answer"),
    "in_doubt": _("It is not known whether this was sold"),
    "in_doubt_why": _(
        "Call the help line and give them this number. Do not sell the same again, and do not"
        " charge the player yet. The terminal goes on asking: it prints the ticket, or says that"
        " nothing was sold. Until then it sells nothing else."
    ),
    "waiting_answer_why": _(
        "The sale is kept and sent again until it is answered. It is never sold twice. "
        "Do not charge the player yet."
    ),
    "waiting_paper": _("Sold. The paper is coming"),
    "waiting_paper_why": _("The ticket is registered. It is printed as soon as possible."),
    "give_up": _("Give up this sale"),
    "print_again": _("Print again"),
    "to_prizes": _("{percent} % to prizes"),
    "sales_suspended": _("Sales are suspended."),
    "credit_exhausted": _(
        "These premises owe as much as their guarantee covers. Remit first; then sales go on."
    ),
    "premises_not_authorised": _("These premises are not authorised to sell now."),
    "clock_unsound": _("Sales wait: the system's clock is not right just now."),
    "sell_for": _("Sell for"),
    "not_sold": _("Not sold."),
    "given_up": _("Given up: nothing was sold, and it never will be."),
    "copy": _("Duplicate"),
    "paper_came_out": _("Yes, the player has it"),
    "paper_missing": _("No: print a duplicate"),
    "takings": _("Takings"),
    "waiting_payment_why": _(
        "The payment is asked for again until it is answered. It is never made twice. "
        "Do not hand any money over yet."
    ),
    "code_typed": _("Typed: {n} of 24 letters and digits."),
    "help": _("Help"),
    "everywhere": _("Everywhere"),
    "help_tabs": _("Change the tab"),
    "scanner": _("Scanner"),
    "help_scan": _("A ticket to check or pay, or one prepared on a phone"),
    "touch_keys": _("Keys to touch"),
    "printer": _("Printer"),
    "printer_unused": _("Nothing was printed since this screen was opened."),
    "printer_last": _("The last paper went to the printer at {time}."),
    "printer_roll": _("Width of the paper"),
    "printer_test": _("Print a test page"),
    "player_language": _("Language of the player's screen"),
    "cash_up": _("Cash-up"),
    "since": _("since {date}, {time}"),
    "in_drawer": _("Must be in the drawer"),
    "drawer_sales": _("Sales"),
    "drawer_annulments": _("Refunds"),
    "drawer_prizes": _("Prizes paid"),
    "drawer_other": _("Other"),
    "cash_float": _("Change at the beginning"),
    "cash_counted": _("All that is in the drawer"),
    "cash_difference": _("Difference"),
    "close_shift": _("Close the shift"),
    "shift_closed": _("The shift is closed."),
    "paper_fails": _("The paper cannot be printed"),
}

_PRIZES: dict[str, texts.Text] = {
    "prizes": _("Prizes"),
    "presented_code": _("Code of the ticket or voucher"),
    "check": _("Check"),
    "scan_or_type": _("Scan a ticket or voucher, or type its code."),
    "not_known": _("Not recognised"),
    "paid_here_must": _("It must be paid here."),
    "paid_here_may": _("It may be paid here."),
    "must_pay": _("Must pay it"),
    "may_pay": _("May pay it"),
    "means": _("How"),
    "nominative_cheque": _("nominative cheque"),
    "stage": _("Stage"),
    "first_pay_day": _("Paid from"),
    "last_claim_day": _("Last day to claim"),
    "paid_before": _("Paid on"),
    "paid_here_at": _("{day}, {time}, at {premises}"),
    "paid_elsewhere": _("{day}, {time}, at other premises"),
    "pay": _("Pay"),
    "intact_why": _(
        "Hold the paper against the screen: the same code and numbers, not torn, crossed out or "
        "amended?"
    ),
    "intact_pay": _("It agrees: pay"),
    "not_intact": _("It does not agree"),
    "paid_now": _("Paid"),
    "hand_over": _("Hand the money over and keep the paper."),
    "not_paid": _("Not paid; scan it again."),
    "present": _("Present it in time"),
    "presented_done": _("Presented: it does not lapse any more."),
    "deposit": _("Take it in for checking"),
    "deposit_why": _(
        "The paper is kept and two persons decide. The player gets a receipt, against which it is "
        "paid."
    ),
    "deposit_reason": _("Why"),
    "deposited_done": _("Taken in for checking."),
    "notes": _("Notes"),
    "print_state": _("Print its state"),
    "next": _("Next"),
    "back": _("Back"),
    "cheque_why": _("An amount like this is paid by nominative cheque: identity is recorded."),
    "payee_name": _("Name and surnames"),
    "payee_document": _("Identity document"),
    "payee_number": _("Number"),
    "passport": _("Passport"),
    "other_document": _("Other"),
    "second_person": _("A second operator signs on for this amount"),
}
_STATES: dict[str, texts.Text] = {
    "state_sold": _("Not decided yet"),
    "state_void": _("Void"),
    "state_no_prize": _("No prize"),
    "state_prize": _("Prize"),
    "state_refund_due": _("Price to be given back"),
    "state_presented": _("Presented, not paid yet"),
    "state_deposited": _("Being checked"),
    "state_blocked": _("Held"),
    "state_granted": _("Granted: paid against its receipt"),
    "state_paid": _("Already paid"),
    "state_exchanged": _("Already exchanged"),
    "state_lapsed": _("Lapsed"),
    "state_refused": _("Not paid, by decision"),
    "stage_on_sale": _("on sale"),
    "stage_awaiting_results": _("awaiting results"),
    "stage_awaiting_order": _("awaiting the payment order"),
    "place_establishment": _("betting premises"),
    "place_central_office": _("Central Prize Payment Office"),
    "place_authorised_entity": _("authorised entities"),
    "place_issuer": _("the premises that issued it"),
    "reason_damaged": _("Torn or damaged"),
    "reason_altered": _("Crossed out, amended or manipulated"),
    "reason_unreadable": _("Its code cannot be read"),
    "reason_unverifiable": _("Its marks cannot be checked"),
}
PRIZE_TEXTS = _PRIZES | _STATES
