"""Do acts of two persons through the API; the database itself refuses one person alone."""

import uuid
from collections.abc import Iterator

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.premises import powers
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal, StaffSession, User
from core.staff.powers import Role
from core.staff.services import actor_of, session_start
from tests.support import factories
from tests.support.api import Api, refused, staff_api

_applied: list[tuple[str, int]] = []
KIND = two_persons.Kind(
    name="test.act",
    power=powers.REGISTER,
    apply=lambda proposal, by: _applied.append(("applied", by.user_id)),
    reject=lambda proposal, by: _applied.append(("rejected", by.user_id)),
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(two_persons.kinds(), KIND.name, KIND)
    _applied.clear()
    return


def _signed_on(user: int) -> tuple[StaffActor, Api]:
    session, token = session_start(user=User.objects.get(pk=user), verified=True)
    return actor_of(session), Api(Authorization=f"Bearer {token}")


@pytest.fixture
def proposed() -> tuple[Proposal, Api]:
    """A proposal and its proposer, in the very session of proposing."""
    actor, api = _signed_on(factories.staff(Role.ORGANISER).user_id)
    proposal = two_persons.propose(kind=KIND, subject="race:1", content={"race": 1}, by=actor)
    return proposal, api


def test_a_second_person_confirms(proposed: tuple[Proposal, Api], organiser: Api) -> None:
    proposal, proposer = proposed
    listed = organiser.get("proposals").json()["items"]
    assert [p["proposal"] for p in listed] == [str(proposal.uuid)]
    assert listed[0]["content"] == {"race": 1}
    assert listed[0]["decision"] is None
    confirmed = organiser.post(f"proposals/{proposal.uuid}/confirmation")
    assert confirmed.status_code == 200
    assert confirmed.json()["decision"]["verdict"] == "confirmed"
    assert len(_applied) == 1
    # Again by the same person: the same answer, and nothing happens a second time.
    assert organiser.post(f"proposals/{proposal.uuid}/confirmation").json() == confirmed.json()
    assert len(_applied) == 1
    assert proposer.get("proposals").json()["items"] == []
    assert len(proposer.get("proposals", state="decided").json()["items"]) == 1
    assert len(proposer.get("proposals", state="any", subject="race:2").json()["items"]) == 0
    one = proposer.get(f"proposals/{proposal.uuid}").json()
    assert one["decision"]["decided_by"] != one["proposed_by"]


def test_the_proposer_cannot_confirm_in_any_session(proposed: tuple[Proposal, Api]) -> None:
    proposal, proposer = proposed
    path = f"proposals/{proposal.uuid}/confirmation"
    refused(proposer.post(path), 403, "same_person")
    _actor, elsewhere = _signed_on(proposal.proposed_by_id)
    refused(elsewhere.post(path), 403, "same_person")
    assert not _applied
    assert not Decision.objects.exists()


def test_the_power_of_the_act_is_needed(proposed: tuple[Proposal, Api], auditor: Api) -> None:
    proposal, _proposer = proposed
    assert auditor.get(f"proposals/{proposal.uuid}").status_code == 200
    for decision in ("confirmation", "rejection"):
        path = f"proposals/{proposal.uuid}/{decision}"
        refused(auditor.post(path), 403, "power_missing")
    refused(staff_api(Role.CASHIER).get("proposals"), 403, "power_missing")


def test_rejecting_and_withdrawing(proposed: tuple[Proposal, Api], organiser: Api) -> None:
    proposal, proposer = proposed
    withdrawn = proposer.post(f"proposals/{proposal.uuid}/rejection", {"reason": "Wrong race."})
    assert withdrawn.json()["decision"]["reason"] == "Wrong race."
    assert _applied == [("rejected", proposal.proposed_by_id)]
    for decision in ("confirmation", "rejection"):
        path = f"proposals/{proposal.uuid}/{decision}"
        refused(organiser.post(path), 409, "proposal_decided")


def test_a_mistyped_kind_is_not_answered_with_no_proposals(organiser: Api) -> None:
    kind = min(two_persons.kinds())
    assert organiser.get("proposals", kind=kind, state="any").json()["items"] == []
    refused(organiser.get("proposals", kind=f"{kind}s", state="any"), 422, "fields_invalid")


def test_what_is_not_there(organiser: Api) -> None:
    nowhere = uuid.uuid4()
    refused(organiser.get(f"proposals/{nowhere}"), 404, "proposal_unknown")
    for decision in ("confirmation", "rejection"):
        refused(organiser.post(f"proposals/{nowhere}/{decision}"), 404, "proposal_unknown")
    refused(organiser.get("proposals/not-a-uuid"), 404, "route_unknown")
    refused(organiser.get("proposals", state="open"), 422, "fields_invalid")


def test_a_confirmation_takes_no_fields(proposed: tuple[Proposal, Api], organiser: Api) -> None:
    proposal, _proposer = proposed
    path = f"proposals/{proposal.uuid}/confirmation"
    refused(organiser.post(path, {"sure": True}), 422, "unknown_field")


def _decide(proposal: Proposal, user: int, session: int, proposer: int, first: int) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO staff_decision (proposal_id, verdict, proposed_by_id, proposed_in_id,"
            " decided_by_id, decided_in_id, decided_at, reason)"
            " VALUES (%s, 'confirmed', %s, %s, %s, %s, %s, '')",
            [proposal.pk, proposer, first, user, session, clock.now()],
        )
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_the_database_refuses_one_person_whatever_the_code_does(
    proposed: tuple[Proposal, Api],
) -> None:
    proposal, _proposer = proposed
    me, here = proposal.proposed_by_id, proposal.proposed_in_id
    other, _api = _signed_on(factories.staff(Role.ORGANISER).user_id)
    mine_again, _api = _signed_on(me)
    for user, session, proposer, first in (
        (me, here, me, here),  # the same person in the same session
        (me, mine_again.session_id, me, here),  # the same person in another session
        (other.user_id, here, me, here),  # another person in the proposer's session
        (me, mine_again.session_id, other.user_id, other.session_id),  # a false proposer
        (other.user_id, mine_again.session_id, me, here),  # somebody else's session
    ):
        with pytest.raises(IntegrityError):
            _decide(proposal, user, session, proposer, first)
    _decide(proposal, other.user_id, other.session_id, me, here)
    assert StaffSession.objects.get(pk=other.session_id).user_id == other.user_id
