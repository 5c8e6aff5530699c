"""Publish the documents of an emission in the public log."""

import pytest
from django.db import DatabaseError, transaction

from core.proofs.models import LogEntry
from promotrot.models.emission import Emission, SeedReveal
from promotrot.selectors.closing import reveals_due
from promotrot.services.closing import seed_reveal
from promotrot.services.dealing import open_seed
from tests.support import emitting

pytestmark = pytest.mark.django_db


@pytest.mark.article("15.II.2")
def test_the_seed_is_published_after_the_closing_and_not_before() -> None:
    emission = emitting.opened(emitting.small())
    assert not seed_reveal(emission=emission)
    with pytest.raises(DatabaseError), transaction.atomic():
        SeedReveal.objects.create(emission=emission, seed="00", revealed_at=emission.planned_at)
    emitting.sold_and_played(emission, 3)
    emission = emitting.closed(emission)
    assert reveals_due() == [emission.pk]
    assert seed_reveal(emission=emission)
    assert not seed_reveal(emission=emission)
    seed = open_seed(emission.commitment).hex()
    assert LogEntry.objects.get(kind="promotrot.seed").document["seed"] == seed
    assert (Emission.objects.get().state, reveals_due()) == ("revealed", [])
