"""Contribute Lototrot to the administration."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import link, moment
from core.admin_support.contents import Administration, Panel, Place, Section
from core.admin_support.proposal_texts import row_link, words_by_row
from core.database.reading.batches import row_by
from lototrot.admin import bet_type_words, words
from lototrot.admin.contests import contests_panel
from lototrot.admin.desk import PAGE
from lototrot.admin.figures import figures
from lototrot.admin.paddock import page, running_words
from lototrot.admin.refusals import CLASSIFICATION as CLASSIFICATION_TEXTS
from lototrot.admin.refusals import PROGRAMME
from lototrot.admin.tickets import story
from lototrot.admin.words import GATES, MISSING, race_text
from lototrot.models.authority import FiguresAmendment, GameEnd
from lototrot.models.contest import BetType, Contest, TicketModel
from lototrot.models.programme import Meeting, Race, Racecourse
from lototrot.models.retired import RetiredMarks, RetiredPrizes, RetiredSales
from lototrot.models.running import (
    Classification,
    RaceDeclaration,
    RaceStart,
    StartAnnouncement,
    Withdrawal,
)
from lototrot.models.sealing import Seal
from lototrot.models.settlement import CarryOver, Lapse, PaymentOrder, Prize, Settlement
from lototrot.models.stops import SalesStop, SignalDevice
from lototrot.models.tickets import Block, Ticket, Unprinted, Void
from lototrot.services.authority.amendments import AMENDMENT
from lototrot.services.authority.bet_types import BET_TYPE
from lototrot.services.races.classification import CLASSIFICATION
from lototrot.services.races.withdrawals import REVERSAL, WITHDRAWAL
from lototrot.services.settlement.classification_correction import CORRECTION


def _instant(value: str) -> str:
    return moment(datetime.fromisoformat(value))


def _settlement(key: Any) -> Any:
    settlement = row_by(Settlement, "uuid", key, "contest")
    return (
        link(settlement, f"{settlement.contest} · {settlement.number}") if settlement else str(key)
    )


def _race(key: Any) -> Any:
    race = row_by(Race, "pk", key, "meeting", "racecourse")
    return link(race, race_text(race)) if race else str(key)


KEY_NAMES = {
    "races": _("races"),
    "accumulated_cents": _("accumulated figure"),
    "bet_type": _("bet type"),
    "disqualified": _("disqualified"),
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
    "started_at": _("actual start"),
    "winners": _("winners"),
    "withdrawn": _("withdrawn"),
    "late_prints": _("prints confirmed after the list, by terminal"),
    "late_days": _("days by which the order is late"),
    "only": _("only these"),
    "price_cents": _("price"),
    "ticket": _("ticket"),
}

ADMINISTRATION = Administration(
    sections=(
        Section(
            _("Programme"),
            10,
            Place.RACE_DAY,
            (
                (Meeting, "event"),
                (Race, "sports_score"),
                (Racecourse, "stadium"),
            ),
        ),
        Section(
            _("Contests"),
            20,
            Place.RACE_DAY,
            (
                (Contest, "confirmation_number"),
                (BetType, "rule"),
                (TicketModel, "receipt_long"),
                (FiguresAmendment, "gavel"),
                (GameEnd, "flag"),
            ),
        ),
        Section(
            _("Race day"),
            30,
            Place.RACE_DAY,
            (
                (Withdrawal, "remove_circle"),
                (SalesStop, "back_hand"),
                (SignalDevice, "sensors"),
                (StartAnnouncement, "schedule"),
                (RaceStart, "flag"),
                (RaceDeclaration, "thunderstorm"),
                (Classification, "emoji_events"),
            ),
        ),
        Section(
            _("Tickets and prizes"),
            40,
            Place.RACE_DAY,
            (
                (Ticket, "local_activity"),
                (Void, "cancel"),
                (RetiredSales, "inventory_2"),
                (RetiredMarks, "inventory"),
                (RetiredPrizes, "inventory_2"),
                (Unprinted, "print_error"),
                (Block, "lock"),
                (Seal, "verified_user"),
                (Settlement, "calculate"),
                (Prize, "paid"),
                (PaymentOrder, "gavel"),
                (Lapse, "hourglass_disabled"),
                (CarryOver, "move_up"),
            ),
        ),
    ),
    panels=(Panel(10, Place.RACE_DAY, contests_panel),),
    pages=(PAGE, page.PAGE),
    figures=figures,
    story=story,
    kind_titles={
        "lototrot.bet_type": _("Bet type"),
        "lototrot.figures_amendment": _("Amendment of the figures"),
        "lototrot.game_end": _("End of a bet type"),
        "lototrot.contest_opening": _("Putting a contest on sale"),
        "lototrot.contest_discard": _("Discarding of a contest"),
        "lototrot.withdrawal": _("Withdrawal of a horse"),
        "lototrot.withdrawal_reversal": _("Reversal of a withdrawal"),
        "lototrot.closing_postponement": _("Later closing"),
        "lototrot.stop_lifting": _("Lifting of a stop of sales"),
        "lototrot.signal_device": _("Device that signals starts"),
        "lototrot.start": _("Start of a race"),
        "lototrot.declaration": _("Race or meeting without a classification"),
        "lototrot.start_correction": _("Correction of a start"),
        "lototrot.declaration_retraction": _("Retraction of a declaration"),
        "lototrot.classification": _("Classification"),
        "lototrot.classification_correction": _("Correction of a classification"),
        "lototrot.breach_void": _("Voiding of the bets in breach"),
        "lototrot.breach_block": _("Blocking of the bets in breach"),
        "lototrot.unprinted": _("Decision about tickets without a confirmed print"),
        "lototrot.payment_order": _("Payment order"),
    },
    content_readers={
        "race": _race,
        "meeting": row_link(Meeting),
        "contest": row_link(Contest),
        "withdrawal": row_link(Withdrawal, "race"),
        "declaration": row_link(RaceDeclaration, "race"),
        "corrects": row_link(Classification, "race"),
        "replaces": row_link(RaceStart, "race"),
        "stop": row_link(SalesStop, "race__racecourse", "race__meeting", "meeting"),
        "settlement": _settlement,
        "effective_at": _instant,
        "to_at": _instant,
        "actual_start_at": _instant,
        "announced_at": _instant,
    },
    proposal_words={
        BET_TYPE.name: bet_type_words.WORDS,
        AMENDMENT.name: bet_type_words.AMENDMENT_WORDS,
        CLASSIFICATION.name: running_words.CLASSIFICATION,
        CORRECTION.name: running_words.CLASSIFICATION,
        WITHDRAWAL.name: running_words.WITHDRAWAL,
        REVERSAL.name: running_words.WITHDRAWAL,
        "lototrot.game_end": words.END,
        "lototrot.contest_opening": words_by_row("contest"),
        "lototrot.contest_discard": words_by_row("contest"),
        "lototrot.closing_postponement": words.LATER_CLOSING,
        "lototrot.stop_lifting": words_by_row("stop"),
        "lototrot.signal_device": words.DEVICE,
        "lototrot.start": words_by_row("race"),
        "lototrot.start_correction": words_by_row("race"),
        "lototrot.declaration": running_words.DECLARATION,
        "lototrot.declaration_retraction": words_by_row("race"),
        "lototrot.breach_void": words.BREACH,
        "lototrot.breach_block": words.BREACH,
        "lototrot.unprinted": words.UNPRINTED,
        "lototrot.payment_order": words.ORDER,
    },
    key_names=KEY_NAMES,
    code_texts=GATES | MISSING | PROGRAMME | CLASSIFICATION_TEXTS,
)
