"""Run the instant games of a season: emissions, plays, vouchers, closings, and games that end."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from core.draws.models import Draw
from core.kernel.days import natural_day
from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.models.game import Game
from promotrot.models.play import PlayEnd
from promotrot.models.voucher import Voucher
from promotrot.services.closing import emission_close_propose
from promotrot.services.debts.deciding import debt_decide_propose
from promotrot.services.debts.drawing import debt_draw_again
from promotrot.services.debts.ending import game_end_propose
from promotrot.services.playing import PlayView, play_act, play_state
from promotrot.services.selling import PlayRequest, play_sell
from promotrot.services.vouchers import Issued, voucher_print_confirm
from tests.support import emitting, factories
from tests.support.factories import Point
from tests.support.season.instant_auditor import MOST_DRAWS
from tests.support.season.meetings import Meetings
from tests.support.season.moments import Moment
from tests.support.season.replay import request_uuid
from tests.support.season.state import Paper, at, today

TIERS = [
    {"cash_cents": 1_000, "count": 1},
    {"cash_cents": 400, "count": 2},
    {"cash_cents": 100, "count": 10},
]
"""28.00 of 40.00: 70 % of 40 tickets at 1.00."""
EXTRA_TIERS = {"predrawn": 3, "ladder": 6}
"""A shortfall pays extra prizes of the smallest tier."""
LADDER_TICKETS, LADDER_CLOSES_AT = 2_000, 30


@dataclass
class Slot:
    """A kind of game that is always on sale: its present concrete game and emission."""

    kind: str
    number: int = 0
    game: Game | None = None
    emission: Emission | None = None

    @property
    def code(self) -> str:
        return f"{self.kind}-{self.number}"


@dataclass
class Ended:
    """A game that ended owing prizes. Nobody comes for the prizes of an `abandoned` one."""

    game: Game
    abandoned: bool


@dataclass
class Instants(Meetings):
    """Both kinds of instant games, beside the meetings."""

    slots: list[Slot] = field(default_factory=lambda: [Slot("predrawn"), Slot("ladder")])
    begun: list[tuple[str, Point]] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)
    unseen: int = 0

    # --- Emissions --------------------------------------------------------------------------------

    def instant_day(self, day: date) -> None:
        """Sell and play, close emissions and open the next ones."""
        at(day, 11)
        for slot in self.slots:
            if slot.emission is None:
                self._open_next(slot)
            for _ in range(self.rng.randint(2, 5)):
                self._play(slot, day)
        self._resume(day)
        self.run_incidents(Moment.PLAYS, day)
        for slot in self.slots:
            if self._is_over(slot):
                self.close_emission(slot)

    def _open_next(self, slot: Slot) -> None:
        if slot.game is None:
            slot.number += 1
            document = self._document(slot)
            slot.game = emitting.approved(document)
            self.instants.approved(document)
        game = self.instants.games[slot.game.code]
        owes = game.owed_cents >= min(game.prizes)
        tier = EXTRA_TIERS[slot.kind] if owes else None
        emission = emitting.opened(slot.game, extra_tier=tier)
        assert tier is None or emission.extra_cents % game.prizes[tier - 1] == 0
        extra = {tier: emission.extra_cents // game.prizes[tier - 1]} if tier else {}
        self.instants.opens(
            emission.reference, game.code, emission.tickets, emission.price_cents, extra
        )
        slot.emission = emission
        self.count("emissions")

    def _document(self, slot: Slot) -> dict[str, Any]:
        if slot.kind == "predrawn":
            picture = emitting.small()["presentation"]
            signs = picture | {"winning": picture["signs"][: len(TIERS)]}
            return emitting.small(slot.code, tiers=TIERS, presentation=signs)
        return emitting.document("trotters-ladder", code=slot.code, tickets=LADDER_TICKETS)

    def _is_over(self, slot: Slot) -> bool:
        """Return whether the emission is sold out, or the organiser withdraws it half sold."""
        if slot.emission is None:
            return False
        sold = len(self.instants.issues[slot.emission.reference].plays)
        if slot.kind == "predrawn":
            return sold >= slot.emission.tickets or (sold > 8 and self.happens(0.06))
        return sold >= LADDER_CLOSES_AT or (sold > 8 and self.happens(0.04))

    def close_emission(self, slot: Slot) -> int:
        """Close a slot's emission by two persons. Return what its game owes to prizes."""
        assert slot.emission is not None
        proposal = emission_close_propose(by=self.staff(Role.ORGANISER), emission=slot.emission)
        self.two_confirm(proposal, Role.ORGANISER)
        owed = self.instants.closes(slot.emission.reference)
        slot.emission = None
        self.count("emissions closed")
        return owed

    # --- Plays ------------------------------------------------------------------------------------

    def buy(self, slot: Slot, day: date, point: Point | None = None) -> tuple[str, Point] | None:
        """Sell a play; None if the emission is sold out."""
        emission, point = slot.emission, point or self.rng.choice(self.points)
        assert emission is not None
        if len(self.instants.issues[emission.reference].plays) >= emission.tickets:
            return None
        request = PlayRequest(request_uuid(), emission.pk, emission.price_cents)
        play_sell(credentials=point.credentials, request=request)
        if self.happens(0.05):  # the answer was lost: the terminal asks again
            play_sell(credentials=point.credentials, request=request)
        ident = str(request.uuid)
        self.instants.sold(ident, emission.reference, str(point.premises.pk), day)
        self.count("tickets")
        return ident, point

    def _play(self, slot: Slot, day: date) -> None:
        bought = self.buy(slot, day)
        if bought is None or self.happens(0.04):
            return  # the player leaves without playing: the night ends it
        if slot.kind == "ladder" and self.happens(0.08):
            if self.act(*bought).legal:
                self.begun.append(bought)
            return
        self.play_on(*bought)

    def act(self, ident: str, point: Point, *, printed: bool = True) -> PlayView:
        """Do one act of a play, chosen among the legal ones."""
        key = uuid.UUID(ident)
        play = play_state(credentials=point.credentials, ident=key)
        act, number = self.rng.choice(sorted(play.legal)), len(play.steps) + 1
        play = play_act(credentials=point.credentials, ident=key, number=number, act=act)
        self.instants.acted(ident, act, play.steps[-1].shown)
        if play.ending is not None:
            tier, extra_tier = play.ending.tier, play.ending.extra_tier
            owed = self.instants.ends(ident, tier, extra_tier, today())
            self.issued(ident, owed, play.vouchers, point, printed=printed)
        return play

    def play_on(self, ident: str, point: Point, *, printed: bool = True) -> None:
        """Play to the end."""
        while self.act(ident, point, printed=printed).ending is None:
            pass

    def issued(
        self,
        play: str,
        owed: int,
        vouchers: Sequence[Issued],
        point: Point,
        *,
        printed: bool,
    ) -> None:
        """Take the voucher of a play from the terminal; its player comes some day."""
        assert sum(voucher.amount_cents for voucher in vouchers) == owed, (play, owed, vouchers)
        for voucher in vouchers:
            ident, code = str(voucher.uuid), ""
            self.instants.voucher(ident, play, voucher.amount_cents, voucher.issue_day)
            if printed and voucher.code is not None:
                voucher_print_confirm(by=point.bare, ident=voucher.uuid)
                code = voucher.code.grouped
            self.papers[ident] = Paper(ident, code, point.premises.pk, voucher=True)
            if printed:
                self.comes(ident, voucher.issue_day)
            else:
                self.due.append((voucher.issue_day + timedelta(days=1), ident))

    def _resume(self, day: date) -> None:
        """Let players who had begun a play finish it, where they began it."""
        for ident, point in list(self.begun):
            if self.happens(0.4):
                self.begun.remove((ident, point))
                here = next((p for p in self.points if p.premises == point.premises), None)
                if here:
                    self.play_on(ident, here)

    def see_night(self) -> None:
        """Tell the auditor which plays the night ended, as its list says [P11]."""
        for end in PlayEnd.objects.filter(pk__gt=self.unseen).order_by("pk"):
            self.unseen = end.pk
            ident = str(end.ticket.uuid)
            if not self.instants.plays[ident].ended:
                self.ended_for_the_buyer(end)

    def ended_for_the_buyer(self, end: PlayEnd) -> None:
        """Tell the auditor of a play that was ended without its buyer; the voucher is held."""
        ident, day = str(end.ticket.uuid), natural_day(end.ended_at)
        refund = end.cause == PlayEnd.Cause.REFUND
        owed = (
            self.instants.gives_back(ident, day)
            if refund
            else self.instants.ends(ident, end.tier, end.extra_tier, day)
        )
        # A play that nobody finished may have won a drawn debt before.
        rows = Voucher.objects.filter(ticket=end.ticket, debt_draw=None).order_by("number")
        assert sum(row.amount_cents for row in rows) == owed
        for row in rows:
            self.instants.voucher(str(row.uuid), ident, row.amount_cents, day, refund=refund)
            self.papers[str(row.uuid)] = Paper(
                str(row.uuid), "", end.ticket.premises_id, voucher=True
            )
            self.comes(str(row.uuid), day)

    # --- Games that end ---------------------------------------------------------------------------

    def end_game(self, slot: Slot, *, abandoned: bool) -> bool:
        """Close the emission of a slot and end its game. Return whether it owed prizes."""
        assert slot.game is not None
        code, game = slot.code, slot.game
        owed = self.close_emission(slot) if slot.emission else self.instants.games[code].owed_cents
        slot.game = None
        winners = min(self.rng.choice((1, 2)), owed)
        proposal = game_end_propose(by=self.staff(Role.ORGANISER), game=game, winners=winners)
        self.two_confirm(proposal, Role.ORGANISER)
        if owed:
            self._draw(game, abandoned)
            self.ended.append(Ended(game, abandoned))
        return bool(owed)

    def _draw(self, game: Game, abandoned: bool) -> None:
        """Hold the draw that was announced; the winners' vouchers are held for them."""
        number = game.debt_draws.count()
        draw = Draw.objects.get(subject=f"{game.code}:{number}")
        dice = "".join(str(self.rng.randint(1, 6)) for _ in range(10))
        factories.witnessed(draw, organiser=self.staff(Role.ORGANISER), text=dice)
        rows = Voucher.objects.filter(debt_draw__game=game, debt_draw__number=number)
        won = [(str(r.ticket.uuid), str(r.uuid), r.amount_cents) for r in rows.order_by("pk")]
        self.instants.drawn(game.code, won, today())
        for row in rows:
            self.papers[str(row.uuid)] = Paper(str(row.uuid), "", row.premises_id, voucher=True)
            if not abandoned:
                self.comes(str(row.uuid), today())

    def debts(self, day: date) -> None:
        """Draw again what lapsed, and carry out what the authority decides [P17]."""
        for ended in list(self.ended):
            game = self.instants.games[ended.game.code]
            standing = self.books.accounts[f"promotrot:{game.code}:authority"]
            if standing:
                proposal = debt_decide_propose(
                    by=self.staff(Role.ORGANISER),
                    game=ended.game,
                    cents=standing,
                    reference="DGJ 7",
                    payee="Creu Roja",
                )
                self.two_confirm(proposal, Role.ORGANISER)
                self.instants.decided(game.code, standing)
                self.incident("drawn debt, for the authority")
                self.ended.remove(ended)
            elif game.owed_cents and game.draws < MOST_DRAWS:
                at(day, 10)
                debt_draw_again(by=self.staff(Role.ORGANISER), game=ended.game)
                self._draw(ended.game, ended.abandoned)
                self.incident("drawn debt, drawn again")
