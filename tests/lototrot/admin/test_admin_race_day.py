"""A race day run from the admin: each act by its service, its right person, and on record."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation
from django.utils.functional import lazy
from django.utils.timezone import localtime
from django.utils.translation import get_language

import lototrot.sample
from core.admin_support.acts import Refusal
from core.admin_support.contents import collected
from core.database import clock
from core.staff.models import Proposal
from core.staff.powers import Role
from core.staff.signals import SESSION_KEY
from lototrot import tasks
from lototrot.admin.refusals import PROGRAMME
from lototrot.engine.programme import SENTENCES, ProgrammeInvalid
from lototrot.models.contest import BetType, Contest, InternalBetType, ScheduleChange, TicketModel
from lototrot.models.programme import FederationApproval, Meeting, Race
from lototrot.models.running import Classification, RaceDeclaration, RaceStart, Withdrawal
from lototrot.models.settlement import PaymentOrder
from lototrot.models.tickets import Block, Ticket, Void
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories
from tests.support.admin_desk import (
    RULES,
    Desk,
    act_url,
    race_day,
    row_url,
    sold_with_code,
    text_of,
)

pytestmark = pytest.mark.django_db
SAMPLES = Path(next(iter(lototrot.sample.__path__)))
WHEN = "%Y-%m-%dT%H:%M:%S.%f"


def _at(instant: Any) -> str:
    """As a browser sends it: Madrid's time."""
    return str(localtime(instant).strftime(WHEN))


def _confirm(kind: str, *roles: Role) -> Desk:
    """A second person confirms the proposal of a kind that waits."""
    desk = Desk(*roles)
    desk.do(Proposal.objects.get(kind=kind, decision=None), "confirm")
    return desk


@pytest.fixture
def organiser() -> Desk:
    return Desk(Role.ORGANISER)


@pytest.fixture
def stewards() -> Desk:
    return Desk(Role.STEWARDS)


# --- Programme ------------------------------------------------------------------------------------


def _upload(desk: Desk, content: bytes, name: str) -> Any:
    file = SimpleUploadedFile(name, content)
    return desk.client.post(act_url(Meeting, "import"), {"file": file})


@pytest.mark.article("14.III.5.2")
@pytest.mark.parametrize("name", ["son-pardo.programme.json", "son-pardo.programme.csv"])
def test_a_programme_is_imported_and_approved(organiser: Desk, name: str) -> None:
    assert organiser.offers(Meeting, "import")
    response = _upload(organiser, (SAMPLES / name).read_bytes(), name)
    meeting = Meeting.objects.get()
    assert response["Location"] == row_url(meeting)
    assert meeting.imported_by == organiser.person
    assert meeting.imported_in_id == organiser.client.session[SESSION_KEY]
    typed = {
        "approved_by": "Federació Balear de Trot",
        "approved_at": _at(clock.now()),
        "reference": "FBT 7",
    }
    organiser.do(meeting, "approve", **typed)
    approval = FederationApproval.objects.get(meeting=meeting)
    assert (approval.reference, approval.recorded_by) == ("FBT 7", organiser.person)
    assert not organiser.offers(meeting, "approve")


def test_every_error_of_a_programme_is_shown_in_its_place(organiser: Desk) -> None:
    document = json.loads((SAMPLES / "son-pardo.programme.json").read_bytes())
    document["races"][0]["runners"][1]["number"] = 77
    document["races"][2]["start"] = "tomorrow"
    del document["meeting"]["reference"]
    response = _upload(organiser, json.dumps(document).encode(), "bad.json")
    said = text_of(response)
    assert "programme_invalid" in said
    for place in ("/races/0/runners/1/number", "/races/2/start", "/meeting/reference"):
        assert place in said, said
    assert not Meeting.objects.exists()


def test_what_is_wrong_with_a_programme_is_said_in_each_language() -> None:
    with translation.override(None):
        said = {code: str(text) for code, text in PROGRAMME.items()}
    assert said == {code: text.replace(":04X", "") for code, text in SENTENCES.items()}
    error = {"place": "/races/0", "code": "out_of_range", "message": "This must be from 1 to 31."}
    catalan = lazy(lambda: "De {low} a {high}." if get_language() == "ca" else said[code], str)()
    code = error["code"]
    for language, sentence in (("ca", "De 1 a 31."), ("en", error["message"])):
        with patch.dict(collected("code_texts"), {code: catalan}), translation.override(language):
            (row,) = Refusal.of(ProgrammeInvalid(errors=[error])).rows
        assert row == [error["place"], code, sentence]


def test_a_file_of_another_kind_is_refused_at_its_field(organiser: Desk) -> None:
    assert ".json or .csv" in text_of(_upload(organiser, b"%PDF", "programme.pdf"))


# --- Contest --------------------------------------------------------------------------------------


def _new_contest(meeting: Meeting, **other: Any) -> dict[str, Any]:
    races = list(meeting.races.order_by("scheduled_start_at"))
    legs = {f"leg_{n}": race.pk for n, race in enumerate(races, start=1)}
    return {
        "bet_type": factories.bet_type().pk,
        "ticket_model": factories.ticket_model().pk,
        "price_cents": "1,50",
        "max_bets": "5000",
        "correction_window_s": "0",
        "scheduled_close_at": _at(races[0].scheduled_start_at),
        **legs,
        **other,
    }


def test_a_contest_from_draft_to_closing(organiser: Desk) -> None:
    meeting = factories.meeting()
    organiser.do(meeting, "contest", **_new_contest(meeting))
    contest = Contest.objects.get()
    assert (contest.price_cents, contest.max_bets, contest.legs.count()) == (150, 5000, 7)
    page = organiser.get(row_url(contest))
    assert "€1.50" in page
    assert "The programme is not published" in page
    said = organiser.refused(contest, "open", "gates_shut")
    assert "rules_unpublished" in said
    assert "14.III.6.2" in said
    assert Contest.objects.get().state == Contest.State.DRAFT
    organiser.do(contest, "publish", **RULES)
    assert not organiser.offers(contest, "publish")
    organiser.do(contest, "open")
    contest.refresh_from_db()
    assert contest.state == Contest.State.OPEN
    later = contest.scheduled_close_at - timedelta(minutes=10)
    organiser.do(contest, "schedule", to_at=_at(later))
    change = ScheduleChange.objects.get()
    assert (change.to_at, change.changed_by) == (later, organiser.person)
    assert change.changed_in_id == organiser.client.session[SESSION_KEY]
    organiser.do(contest, "close")
    contest.refresh_from_db()
    assert (contest.state, contest.closing_cause) == ("closed", "organiser")
    entries = LogEntry.objects.filter(user=organiser.person).order_by("pk")
    acts = [e.change_message.split(": ")[1].split()[0] for e in entries]
    assert acts == ["contest", "publish", "open", "schedule", "close"]


def test_what_is_about_to_be_prepared_is_shown_first(organiser: Desk) -> None:
    meeting = factories.meeting()
    response = organiser.client.post(act_url(meeting, "contest"), _new_contest(meeting))
    assert "€1.50" in text_of(response)
    assert "7. Premi 7" in text_of(response)
    assert not Contest.objects.exists()


def test_positions_are_filled_from_the_first_on(organiser: Desk) -> None:
    meeting = factories.meeting()
    response = organiser.ask(meeting, "contest", **_new_contest(meeting, leg_3=""))
    assert "beginning with the first" in text_of(response)
    meeting_twice = _new_contest(meeting, leg_3=meeting.races.first().pk)
    organiser.refused(meeting, "contest", "race_repeated", **meeting_twice)


def test_rules_are_recorded(organiser: Desk) -> None:
    document = json.dumps(factories.bet_type().document | {"version": 2, "name": "Nova"})
    organiser.do(BetType, "record", document=document, authorisation="CAIB 9")
    assert BetType.objects.get(version=2).recorded_by == organiser.person
    assert "not JSON" in text_of(
        organiser.ask(BetType, "record", document="{", authorisation="CAIB 9")
    )
    model = {"code": "roll-80", "version": "3", "authorisation": "CAIB 8", "multiple": "on"}
    organiser.do(TicketModel, "record", **model, authorised_on="2026-01-02")
    organiser.refused(
        TicketModel, "record", "ticket_model_recorded", **model, authorised_on="2026-01-02"
    )
    organiser.do(InternalBetType, "record", code="quintet", name="Quintet")
    assert InternalBetType.objects.get().code == "quintet"


@pytest.mark.parametrize("role", [role for role in Role if role != Role.ORGANISER])
def test_contests_are_the_organisers(role: Role) -> None:
    desk, contest = Desk(role), factories.contest(correction_window_s=60)
    for act in ("publish", "open", "schedule", "close", "breach_void", "settle", "order"):
        assert not desk.offers(contest, act)
        assert desk.ask(contest, act, **RULES).status_code == 403
    for act in ("approve", "contest"):
        assert desk.ask(contest.meeting, act).status_code == 403
    assert desk.ask(Meeting, "import").status_code == 403
    contest.refresh_from_db()
    assert contest.state == Contest.State.OPEN


# --- Race day -------------------------------------------------------------------------------------


def _race() -> Race:
    return factories.races_of(factories.contest())[0]


@pytest.mark.article("14.III.5.4.1")
def test_a_horse_is_withdrawn_and_the_withdrawal_reversed(stewards: Desk) -> None:
    race = _race()
    stewards.do(race, "withdraw", number="4", source="Vet")
    withdrawal = Withdrawal.objects.get()
    assert (withdrawal.entered_by, withdrawal.number) == (stewards.person, 4)
    assert withdrawal.entered_in_id == stewards.client.session[SESSION_KEY]
    assert not stewards.offers(withdrawal, "reverse")
    stewards.refused(withdrawal, "reverse", "withdrawal_unconfirmed", reason="Mistake")
    _confirm("lototrot.withdrawal", Role.STEWARDS)
    assert 'value="4"' not in stewards.get(act_url(race, "withdraw"))
    stewards.do(withdrawal, "reverse", reason="Mistake")
    _confirm("lototrot.withdrawal_reversal", Role.ORGANISER)
    withdrawal.refresh_from_db()
    assert withdrawal.reversed_reason == "Mistake"


@pytest.mark.article("14.III.4")
def test_a_start_is_recorded_and_corrected(stewards: Desk) -> None:
    race = _race()
    factories.time_pass(minutes=100)
    begun = clock.now() - timedelta(minutes=2)
    stewards.do(race, "start", actual_start_at=_at(begun), source="Starter")
    assert Contest.objects.get().state == Contest.State.CLOSED
    assert RaceStart.objects.get().recorded_by == stewards.person
    assert not stewards.offers(race, "start")
    earlier = begun - timedelta(minutes=1)
    stewards.do(race, "start_correct", actual_start_at=_at(earlier), source="Film")
    _confirm("lototrot.start_correction", Role.STEWARDS)
    assert RaceStart.objects.latest("pk").actual_start_at == earlier


@pytest.mark.article("14.III.5.4.3")
def test_a_race_is_declared_and_the_declaration_retracted(stewards: Desk) -> None:
    race = _race()
    factories.started(race)
    factories.time_pass(minutes=3)
    typed = {"kind": "suspended", "reason": "Fog", "ruling_2": "Refused to start"}
    stewards.do(race, "declare", **typed)
    declaration = RaceDeclaration.objects.get()
    assert declaration.left == [{"number": 2, "ruling": "Refused to start"}]
    assert declaration.recorded_by == stewards.person
    stewards.do(race, "retract", reason="The fog lifted")
    _confirm("lototrot.declaration_retraction", Role.ORGANISER)
    declaration.refresh_from_db()
    assert declaration.superseded_at


@pytest.mark.article("14.III.5.4.2")
def test_a_meeting_is_declared_not_run(organiser: Desk) -> None:
    meeting = factories.contest().meeting
    organiser.do(meeting, "declare", reason="Storm")
    assert RaceDeclaration.objects.filter(kind="not_run").count() == 7
    assert Contest.objects.get().state == Contest.State.CLOSED
    organiser.refused(meeting, "declare", "nothing_to_declare", reason="Storm")


def _classification(race: Race, **other: str) -> dict[str, str]:
    typed = {f"outcome_{n}": "started" for n in range(1, 11)}
    return {
        **typed,
        "outcome_3": "winner",
        "place_3": "1",
        "announced_text": "1r: el 3",
        "announced_at": _at(clock.now()),
        "author": "Comissaris",
        **other,
    }


@pytest.mark.article("14.III.5.3")
def test_a_classification_is_entered_and_corrected(stewards: Desk) -> None:
    race = _race_started()
    typed = _classification(race)
    stewards.do(race, "classify", **typed)
    assert not Classification.objects.filter(race=race)
    confirming = Desk(Role.STEWARDS)
    proposal = Proposal.objects.get(kind="lototrot.classification", decision=None)
    assert "1r: el 3" in confirming.get(act_url(proposal, "confirm"))
    confirming.do(proposal, "confirm")
    assert Classification.objects.get(race=race).announced_text == "1r: el 3"
    assert not stewards.offers(race, "classify")
    fixed = {k: v for k, v in typed.items() if k.startswith(("outcome", "place"))}
    fixed |= {"outcome_4": "winner", "reason": "A dead heat was announced"}
    stewards.do(race, "correct", **fixed)
    _confirm("lototrot.classification_correction", Role.STEWARDS)
    winners = [
        r["number"]
        for r in Classification.objects.get(in_force=True, race=race).runners
        if r["outcome"] == "winner"
    ]
    assert winners == [3, 4]


def _race_started() -> Race:
    race: Race = factories.meeting().races.first()
    factories.started(race)
    factories.time_pass(minutes=5)
    return race


def test_what_contradicts_the_record_is_shown_number_by_number(stewards: Desk) -> None:
    race = factories.meeting().races.first()
    factories.withdrawal(race, 9)
    factories.started(race, at=factories.time_pass(minutes=5))
    factories.time_pass(minutes=5)
    assert 'value="withdrawn" selected' in stewards.get(act_url(race, "classify"))
    said = stewards.refused(race, "classify", "classification_refused", **_classification(race))
    assert "9 is on record as withdrawn." in said
    assert not Proposal.objects.filter(kind="lototrot.classification", decision=None)


def test_the_classification_is_the_stewards() -> None:
    race = _race_started()
    for role in set(Role) - {Role.STEWARDS}:
        desk = Desk(role)
        assert not desk.offers(race, "classify")
        assert desk.ask(race, "classify", **_classification(race)).status_code == 403
    assert not Proposal.objects.filter(kind="lototrot.classification", subject=f"race:{race.pk}")


# --- Breach, settlement, payment order, tickets ---------------------------------------------------


def _closed() -> Contest:
    contest, point = factories.contest(), factories.point()
    for number in (1, 2):
        factories.sell(contest, point, [(number,)] * 7)
    factories.time_pass(hours=6)
    factories.contest_closed(contest, at=contest.scheduled_close_at, cause="schedule")
    return contest


def test_settlement_and_payment_order(
    organiser: Desk, django_capture_on_commit_callbacks: Any
) -> None:
    contest = _closed()
    said = organiser.refused(contest, "settle", "results_missing")
    assert "classification_missing" in said
    for race in factories.races_of(contest):
        factories.classified(race, [1])
    with patch.object(tasks.settle, "delay") as sent:
        with django_capture_on_commit_callbacks(execute=True):
            organiser.do(contest, "settle")
        sent.assert_called_once_with(contest.pk)
        sent.side_effect = ConnectionError("no broker")
        with django_capture_on_commit_callbacks(execute=True):
            organiser.do(contest, "settle")  # the sweeper will find it
    settlement = contest_settle(contest_id=contest.pk)
    page = text_of(organiser.client.get(row_url(settlement)))
    assert "prize pool" in page.lower()
    assert "€1.20" in page  # 60 % of two bets
    assert "Winning tickets 1" in text_of(organiser.client.get(act_url(contest, "order")))
    organiser.do(contest, "order")
    organiser.refused(Proposal.objects.get(kind="lototrot.payment_order"), "confirm", "same_person")
    assert not PaymentOrder.objects.exists()
    _confirm("lototrot.payment_order", Role.ORGANISER)
    assert PaymentOrder.objects.get().settlement == settlement
    assert not organiser.offers(contest, "order")


def test_bets_in_breach_are_listed_and_voided_all_together(organiser: Desk) -> None:
    contest = _closed()
    race = factories.races_of(contest)[0]
    organiser.refused(contest, "breach_void", "breach_limit_unknown")
    first, second = Ticket.objects.order_by("pk")
    factories.started(race, at=second.sold_at)
    page = text_of(organiser.client.get(act_url(contest, "breach_void")))
    assert str(second.uuid) in page
    assert "After the start" in page
    assert str(first.uuid) not in page
    organiser.do(contest, "breach_void")
    assert not Void.objects.exists()
    _confirm("lototrot.breach_void", Role.ORGANISER)
    assert Void.objects.get().ticket == second
    assert "Refund due" in text_of(organiser.client.get(row_url(second)))


def test_bets_found_in_breach_late_are_blocked(organiser: Desk) -> None:
    day = race_day()
    place = day.point.premises
    for each in place.authorisations.all():
        each.valid_until = each.valid_from
        each.save(update_fields=["valid_until"])
    organiser.do(day.contest, "breach_block")
    _confirm("lototrot.breach_block", Role.ORGANISER)
    assert Block.objects.count() == 2


def test_a_ticket_is_found_by_the_code_presented() -> None:
    desk, contest, point = Desk(Role.CASHIER), factories.contest(), factories.point()
    factories.acknowledge(contest, point)
    ticket, code = sold_with_code(contest, point)
    assert desk.offers(Ticket, "find")
    response = desk.do(Ticket, "find", code=code)
    assert response["Location"] == row_url(ticket)
    assert "?" not in response["Location"]
    assert code not in LogEntry.objects.latest("pk").change_message
    assert code not in desk.get(row_url(ticket))
    desk.refused(Ticket, "find", "code_malformed", code="hello")
    assert Desk(Role.STEWARDS).ask(Ticket, "find", code=code).status_code == 403


def test_marks_show_the_horse_they_count_on() -> None:
    contest, point = factories.contest(), factories.point()
    factories.sell(contest, point, [(4,)] * 7)
    for number in (4, 5):
        factories.withdrawal(factories.races_of(contest)[0], number)
    assert "4 → 5 → 6" in Desk(Role.ORGANISER).get(row_url(Ticket.objects.get()))
