"""Record bet types and ticket models, and put contests of them on sale."""

import dataclasses
from datetime import date
from typing import Any

import pytest

from core.premises.requests import new_uuid
from core.staff.actor import StaffActor
from lototrot.engine.bet_type import BetTypeRefused
from lototrot.services.authority.bet_types import BetTypeRecorded
from lototrot.services.contest.contests import (
    LayoutMalformed,
    TicketModelRecorded,
    display_acknowledge,
    ticket_model_record,
)
from lototrot.services.reasons import AuthorisationMissing
from lototrot.services.tickets.layout import layout_digest
from lototrot.services.tickets.selling import MultipleNotAuthorised, SaleRequest, ticket_sell
from tests.support import factories
from tests.support.lototrot.putting_on_sale import (
    DOCUMENT,
    created,
    of_legs,
    opened,
    published,
    recorded,
)

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.III.7", "14.III.5.1", "14.I.5")
@pytest.mark.parametrize("legs", range(2, 11))
def test_a_bet_type_is_data_from_two_to_ten_races(by: StaffActor, legs: int) -> None:
    """Recorded, published, opened and sold without any code for it; numbers 1 to 31."""
    bet_type = recorded(by, of_legs(legs))
    meeting = factories.meeting(races=legs, numbers=range(1, 32))
    contest = opened(by, published(by, created(by, meeting, bet_type=bet_type)))
    place = factories.point()
    display_acknowledge(by=place.actor, contest=contest)
    races = ((31, 1), *[(31,)] * (legs - 1))
    sold = ticket_sell(
        credentials=place.credentials,
        request=SaleRequest(new_uuid(), contest.pk, races, 100, 200),
    )
    assert sold.masks == (1 << 30 | 1, *[1 << 30] * (legs - 1))


@pytest.mark.article("14.III.7")
@pytest.mark.parametrize("legs", [0, 1, 11])
def test_bet_types_of_fewer_or_more_races_are_refused(by: StaffActor, legs: int) -> None:
    with pytest.raises(BetTypeRefused):
        recorded(by, of_legs(legs))


@pytest.mark.article("14.III.7")
def test_a_version_of_a_bet_type_never_changes(by: StaffActor) -> None:
    first = recorded(by, DOCUMENT)
    other = DOCUMENT | {"payout_step_cents": 10}
    for document in (DOCUMENT, other):
        with pytest.raises(BetTypeRecorded):
            recorded(by, document)
    second = recorded(by, other | {"version": 2})
    assert second.pk != first.pk


@pytest.mark.parametrize(
    "change",
    [{"code": "x" * 40}, {"version": 2**31 - 1}, {"name": "x" * 64}],
    ids=["code", "version", "name"],
)
def test_what_the_rules_accept_the_database_holds(by: StaffActor, change: dict[str, Any]) -> None:
    bet_type = recorded(by, DOCUMENT | change)
    assert created(by, bet_type=bet_type).bet_type_code == bet_type.code


@pytest.mark.article("14.II.2", "14.III.7")
@pytest.mark.parametrize("reference", ["", "  "])
def test_what_the_authority_has_not_authorised_is_not_recorded(
    by: StaffActor, reference: str
) -> None:
    with pytest.raises(AuthorisationMissing):
        recorded(by, DOCUMENT, reference)
    with pytest.raises(AuthorisationMissing):
        ticket_model_record(
            by=by,
            code="m",
            version=1,
            authorisation=reference,
            authorised_on=date(2006, 1, 2),
            multiple=True,
            layout=layout_digest(),
        )


@pytest.mark.article("14.II.2")
def test_a_version_of_a_ticket_model_is_recorded_once(by: StaffActor) -> None:
    arguments = {
        "by": by,
        "code": "m",
        "version": 1,
        "authorisation": "CAIB 2",
        "authorised_on": date(2006, 1, 2),
        "multiple": False,
        "layout": layout_digest(),
    }
    ticket_model_record(**arguments)
    with pytest.raises(TicketModelRecorded):
        ticket_model_record(**arguments)


@pytest.mark.article("14.II.2")
@pytest.mark.parametrize("layout", ["", "5d6f", "Z" * 64, "AB" * 32])
def test_a_ticket_model_names_the_digest_of_a_layout(by: StaffActor, layout: str) -> None:
    """[E15]"""
    with pytest.raises(LayoutMalformed):
        ticket_model_record(
            by=by,
            code="m",
            version=1,
            authorisation="CAIB 2",
            authorised_on=date(2006, 1, 2),
            multiple=True,
            layout=layout,
        )


@pytest.mark.article("14.II.2")
def test_a_ticket_model_without_multiple_sells_single_bets_only(by: StaffActor) -> None:
    model = ticket_model_record(
        by=by,
        code="single",
        version=1,
        authorisation="CAIB 2",
        authorised_on=date(2006, 1, 2),
        multiple=False,
        layout=layout_digest(),
    )
    contest = opened(by, published(by, created(by, ticket_model=model)))
    place = factories.point()
    factories.acknowledge(contest, place)
    single = SaleRequest(new_uuid(), contest.pk, ((1,),) * 7, 100, 100)
    ticket_sell(credentials=place.credentials, request=single)
    double = dataclasses.replace(
        single, uuid=new_uuid(), races=((1, 2), *((1,),) * 6), amount_cents=200
    )
    with pytest.raises(MultipleNotAuthorised):
        ticket_sell(credentials=place.credentials, request=double)
