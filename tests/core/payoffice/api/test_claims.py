"""Tickets and vouchers presented at a terminal, and the check by the holder of a code."""

import base64
import uuid
from typing import Any

import pytest
from django.conf import settings

from core.api.shapes import utc_text
from core.database import statements
from core.kernel import codes
from core.payoffice.api import claim_shapes
from core.payoffice.models import Payment
from core.premises.models import Premises
from core.premises.requests import new_uuid
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.services.contest.closing import contest_close
from tests.support import factories, paying
from tests.support.api import Api, places, refused, staff_api, terminal_api
from tests.support.factories import Point

pytestmark = pytest.mark.django_db
CHECK, PAY, OFFICE = "claims/check", "claims/payments", "office/check"
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(64)).decode()


def sold(api: Api, contest: Contest, races: list[list[int]]) -> str:
    body = {
        "uuid": str(new_uuid()),
        "contest": contest.pk,
        "price_cents": 100,
        "amount_cents": 100,
        "races": races,
    }
    response = api.post("lototrot/tickets", body)
    assert response.status_code == 201, response.content
    return str(response.json()["code"])


# --- Checking -------------------------------------------------------------------------------------


@pytest.mark.article("14.III.5.4.1")
def test_a_presented_ticket_shows_its_trace(api: Api, place: Point) -> None:
    contest = factories.contest()
    factories.acknowledge(contest, place)
    code = sold(api, contest, [[4], [1], [1], [1], [1], [1], [1]])
    first = factories.races_of(contest)[0]
    for number in (4, 5):
        factories.withdrawal(first, number)
    answer = api.post(CHECK, {"code": code}).json()
    details = answer["details"]
    assert (answer["state"], answer["stage"], answer["amount_cents"]) == ("sold", "on_sale", 0)
    assert answer["refusal"] == "nothing_decided"
    assert details["races"][0]["marks"] == [{"number": 4, "trace": [4, 5, 6]}]
    assert details["races"][0]["winners"] == []
    assert (details["bets"], details["price_cents"]) == (1, 100)
    assert details["premises"] == place.premises.code
    assert "code" not in answer
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    factories.classified(first, {6})
    details = api.post(CHECK, {"code": code}).json()["details"]
    assert (details["races"][0]["winners"], details["races"][0]["right"]) == ([6], [4])


@pytest.mark.article("14.III.10.2")
def test_a_check_says_what_where_how_and_until_when(api: Api) -> None:
    small, large = paying.worth(12_001, 100_001)
    answer = api.post(CHECK, {"code": small.code}).json()
    assert set(answer) == set(claim_shapes.CheckOut().fields)
    assert (answer["state"], answer["amount_cents"], answer["means"]) == ("prize", 12_001, "cash")
    assert answer["places"] == ["establishment", "central_office", "authorised_entity"]
    assert (answer["first_pay_day"], answer["last_claim_day"]) == ("2030-03-03", "2030-04-01")
    assert (answer["refusal"], answer["paid"]) == ("", None)
    assert answer["details"]["winning_bets"] == [{"hits": 2, "bets": 1}]
    answer = api.post(CHECK, {"code": large.code}).json()
    assert answer["places"] == ["central_office", "authorised_entity"]
    assert (answer["means"], answer["refusal"]) == ("nominative_cheque", "place_not_allowed")


@pytest.mark.article("14.III.10.4")
def test_a_holder_of_a_code_learns_the_state_but_not_who_was_paid(api: Api, place: Point) -> None:
    (won,) = paying.worth(500)
    before = Api().post("check", {"code": won.code})
    assert set(before.json()) == set(claim_shapes.HolderOut().fields)
    assert (before.json()["state"], before.headers["Cache-Control"]) == ("prize", "no-store")
    api.post(PAY, won.body())
    response = Api().post("check", {"code": won.code})
    assert response.json()["state"] == "paid"
    at_terminal = api.post(CHECK, {"code": won.code})
    assert at_terminal.json()["refusal"] == "already_paid"
    paid_at = at_terminal.json()["paid"]["at"]
    assert at_terminal.json()["paid"] == {
        "at": utc_text(Payment.objects.get().paid_at),
        "here": True,
    }
    elsewhere = terminal_api(factories.point()).post(CHECK, {"code": won.code})
    assert elsewhere.json()["paid"] == {"at": paid_at, "here": False}
    assert place.premises.code not in elsewhere.content.decode()
    payment = Payment.objects.get()
    for secret in (place.premises.code, payment.paid_at.isoformat()[:16], str(payment.uuid)):
        assert secret not in response.content.decode()
    refused(Api().post("check", {"code": "0" * 24}), 422, "code_forged")
    unknown = codes.issue(codes.TICKET, uuid.uuid4(), bytes(32), settings.CODE_KEYS)
    refused(Api().post("check", {"code": unknown.text}), 404, "document_unknown")


@pytest.mark.usefixtures("facts_stay")
def test_codes_refused_before_anything_is_asked(api: Api, django_assert_num_queries: Any) -> None:
    (won,) = paying.worth(500)
    code = won.code
    typed = ("1" if code[3] != "1" else "2").join((code[:3], code[4:]))
    refused(api.post(CHECK, {"code": typed}), 422, "code_mistyped")
    refused(api.post(CHECK, {"code": "ABC"}), 422, "code_malformed")
    problem = refused(api.post(CHECK, {"code": 7}), 422, "fields_invalid")
    assert places(problem) == {"$.code": "type"}
    assert places(refused(api.post(CHECK, {}), 422, "fields_invalid")) == {"$.code": "required"}
    refused(api.post(CHECK, {"code": "x" * 97}), 422, "fields_invalid")
    # The prepared query that identifies the terminal is not counted.
    with django_assert_num_queries(0):
        refused(api.post(CHECK, {"code": "0" * 24}), 422, "code_forged")
    with django_assert_num_queries(2):  # told to the journal and taken back
        Api().post("check", {"code": "0" * 24})


def test_who_checks(api: Api, place: Point) -> None:
    (won,) = paying.worth(500)
    body = {"code": won.code}
    office = terminal_api(factories.point(factories.premises(Premises.Kind.ENTITY_OFFICE)))
    assert office.post(CHECK, body).json()["refusal"] == "place_not_allowed"
    refused(terminal_api(place, signed_on=False).post(CHECK, body), 401, "operator_session_unknown")
    for role in Role:
        response = staff_api(role).post(OFFICE, body)
        if role in (Role.ORGANISER, Role.AUDITOR, Role.SUPERVISOR, Role.CASHIER):
            assert response.json()["state"] == "prize"
        else:
            refused(response, 403, "power_missing")
    refused(api.post(OFFICE, body), 401, "credentials_missing")
    refused(staff_api(Role.CASHIER).post(CHECK, body), 401, "credentials_missing")


# --- Paying ---------------------------------------------------------------------------------------


@pytest.mark.article("14.III.10.2", "14.III.10.4")
def test_a_payment_its_retry_and_its_receipt(api: Api, place: Point) -> None:
    (won,) = paying.worth(500)
    body = won.body()
    first = api.post(PAY, body)
    assert first.status_code == 201
    assert set(first.json()) == set(claim_shapes.PaymentOut().fields)
    again = api.post(PAY, body)
    assert (again.status_code, again.json()) == (200, first.json())
    refused(api.post(PAY, won.body()), 409, "already_paid")
    problem = refused(terminal_api(factories.point()).post(PAY, body), 409, "payment_uuid_reused")
    assert place.premises.code not in str(problem)
    receipt = f"claims/payments/{body['uuid']}/receipt"
    text = api.get(f"{receipt}.txt", lang="en").content.decode()
    for expected in ("€5.00", place.premises.name, str(won.ticket.uuid)):
        assert expected in text
    assert api.get(f"{receipt}.pdf").content.startswith(b"%PDF")
    refused(terminal_api(factories.point()).get(f"{receipt}.txt"), 404, "payment_unknown")


def test_a_large_sum_at_an_entity_with_another_operator(place: Point) -> None:
    (won,) = paying.worth(300_001)
    premises = factories.premises(Premises.Kind.ENTITY_OFFICE)
    first = factories.point(premises)
    api = terminal_api(first)
    payee = {"name": "Maria Ferrer", "document_kind": "dni", "document_number": "43123456Z"}
    body = won.body(payee=payee)
    problem = refused(api.post(PAY, body), 403, "second_person_needed")
    assert problem["data"] == {"from_cents": 30_000}
    second = factories.operator_at(first)
    wrong = body | {"second_session": "nobody"}
    refused(api.post(PAY, wrong), 401, "operator_session_unknown")
    answer = api.post(PAY, body | {"second_session": second})
    assert (answer.status_code, answer.json()["cheque"]) == (201, 1)


# --- Presenting and depositing --------------------------------------------------------------------


@pytest.mark.article("14.III.10.3", "14.III.10.5")
def test_presenting_and_depositing_at_a_terminal(api: Api) -> None:
    presented, torn = paying.worth(50_000, 500)
    first = api.post("claims/presentations", {"code": presented.code, "intact": True})
    assert first.status_code == 201
    again = api.post("claims/presentations", {"code": presented.code, "intact": True})
    assert again.json() == first.json()
    receipt = first.json()["receipt"]
    text = api.get(f"claims/presentations/{receipt}/receipt.txt", lang="en").content.decode()
    assert "€500.00" in text
    body = {
        "uuid": str(new_uuid()),
        "code": torn.code,
        "reason": "damaged",
        "notes": "Torn.",
    }
    taken = api.post("claims/deposits", body)
    assert (taken.status_code, taken.json()["matched"]) == (201, True)
    assert api.post("claims/deposits", body).json() == taken.json()
    refused(api.post("claims/deposits", body | {"notes": "x"}), 409, "payment_uuid_reused")
    refused(api.post(PAY, torn.body()), 409, "held_apart")
    assert Api().post("check", {"code": torn.code}).json()["state"] == "deposited"
    images = f"claims/deposits/{body['uuid']}/images"
    answer = api.post(images, {"media_type": "image/png", "content": PNG})
    assert answer.status_code == 201
    refused(api.post(images, {"media_type": "image/jpeg", "content": PNG}), 422, "image_refused")
    refused(api.post(images, {"media_type": "image/png", "content": "?"}), 422, "image_refused")
    other = terminal_api(factories.point())
    refused(other.post(images, {"media_type": "image/png", "content": PNG}), 404, "deposit_unknown")
    text = api.get(f"claims/deposits/{body['uuid']}/receipt.txt", lang="en").content.decode()
    assert body["uuid"] in text


@pytest.mark.usefixtures("facts_stay")
@pytest.mark.article("14.III.10.2")
def test_a_check_and_a_payment_ask_the_database_twice_each(
    api: Api, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    """Each question costs more than its answer, and most documents are paid in one hour."""
    first, second = paying.worth(500, 600)
    assert api.post(CHECK, {"code": first.code}).status_code == 200  # the process keeps facts now
    asked: list[str] = []
    once = statements._run
    monkeypatch.setattr(
        statements, "_run", lambda text, parameters: asked.append(text) or once(text, parameters)
    )
    with django_assert_num_queries(0):
        assert api.post(CHECK, {"code": second.code}).json()["refusal"] == ""
    assert len(asked) == 2, asked
    body = second.body()
    asked.clear()
    with django_assert_num_queries(0):
        assert api.post(PAY, body).status_code == 201
    assert len(asked) == 2, asked
