"""Refuse in the database changes of an approved game."""

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from promotrot.models.game import GameApproval, GameVersion
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE promotrot_gameversion SET document = '{}'",
        "UPDATE promotrot_gametype SET price_cents = 20",
        "UPDATE promotrot_gametype SET factors = '{}'",
        "UPDATE promotrot_game SET type_id = 0",
        "UPDATE promotrot_gameapproval SET percentages = '{}'",
        "DELETE FROM promotrot_gameapproval",
    ],
)
def test_the_database_lets_nothing_of_an_approved_game_change(change: str) -> None:
    emitting.approved(emitting.small())
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change)


def test_an_approval_without_two_persons_is_refused_by_the_database() -> None:
    version = emitting.recorded(emitting.small())
    named = {"game": version.game.code, "version": version.version, "digest": version.digest}
    for kind in ("promotrot.closing", "promotrot.approval"):
        proposal = factories.proposal(kind, content=named)
        row = GameApproval(
            version=version,
            proposal=proposal,
            day="2026-01-01",
            percentages={},
            approved_at=version.recorded_at,
        )
        if kind == "promotrot.approval":
            row.save()
            GameVersion.objects.get(approval=row)
        else:
            with pytest.raises(IntegrityError), transaction.atomic():
                row.save()
