"""An office of an authorised entity pays only while it holds an authorisation.

Scenario: without one it pays nothing; with a period and a reference it pays; when the period ends,
it stops. A period ended as of the past stops it at once, and leaves what was paid as it is. E10,
14.I.6, 14.III.10.2.
"""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.payoffice.models import Payment
from core.premises import openings
from core.premises.models import Authorisation, Premises
from core.staff.powers import Role
from tests.support import factories, paying, rounds
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.factories import Point
from tests.support.factories.people import proposal
from tests.support.lototrot.race_day import carried_out
from tests.support.paying import Presented

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.I.6", "14.III.10.2")]


@pytest.fixture
def won() -> list[Presented]:
    factories.time_to(rounds.NOON)
    return paying.worth(20_000, 21_000, 22_000, 23_000)


@pytest.fixture
def office(won: list[Presented]) -> Point:
    return factories.point(factories.premises(Premises.Kind.ENTITY_OFFICE, authorised=()))


def authorised(office: Point, organiser: Api, *, days: float) -> int:
    """Record a period from now on by two persons; return the number of the authorisation."""
    row = {
        "premises": office.premises.code,
        "game": "lototrot",
        "valid_from": clock.now().isoformat(),
        "valid_until": (clock.now() + timedelta(days=days)).isoformat(),
        "reference": "DGJ 77/2030",
    }
    carried_out(organiser.post("premises", {"authorisations": [row]}), staff_api(Role.ORGANISER))
    return Authorisation.objects.latest("pk").pk


def refused_here(office: Point, paper: Presented) -> None:
    """Check that the office is told so by a check, and refused when it pays."""
    api = terminal_api(office)
    check = api.post("claims/check", {"code": paper.code}).json()
    assert (check["duty"], check["refusal"]) == ("must", "premises_not_authorised")
    before = Payment.objects.count()
    refused(api.post("claims/payments", paper.body()), 403, "premises_not_authorised")
    assert Payment.objects.count() == before


def test_it_pays_in_its_period_and_not_before_or_after(won: list[Presented], office: Point) -> None:
    organiser, api = staff_api(Role.ORGANISER), terminal_api(office)
    refused_here(office, won[0])
    authorised(office, organiser, days=2)
    assert api.post("claims/check", {"code": won[0].code}).json()["refusal"] == ""
    assert api.post("claims/payments", won[0].body()).status_code == 201
    factories.time_pass(days=2)
    refused_here(office, won[1])


def test_a_reference_is_needed(office: Point) -> None:
    since = clock.now().isoformat()
    row = {"premises": office.premises.code, "game": "lototrot", "valid_from": since}
    body = {"authorisations": [{**row, "reference": ""}]}
    refused(staff_api(Role.ORGANISER).post("premises", body), 422, "fields_invalid")
    since_when = clock.now() - timedelta(days=900)
    place = factories.premises()
    unnamed = openings.NewAuthorisation(place.code, "promotrot", since_when, "")
    with pytest.raises(IntegrityError, match="authorisation_has_reference"), transaction.atomic():
        place.authorisations.create(
            game="promotrot",
            valid_from=since_when,
            reference="",
            proposal=proposal(
                "premises.opening", "unnamed", openings.Opening(authorisations=[unnamed]).content()
            ),
            recorded_at=clock.now(),
        )


def test_an_authorisation_for_the_other_game_is_none(won: list[Presented], office: Point) -> None:
    promotrot = factories.premises(Premises.Kind.ENTITY_OFFICE, authorised=("promotrot",))
    refused_here(factories.point(promotrot), won[0])


def test_its_desk_pays_nothing_either(won: list[Presented], office: Point) -> None:
    cashier = staff_api(Role.CASHIER)
    session = {"premises": office.premises.code, "float_cents": 100_000}
    assert cashier.post("office/cash-sessions", session).status_code == 201
    refused(cashier.post("office/payments", won[0].body()), 403, "premises_not_authorised")
    authorised(office, staff_api(Role.ORGANISER), days=2)
    assert cashier.post("office/payments", won[0].body()).status_code == 201


def test_an_authorisation_ended_as_of_the_past_stops_it_and_leaves_what_was_paid(
    won: list[Presented], office: Point
) -> None:
    number = authorised(office, staff_api(Role.ORGANISER), days=30)
    began_at = clock.now()
    factories.time_pass(days=1)
    assert terminal_api(office).post("claims/payments", won[0].body()).status_code == 201
    body = {
        "effect": "authorisation_ended",
        "authorisation": number,
        "effective_at": began_at.isoformat(),
        "reference": "DGJ 78/2030",
    }
    carried_out(staff_api(Role.ORGANISER).post("resolutions", body), staff_api(Role.ORGANISER))
    refused_here(office, won[1])
    assert Payment.objects.count() == 1


def test_the_database_refuses_a_payment_without_authorisation(
    won: list[Presented], office: Point
) -> None:
    bar = factories.point()
    assert terminal_api(bar).post("claims/payments", paying.worth(100)[0].body()).status_code == 201
    columns = ", ".join(
        field.column
        for field in Payment._meta.concrete_fields
        if field.column not in ("id", "uuid")
    )
    copied = columns.replace("premises_id", "%s")
    with (
        pytest.raises(IntegrityError, match="no authorisation to pay"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(
            f"INSERT INTO payoffice_payment (uuid, {columns})"
            f" SELECT gen_random_uuid(), {copied} FROM payoffice_payment",
            [office.premises.pk],
        )
