"""End a play at the Central Office that its premises can no longer finish [P19]."""

import secrets
import uuid

import pytest

from core.database import clock
from core.payoffice.refusals import CashSessionMissing
from core.premises.access import TerminalCopied, TerminalCredentials
from core.premises.models import Premises, Terminal
from core.premises.services import terminal_enrol
from core.staff import two_persons
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from promotrot.models.play import OfficeEnd, PlayEnd, PlayTicket
from promotrot.selectors.plays import can_be_finished, stranded
from promotrot.services.office.handing import NotCentralOffice
from promotrot.services.office.stopping import PlayCanBeFinished, play_end_propose
from promotrot.services.playing import PlayEnded, PlayUnknown, play_act
from tests.support import emitting, factories, paying
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.II.3")]


@pytest.fixture
def begun(place: Point, monkeypatch: pytest.MonkeyPatch) -> PlayTicket:
    """Return a ladder that stands on its first rung."""
    monkeypatch.setattr(secrets, "randbelow", lambda bound: 0)
    emission = emitting.opened(emitting.document("trotters-ladder"))
    (ident,) = emitting.sold(emission, 1, place)
    emitting.played(place, [ident], act="trot")
    return PlayTicket.objects.get(uuid=ident)


def close(place: Point) -> None:
    Terminal.objects.filter(premises=place.premises).update(revoked_at=place.session.started_at)


def proposed(by: StaffActor, ident: uuid.UUID) -> two_persons.Proposal:
    return play_end_propose(by=by, ident=ident, reason="closed")


def test_who_may_end_which_play(place: Point, begun: PlayTicket) -> None:
    clerk = paying.cashier()
    with pytest.raises(PlayCanBeFinished):
        proposed(clerk, begun.uuid)
    assert can_be_finished(place.premises.pk) and not stranded().exists()
    close(place)
    assert list(stranded()) == [begun]
    elsewhere = paying.cashier(factories.premises(kind=Premises.Kind.ENTITY_OFFICE))
    for by, error in (
        (factories.staff(Role.ORGANISER), PowerMissing),
        (factories.staff(Role.SUPERVISOR), CashSessionMissing),
        (elsewhere, NotCentralOffice),
    ):
        with pytest.raises(error):
            proposed(by, begun.uuid)
    with pytest.raises(PlayUnknown):
        proposed(clerk, uuid.uuid4())
    proposal = proposed(clerk, begun.uuid)
    two_persons.confirm(proposal=proposal.uuid, by=paying.cashier())
    assert OfficeEnd.objects.get().ticket == begun
    with pytest.raises(PlayEnded):
        proposed(clerk, begun.uuid)


def test_a_terminal_whose_keys_were_copied_finishes_no_play(
    place: Point, begun: PlayTicket
) -> None:
    """It is refused (`terminal_copied`), so that the Central Office ends what was begun there."""
    Terminal.objects.filter(pk=place.terminal.pk).update(copied_at=clock.now())
    with pytest.raises(TerminalCopied):
        play_act(credentials=place.credentials, ident=begun.uuid, number=2, act="stop")
    assert list(stranded()) == [begun]
    two_persons.confirm(proposal=proposed(paying.cashier(), begun.uuid).uuid, by=paying.cashier())
    assert PlayEnd.objects.get().cause == "stopped"


def test_a_play_finished_before_the_second_person_confirms_stays_as_it_was_played(
    place: Point, begun: PlayTicket
) -> None:
    """Its keys had been copied; it enrolled again meanwhile, and goes on."""
    Terminal.objects.filter(pk=place.terminal.pk).update(copied_at=clock.now())
    proposal = proposed(paying.cashier(), begun.uuid)
    code = factories.enrolment_code(place.premises, place.terminal.code)
    _, token = terminal_enrol(code=code, public_key=factories.KEY.public)
    again = TerminalCredentials.of(token.text, place.session_token)
    play_act(credentials=again, ident=begun.uuid, number=2, act="stop")
    with pytest.raises(PlayEnded):
        two_persons.confirm(proposal=proposal.uuid, by=paying.cashier())
    assert PlayEnd.objects.get().cause == "played" and not OfficeEnd.objects.exists()


def test_premises_that_work_again_finish_their_play_themselves(
    place: Point, begun: PlayTicket
) -> None:
    close(place)
    proposal = proposed(paying.cashier(), begun.uuid)
    factories.point(place.premises)
    with pytest.raises(PlayCanBeFinished):
        two_persons.confirm(proposal=proposal.uuid, by=paying.cashier())
    assert not PlayEnd.objects.exists()
