"""End a game for good: what it owes to prizes goes to tickets drawn in public [P2].

`core.draws` does the draw; this module gives the entries and the prizes. Ending a game never
returns money to the organiser.
"""

import uuid

from django.db.models import Max, QuerySet
from django.utils.translation import gettext, override

from core.database import clock
from core.database.locks import Lock, hold
from core.draws.kinds import Certified, Field, Kind, Matter
from core.draws.models import Draw
from core.draws.services import draw_announce
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid
from core.ledger import services as ledger
from core.receipts.document import LANGUAGES
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from promotrot import accounts, postings, powers
from promotrot.engine.rules import voucher_last_day
from promotrot.models.emission import ClosingStatement, Emission
from promotrot.models.game import Game, GameEnding
from promotrot.models.play import PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.selectors.games import version_game
from promotrot.selectors.owed import owed_cents
from promotrot.services.games import game_get, need_not_ended
from promotrot.services.vouchers import claim_days


class GameOnSale(Conflict):
    code = "game_on_sale"
    message = "An emission of the game is not closed yet."


class WinnersRefused(Invalid):
    code = "winners_refused"
    message = "What is owed is shared by at least one ticket, and by no more than can get a cent."


class NothingOwed(Conflict):
    code = "nothing_owed"
    message = "The game has not ended, or owes nothing that could be drawn."


def game_end_propose(*, by: StaffActor, game: Game, winners: int = 0) -> Proposal:
    """Propose to end a game. A second person confirms, which announces the draw.

    `winners` tickets share the debt; 0 if there is no debt. Raises GameEnded, GameOnSale,
    WinnersRefused.
    """
    by.need(powers.END_GAME)
    _need_endable(game, winners)
    return two_persons.propose(
        kind=ENDING,
        subject=f"promotrot:{game.code}",
        by=by,
        content={"game": game.code, "owed_cents": owed_cents(game), "winners": winners},
    )


def _need_endable(game: Game, winners: int) -> None:
    need_not_ended(game)
    on_sale = (Emission.State.OPEN, Emission.State.STOPPED)
    if game.emissions.filter(state__in=on_sale).exists():
        raise GameOnSale(game=game.code)
    owed = owed_cents(game)
    most = min(owed, _entries(game).count())
    if not (1 <= winners <= most if owed else winners == 0):
        raise WinnersRefused(owed_cents=owed, most=most)


def _end(proposal: Proposal, by: StaffActor) -> None:
    game, winners = game_get(proposal.content["game"]), proposal.content["winners"]
    hold((Lock.GAME, game.pk))
    _need_endable(game, winners)
    owed = owed_cents(game)
    ledger.need_balance(accounts.prizes(game.code), owed)
    GameEnding.objects.create(
        game=game, proposal=proposal, owed_cents=owed, winners=winners, ended_at=clock.now()
    )
    if owed:
        draw_announce(by=by, kind=DEBT_DRAW, subject=game.code)


ENDING = two_persons.Kind("promotrot.ending", powers.END_GAME, _end)


def _entries(game: Game) -> QuerySet[PlayTicket]:
    """Return the tickets that were sold and not refunded, by emission and order of sale."""
    sold = PlayTicket.objects.filter(emission__game=game)
    return sold.exclude(end__cause=PlayEnd.Cause.REFUND).order_by("emission__number", "pk")


def _hold(subject: str) -> None:
    hold((Lock.GAME, game_get(subject).pk))


def _ending(subject: str) -> GameEnding:
    ending = GameEnding.objects.select_related("game").filter(game__code=subject).first()
    if ending is None or not ending.owed_cents:
        raise NothingOwed(game=subject)
    return ending


def _matter(subject: str) -> Matter:
    ending = _ending(subject)
    texts = version_game(ending.game.versions.latest("version").pk).texts
    title = {}
    for language in LANGUAGES:
        with override(language):
            title[language] = gettext("Prizes owed by the game %(game)s") % {
                "game": texts[language].name
            }
    closings = ClosingStatement.objects.filter(game=ending.game).order_by("sequence")
    return Matter(
        title=title,
        reason=gettext("The game has ended and owes prizes (15.III.6.2)."),
        declared_at=ending.ended_at,
        due_at=None,
        facts={
            "game": subject,
            "owed_cents": ending.owed_cents,
            "winners": ending.winners,
            "emissions": [*closings.values_list("emission__reference", flat=True)],
        },
    )


def _field(subject: str) -> Field:
    """Return the UUID of every ticket of the game, and the number of prizes as places."""
    ending = _ending(subject)
    codes = _entries(ending.game).values_list("uuid", flat=True)
    return Field([str(code) for code in codes], ending.winners)


def shares(owed: int, winners: int) -> list[int]:
    """Return the cents of each prize in the order drawn: equal parts; the first takes the
    remainder.
    """
    share, rest = divmod(owed, winners)
    return [share + rest, *[share] * (winners - 1)]


def _certified(draw: Certified) -> None:
    """Award the drawn tickets. Their vouchers are held for the bearers at the Central Office
    [P11].
    """
    ending = _ending(draw.subject)
    tickets = PlayTicket.objects.select_related("emission").in_bulk(
        [uuid.UUID(code) for code in draw.order], field_name="uuid"
    )
    lines = []
    for code, cents in zip(draw.order, shares(ending.owed_cents, ending.winners), strict=True):
        ticket = tickets[uuid.UUID(code)]
        _voucher(ticket, cents, draw)
        lines.append(
            postings.draw(game_code=draw.subject, reference=ticket.emission.reference, cents=cents)
        )
    ledger.post(reference=Draw.objects.get(pk=draw.draw_id).uuid, lines=lines)
    ledger.need_balance(accounts.prizes(draw.subject), 0)


def _voucher(ticket: PlayTicket, cents: int, draw: Certified) -> Voucher:
    day = natural_day(draw.certified_at)
    number = 1 + (ticket.vouchers.aggregate(last=Max("number"))["last"] or 0)
    return Voucher.objects.create(
        uuid=uuid.uuid5(ticket.uuid, f"voucher/{number}"),
        ticket=ticket,
        number=number,
        nature=Voucher.Nature.DRAWN,
        amount_cents=cents,
        premises_id=ticket.premises_id,
        prizes=[{"tier": 0, "cents": cents, "extra": True}],
        issued_at=draw.certified_at,
        issue_day=day,
        last_day=voucher_last_day(day, claim_days(day)),
    )


DEBT_DRAW = Kind("promotrot.debt", _hold, _matter, _field, _certified)
