"""The sources of payables that the games contribute."""

import uuid
from datetime import timedelta

import pytest

from core.database import clock
from core.kernel import codes
from core.kernel.days import natural_day
from core.kernel.regulation import Bearer
from core.payoffice import sources
from core.payoffice.services.presenting import presentation_make
from core.payoffice.sources import DocumentUnknown, Standing
from core.premises.models import Game
from lototrot import accounts as lototrot
from tests.support import factories, rounds
from tests.support import paying as given


def test_each_kind_of_code_has_one_source() -> None:
    by_kind = {source.kind: source for source in sources.all_sources()}
    assert list(by_kind) == sorted(by_kind) == sorted([codes.TICKET, codes.VOUCHER])
    for kind, source in by_kind.items():
        assert sources.of_kind(kind) is source
        assert sources.of_game(source.game, source.bearer) is source


def test_a_kind_or_a_game_without_a_source_is_refused() -> None:
    with pytest.raises(DocumentUnknown):
        sources.of_kind(b"?")
    with pytest.raises(DocumentUnknown):
        sources.of_game(Game.PROMOTROT, Bearer.TICKET)


@pytest.mark.django_db
def test_a_document_of_no_game_is_unknown_by_every_way() -> None:
    for source in sources.all_sources():
        assert source.by_code(bytes(32)) is None
        with pytest.raises(DocumentUnknown):
            source.by_id(2**40)
        with pytest.raises(DocumentUnknown):
            source.by_uuid(uuid.uuid4())


@pytest.mark.django_db
@pytest.mark.article("14.III.10.2", "14.III.10.7")
def test_a_source_says_what_is_owed_by_the_game_alone() -> None:
    """A presentation changes the claim, not what the game owes."""
    factories.time_to(rounds.NOON)
    won, lost, unclaimed = given.worth(500, 0, 700)
    source = sources.of_kind(codes.TICKET)
    before = source.by_id(won.ticket.pk)
    assert (before.standing, before.amount_cents) == (Standing.OWED, 500)
    assert before.owed == lototrot.prizes_payable(won.contest.pk)
    assert source.by_id(lost.ticket.pk).standing is Standing.NO_PRIZE
    presentation_make(at=factories.point().actor, code=won.code)
    assert source.by_id(won.ticket.pk) == before
    (presented,) = source.claimed()
    assert (presented.state, presented.cents, presented.held) == ("presented", 500, before.held)
    (outs,) = source.outs()
    assert (outs.last_claim_day, outs.cents) == (before.last_claim_day, unclaimed.cents)
    last_day = before.last_claim_day
    assert last_day is not None
    assert list(source.lapses_due(last_day)) == []
    assert len(list(source.lapses_due(last_day + timedelta(days=1)))) == 1
    assert natural_day(clock.now()) < last_day
