"""The night lists what was paid by the operator who had had the document's code again."""

from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.nights.jobs import Job
from core.payoffice.services.paying import PayRequest, payment_make
from core.premises.requests import new_uuid
from lototrot.models.tickets import CodeGiven
from lototrot.nightly import JOBS as LOTOTROT
from promotrot.models.emission import Emission
from promotrot.nightly import JOBS as PROMOTROT
from promotrot.services.playing import play_state
from tests.support import emitting, factories, paying
from tests.support.factories import Point

pytestmark = pytest.mark.django_db


def job(jobs: tuple[Job, ...]) -> Job:
    return next(each for each in jobs if each.name.endswith(".code_again"))


def had_again(place: Point, emission: Emission) -> PayRequest:
    """Win a voucher, ask for the play once more, and return the request to pay it."""
    while True:
        (ticket,) = emitting.sold(emission, 1, place)
        emitting.played(place, [ticket])
        for voucher in play_state(credentials=place.credentials, ident=ticket).vouchers:
            assert voucher.code is not None
            return PayRequest(
                uuid=new_uuid(),
                code=voucher.code.text,
                amount_cents=voucher.amount_cents,
                intact=True,
            )


def test_a_voucher_paid_by_who_had_its_code_again_is_listed_and_by_others_not() -> None:
    place, emission = factories.point(), emitting.opened(emitting.small())
    honest, request = had_again(place, emission), had_again(place, emission)
    payment_make(at=factories.point(place.premises).actor, request=honest)
    payment_make(at=place.actor, request=request)
    today = natural_day(clock.now())
    outcome = job(PROMOTROT).run(today)
    (row,) = outcome.listed["paid"]
    assert (row["payment"], row["road"]) == (str(request.uuid), "inquiry")
    assert (row["premises"], outcome.counts) == (place.premises.code, {"paid": 1})
    assert job(PROMOTROT).run(today + timedelta(days=1)).counts == {"paid": 0}


def test_a_ticket_paid_by_who_had_its_code_again_is_listed() -> None:
    place = factories.point()
    (won,) = paying.settled(1, at=place)
    CodeGiven.objects.create(
        ticket=won.ticket, road="replay", operator=place.operator, given_at=clock.now()
    )
    payment_make(at=place.actor, request=won.request())
    (row,) = job(LOTOTROT).run(natural_day(clock.now())).listed["paid"]
    assert (row["amount_cents"], row["road"]) == (won.cents, "replay")
