"""A ladder that was begun at premises closed for good is ended by two persons at the Central
Office, with the prize it stands on; its voucher is held for the buyer (scenario 9; second list,
P19; 15.II.3, 15.III.6.3).
"""

import secrets
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.alarms.selectors import standing
from core.database import clock
from core.ledger.books import differences
from core.ledger.services import balance_cents
from core.nights.services import night_run
from core.premises.models import Terminal
from core.premises.requests import new_uuid
from core.staff.powers import Role
from promotrot import accounts
from promotrot.models.emission import Emission
from promotrot.models.play import OfficeEnd, PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher
from tests.support import emitting, factories, paying
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.II.3", "15.III.6.3")]
REASON = {"reason": "The bar has closed for good"}


@pytest.fixture
def ladder() -> Emission:
    return emitting.opened(emitting.document("trotters-ladder"))


@pytest.fixture
def always_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every step of a ladder go well: the smallest random integer is a step up."""
    monkeypatch.setattr(secrets, "randbelow", lambda bound: 0)


def climbed(place: Point, emission: Emission, acts: int) -> str:
    """Buy a play and do so many acts of it."""
    ident, api = str(new_uuid()), terminal_api(place)
    body = {"uuid": ident, "emission": emission.pk, "price_cents": emission.price_cents}
    assert api.post("promotrot/plays", body).status_code == 201
    for number in range(1, acts + 1):
        act = {"number": number, "act": "trot"}
        assert api.post(f"promotrot/plays/{ident}/acts", act).status_code == 201
    return ident


def closed_for_good(place: Point) -> None:
    """Revoke every terminal of the premises."""
    organiser = staff_api(Role.ORGANISER)
    for terminal in Terminal.objects.filter(premises=place.premises):
        assert organiser.post(f"terminals/{terminal.code}/revocation").status_code == 200


def supervisor() -> Api:
    """Return a supervisor at the Central Office with an open cash session."""
    api = staff_api(Role.SUPERVISOR)
    body = {"premises": paying.office().code, "float_cents": 0}
    assert api.post("office/cash-sessions", body).status_code == 201
    return api


def ended(play: str) -> Any:
    """End the play by two persons of the Central Office; return the answer to the second."""
    proposal = paying.desk_api().post(f"promotrot/office/plays/{play}/ending", REASON)
    assert proposal.status_code == 201, proposal.content
    return supervisor().post(f"proposals/{proposal.json()['proposal']}/confirmation")


def codes(alarms: Any) -> list[str]:
    return [each.alarm.code for each in alarms]


@pytest.mark.usefixtures("always_up")
def test_two_persons_end_a_begun_ladder_with_its_standing_prize(ladder: Emission) -> None:
    place = factories.point()
    play = climbed(place, ladder, acts=2)
    desk = paying.desk_api()
    path = f"promotrot/office/plays/{play}/ending"
    refused(desk.post(path, REASON), 409, "play_can_be_finished")
    closed_for_good(place)
    assert "promotrot_play_stranded" in codes(standing())
    factories.time_to(clock.now() + timedelta(days=3))
    night_run()
    assert not PlayEnd.objects.exists(), "the night does not end what was begun"

    desk, other = paying.desk_api(), supervisor()
    refused(staff_api(Role.ORGANISER).post(path, REASON), 403, "power_missing")
    refused(staff_api(Role.CASHIER).post(path, REASON), 409, "cash_session_missing")
    proposal = desk.post(path, REASON).json()["proposal"]
    refused(desk.post(path, REASON), 409, "proposal_pending")
    confirmation = f"proposals/{proposal}/confirmation"
    refused(desk.post(confirmation), 403, "same_person")
    refused(staff_api(Role.SUPERVISOR).post(confirmation), 409, "cash_session_missing")
    assert not OfficeEnd.objects.exists()
    for _ in range(2):
        assert other.post(confirmation).status_code == 200

    end = PlayEnd.objects.get()
    assert (end.cause, end.tier, end.awarded_cents) == ("stopped", 5, 100)
    (held,) = desk.get("promotrot/office/vouchers/held").json()["items"]
    assert (held["play"], held["amount_cents"], held["nature"]) == (play, 100, "cash")
    code = paying.handed_over_by_api(desk, held["uuid"])["code"]
    body = {"uuid": str(new_uuid()), "code": code, "amount_cents": 100, "intact": True}
    assert paying.desk_api().post("office/payments", body).status_code == 201
    refused(desk.post(path, REASON), 409, "play_ended")
    assert "promotrot_play_stranded" not in codes(standing())
    assert balance_cents(accounts.prizes("trotters-ladder")) == -100
    assert differences()[1] == []


def test_where_nothing_was_acted_the_price_is_due_back(ladder: Emission) -> None:
    place = factories.point()
    play = climbed(place, ladder, acts=0)
    closed_for_good(place)
    assert ended(play).status_code == 200
    assert PlayEnd.objects.get().cause == "refund"
    voucher = Voucher.objects.get()
    assert (voucher.nature, voucher.amount_cents, voucher.code_digest) == ("refund", 50, None)


def test_where_no_prize_stands_the_price_is_due_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first stall of three was empty: nothing stands, and the player could not stop there."""
    emission, place = emitting.opened(emitting.document("five-stalls")), factories.point()
    monkeypatch.setattr(secrets, "randbelow", lambda bound: 0)
    play, api = climbed(place, emission, acts=0), terminal_api(place)
    opened = api.post(f"promotrot/plays/{play}/acts", {"number": 1, "act": "open-1"}).json()
    assert (opened["acts"][0]["shown"], opened["state"]) == (0, "playing")
    closed_for_good(place)
    assert ended(play).status_code == 200
    assert (PlayEnd.objects.get().cause, Voucher.objects.get().nature) == ("refund", "refund")
    assert differences()[1] == []


@pytest.mark.usefixtures("always_up")
def test_premises_whose_authorisation_ended_finish_nothing(ladder: Emission) -> None:
    place = factories.point(factories.premises(until=clock.now() + timedelta(hours=1)))
    play = climbed(place, ladder, acts=1)
    refused(
        paying.desk_api().post(f"promotrot/office/plays/{play}/ending", REASON),
        409,
        "play_can_be_finished",
    )
    factories.time_to(clock.now() + timedelta(hours=1))
    assert ended(play).status_code == 200
    assert PlayEnd.objects.get().awarded_cents == 50


@pytest.mark.usefixtures("always_up")
def test_the_database_lets_nobody_end_a_begun_play_alone(ladder: Emission) -> None:
    place = factories.point()
    climbed(place, ladder, acts=1)
    ticket = PlayTicket.objects.get()
    terms: dict[str, Any] = {"ticket": ticket, "ended_at": clock.now(), "awarded_cents": 0}
    for cause in ("refund", "stopped"):
        with pytest.raises(DatabaseError), transaction.atomic():
            PlayEnd.objects.create(**terms, cause=cause, tier=0)
    act = {"ticket": ticket, "reason": "closed", "ended_at": clock.now()}
    with pytest.raises(DatabaseError), transaction.atomic():  # it can be finished where it is
        OfficeEnd.objects.create(**act, proposal=factories.proposal("promotrot.play_end"))
    closed_for_good(place)
    with pytest.raises(DatabaseError), transaction.atomic():  # an act of another kind
        OfficeEnd.objects.create(**act, proposal=factories.proposal("promotrot.closing"))
