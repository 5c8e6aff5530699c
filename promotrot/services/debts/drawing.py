"""Draw in public, among all tickets of an ended game, what it owes to prizes [P2, P17].

`core.draws` conducts the draw; this module gives the entries and the prizes. What lapses of them is
drawn again, twice at most. Then it stands on an account of its own for the authority's decision; it
never returns to the organiser.
"""

import uuid
from collections import Counter
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext, override

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.draws.kinds import Certified, Field, Kind, Matter
from core.draws.models import Draw
from core.draws.services import draw_announce
from core.kernel.days import natural_day
from core.kernel.errors import Conflict
from core.kernel.languages import LANGUAGES
from core.kernel.request_uuids import derived_uuid
from core.ledger import services as ledger
from core.staff.actor import StaffActor
from promotrot import accounts, postings, powers
from promotrot.engine.rules import voucher_last_day
from promotrot.engine.shortfall import MOST_DRAWS, shares
from promotrot.models.debt import DebtDraw, DebtStanding
from promotrot.models.emission import ClosingStatement
from promotrot.models.game import Game, GameEnding, GameType
from promotrot.models.play import PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.selectors.debts import DRAW_KIND, debt_left, is_drawn
from promotrot.selectors.games import version_game
from promotrot.selectors.left import LeftPlay, codes_left, plays_left, staying
from promotrot.services.games import game_get
from promotrot.services.vouchers import claim_days

_DRAWN_AFTER: Final = 1_000
"""The numbers of vouchers up to this one are for those of a play's own end."""


class NothingOwed(Conflict):
    code = "nothing_owed"
    message = "The game has not ended, or owes nothing that could be drawn."


class DebtDrawPending(Conflict):
    code = "debt_draw_pending"
    message = "An earlier draw is announced and not certified yet. It comes first."


class DebtDrawsOver(Conflict):
    code = "debt_draws_over"
    message = "The debt was drawn again twice: what is left stands for the authority's decision."


def debt_entries(game: Game) -> QuerySet[PlayTicket]:
    """Return the tickets that were sold and not refunded, without those that left with a month."""
    sold = staying(PlayTicket.objects.filter(emission__game=game))
    return sold.exclude(end__cause=PlayEnd.Cause.REFUND)


def debt_draw_first(by: StaffActor, ending: GameEnding) -> Draw:
    """Announce the draw of what a game owes at its end. The caller holds the game's lock."""
    return _announced(
        by, ending.game, number=1, owed_cents=ending.owed_cents, winners=ending.winners
    )


def debt_entries_lasting(game: Game) -> QuerySet[PlayTicket]:
    """Return those entries that no refund can take away any more: a probabilistic play may get its
    price back as long as it has not ended [P11, P19].
    """
    entries = debt_entries(game)
    is_probabilistic = game.type.mode == GameType.Mode.PROBABILISTIC
    return entries.filter(end__isnull=False) if is_probabilistic else entries


@transaction.atomic
def debt_draw_again(
    *, by: StaffActor, game: Game, place: str = "", planned_at: datetime | None = None
) -> Draw:
    """Announce the draw of the prizes of an ended game that lapsed, a ticket for each [P17].

    By default it is at the Central Office, as soon as it may be. Raises NothingOwed,
    DebtDrawPending, DebtDrawsOver, and what the announcement of a draw raises.
    """
    by.need(powers.END_GAME)
    hold((Lock.GAME, game.pk))
    drawn = game.debt_draws.count()
    left_cents, prizes = debt_left(game)
    if not drawn:
        raise NothingOwed(game=game.code)
    if not is_drawn(game):
        raise DebtDrawPending(draw=drawn)
    if drawn >= MOST_DRAWS:
        raise DebtDrawsOver(draws=drawn)
    if left_cents < 1:
        raise NothingOwed(game=game.code)
    # Where a small prize came back after it was drawn again, the cents left are of no whole prize.
    winners = max(1, min(prizes, left_cents))
    return _announced(
        by,
        game,
        number=drawn + 1,
        owed_cents=left_cents,
        winners=winners,
        place=place,
        planned_at=planned_at,
    )


def _announced(
    by: StaffActor,
    game: Game,
    *,
    number: int,
    owed_cents: int,
    winners: int,
    place: str = "",
    planned_at: datetime | None = None,
) -> Draw:
    ledger.need_balance(accounts.prizes(game.code), owed_cents)
    debt = DebtDraw.objects.create(
        game=game,
        number=number,
        owed_cents=owed_cents,
        winners=winners,
        announced_at=clock.now(),
    )
    return draw_announce(
        by=by, kind=DEBT_DRAW, subject=str(debt), place=place, planned_at=planned_at
    )


@transaction.atomic
def debt_stand(*, game: Game) -> DebtStanding | None:
    """Keep for the authority the prizes that lapsed after the last draw of an ended game.

    If the game has no ticket to draw, keep all that it owes. Return None if there is nothing. A
    second call changes nothing.
    """
    hold((Lock.GAME, game.pk))
    left_cents, _ = debt_left(game)
    is_over = game.debt_draws.count() == MOST_DRAWS and is_drawn(game)
    if left_cents < 1 or not (is_over or GameEnding.objects.filter(game=game, winners=0).exists()):
        return None
    now = clock.now()
    standing = DebtStanding.objects.create(
        uuid=row_uuid(now), game=game, cents=left_cents, stood_at=now
    )
    line = postings.debt_stands(game_code=game.code, cents=left_cents)
    ledger.post(reference=standing.uuid, lines=[line])
    ledger.need_balance(accounts.prizes(game.code), 0)
    return standing


def _hold(subject: str) -> None:
    hold((Lock.GAME, game_get(subject.rpartition(":")[0]).pk))


def _debt(subject: str) -> DebtDraw:
    code, _, number = subject.rpartition(":")
    debt = DebtDraw.objects.select_related("game").filter(game__code=code, number=number).first()
    if debt is None:
        raise NothingOwed(game=code)
    return debt


def _matter(subject: str) -> Matter:
    debt = _debt(subject)
    approved = debt.game.versions.filter(approval__isnull=False)
    texts = version_game(approved.latest("version").pk).texts
    title = {}
    for language in LANGUAGES:
        with override(language):
            title[language] = gettext("Prizes owed by the game %(game)s") % {
                "game": texts[language].name
            }
    closings = ClosingStatement.objects.filter(game=debt.game).order_by("sequence")
    return Matter(
        title=title,
        reason=gettext("The game has ended and owes prizes (15.III.6.2)."),
        declared_at=debt.announced_at,
        due_at=None,
        facts={
            "game": debt.game.code,
            "draw": debt.number,
            "owed_cents": debt.owed_cents,
            "winners": debt.winners,
            "emissions": [*closings.values_list("emission__reference", flat=True)],
        },
    )


def _field(subject: str) -> Field:
    """Return the UUID of every ticket of the game, and the number of prizes as places.

    They are by emission, and in each in the order of the UUIDs: so the list is the same before and
    after plays leave with their month. A ticket that somebody wrote under the UUID of a play that
    left is no entry more: that play is drawn.
    """
    debt = _debt(subject)
    emission_of = dict(debt_entries(debt.game).values_list("uuid", "emission__number"))
    emission_of |= {code: emission for emission, code in codes_left(debt.game)}
    entries = sorted((emission, code) for code, emission in emission_of.items())
    return Field([str(code) for _, code in entries], debt.winners)


def _certified(draw: Certified) -> None:
    """Award the drawn tickets. Their vouchers are held for the bearers at the Central Office
    [P11].

    The money is posted by emission: there may be more tickets drawn than an act has lines.
    """
    debt = _debt(draw.subject)
    order = [uuid.UUID(code) for code in draw.order]
    there = staying(PlayTicket.objects.filter(uuid__in=order))
    plays: dict[uuid.UUID, PlayTicket | LeftPlay] = {ticket.uuid: ticket for ticket in there}
    left = {code for _, code in codes_left(debt.game)}
    plays |= {play.uuid: play for play in plays_left(left.intersection(order))}
    vouchers, cents_by_emission = [], Counter[int]()
    for code, cents in zip(order, shares(debt.owed_cents, debt.winners), strict=True):
        vouchers.append(_voucher(plays[code], cents, draw, debt))
        cents_by_emission[plays[code].emission_id] += cents
    Voucher.objects.bulk_create(vouchers, batch_size=ledger.BATCH)
    references = dict(debt.game.emissions.values_list("pk", "reference"))
    lines = [
        postings.draw(game_code=debt.game.code, reference=references[emission], cents=cents)
        for emission, cents in cents_by_emission.items()
    ]
    ledger.post(reference=Draw.objects.get(pk=draw.draw_id).uuid, lines=lines)


def _voucher(play: PlayTicket | LeftPlay, cents: int, draw: Certified, debt: DebtDraw) -> Voucher:
    day = natural_day(draw.certified_at)
    # A play that has not ended yet has numbers and UUIDs left for its own vouchers.
    number = _DRAWN_AFTER + debt.number
    return Voucher(
        uuid=derived_uuid(play.uuid, f"draw/{debt.number}"),
        emission_id=play.emission_id,
        ticket=play if isinstance(play, PlayTicket) else None,
        left_play=play.uuid if isinstance(play, LeftPlay) else None,
        number=number,
        nature=Voucher.Nature.DRAWN,
        amount_cents=cents,
        premises_id=play.premises_id,
        prizes=[{"tier": 0, "cents": cents, "extra": True}],
        issued_at=draw.certified_at,
        issue_day=day,
        last_day=voucher_last_day(day, claim_days(day)),
        debt_draw=debt,
    )


DEBT_DRAW = Kind(name=DRAW_KIND, hold=_hold, matter=_matter, field=_field, certified=_certified)
