"""Put the codes of Promotrot, and the proposals about its games, into words for the admin."""

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import link, moment, money
from core.admin_support.contents import ProposalWords
from core.database.reading.batches import row_by, rows_by, the
from core.receipts.document import present_language
from core.staff.models import Proposal
from promotrot.admin.building import game_words
from promotrot.engine.game import Texts
from promotrot.engine.game_json import read_game
from promotrot.models.emission import Emission, PrizeTier
from promotrot.models.game import Game, GameVersion
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import emission_facts

RESTORED = _("Database restored since the seed was fixed: was it sold already?")

# Why a game cannot be approved, by the code of the fault.
FAULTS = {
    "price_out_of_range": _("The price is outside the limits"),
    "prizes_too_low": _("Too little of the takings goes to prizes"),
    "more_prizes_than_tickets": _("There are more prizes than tickets"),
    "no_tickets": _("There is no ticket"),
    "equivalent_missing": _("A prize in kind has no cash equivalent"),
    "equivalent_source_missing": _("The source of a cash equivalent is not on record"),
    "equivalent_day_missing": _("The day of a cash equivalent is not on record"),
    "equivalent_day_later": _("A cash equivalent is fixed after the approval"),
    "rules_unpublished": _("The rules are not published"),
    "percent_unpublished": _("The percentage is not published"),
    "percentage_mismatch": _("The declared percentage is not what the prizes give"),
    "prize_without_value": _("A prize is worth nothing"),
    "prize_both_kinds": _("A prize is in cash and in kind at once"),
    "tier_without_prizes": _("A tier has no prizes"),
    "tier_repeated": _("A tier is there twice"),
    "too_many_tiers": _("There are too many tiers"),
    "extra_not_in_table": _("An extra prize is not one of the table's"),
    "extra_not_last": _("Extra tiers come after the table"),
    "picture_tiers_differ": _("The pictures show another number of tiers"),
    "picture_ambiguous": _("A picture could be read in two ways"),
    "picture_impossible": _("Too few pictures show a tier alone"),
    "artwork_missing": _("A sign of the pictures has no drawing"),
    "text_missing": _("A text is missing in some language"),
    "block_size_refused": _("The size of the blocks is not allowed"),
    "plan_impossible": _("The prizes cannot be spread over blocks that each reach the minimum"),
    "deal_missing": _("There is nothing to hide"),
    "deals_differ": _("Every set has the same number of places"),
    "deal_weightless": _("Each set has a weight"),
    "openings_impossible": _("From one place to three are opened, and no more than there are"),
    "play_too_large": _("There are too many places or sets"),
    "prize_unknown": _("There is no such prize"),
    "ladder_length": _("A ladder has from one to 63 rungs above its start"),
    "rung_without_way": _("There is no way up from this rung"),
    "top_with_way": _("The last rung has no way up"),
    "top_without_prize": _("The last rung has a prize"),
    "way_unnamed": _("A way up has a short name"),
    "way_repeated": _("A rung has each way up once"),
    "chance_impossible": _("A chance is above 0, and 1 at most"),
    "way_too_high": _("A way leads to a rung above, and not over the last one"),
}


# --- Games, emissions and their prizes in the reader's language -----------------------------------


def texts_of(emission_id: int) -> Texts:
    """Return the texts of an emission's game in the language of the page."""
    return emission_facts(emission_id).texts(present_language())


def thing_text(emission_id: int, key: str) -> str:
    """Return the name of a prize in kind; the key itself if the game does not name it."""
    return texts_of(emission_id).prizes.get(key, key)


def tier_text(tier: PrizeTier) -> str:
    """Return a tier by its number and its prize: `1 · Electric bicycle (900.00 €)`."""
    value = money(tier.value_cents)
    if tier.thing:
        value = f"{thing_text(tier.emission_id, tier.thing)} ({value})"
    return f"{tier.number} · {value}"


def emission_text(emission: Emission) -> str:
    """Return an emission by the name of its game and its reference."""
    return f"{texts_of(emission.pk).name} · {emission.reference}"


def play_text(play: PlayTicket) -> str:
    """Return a play by its game and its sale. Its UUID is for machines, and stands on its page."""
    return f"{texts_of(play.emission_id).name} · {moment(play.sold_at)}"


def voucher_text(voucher: Voucher) -> str:
    """Return a voucher by its amount and its issue."""
    return f"{money(voucher.amount_cents)} · {moment(voucher.issued_at)}"


def _game_name(game: Game) -> str:
    """Return the name of a game by its newest approved version; its code if none is approved."""
    versions = rows_by(GameVersion, "game", game.pk, "approval")
    approved = [row for row in versions if hasattr(row, "approval")]
    newest = max(approved, key=lambda row: row.version, default=None)
    return game_words.texts_of(read_game(newest.document)).name if newest else game.code


# --- Proposals ------------------------------------------------------------------------------------


def _emission(proposal: Proposal) -> str:
    return link(row_by(Emission, "reference", proposal.content["emission"]))


def _game(field: str) -> Any:
    """Return a function from a proposal to its game, with the amount of a field."""

    def about(proposal: Proposal) -> SafeString:
        game = the(row_by(Game, "code", proposal.content["game"]))
        name = link(game, _game_name(game))
        return format_html("{} · {}", name, money(proposal.content[field]))

    return about


EMISSION = ProposalWords("emission", _emission)
ENDING = ProposalWords("owed_cents", _game("owed_cents"))
DEBT = ProposalWords("payee", _game("cents"))
