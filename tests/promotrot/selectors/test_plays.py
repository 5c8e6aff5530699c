"""Find the plays to finish at a terminal, and those that nobody can finish any more."""

import pytest

from core.premises.models import Terminal
from promotrot.selectors.plays import can_be_finished, stranded, unfinished_at
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


def test_unfinished_plays_stand_at_their_terminal_until_its_premises_close() -> None:
    place, other = factories.point(), factories.point()
    emission = emitting.opened(emitting.small())
    first, second = emitting.sold(emission, 2, place)
    emitting.sold(emission, 1, other)
    emitting.played(place, [first])
    assert [row.uuid for row in unfinished_at(place.terminal.pk)] == [second]
    assert can_be_finished(place.premises.pk) and not stranded().exists()
    Terminal.objects.filter(pk=place.terminal.pk).update(revoked_at=place.session.started_at)
    assert not can_be_finished(place.premises.pk)
    assert [row.uuid for row in stranded()] == [second]
