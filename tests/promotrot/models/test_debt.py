"""Refuse in the database debts that are not those of an ended game [P17]."""

from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from core.database import clock
from core.draws.models import Outcome
from core.kernel.days import add_days, natural_day
from promotrot.models.debt import DebtDecision, DebtDraw, DebtStanding
from promotrot.models.game import Game
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.services.debts import drawing
from tests.support import factories
from tests.support.promotrot import owing

pytestmark = pytest.mark.django_db
Terms = dict[str, Any]


def refused(write: Callable[[], object]) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        write()


def draw(game: Game, **changes: Any) -> Callable[[], object]:
    terms = {"number": 1, "owed_cents": 140, "winners": 1, "announced_at": clock.now()}
    return lambda: DebtDraw.objects.create(game=game, **terms | changes)


def test_a_game_that_has_not_ended_draws_nothing() -> None:
    refused(draw(owing.owing(140)))


def test_only_what_lapsed_is_drawn_again_after_the_draw_before() -> None:
    game = owing.ended(140)
    refused(draw(game))
    refused(draw(game, number=2))
    owing.drawn(game)
    refused(draw(game, number=2))
    owing.nobody_comes()
    for wrong in ({"owed_cents": 139}, {"number": 3}, {"winners": 0}):
        refused(draw(game, **{"number": 2} | wrong))


def test_nothing_stands_before_the_authority_while_it_can_be_drawn() -> None:
    game = owing.ended(140)
    owing.drawn(game)
    owing.nobody_comes()
    stood = {"uuid": "0190a6c8-5f6e-7000-8000-000000000001", "stood_at": clock.now()}
    refused(lambda: DebtStanding.objects.create(game=game, cents=140, **stood))
    decided: Terms = {
        "uuid": "0190a6c8-5f6e-7000-8000-000000000002",
        "decided_at": clock.now(),
        "reference": "R 1",
        "payee": "P",
        "proposal": factories.proposal("promotrot.debt_decision"),
    }
    refused(lambda: DebtDecision.objects.create(game=game, cents=1, **decided))


@pytest.mark.parametrize(
    "cents", [(94, 93), (95, 93, 93), (94, 93, 92, 1), (93, 94, 93), (94, 93, 93, 1)]
)
def test_the_vouchers_of_a_draw_are_its_winners_and_share_what_it_draws(
    cents: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last one written checks all of them."""
    game = owing.ended(280, winners=3)
    with monkeypatch.context() as patch:
        patch.setattr(drawing, "_voucher", lambda *of: None)
        patch.setattr(Voucher.objects, "bulk_create", lambda rows, **_: [*rows])
        with pytest.raises(DatabaseError, match="gives other prizes"), transaction.atomic():
            owing.drawn(game)
            patch.undo()
            order = Outcome.objects.get().order
            tickets = [PlayTicket.objects.get(uuid=each) for each in order]
            _write(game, [*tickets, *tickets], cents)
    owing.drawn(game)
    refused(lambda: _write(game, PlayTicket.objects.order_by("pk"), (1,), number=2_000))


def test_a_prize_of_a_draw_is_of_the_play_that_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of the draw is public, and nothing compared the vouchers with it."""
    game = owing.ended(280, winners=3)
    whole = drawing._voucher

    def dishonest(play: PlayTicket, cents: int, of: Any, debt: DebtDraw) -> Voucher:
        if play.uuid == UUID(of.order[0]):
            play = PlayTicket.objects.exclude(uuid__in=of.order).get()
        return whole(play, cents, of, debt)

    with monkeypatch.context() as patch:
        patch.setattr(drawing, "_voucher", dishonest)
        with pytest.raises(DatabaseError, match="gives other prizes"), transaction.atomic():
            owing.drawn(game)
            _check()
    assert len(owing.drawn(game)) == 3
    _check()


def _write(
    game: Game, plays: Iterable[PlayTicket], cents: tuple[int, ...], number: int = 1_001
) -> None:
    """Write vouchers of the game's first draw for plays, and check them as a commit does."""
    now = clock.now()
    day = natural_day(now)
    Voucher.objects.bulk_create(
        Voucher(
            uuid=uuid4(),
            emission_id=ticket.emission_id,
            ticket=ticket,
            number=number + place // 3,
            nature=Voucher.Nature.DRAWN,
            amount_cents=each,
            premises_id=ticket.premises_id,
            prizes=[],
            issued_at=now,
            issue_day=day,
            last_day=add_days(day, 30),
            debt_draw=game.debt_draws.get(),
        )
        for place, (ticket, each) in enumerate(zip(plays, cents, strict=False))
    )
    _check()


def _check() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS as_drawn IMMEDIATE")
        cursor.execute("SET CONSTRAINTS as_drawn DEFERRED")
