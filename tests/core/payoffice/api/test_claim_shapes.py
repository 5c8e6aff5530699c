"""The bodies of checks and payments: strict, and documented as they are."""

import uuid

import msgspec
import pytest

from core.payoffice.api import claim_shapes, claims
from core.payoffice.models import Claim
from core.payoffice.services import deposits
from core.payoffice.services.personal_data import PayeeFacts
from tests.support import paying
from tests.support.api import Api, places, refused

pytestmark = pytest.mark.django_db


CHECK, PAY, OFFICE = "claims/check", "claims/payments", "office/check"


def test_shapes_are_checked_before_anything(api: Api) -> None:
    (won,) = paying.worth(500)
    for wrong, place_at in (
        ({"uuid": "x"}, "$.uuid"),
        ({"amount_cents": 0}, "$.amount_cents"),
        ({"intact": "yes"}, "$.intact"),
        ({"payee": {"name": "x"}}, "$.payee.document_kind"),
    ):
        problem = refused(api.post(PAY, won.body(**wrong)), 422, "fields_invalid")
        assert place_at in places(problem)
    refused(api.post(PAY, won.body(more=1)), 422, "unknown_field")
    refused(api.post(PAY, won.body(intact=False)), 409, "document_altered")
    refused(Api().post(PAY, won.body()), 401, "credentials_missing")
    assert not Claim.objects.exists()


@pytest.mark.article("14.III.10.6")
def test_a_payment_is_read_into_the_request_of_the_service() -> None:
    payee = {"name": "Maria Ferrer", "document_kind": "dni", "document_number": "43123456Z"}
    asked = {"uuid": str(uuid.uuid4()), "amount_cents": 5, "intact": True}
    body = msgspec.convert(asked | {"code": "1ABC", "payee": payee}, claim_shapes.PaymentIn)
    request = claims.pay_request(body)
    assert (str(request.uuid), request.code, request.deposit) == (asked["uuid"], "1ABC", None)
    assert request.payee == PayeeFacts("Maria Ferrer", "dni", "43123456Z")
    deposit = uuid.uuid4()
    body = msgspec.convert(asked | {"deposit": str(deposit)}, claim_shapes.PaymentIn)
    assert claims.pay_request(body).deposit == deposit
    for wrong in ({"amount_cents": -1}, {"payee": payee | {"document_kind": "library card"}}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(asked | wrong, claim_shapes.PaymentIn)


def test_a_base64_image_is_read_and_other_text_refused() -> None:
    assert claims.image_bytes("aGk=") == b"hi"
    for text in ("?", "aGk", "aG k="):
        with pytest.raises(deposits.ImageRefused):
            claims.image_bytes(text)
