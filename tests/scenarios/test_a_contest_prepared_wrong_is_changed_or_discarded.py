"""A contest prepared at the wrong price; a meeting cancelled before it opened (14.III.5.1) [E9].

A contest prepared at the wrong price is changed while a draft. A meeting is cancelled before it
opened: the contest is discarded by two persons; another contest on that day is prepared; the chain
goes on.
"""

from datetime import date, timedelta

import pytest

from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.preparing import ContestChange, Discard
from tests.support import factories, rounds
from tests.support.api import Api, refused, staff_api
from tests.support.lototrot.meeting_by_api import (
    Staff,
    at,
    imported,
    ok,
    ordered,
    prepared,
    programme,
    put_on_sale,
    run,
    settled,
    sold,
    terms,
)

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.1", "14.III.2")]
FRIDAY = date(2030, 6, 7)


@pytest.fixture
def staff() -> Staff:
    factories.time_to(at(FRIDAY - timedelta(days=7), 10))
    return Staff()


def a_programme(day: date) -> dict[str, object]:
    return programme([at(day, 17, 30 * n % 60) + timedelta(hours=n // 2) for n in range(7)], day)


def test_a_draft_at_the_wrong_price_is_changed_and_sold_at_the_right_one(staff: Staff) -> None:
    contest = prepared(staff, imported(staff, a_programme(FRIDAY)), price_cents=10)
    path = f"lototrot/contests/{contest['id']}"
    changed = ok(staff.organiser.post(f"{path}/terms", {"price_cents": 100}))
    assert changed["price_cents"] == 100
    again = ok(staff.organiser.post(f"{path}/terms", {"price_cents": 100}))
    assert again == changed
    (change,) = ContestChange.objects.all()
    assert (change.before, change.after) == ({"price_cents": 10}, {"price_cents": 100})
    opened = put_on_sale(staff, contest)
    assert ok(sold(factories.point(), opened, [1] * 7))["price_cents"] == 100
    refused(staff.organiser.post(f"{path}/terms", {"price_cents": 200}), 409, "contest_not_draft")
    refused(
        staff.organiser.post(f"{path}/discard", {"reason": "Too late"}), 409, "contest_not_draft"
    )
    assert ContestChange.objects.count() == 1


def test_a_cancelled_meeting_is_discarded_and_the_chain_goes_on(staff: Staff) -> None:
    """The draft of Friday would keep Saturday's from being settled; discarded, it does not."""
    contest = prepared(staff, imported(staff, a_programme(FRIDAY)))
    path = f"lototrot/contests/{contest['id']}"
    proposal = staff.organiser.post(f"{path}/discard", {"reason": "Meeting cancelled"})
    ident = proposal.json()["proposal"]
    refused(staff.organiser.post(f"proposals/{ident}/confirmation"), 403, "same_person")
    refused(staff.organiser.post(f"{path}/discard", {"reason": "Again"}), 409, "proposal_pending")
    for _ in range(2):  # the second time changes nothing
        ok(staff.second.post(f"proposals/{ident}/confirmation"))
    assert ok(staff.organiser.get(path))["state"] == "discarded"
    (discard,) = Discard.objects.all()
    assert discard.reason == "Meeting cancelled"
    refused(staff.organiser.post(f"{path}/opening"), 409, "gates_shut")

    meeting = imported(staff, a_programme(FRIDAY))
    other = put_on_sale(staff, prepared(staff, meeting))
    refused(staff.organiser.post("lototrot/contests", terms(meeting)), 409, "contest_of_day_exists")
    ok(sold(factories.point(), other, [1] * 7))
    for number, race in enumerate(meeting["races"]):
        run(staff, race, 1, at(FRIDAY, 17) + timedelta(minutes=30 * number))
    assert settled(staff, other)["winning_tickets"] == 1
    ordered(staff, other)
    rounds.books_agree()


@pytest.mark.parametrize("role", sorted(set(Role) - {Role.ORGANISER}))
def test_nobody_else_changes_or_discards(staff: Staff, role: Role) -> None:
    contest = prepared(staff, imported(staff, a_programme(FRIDAY)))
    path, api = f"lototrot/contests/{contest['id']}", staff_api(role)
    refused(api.post(f"{path}/terms", {"price_cents": 200}), 403, "power_missing")
    refused(api.post(f"{path}/discard", {"reason": "No"}), 403, "power_missing")
    proposal = staff.organiser.post(f"{path}/discard", {"reason": "Yes"}).json()["proposal"]
    refused(api.post(f"proposals/{proposal}/confirmation"), 403, "power_missing")
    row = Contest.objects.get(pk=contest["id"])
    assert (row.price_cents, row.state) == (100, "draft")
    assert not ContestChange.objects.exists()


def test_strangers_do_neither(staff: Staff) -> None:
    contest = prepared(staff, imported(staff, a_programme(FRIDAY)))
    path = f"lototrot/contests/{contest['id']}"
    for act in ("terms", "discard"):
        refused(Api().post(f"{path}/{act}", {}), 401, "credentials_missing")
