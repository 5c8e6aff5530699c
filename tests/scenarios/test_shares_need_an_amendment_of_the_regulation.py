""" "lototrot v2" with shares 5/5/5/85 or a threshold of 300,000 is refused (7, 9.2, 9.3) [A19].

Another set of figures needs an amendment of the regulation with its source, entered by two persons.
Another bet type needs the authority's authorisation, recorded by two persons.
"""

from datetime import date, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.staff.powers import Role
from lototrot.models.authority import FiguresAmendment
from lototrot.models.contest import BetType
from tests.support import factories
from tests.support.api import refused, staff_api
from tests.support.lototrot.meeting_by_api import (
    Staff,
    at,
    imported,
    ok,
    prepared,
    programme,
    put_on_sale,
    terms,
)

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.7", "14.III.9.2", "14.III.9.3")]
TODAY = date(2030, 6, 3)
AMENDED_FROM = TODAY + timedelta(days=30)
SHARES = {"7": "5", "6": "5", "5": "5", "4": "85", "reserve": "0"}
FIGURES: dict[str, Any] = {
    "legs": 7,
    "jackpot_threshold_cents": 15_000_000,
    "shares_below": {"7": "30", "6": "20", "5": "20", "4": "30", "reserve": "0"},
    "shares_above": {"7": "20", "6": "20", "5": "20", "4": "30", "reserve": "10"},
}
CHANGES: list[tuple[str, Any]] = [
    ("shares_below", SHARES),
    ("shares_above", SHARES),
    ("jackpot_threshold_cents", 30_000_000),
]


@pytest.fixture
def staff() -> Staff:
    factories.time_to(at(TODAY, 10))
    return Staff()


def version(number: int, **changes: Any) -> dict[str, Any]:
    """Return the body that records a version of the regulation's bet type."""
    own = {"code": "lototrot", "name": "Lototrot", "prize_percent": "60", "payout_step_cents": 1}
    return {
        "document": own | FIGURES | {"version": number} | changes,
        "authorisation": "CAIB 9/2030",
    }


def amendment(**changes: Any) -> dict[str, Any]:
    return {
        "in_force_from": AMENDED_FROM.isoformat(),
        "source": "BOIB 70/2030",
        "figures": FIGURES | changes,
    }


@pytest.mark.parametrize(("field", "value"), CHANGES)
def test_other_figures_are_refused_without_an_amendment(
    staff: Staff, field: str, value: Any
) -> None:
    ok(staff.organiser.post("lototrot/bet-types", version(1)))
    body = version(2, **{field: value})
    for path in ("bet-types", "bet-types/proposals"):
        problem = refused(
            staff.organiser.post(f"lototrot/{path}", body), 409, "figures_not_of_regulation"
        )
        assert problem["data"]["differing"] == [field]
    assert BetType.objects.count() == 1
    with pytest.raises(IntegrityError, match="regulation"), transaction.atomic():
        BetType.objects.create(
            code="lototrot",
            version=2,
            document=body["document"],
            authorisation="x",
            recorded_at=at(TODAY, 10),
            recorded_by_id=factories.staff().user_id,
        )


def test_a_percentage_above_the_least_is_the_organisers_own(staff: Staff) -> None:
    """[A16]"""
    ok(staff.organiser.post("lototrot/bet-types", version(1)))
    recorded = ok(staff.organiser.post("lototrot/bet-types", version(2, prize_percent="65")))
    assert recorded["document"]["prize_percent"] == "65"


@pytest.mark.parametrize(("field", "value"), CHANGES)
def test_two_persons_amend_the_figures_from_a_day_on(staff: Staff, field: str, value: Any) -> None:
    """A contest of an earlier day keeps the figures of that day, and one after it the amended."""
    organiser = staff.organiser
    ok(organiser.post("lototrot/bet-types", version(1)))
    proposal = organiser.post("lototrot/figures-amendments", amendment(**{field: value}))
    ident = proposal.json()["proposal"]
    refused(organiser.post(f"proposals/{ident}/confirmation"), 403, "same_person")
    refused(
        organiser.post("lototrot/bet-types", version(2, **{field: value})),
        409,
        "figures_not_of_regulation",
    )
    for _ in range(2):
        ok(staff.second.post(f"proposals/{ident}/confirmation"))
    assert FiguresAmendment.objects.get().source == "BOIB 70/2030"
    ok(organiser.post("lototrot/bet-types", version(2, **{field: value})))
    (listed,) = ok(organiser.get("lototrot/figures-amendments"))["items"]
    assert listed["figures"][field] == value

    for day, right, wrong in (
        (AMENDED_FROM - timedelta(days=1), 1, 2),
        (AMENDED_FROM, 2, 1),
    ):
        starts = [at(day, 17) + timedelta(minutes=30 * number) for number in range(7)]
        meeting = imported(staff, programme(starts, day))
        chosen = {"code": "lototrot", "version": wrong}
        contest = prepared(staff, meeting, bet_type=chosen)
        path = f"lototrot/contests/{contest['id']}"
        gates = ok(staff.organiser.get(path))["gates"]
        assert "figures_not_of_regulation" in {gate["code"] for gate in gates}
        chosen["version"] = right
        ok(staff.organiser.post(f"{path}/terms", {"bet_type": chosen}))
        assert put_on_sale(staff, contest)["bet_type"]["version"] == right


def test_amendments_that_are_refused(staff: Staff) -> None:
    post = "lototrot/figures-amendments"
    today = amendment() | {"in_force_from": TODAY.isoformat()}
    refused(staff.organiser.post(post, today), 422, "amendment_not_ahead")
    half = amendment(shares_below=SHARES | {"4": "80"})
    refused(staff.organiser.post(post, half), 422, "bet_type_refused")
    refused(staff.organiser.post(post, amendment() | {"source": " "}), 422, "fields_invalid")
    for role in sorted(set(Role) - {Role.ORGANISER}):
        refused(staff_api(role).post(post, amendment()), 403, "power_missing")
    starts = [at(AMENDED_FROM, 17) + timedelta(minutes=30 * number) for number in range(7)]
    put_on_sale(staff, prepared(staff, imported(staff, programme(starts, AMENDED_FROM))))
    refused(
        staff.organiser.post(post, amendment(jackpot_threshold_cents=30_000_000)),
        409,
        "amendment_over_contests",
    )
    assert not FiguresAmendment.objects.exists()
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        FiguresAmendment.objects.create(
            in_force_from=AMENDED_FROM,
            source="Alone",
            bet_type=FIGURES,
            entered_at=at(TODAY, 10),
            proposal=factories.proposal("other"),
        )


def test_another_bet_type_takes_two_persons(staff: Staff) -> None:
    document = FIGURES | {
        "code": "seven-more",
        "version": 1,
        "name": "Seven more",
        "prize_percent": "60",
        "payout_step_cents": 1,
        "shares_below": SHARES,
    }
    body = {"document": document, "authorisation": "CAIB 11/2030"}
    refused(staff.organiser.post("lototrot/bet-types", body), 409, "bet_type_needs_two")
    proposal = staff.organiser.post("lototrot/bet-types/proposals", body)
    ident = proposal.json()["proposal"]
    refused(staff.organiser.post("lototrot/bet-types/proposals", body), 409, "proposal_pending")
    refused(staff.organiser.post(f"proposals/{ident}/confirmation"), 403, "same_person")
    assert not BetType.objects.filter(code="seven-more").exists()
    ok(staff.second.post(f"proposals/{ident}/confirmation"))
    assert BetType.objects.get(code="seven-more").authorisation == "CAIB 11/2030"
    refused(staff.organiser.post("lototrot/bet-types/proposals", body), 409, "bet_type_recorded")
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        BetType.objects.create(
            code="alone",
            version=1,
            document=document,
            authorisation="x",
            recorded_at=at(TODAY, 10),
            recorded_by_id=factories.staff().user_id,
        )


def test_the_shipped_figures_are_the_regulations(staff: Staff) -> None:
    assert terms({"id": 1, "races": [{"id": 1, "scheduled_start_at": ""}]})["bet_type"] == {
        "code": "lototrot",
        "version": 1,
    }
    assert ok(staff.organiser.post("lototrot/bet-types", version(3)))["version"] == 3
