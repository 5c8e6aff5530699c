"""Lototrot's words for its proposals, fields and codes; the side bar."""

from datetime import datetime
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.admin_support import navigation
from core.admin_support.acts import CODES
from core.admin_support.columns import link, moment
from core.admin_support.labels import LABELS
from core.admin_support.proposal_texts import name_kind, read_field, row_link
from lototrot.models.contest import (
    BetType,
    Contest,
    InternalBetType,
    TicketModel,
)
from lototrot.models.programme import Meeting, Race, Racecourse
from lototrot.models.running import Classification, RaceDeclaration, RaceStart, Withdrawal
from lototrot.models.sealing import Seal
from lototrot.models.settlement import (
    CarryOver,
    Lapse,
    PaymentOrder,
    Prize,
    Settlement,
)
from lototrot.models.tickets import Block, Ticket, Void

# Why a contest cannot open, by the code of the gate [E8].
GATES = {
    "bet_type_internal": _("The bet type is one of the internal bet's"),
    "price_out_of_range": _("The price is outside the limits"),
    "max_bets_missing": _("The most bets on a ticket are not set"),
    "wrong_race_count": _("The number of races is not the bet type's"),
    "runners_missing": _("A race has no list of runners"),
    "prize_percent_too_low": _("Too little goes to prizes"),
    "ticket_model_missing": _("There is no authorised ticket model"),
    "correction_window_unapproved": _("The correction window is not approved"),
    "schedule_missing": _("No closing is scheduled"),
    "federation_approval_missing": _("The Federation's approval is not on record"),
    "programme_unpublished": _("The programme is not published"),
    "rules_unpublished": _("The rules are not published"),
    "percent_unpublished": _("The percentage is not published"),
}
CODES |= GATES
# What each gate looks at.
GATE_NAMES = {
    "bet_type_internal": _("bet type"),
    "price_out_of_range": _("price of a bet"),
    "max_bets_missing": _("Most bets on a ticket"),
    "wrong_race_count": _("races"),
    "runners_missing": _("runners"),
    "prize_percent_too_low": _("percentage to prizes"),
    "ticket_model_missing": _("ticket model"),
    "correction_window_unapproved": _("Approval of the window"),
    "schedule_missing": _("Scheduled closing"),
    "federation_approval_missing": _("approval by the Federation"),
    "programme_unpublished": format_lazy("{}: {}", _("publication"), _("programme")),
    "rules_unpublished": format_lazy("{}: {}", _("publication"), _("rules")),
    "percent_unpublished": format_lazy("{}: {}", _("publication"), _("percentage to prizes")),
}
OUTCOMES = {
    "winner": _("Winner"),
    "started": pgettext_lazy("horse", "Started"),
    "withdrawn": pgettext_lazy("horse", "Withdrawn"),
    "left": _("Left at the start"),
    "disqualified": pgettext_lazy("horse", "Disqualified"),
}

LABELS |= {
    "accumulated_cents": _("accumulated figure"),
    "acknowledged_at": _("declared on display at"),
    "blocked_at": _("barred at"),
    "bet_type": _("bet type"),
    "closed_at": _("closed at"),
    "closing_cause": _("closed by"),
    "confirmed_at": _("confirmed at"),
    "correction_window_s": _("correction window (s)"),
    "country": _("country"),
    "entered_at": _("entered at"),
    "entered_by": _("entered by"),
    "entered_in": _("entered in session"),
    "first_pay_day": _("first day of payment"),
    "hits": _("races right"),
    "imported_at": _("imported at"),
    "imported_by": _("imported by"),
    "imported_in": _("imported in session"),
    "disqualified": _("disqualified"),
    "in_force": _("in force"),
    "halved": _("halved in pairs"),
    "joined": _("joined at one prize"),
    "jackpot_threshold_cents": _("threshold of the jackpot"),
    "legs": _("races"),
    "name": _("name"),
    "official_at": _("official at"),
    "payout_step_cents": _("prizes are multiples of"),
    "programme": _("programme"),
    "reserve": _("reserve"),
    "right": _("right numbers"),
    "shares_above": _("shares above the threshold"),
    "shares_below": _("shares below the threshold"),
    "winners": _("winners"),
    "withdrawn": _("withdrawn"),
    "jackpot_in_cents": _("jackpot carried in"),
    "jackpot_out_cents": _("jackpot carried on"),
    "lapsed_in_cents": _("lapsed prizes brought in"),
    "last_claim_day": _("last day to claim"),
    "meeting": _("meeting"),
    "ordered_at": _("ordered at"),
    "price_cents": _("price of a bet"),
    "printed_at": _("printed at"),
    "prize_cents": _("prize"),
    "prize_percent": _("percentage to prizes"),
    "published_at": _("published at"),
    "published_by": _("published by"),
    "published_in": _("published in session"),
    "racecourse": _("racecourse"),
    "reserve_in_cents": _("reserve carried in"),
    "reserve_out_cents": _("reserve carried on"),
    "results_day": _("day of the results"),
    "retraction": _("retraction"),
    "reversal": _("reversal"),
    "reversed_at": _("reversed at"),
    "reversed_by": _("reversed by"),
    "reversed_reason": _("reason of the reversal"),
    "rules": _("rules"),
    "settled_at": _("settled at"),
    "superseded_at": _("superseded at"),
    "takings_cents": _("takings"),
    "ticket": _("ticket"),
    "ticket_model": _("ticket model"),
    "total_cents": _("total"),
    "version": _("version"),
    "voided_at": _("voided at"),
    "winning_bets": _("winning bets"),
}

for _kind, _text in {
    "lototrot.withdrawal": _("Withdrawal of a horse"),
    "lototrot.withdrawal_reversal": _("Reversal of a withdrawal"),
    "lototrot.start_correction": _("Correction of a start"),
    "lototrot.declaration_retraction": _("Retraction of a declaration"),
    "lototrot.classification": _("Classification"),
    "lototrot.classification_correction": _("Correction of a classification"),
    "lototrot.breach_void": _("Voiding of the bets in breach"),
    "lototrot.breach_block": _("Barring of the bets in breach"),
    "lototrot.payment_order": _("Payment order"),
}.items():
    name_kind(_kind, _text)


def _race(key: Any) -> Any:
    race = Race.objects.select_related("meeting", "racecourse").filter(pk=key).first()
    return link(race, race_text(race)) if race else str(key)


def race_text(race: Race) -> str:
    """A race with its racecourse and day, as it must be told from every other."""
    return f"{race} · {race.racecourse} · {race.meeting.day:%d/%m/%Y}"


def _settlement(key: Any) -> Any:
    found = Settlement.objects.filter(uuid=key).first()
    return link(found, f"{found.contest} · {found.number}") if found else str(key)


def _instant(value: str) -> str:
    return moment(datetime.fromisoformat(value))


read_field("race", _race)
read_field("contest", row_link(Contest))
read_field("withdrawal", row_link(Withdrawal))
read_field("declaration", row_link(RaceDeclaration))
read_field("corrects", row_link(Classification))
read_field("replaces", row_link(RaceStart))
read_field("settlement", _settlement)
for _name in ("effective_at", "actual_start_at", "announced_at"):
    read_field(_name, _instant)


navigation.section(
    _("Programme"), 10, (Meeting, "event"), (Race, "sports_score"), (Racecourse, "stadium")
)
navigation.section(
    _("Contests"),
    20,
    (Contest, "confirmation_number"),
    (BetType, "rule"),
    (TicketModel, "receipt_long"),
    (InternalBetType, "do_not_disturb"),
)
navigation.section(
    _("Race day"),
    30,
    (Withdrawal, "remove_circle"),
    (RaceStart, "flag"),
    (RaceDeclaration, "thunderstorm"),
    (Classification, "emoji_events"),
)
navigation.section(
    _("Tickets and prizes"),
    40,
    (Ticket, "local_activity"),
    (Void, "cancel"),
    (Block, "lock"),
    (Seal, "verified_user"),
    (Settlement, "calculate"),
    (Prize, "paid"),
    (PaymentOrder, "gavel"),
    (Lapse, "hourglass_disabled"),
    (CarryOver, "move_up"),
)
