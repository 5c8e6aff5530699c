"""Contribute Promotrot to the administration."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import link
from core.admin_support.contents import Administration, Panel, Place, Section
from core.admin_support.proposal_texts import words_by_row
from core.database.reading.batches import row_by
from promotrot.admin import words
from promotrot.admin.building import game_words
from promotrot.admin.emissions import emissions_panel
from promotrot.admin.vouchers import held_panel, story
from promotrot.admin.words import FAULTS, RESTORED
from promotrot.models.emission import ClosingStatement, Emission, Lane, PublicFigures
from promotrot.models.game import Game, GameType, GameVersion
from promotrot.models.play import PlayMove, PlayTicket
from promotrot.models.retired import RetiredPlays
from promotrot.models.voucher import Voucher, VoucherHandover
from promotrot.services import games


def _emission(reference: Any) -> Any:
    emission = row_by(Emission, "reference", reference)
    return link(emission) if emission else str(reference)


def _play(ident: Any) -> Any:
    ticket = row_by(PlayTicket, "uuid", ident)
    return link(ticket) if ticket else str(ident)


def _voucher(ident: Any) -> Any:
    voucher = row_by(Voucher, "uuid", ident)
    return link(voucher) if voucher else str(ident)


ADMINISTRATION = Administration(
    key_names={
        "blocks": _("blocks"),
        "cash_cents": _("in cash"),
        "classes": _("kinds of blocks"),
        "commitment": _("commitment"),
        "equivalent_cents": _("value"),
        "extra_cents": _("extra prizes"),
        "in_kind": _("prize in kind"),
        "receipt": _("Code on the play's receipt"),
        "restored_since": RESTORED,
        "thing": _("thing"),
        "tiers": _("prize tiers"),
    },
    sections=(
        Section(
            _("Games and emissions"),
            50,
            Place.GAMES,
            (
                (Game, "stadia_controller"),
                (GameVersion, "description"),
                (Emission, "style"),
                (ClosingStatement, "request_quote"),
                (GameType, "category"),
                (Lane, "view_week"),
                (PublicFigures, "monitoring"),
            ),
        ),
        Section(
            _("Plays and vouchers"),
            60,
            Place.GAMES,
            (
                (PlayTicket, "casino"),
                (Voucher, "redeem"),
                (PlayMove, "move_up"),
                (RetiredPlays, "inventory_2"),
                (VoucherHandover, "volunteer_activism"),
            ),
        ),
    ),
    story=story,
    panels=(Panel(30, Place.GAMES, emissions_panel), Panel(31, Place.GAMES, held_panel)),
    kind_titles={
        "promotrot.game": _("Game"),
        "promotrot.approval": _("Approval of a game"),
        "promotrot.opening": _("Emission put on sale"),
        "promotrot.closing": _("Closing of an emission"),
        "promotrot.ending": _("End of a game"),
        "promotrot.debt_decision": _("Decision of the authority on a debt"),
        "promotrot.play_end": _("End of a play at the Central Office"),
        "promotrot.handover": _("Handover of a held voucher"),
    },
    content_readers={
        "emission": _emission,
        "play": _play,
        "voucher": _voucher,
    },
    proposal_words={
        games.GAME.name: game_words.GAME_WORDS,
        games.APPROVAL.name: game_words.APPROVAL_WORDS,
        "promotrot.opening": words.EMISSION,
        "promotrot.closing": words.EMISSION,
        "promotrot.ending": words.ENDING,
        "promotrot.debt_decision": words.DEBT,
        "promotrot.play_end": words_by_row("play"),
        "promotrot.handover": words_by_row("voucher"),
    },
    code_texts=FAULTS,
    tones={"committed": "info", "mixed": "info", "stopped": "warning", "revealed": "primary"},
)
