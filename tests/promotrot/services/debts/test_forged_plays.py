"""A ticket under the UUID of a play that left is refused, and blocks no draw (ADR 91) [P17]."""

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.draws.models import DrawField
from core.journal import rules
from core.periods.archive.removing import retired_remove
from core.periods.models import ClosedPeriod
from core.premises.requests import new_uuid
from core.staff.powers import Role
from promotrot import journal_rules
from promotrot.models.emission import Emission, Lane
from promotrot.models.play import PlayTicket
from promotrot.services.debts.ending import game_end_propose
from tests.core.periods.archive.conftest import retired
from tests.support import emitting, factories
from tests.support.journaling import forge
from tests.support.promotrot import owing
from tests.support.promotrot.leaving import Plays

OWED = [f"owed {number}" for number in range(4)]


def sold_past_the_service(month: Plays, ident: uuid.UUID) -> PlayTicket:
    """Sell a ticket of the emission on sale as the application's role could, by rows alone."""
    emission = Emission.objects.get(state="open")
    lane = Lane.objects.filter(emission=emission, open=True)[0]
    taken = lane.taken + 1
    Lane.objects.filter(pk=lane.pk).update(taken=taken, open=taken < lane.tickets)
    ticket: PlayTicket = PlayTicket.objects.create(
        uuid=ident,
        emission=emission,
        opening=lane.opening,
        position=lane.first + lane.taken,
        premises=month.point.premises,
        terminal=month.point.terminal,
        operator=month.point.operator,
        sold_at=clock.now(),
        price_cents=emission.price_cents,
    )
    return ticket


@pytest.mark.article("15.III.6.2")
@pytest.mark.parametrize(
    "ident",
    [lambda of: of["owed 0"], lambda of: of["lost 1"], lambda of: uuid.uuid4(), lambda of: None],
    ids=["owed", "lost", "no time", "new"],
)
def test_no_ticket_is_sold_under_the_uuid_of_a_play_that_left(
    month: Plays, tmp_path: Path, ident: Callable[[dict[str, uuid.UUID]], uuid.UUID | None]
) -> None:
    """A program with the application's role could, past the function that sells."""
    retired(ClosedPeriod.objects.get(), tmp_path)
    retired_remove()
    forged = ident(month.of)
    if forged is None:
        assert sold_past_the_service(month, new_uuid()).pk
        return
    with pytest.raises(DatabaseError, match="no sale of now"), transaction.atomic():
        sold_past_the_service(month, forged)


@pytest.mark.article("15.III.6.2")
def test_a_ticket_that_was_forged_all_the_same_blocks_no_draw(month: Plays, tmp_path: Path) -> None:
    """The owner wrote it. Its UUID stood twice among the entries, and no draw could be made."""
    retired(ClosedPeriod.objects.get(), tmp_path)
    retired_remove()
    game = Emission.objects.get(reference="owing/1").game
    left = month.of["owed 0"]
    forged = sold_past_the_service(month, new_uuid()).uuid
    forge(f"UPDATE promotrot_playticket SET uuid = '{left}' WHERE uuid = '{forged}'")
    forge(
        "UPDATE promotrot_playticket SET emission_id ="
        f" {game.emissions.get().pk} WHERE uuid = '{left}'"
    )
    factories.central_office()
    emitting.both(game_end_propose(by=factories.staff(Role.ORGANISER), game=game, winners=4))
    vouchers = owing.drawn(game)
    assert sorted(DrawField.objects.get().entries) == sorted(str(month.of[each]) for each in OWED)
    assert {voucher.play for voucher in vouchers} == {month.of[each] for each in OWED}
    won = next(voucher for voucher in vouchers if voucher.play == left)
    assert won.ticket is None, "the forged ticket won the prize of the play that left"
    assert "promotrot_voucher.as_drawn" not in {
        rule.name for rule in journal_rules.RULES if list(rules.broken(rule))
    }
