"""Premises, terminals, operators and suspensions by the admin."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile

from core.premises.lists import COLUMNS
from core.premises.models import Authorisation, Operator, Premises, Suspension, Terminal
from core.premises.operators import PIN_DIGITS
from core.premises.services import terminal_enrol
from core.receipts import qr
from core.staff.models import Proposal
from core.staff.powers import Role
from core.staff.signals import SESSION_KEY
from tests.support import factories
from tests.support.admin_desk import Desk, act_url, row_url, text_of

pytestmark = pytest.mark.django_db
BAR = {
    "code": "P100",
    "name": "Bar Trot",
    "kind": "establishment",
    "address": "Carrer Nou 1",
    "municipality": "Manacor",
}


@pytest.fixture
def desk() -> Desk:
    return Desk(Role.ORGANISER)


def confirm() -> None:
    """Confirm the waiting proposal as a second organiser."""
    Desk(Role.ORGANISER).do(Proposal.objects.get(decision=None), "confirm")


def test_premises_are_opened_by_two_persons_after_a_second_look(desk: Desk) -> None:
    assert desk.offers(Premises, "register")
    answer = desk.client.post(act_url(Premises, "register"), BAR)
    assert "Establishment" in text_of(answer)
    assert "Carrer Nou 1" in text_of(answer)
    assert not Premises.objects.filter(code="P100")
    desk.do(Premises, "register", **BAR)
    assert not Premises.objects.filter(code="P100")
    second = Desk(Role.ORGANISER)
    assert "Carrer Nou 1" in second.get(row_url(Proposal.objects.get()))
    confirm()
    place = Premises.objects.get(code="P100")
    assert place.proposal.proposed_by == desk.person
    desk.refused(Premises, "register", "code_taken", **BAR)


def test_many_premises_are_one_proposal_that_the_second_person_reads_whole(desk: Desk) -> None:
    lines = [
        f"P{number};Bar {number};establishment;Carrer Nou {number};Manacor;lototrot;2030-03-01;;"
        f"AUT {number};T{number}"
        for number in range(101, 201)
    ]
    content = "\n".join([";".join(COLUMNS), *lines]).encode()
    desk.do(Premises, "register_list", file=SimpleUploadedFile("shops.csv", content))
    assert not Premises.objects.exists()
    read = Desk(Role.ORGANISER).get(row_url(Proposal.objects.get()))
    assert all(text in read for text in ("Bar 101", "Bar 200", "AUT 200", "T200"))
    confirm()
    assert Terminal.objects.filter(premises__authorisations__game="lototrot").count() == 100
    wrong = SimpleUploadedFile("shops.csv", b"code\nP1")
    desk.refused(Premises, "register_list", "premises_list_malformed", file=wrong)


def test_what_is_missing_is_said_at_its_field(desk: Desk) -> None:
    response = desk.ask(Premises, "register", **{**BAR, "name": ""})
    assert "This field is required" in text_of(response)
    assert not Premises.objects.filter(code="P100")


@pytest.mark.article("14.I.6")
def test_an_authorisation_is_recorded_and_ended(desk: Desk) -> None:
    place = factories.premises(authorised=())
    typed = {"game": "lototrot", "valid_from": "2026-01-01T00:00:00", "reference": "AUT-1"}
    desk.do(place, "authorise", **typed)
    confirm()
    authorisation = Authorisation.objects.get(premises=place)
    assert authorisation.proposal.proposed_by == desk.person
    assert authorisation.valid_from.isoformat() == "2025-12-31T23:00:00+00:00"  # Madrid's midnight
    desk.refused(place, "authorise", "authorisation_overlaps", **typed)
    assert desk.offers(authorisation, "end")
    desk.do(authorisation, "end")
    authorisation.refresh_from_db()
    assert authorisation.valid_until
    assert not desk.offers(authorisation, "end")


def test_a_terminals_code_is_shown_once(desk: Desk) -> None:
    place = factories.premises()
    desk.do(place, "terminal", codes="T100\nT101\n")
    confirm()
    opened = Terminal.objects.get(code="T100")
    response = desk.ask(opened, "code")
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    code = re.search(r'house-secret"><code>([^<]+)</code>', response.content.decode())
    assert code
    # The symbol holds the code, of letters that any scanner types right; people type it in small.
    assert qr.drawing(code[1]) in response.content.decode()
    assert re.fullmatch(r"[0-9A-Z]{24}", code[1])
    typed = f" {code[1].lower()} "
    terminal, _token = terminal_enrol(code=typed, public_key=factories.KEY.public)
    assert terminal == opened and not desk.offers(opened, "code")
    assert code[1] not in desk.get(row_url(terminal))
    assert code[1] not in LogEntry.objects.latest("pk").change_message
    assert not any(code[1] in str(message) for message in desk.client.session.values())


def test_a_terminal_is_enrolled_anew_and_revoked(desk: Desk) -> None:
    terminal = factories.point().terminal
    assert not desk.offers(terminal, "code")
    desk.refused(terminal, "code", "enrolment_not_confirmed")
    desk.do(terminal, "reenrol", reason="New machine")
    confirm()
    assert "house-secret" in desk.ask(terminal, "code").content.decode()
    desk.do(terminal, "revoke")
    terminal.refresh_from_db()
    assert terminal.revoked_at
    assert not desk.offers(terminal, "revoke", "reenrol")


def test_an_operator_is_registered(desk: Desk) -> None:
    place = factories.premises()
    typed = {"number": "7", "name": "Pere", "pin": "280319"}
    response = desk.refused(place, "operator", "pin_weak", **{**typed, "pin": "123456"})
    assert "123456" not in response
    desk.do(place, "operator", **typed)
    operator = Operator.objects.get(premises=place)
    assert (operator.number, operator.created_by) == (7, desk.person)
    assert len("280319") in PIN_DIGITS


def test_sales_are_suspended_and_resumed_everywhere_and_anywhere(desk: Desk) -> None:
    point = factories.point()
    desk.do(Suspension, "suspend_all", reason="Storm")
    desk.do(point.premises, "suspend", reason="Inspection")
    desk.do(point.terminal, "suspend", reason="Paper out")
    suspensions = Suspension.objects.order_by("pk")
    assert [(s.premises_id, s.terminal_id, s.reason) for s in suspensions] == [
        (None, None, "Storm"),
        (point.premises.pk, None, "Inspection"),
        (None, point.terminal.pk, "Paper out"),
    ]
    for suspension in suspensions:
        assert suspension.suspended_by == desk.person
        assert suspension.suspended_in_id == desk.client.session[SESSION_KEY]
    front = text_of(desk.client.get("/admin/"))
    assert all(reason in front for reason in ("Storm", "Inspection", "Paper out"))
    for suspension in suspensions:
        desk.do(suspension, "resume")
        assert not desk.offers(suspension, "resume")
        desk.refused(suspension, "resume", "suspension_unknown")
    assert "No sales are suspended" in text_of(desk.client.get("/admin/places/premises/"))


def test_a_suspension_by_a_resolution_is_lifted_by_two(desk: Desk) -> None:
    point, other = factories.point(), Desk(Role.ORGANISER)
    typed = {"effective_at": "2020-01-01 10:00", "reference": "DGJ 210/2026"}
    desk.do(point.terminal, "suspend_as_of", **typed)
    other.do(Proposal.objects.get(decision=None), "confirm")
    stop = Suspension.objects.get()
    assert not desk.offers(stop, "resume")
    desk.do(stop, "resume_resolved")
    proposal = Proposal.objects.get(decision=None)
    page = text_of(other.client.get(row_url(proposal)))
    assert all(words in page for words in (point.terminal.code, "DGJ 210/2026"))
    stop.refresh_from_db()
    assert stop.lifted_at is None
    other.do(proposal, "confirm")
    stop.refresh_from_db()
    assert stop.lifted_by == other.person


@pytest.mark.parametrize("role", [role for role in Role if role != Role.ORGANISER])
def test_the_register_is_the_organisers(role: Role) -> None:
    desk, point = Desk(role), factories.point()
    allowed_to_look = role not in (Role.STEWARDS, Role.CASHIER)
    expected = 403 if allowed_to_look else 404
    for row, act in (
        (Premises, "register"),
        (point.premises, "authorise"),
        (point.premises, "suspend"),
        (point.terminal, "revoke"),
        (point.terminal, "reenrol"),
        (point.terminal, "code"),
        (Suspension, "suspend_all"),
    ):
        assert desk.ask(row, act, **BAR, reason="x").status_code == expected
    if allowed_to_look:
        assert not desk.offers(point.terminal, "revoke")
        assert not desk.offers(Suspension, "suspend_all")
    assert not Suspension.objects.exists()
    assert Terminal.objects.get(pk=point.terminal.pk).revoked_at is None


def test_an_operator_gets_another_pin_and_leaves(desk: Desk) -> None:
    point = factories.point()
    desk.refused(point.operator, "pin_reset", "pin_weak", pin="123456")
    desk.do(point.operator, "pin_reset", pin="314159")
    desk.do(point.operator, "deactivate")
    point.operator.refresh_from_db()
    assert not point.operator.is_active
    assert not desk.offers(point.operator, "deactivate", "pin_reset")


def test_a_terminal_code_that_is_too_long_is_said_at_its_field(desk: Desk) -> None:
    """Or the second person's confirmation fails, and nobody knows why."""
    place = factories.premises()
    text = desk.ask(place, "terminal", codes=f"T1 {'T' * 21}").content.decode()
    assert "at most 20 characters" in text
    assert not Proposal.objects.filter(kind="premises.opening", decided=False).exists()
