"""Premises, authorisations and terminals are opened, and terminals enrol again, by two persons."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.ledger.models import Account
from core.premises import openings, services
from core.premises.models import Authorisation, Enrolment, Game, Premises, Terminal
from core.premises.openings import (
    ENROL_WITHIN,
    MOST,
    EnrolmentNotConfirmed,
    NewAuthorisation,
    NewPremises,
    NewTerminal,
    OpeningEmpty,
    TerminalEnded,
    enrolment_code,
    enrolment_propose,
    opening_propose,
)
from core.premises.services import (
    AuthorisationOverlaps,
    CodeTaken,
    EnrolmentRefused,
    PeriodBackwards,
    PremisesIncomplete,
    PremisesUnknown,
    TerminalNotFound,
)
from core.staff import two_persons
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from core.tools.raceday.key import TerminalKey
from tests.core.premises.conftest import BAR
from tests.support import factories

pytestmark = pytest.mark.django_db


def new(code: str, **changes: str) -> NewPremises:
    return NewPremises(**(BAR | {"code": code} | changes))


def authorised(*, hours: float, until: float | None = None, **changes: Any) -> NewAuthorisation:
    now = clock.now()
    terms: dict[str, Any] = {
        "premises": "P1",
        "game": Game.LOTOTROT,
        "valid_from": now + timedelta(hours=hours),
        "valid_until": None if until is None else now + timedelta(hours=until),
        "reference": "CAIB 1",
    }
    return NewAuthorisation(**(terms | changes))


def test_nobody_opens_premises_or_terminals_alone(by: StaffActor) -> None:
    proposal = opening_propose(
        by=by, premises=[new("P1")], authorisations=[authorised(hours=0)], terminals=[_T1]
    )
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=factories.another_session(by))
    with pytest.raises(PowerMissing):
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.SUPERVISOR))
    with pytest.raises(TerminalNotFound):
        enrolment_code(by=by, terminal="T1")
    with pytest.raises(two_persons.ProposalPending):
        opening_propose(
            by=by,
            premises=[new("P1")],
            authorisations=openings.Opening.read(proposal.content).authorisations,
            terminals=[_T1],
        )
    columns = {**BAR, "code": "P2", "created_at": clock.now(), "proposal": proposal}
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        Premises.objects.create(**columns)
    assert not Premises.objects.exists()
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    terminal = Terminal.objects.get(code="T1")
    assert (terminal.premises.code, Authorisation.objects.get().premises.code) == ("P1", "P1")
    for model in (Premises, Authorisation, Terminal, Enrolment):
        assert model._default_manager.get().proposal == proposal
    code = enrolment_code(by=by, terminal="T1")
    assert services.terminal_enrol(code=code, public_key=factories.KEY.public)[0] == terminal


_T1 = NewTerminal("P1", "T1")


def test_a_hundred_shops_are_opened_by_one_proposal(by: StaffActor) -> None:
    codes = [f"P{number}" for number in range(100)]
    factories.opened(
        by,
        premises=[new(code) for code in codes],
        authorisations=[
            authorised(hours=0, premises=code, game=game) for code in codes for game in Game
        ],
        terminals=[NewTerminal(code, f"T{code}-{at}") for code in codes for at in (1, 2)],
    )
    counts = [model._default_manager.count() for model in (Premises, Authorisation, Terminal)]
    assert counts == [100, 200, 200]
    assert (Account.objects.count(), Enrolment.objects.count()) == (100, 200)
    with pytest.raises(OpeningEmpty):
        opening_propose(by=by, terminals=[NewTerminal("P1", f"X{at}") for at in range(MOST + 1)])
    with pytest.raises(OpeningEmpty):
        opening_propose(by=by)


def test_of_two_lists_with_one_code_the_second_opens_nothing(by: StaffActor) -> None:
    other = factories.staff(Role.ORGANISER)
    first = opening_propose(by=by, premises=[new("P1"), new("P2")])
    second = opening_propose(by=by, premises=[new("P3"), new("P2")])
    two_persons.confirm(proposal=first.uuid, by=other)
    with pytest.raises(CodeTaken):
        two_persons.confirm(proposal=second.uuid, by=other)
    assert sorted(Premises.objects.values_list("code", flat=True)) == ["P1", "P2"]


def test_codes_are_taken_once_and_premises_are_known(by: StaffActor, bar: Premises) -> None:
    factories.opened(by, terminals=[_T1])
    for lists, refusal in (
        ({"premises": [new("P1")]}, CodeTaken),
        ({"premises": [new("P2"), new("P2", name="Another")]}, CodeTaken),
        ({"terminals": [_T1]}, CodeTaken),
        ({"terminals": [NewTerminal("P2", "T2")]}, PremisesUnknown),
        ({"authorisations": [authorised(hours=0, premises="P2")]}, PremisesUnknown),
    ):
        with pytest.raises(refusal):
            opening_propose(by=by, **lists)
    assert Account.objects.count() == 1


@pytest.mark.article("14.II.3")
@pytest.mark.parametrize("blank", ["code", "name", "address"])
def test_premises_that_a_ticket_could_not_name_are_refused(by: StaffActor, blank: str) -> None:
    with pytest.raises(PremisesIncomplete):
        opening_propose(by=by, premises=[NewPremises(**(BAR | {blank: " "}))])


@pytest.mark.article("14.I.6")
def test_authorisations_of_a_game_do_not_overlap(by: StaffActor, bar: Premises) -> None:
    factories.opened(by, authorisations=[authorised(hours=0, until=10)])
    for start, end in ((-5, 1), (2, 3), (9, None), (-5, None)):
        with pytest.raises(AuthorisationOverlaps):
            opening_propose(by=by, authorisations=[authorised(hours=start, until=end)])
    later = authorised(hours=11)
    with pytest.raises(AuthorisationOverlaps):
        opening_propose(by=by, authorisations=[later, authorised(hours=12, until=13)])
    other = authorised(hours=0, game=Game.PROMOTROT, until=1)
    factories.opened(by, authorisations=[later, other])
    with pytest.raises(PeriodBackwards):
        opening_propose(by=by, authorisations=[authorised(hours=-10, until=-11)])


def test_nobody_lets_a_terminal_enrol_anew_alone(by: StaffActor, bar: Premises) -> None:
    """A person who has its code can put another machine in its place."""
    services.terminal_enrol(
        code=factories.enrolment_code(bar, "T1"), public_key=factories.KEY.public
    )
    with pytest.raises(EnrolmentNotConfirmed):
        enrolment_code(by=by, terminal="T1")
    leave = enrolment_propose(by=by, terminals=["T1"], reason="New machine")
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=leave.uuid, by=by)
    with pytest.raises(EnrolmentNotConfirmed):
        enrolment_code(by=by, terminal="T1")
    now, row = clock.now(), Terminal.objects.get()
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        Enrolment.objects.create(
            terminal=row, proposal=leave, allowed_at=now, allowed_until=now + ENROL_WITHIN
        )
    two_persons.confirm(proposal=leave.uuid, by=factories.staff(Role.ORGANISER))
    lost, code = (enrolment_code(by=by, terminal="T1") for _ in range(2))
    with pytest.raises(EnrolmentRefused):
        services.terminal_enrol(code=lost, public_key=factories.KEY.public)
    services.terminal_enrol(code=code, public_key=factories.KEY.public)
    with pytest.raises(EnrolmentNotConfirmed):
        enrolment_code(by=by, terminal="T1")
    with pytest.raises(IntegrityError, match="it was used"), transaction.atomic():
        Enrolment.objects.update(used_at=None)


def test_a_leave_to_enrol_lapses(by: StaffActor, bar: Premises) -> None:
    factories.opened(by, terminals=[_T1])
    factories.time_pass(seconds=ENROL_WITHIN.total_seconds() + 1)
    with pytest.raises(EnrolmentNotConfirmed):
        enrolment_code(by=factories.staff(Role.ORGANISER), terminal="T1")


def test_only_terminals_in_use_enrol_anew(by: StaffActor, bar: Premises) -> None:
    factories.opened(by, terminals=[_T1])
    with pytest.raises(TerminalNotFound):
        enrolment_propose(by=by, terminals=["T1", "T2"], reason="x")
    with pytest.raises(OpeningEmpty):
        enrolment_propose(by=by, terminals=[], reason="x")
    leave = enrolment_propose(by=by, terminals=["T1"], reason="x")
    services.terminal_revoke(by=by, terminal="T1")
    with pytest.raises(TerminalEnded):
        two_persons.confirm(proposal=leave.uuid, by=factories.staff(Role.ORGANISER))
    with pytest.raises(TerminalEnded):
        enrolment_propose(by=by, terminals=["T1"], reason="y")


@pytest.mark.article("14.I.6")
def test_no_terminal_comes_back_or_gets_a_key_without_a_leave() -> None:
    """A program with the application's role could, by an update alone. An enrolment may."""
    point, ended = factories.point(), factories.point()
    row = Terminal.objects.filter(pk=point.terminal.pk)
    code = factories.enrolment_code(point.premises, point.terminal.code)
    services.terminal_enrol(code=code, public_key=factories.KEY.public)
    leave = Enrolment.objects.filter(terminal=point.terminal).latest("pk")
    row.update(copied_at=clock.now(), proof_number=7)
    services.terminal_revoke(by=factories.staff(Role.ORGANISER), terminal=ended.terminal.code)
    for rows, changes in (
        (row, {"public_key": b"of another machine"}),
        (row, {"public_key": b"of another machine", "enrolled_at": clock.now()}),
        (row, {"public_key": b"of another machine", "enrolled_at": leave.used_at}),
        (row, {"copied_at": None}),
        (row, {"proof_number": 6}),
        (Terminal.objects.filter(pk=ended.terminal.pk), {"revoked_at": None}),
    ):
        with pytest.raises(IntegrityError, match="no leave to enrol"), transaction.atomic():
            rows.update(**changes)
    factories.time_pass(minutes=1)
    code = factories.enrolment_code(point.premises, point.terminal.code)
    assert services.terminal_enrol(code=code, public_key=TerminalKey().public)[0] == point.terminal
    assert (row.get().copied_at, row.get().proof_number) == (None, 0)


@pytest.mark.article("14.I.6")
@pytest.mark.parametrize(
    "column", ["public_key", "token_digest", "next_token_digest", "enrolled_at"]
)
def test_no_terminal_is_opened_with_a_key_or_a_token(column: str) -> None:
    """A program could add its own while two persons open the terminal, and nobody would enrol."""
    place, now = factories.premises(), clock.now()
    value = now if column == "enrolled_at" else b"of another machine"
    content = {"terminals": [{"code": "T1", "premises": place.code}]}
    row = {"code": "T1", "premises": place, "created_at": now}

    @transaction.atomic
    def opened(**more: object) -> None:
        opening = factories.proposal("premises.opening", content=content)
        Terminal.objects.create(**row, **more, proposal=opening)

    with pytest.raises(IntegrityError, match="opened without a key"):
        opened(**{column: value})
    opened()


@pytest.mark.article("14.I.6")
def test_two_persons_let_a_terminal_enrol_once_and_within_fourteen_days() -> None:
    """A program with the application's role could write two leaves, or one for a century."""
    terminal, now = factories.point().terminal, clock.now()
    named = {"terminals": [terminal.code], "reason": "New machine"}
    leave = {
        "terminal": terminal,
        "proposal": factories.proposal("premises.enrolment", "enrolment", named),
        "allowed_at": now,
    }
    late = now + ENROL_WITHIN + timedelta(seconds=1)
    with pytest.raises(IntegrityError, match="confirmed another"), transaction.atomic():
        Enrolment.objects.create(**leave, allowed_until=late)
    Enrolment.objects.create(**leave, allowed_until=now + ENROL_WITHIN)
    with pytest.raises(IntegrityError, match="enrolment_of_proposal"), transaction.atomic():
        Enrolment.objects.create(**leave, allowed_until=now + ENROL_WITHIN)
