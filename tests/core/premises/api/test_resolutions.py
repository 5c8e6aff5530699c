"""Propose and list resolutions with effect in the past through the API; each refusal has a code."""

from datetime import timedelta
from typing import Any

import pytest

from core.database import clock
from core.premises.models import Resolution
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories
from tests.support.api import Api, refused, staff_api
from tests.support.lototrot.race_day import carried_out

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.I.6")]


def body(point: factories.Point, **changes: Any) -> dict[str, Any]:
    return {
        "effect": "authorisation_ended",
        "authorisation": point.premises.authorisations.get(game="lototrot").pk,
        "effective_at": (clock.now() - timedelta(days=5)).isoformat(),
        "reference": "DGJ 210/2030",
    } | changes


def test_each_wrong_resolution_is_refused_and_writes_nothing(organiser: Api) -> None:
    point = factories.point()
    ahead = (clock.now() + timedelta(days=30)).isoformat()
    none: dict[str, Any] = {"authorisation": None}
    for changes, status, code in (
        ({"effective_at": ahead}, 422, "resolution_ahead"),
        ({"terminal": point.terminal.code}, 422, "resolution_subject"),
        (none, 422, "resolution_subject"),
        ({"reference": ""}, 422, "fields_invalid"),
        ({"authorisation": 999_999}, 404, "authorisation_unknown"),
        (none | {"effect": "terminal_revoked", "terminal": "T-9"}, 404, "terminal_not_found"),
        (none | {"effect": "sales_suspended", "premises": "P-9"}, 404, "premises_unknown"),
    ):
        refused(organiser.post("resolutions", body(point, **changes)), status, code)
    refused(staff_api(Role.STEWARDS).post("resolutions", body(point)), 403, "power_missing")
    assert not Proposal.objects.filter(kind="premises.resolution").exists()


def test_what_has_ended_already_is_refused(organiser: Api) -> None:
    point = factories.point()
    carried_out(organiser.post("resolutions", body(point)), staff_api(Role.ORGANISER))
    later = (clock.now() - timedelta(days=1)).isoformat()
    again = organiser.post("resolutions", body(point, effective_at=later))
    refused(again, 409, "resolution_needless")
    assert Resolution.objects.count() == 1


def test_they_are_listed_newest_first_with_their_subject(organiser: Api) -> None:
    point = factories.point()
    carried_out(organiser.post("resolutions", body(point)), staff_api(Role.ORGANISER))
    stop = {"effect": "sales_suspended", "authorisation": None, "premises": point.premises.code}
    carried_out(organiser.post("resolutions", body(point, **stop)), staff_api(Role.ORGANISER))
    newest, first = staff_api(Role.AUDITOR).get("resolutions").json()["items"]
    assert (newest["effect"], newest["premises"]) == ("sales_suspended", point.premises.code)
    assert (first["effect"], first["authorisation"]) == (
        "authorisation_ended",
        point.premises.authorisations.get(game="lototrot").pk,
    )
    (standing,) = organiser.get("suspensions").json()["items"]
    assert standing["resolution"] == newest["id"]
    refused(staff_api(Role.STEWARDS).get("resolutions"), 403, "power_missing")
