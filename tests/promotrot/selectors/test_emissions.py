"""Say of an emission whose seed is fixed that the database was restored since."""

import pytest

from core.journal.lineages import LINEAGE
from core.proofs import log
from core.staff import two_persons
from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.selectors.emissions import restored_since
from promotrot.services.emissions import (
    EmissionRestored,
    emission_get,
    emission_open_propose,
)
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


def restored(lineage: int, reason: str) -> None:
    """Publish that a lineage of the journal begins, as the procedure of a restore does."""
    document = {"format": "trot-lineage-1", "lineage": lineage, "reason": reason}
    log.publish(kind=LINEAGE, subject=str(lineage), document=document)


@pytest.mark.article("15.II.2")
def test_two_persons_see_that_the_seed_is_older_than_a_restore() -> None:
    """It may have been on sale in what was lost, and would deal the same prizes again."""
    restored(1, "a new server")
    emission = emitting.witnessed(
        emitting.committed(emitting.planned(emitting.approved(emitting.small())))
    )
    first, second = factories.two_organisers()
    assert not restored_since(emission)
    before = emission_open_propose(by=first, emission=emission)
    restored(2, "restored to 17:42")
    with pytest.raises(EmissionRestored):
        two_persons.confirm(proposal=before.uuid, by=second)
    assert emission_get(emission.reference).state == Emission.State.MIXED
    two_persons.reject(proposal=before.uuid, by=second)
    proposal = emission_open_propose(by=first, emission=emission)
    assert proposal.content["restored_since"] == ["restored to 17:42"]
    two_persons.confirm(proposal=proposal.uuid, by=second)
    assert emission_get(emission.reference).state == Emission.State.OPEN


def test_an_emission_without_a_seed_has_nothing_to_deal_again() -> None:
    emission = emitting.planned(emitting.approved(emitting.document("five-stalls")))
    restored(1, "restored to 17:42")
    proposal = emission_open_propose(by=factories.staff(Role.ORGANISER), emission=emission)
    assert proposal.content["restored_since"] == []
