"""Check that seals are made once and never change."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from lototrot.models.sealing import Seal
from tests.support import factories

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.1.5")]


def test_a_contest_has_one_seal_and_it_does_not_change() -> None:
    contest = factories.contest_closed(factories.contest())
    seal = Seal.objects.get(contest=contest)
    assert str(seal)
    with pytest.raises(DatabaseError), transaction.atomic():
        Seal.objects.filter(pk=seal.pk).update(tickets=1)
    with pytest.raises(DatabaseError), transaction.atomic():
        seal.delete()
    with pytest.raises(IntegrityError), transaction.atomic():
        Seal.objects.create(
            contest=contest,
            tickets=0,
            bets=0,
            takings_cents=0,
            root=bytes(seal.root),
            block_roots=b"",
            block_first_ids=[],
            entry=seal.entry,
            sealed_at=seal.sealed_at,
        )
