"""Play a month of both kinds of games, after which plays that won nothing can leave."""

import datetime
import uuid
from dataclasses import dataclass
from functools import cache

from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.services.closing import seed_reveal
from promotrot.services.office.moving import play_move
from promotrot.services.playing import play_act, play_state
from promotrot.services.unfinished import play_end_unfinished
from tests.core.periods.conftest import closed
from tests.support import databases, emitting, factories, rounds
from tests.support.factories import Point
from tests.support.journaling import seal_all
from tests.support.stating import days_end

MARCH_ENDS = datetime.datetime(2030, 3, 31, 21, 58, tzinfo=datetime.UTC)  # two minutes before
TICKETS, ENDS, LEFT = "promotrot_playticket", "promotrot_playend", "promotrot_retiredplays"
KEPT = "Safe of the Central Office"
LEAVE = {
    "lost 0",
    "lost 1",
    "lost 2",
    "night",
    "chance lost",
    "owed 0",
    "owed 1",
    "owed 2",
    "owed 3",
}
STAY = {"won", "chance won", "refund", "unfinished", "midnight", "moved", "on sale"}


@dataclass(frozen=True)
class Plays:
    """Plays of March 2030 by what became of them, their terminal, and a backup of all."""

    backup: str
    of: dict[str, uuid.UUID]
    points: list[Point]

    @property
    def point(self) -> Point:
        return self.points[0]

    def play(self, name: str) -> PlayTicket:
        return PlayTicket.objects.get(uuid=self.of[name])

    def voucher(self, name: str) -> Voucher:
        return Voucher.objects.get(ticket__uuid=self.of[name])


@cache
def month_played() -> Plays:
    """Return the plays of March, which is closed; this process plays them once."""
    of: dict[str, uuid.UUID] = {}
    points: list[Point] = []
    return Plays(databases.prepared(lambda: of.update(_play(points))), of, points)


def _play(points: list[Point]) -> dict[str, uuid.UUID]:
    """Play in March in emissions of both kinds; some are closed in April, one is still on sale.

    A game owes 2.80, which is all that its four plays, of no prize, could get.
    """
    factories.time_to(rounds.NOON)
    point = factories.point()
    points.append(point)
    tiers = [0, 0, 0, 0, 1]
    seed = emitting.seed_where("small/1", lambda all_of: [bool(t) for t in all_of[:5]] == tiers)
    with emitting.seeded(seed):
        drawn = emitting.opened(emitting.small())
    names = ["lost 0", "lost 1", "lost 2", "night", "won"]
    of = dict(zip(names, emitting.sold(drawn, 5, point), strict=True))
    seal_all()
    for name in ("lost 0", "lost 1", "lost 2", "won"):
        emitting.played(point, [of[name]])
    assert play_end_unfinished(PlayTicket.objects.get(uuid=of["night"])) == "unfinished"
    seal_all()
    ladder = emitting.opened(emitting.document("trotters-ladder"))
    of |= _by_chance(point, ladder)
    seal_all()
    small = emitting.opened(emitting.small("open", prize_percent="70"))
    (of["on sale"],) = _losing(point, small, 1)
    seal_all()
    of |= _owing(point)
    factories.time_to(MARCH_ENDS)
    late = factories.point(point.premises)
    points.append(late)
    of["midnight"] = _begun(late, ladder)
    seal_all()
    factories.time_pass(minutes=5)
    emitting.finished(late, [of["midnight"]])
    days_end(3)
    for emission in (drawn, ladder):
        seed_reveal(emission=emitting.closed(emission))
    seal_all()
    days_end(70)
    closed()
    return of


def _by_chance(point: Point, ladder: Emission) -> dict[str, uuid.UUID]:
    of: dict[str, uuid.UUID] = {"unfinished": _begun(point, ladder)}
    refund = emitting.buy(point, ladder)
    assert play_end_unfinished(refund) == "refund"
    of["refund"] = refund.uuid
    of["chance won"] = _begun(point, ladder)
    emitting.finished(point, [of["chance won"]])
    while "chance lost" not in of:
        ident = _begun(point, ladder)
        _ended_in_nothing(point, ident)
        if not Voucher.objects.filter(ticket__uuid=ident).exists():
            of["chance lost"] = ident
    other = factories.point(point.premises)
    while "moved" not in of:
        ident = _begun(point, ladder)
        by = factories.staff(Role.ORGANISER)
        play_move(by=by, ident=ident, terminal_code=other.terminal.code, reason="broken")
        _ended_in_nothing(other, ident)
        if not Voucher.objects.filter(ticket__uuid=ident).exists():
            of["moved"] = ident
    return of


def _begun(point: Point, ladder: Emission) -> uuid.UUID:
    """Begin plays until one goes on after its first act."""
    while True:
        ident = emitting.buy(point, ladder).uuid
        play = play_state(credentials=point.credentials, ident=ident)
        play = play_act(credentials=point.credentials, ident=ident, number=1, act=play.legal[0])
        if play.legal:
            return ident


def _ended_in_nothing(point: Point, ident: uuid.UUID) -> None:
    """Go on with a play, and keep nothing, until it ends: it is lost, or has the top prize."""
    play = play_state(credentials=point.credentials, ident=ident)
    while play.legal:
        act = next((a for a in play.legal if a not in ("stop", "keep")), play.legal[0])
        number = len(play.steps) + 1
        play = play_act(credentials=point.credentials, ident=ident, number=number, act=act)


def _losing(point: Point, emission: Emission, count: int) -> list[uuid.UUID]:
    """Sell and play tickets until so many have won nothing; return these."""
    lost: list[uuid.UUID] = []
    while len(lost) < count:
        idents = emitting.sold(emission, 1, point)
        emitting.played(point, idents)
        if not Voucher.objects.filter(ticket__uuid__in=idents).exists():
            lost += idents
    return lost


def _owing(point: Point) -> dict[str, uuid.UUID]:
    """Sell four plays of a game, which win nothing; its emission is closed and owes 2.80."""
    seed = emitting.seed_where("owing/1", lambda tiers: not any(tiers[:4]), emitting.small("owing"))
    with emitting.seeded(seed):
        emission = emitting.opened(emitting.small("owing"))
    idents = emitting.sold(emission, 4, point)
    emitting.played(point, idents)
    seal_all()
    seed_reveal(emission=emitting.closed(emission))
    return {f"owed {number}": ident for number, ident in enumerate(idents)}
