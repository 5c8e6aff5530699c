"""Put the codes of Lototrot, and the proposals about its contests, into words for the admin."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from core.admin_support.columns import day, link, moment, money, named
from core.admin_support.contents import ProposalWords
from core.database.reading.batches import row_by, rows_by
from core.premises.models import Terminal
from core.staff.models import Proposal
from lototrot.models.contest import BetType, Contest
from lototrot.models.programme import Race, Racecourse
from lototrot.models.settlement import Settlement
from lototrot.models.tickets import Unprinted
from lototrot.selectors.settlement.results import Missing

# The reason why a contest cannot open, by the code of the gate [E8].
GATES = {
    "bet_type_internal": _("The bet type is one of the internal bet's"),
    "price_out_of_range": _("The price is outside the limits"),
    "max_bets_missing": _("The most bets on a ticket are not set"),
    "wrong_race_count": _("The number of races is not the bet type's"),
    "runners_missing": _("A race has no list of runners"),
    "prize_percent_too_low": _("Too little goes to prizes"),
    "figures_not_of_regulation": _("Other figures than the regulation's on that day"),
    "ticket_model_missing": _("There is no authorised ticket model"),
    "ticket_layout_changed": _("The layout in use is not the one of the ticket model"),
    "internal_bets_unlisted": _("The internal bet types of the meeting are not on record"),
    "correction_window_unapproved": _("The correction window is not approved"),
    "schedule_missing": _("No closing is scheduled"),
    "federation_approval_missing": _("The Federation's approval is not on record"),
    "programme_unpublished": _("The programme is not published"),
    "rules_unpublished": _("The rules are not published"),
    "percent_unpublished": _("The percentage is not published"),
}
# The name of an open gate, by its code.
GATE_NAMES = {
    "bet_type_internal": _("bet type"),
    "price_out_of_range": _("price of a bet"),
    "max_bets_missing": _("Most bets on a ticket"),
    "wrong_race_count": _("races"),
    "runners_missing": _("runners"),
    "prize_percent_too_low": _("percentage to prizes"),
    "figures_not_of_regulation": _("figures of the regulation"),
    "ticket_model_missing": _("ticket model"),
    "ticket_layout_changed": _("layout of the ticket"),
    "internal_bets_unlisted": _("internal bet types"),
    "correction_window_unapproved": _("Approval of the window"),
    "schedule_missing": _("Scheduled closing"),
    "federation_approval_missing": _("approval by the Federation"),
    "programme_unpublished": format_lazy("{}: {}", _("publication"), _("programme")),
    "rules_unpublished": format_lazy("{}: {}", _("publication"), _("rules")),
    "percent_unpublished": format_lazy("{}: {}", _("publication"), _("percentage to prizes")),
}
# What a leg lacks before the settlement or the payment order, by the code of the gap.
MISSING = {
    "withdrawal_unconfirmed": _("A withdrawal waits for its second person"),
    "ruling_missing": _("Left at the start without a ruling"),
    "withdrawals_differ": _("Classification and record differ on the withdrawn"),
    "classification_missing": _("No classification"),
    "draw_required": _("No certified draw"),
    "start_missing": _("No actual start"),
}
OUTCOMES = {
    "winner": _("Winner"),
    "started": pgettext_lazy("horse", "Started"),
    "withdrawn": pgettext_lazy("horse", "Withdrawn"),
    "left": _("Left at the start"),
    "disqualified": pgettext_lazy("horse", "Disqualified"),
}


def settlement_text(row: Settlement) -> str:
    """Return a settlement by its contest and its number: `Lototrot 02/12/2026 · 1`."""
    return capfirst(named(row))


def race_text(race: Race) -> str:
    """Return the race with its racecourse and day, so that it differs from every other race."""
    return f"{race} · {race.racecourse} · {day(race.meeting.day)}"


def missing_text(gap: Missing) -> str:
    """Return what a leg lacks, as text that begins with its position."""
    numbers = ", ".join(map(str, gap.numbers))
    race = Race.objects.get(pk=gap.race_id)
    text = f"{gap.position}: {race} – {MISSING.get(gap.code, gap.code)}"
    return f"{text} ({numbers})" if numbers else text


# --- Proposals about contests ---------------------------------------------------------------------


def _contest(tell: Callable[[dict[str, Any]], Any]) -> Callable[[Proposal], SafeString]:
    """Return a function from a proposal to its contest, with what its content tells."""

    def about(proposal: Proposal) -> SafeString:
        contest = row_by(Contest, "pk", proposal.content["contest"])
        return format_html("{} · {}", link(contest), tell(proposal.content))

    return about


def _tickets(content: dict[str, Any]) -> str:
    """Return how many tickets two persons decide about, and their price."""
    tickets = content["tickets"]
    many = ngettext("%(n)s ticket", "%(n)s tickets", tickets) % {"n": tickets}
    return f"{many}, {money(content['amount_cents'])}"


def _verdict(content: dict[str, Any]) -> str:
    return f"{Unprinted.Verdict(content['verdict']).label} · {_tickets(content)}"


def _prizes(content: dict[str, Any]) -> str:
    return money(content["prizes_cents"])


def _later(content: dict[str, Any]) -> str:
    return moment(datetime.fromisoformat(content["to_at"]))


def _ended(proposal: Proposal) -> str:
    """Return the bet type that ends, by the name of its newest version."""
    code = proposal.content["bet_type"]
    versions = rows_by(BetType, "code", code)
    newest = max(versions, key=lambda row: row.version, default=None)
    return str(newest.document["name"]) if newest else str(code)


def _device(proposal: Proposal) -> SafeString:
    content = proposal.content
    terminal = row_by(Terminal, "code", content["terminal"])
    course = row_by(Racecourse, "code", content["racecourse"])
    return format_html("{} · {}", link(terminal), link(course))


BREACH = ProposalWords("tickets", _contest(_tickets))
DEVICE = ProposalWords("terminal", _device)
END = ProposalWords("bet_type", _ended)
LATER_CLOSING = ProposalWords("to_at", _contest(_later))
ORDER = ProposalWords("prizes_cents", _contest(_prizes))
UNPRINTED = ProposalWords("verdict", _contest(_verdict))
