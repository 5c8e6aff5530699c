"""One person is one person: an account that was opened, given roles, a password or a new device is
no second person for a day, and a proposal ends with the power of its proposer.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.kernel.errors import DomainError
from core.kernel.regulation import shipped
from core.premises.powers import REGISTER
from core.staff import accounts, two_persons
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal, User
from core.staff.powers import Role
from core.staff.second_factor import factor_end_propose
from core.staff.services import user_create
from core.staff.two_persons import Kind, ProposalOld, ProposerChanged, SecondPersonTooNew
from tests.support import factories
from tests.support.api import refused
from tests.support.lototrot.race_day import api_of

PASSWORD = "correct horse battery"
A_DAY_S = shipped().versions[0].second_person_after_s
KIND = Kind("test.new_accounts", REGISTER, apply=lambda proposal, by: None)
IN_FORCE = Kind("test.in_force", REGISTER, apply=lambda proposal, by: None, good_for=None)
Give = Callable[[StaffActor, int], Proposal]
GIVEN: dict[str, Give] = {
    "roles": lambda by, user: accounts.roles_propose(
        by=by, user_id=user, roles=["organiser", "stewards"]
    ),
    "a password": lambda by, user: accounts.password_propose(
        by=by, user_id=user, password=PASSWORD
    ),
    "a new device": lambda by, user: factor_end_propose(by=by, user_id=user),
    "its opening": lambda by, user: accounts.reactivation_propose(
        by=by, user_id=accounts.user_deactivate(by=by, user_id=user).pk
    ),
}
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (KIND, IN_FORCE):
        monkeypatch.setitem(two_persons.kinds(), kind.name, kind)


@pytest.fixture
def administrators() -> tuple[StaffActor, StaffActor]:
    return factories.staff(Role.ADMINISTRATOR), factories.staff(Role.ADMINISTRATOR)


@pytest.fixture
def organiser(administrators: tuple[StaffActor, StaffActor]) -> StaffActor:
    """Return an organiser with a second factor, whose account is not new."""
    organiser = factories.staff(Role.ORGANISER)
    factories.second_factor(User.objects.get(pk=organiser.user_id))
    return organiser


def proposed(by: StaffActor, kind: Kind = KIND) -> Proposal:
    return two_persons.propose(kind=kind, subject="it", content={}, by=by)


def confirm(proposal: Proposal, by: StaffActor) -> None:
    two_persons.confirm(proposal=proposal.uuid, by=by)


def decide_past_the_services(proposal: Proposal, by: StaffActor) -> None:
    with transaction.atomic():
        Decision.objects.create(
            proposal=proposal,
            verdict="confirmed",
            decided_at=clock.now(),
            decided_by_id=by.user_id,
            decided_in_id=by.session_id,
        )


def refused_by_both(
    proposal: Proposal, by: StaffActor, error: type[DomainError], words: str
) -> DomainError:
    with pytest.raises(error) as caught:
        confirm(proposal, by)
    with pytest.raises(DatabaseError, match=words):
        decide_past_the_services(proposal, by)
    assert not Decision.objects.filter(proposal=proposal).exists()
    return caught.value


@pytest.mark.parametrize("give", GIVEN.values(), ids=GIVEN)
def test_who_was_given_anything_is_no_second_person_for_a_day(
    administrators: tuple[StaffActor, StaffActor], organiser: StaffActor, give: Give
) -> None:
    first, second = administrators
    proposal = proposed(factories.staff(Role.ORGANISER))
    confirm(give(first, organiser.user_id), second)
    user = User.objects.get(pk=organiser.user_id)
    error = refused_by_both(
        proposal, factories.came(user), SecondPersonTooNew, "account is too new"
    )
    assert user.second_from
    assert error.data == {"until": user.second_from.isoformat()}
    assert user.second_from - clock.now() > timedelta(seconds=A_DAY_S - 60)
    two_persons.reject(proposal=proposal.uuid, by=factories.came(user))

    factories.time_to(user.second_from)
    confirm(proposed(factories.staff(Role.ORGANISER)), factories.came(user))


def test_a_new_account_is_told_until_when_it_waits(
    administrators: tuple[StaffActor, StaffActor],
) -> None:
    first, second = administrators
    confirm(
        accounts.account_propose(
            by=first, username="ana", full_name="Joan Mas", password=PASSWORD, roles=["organiser"]
        ),
        second,
    )
    ana = User.objects.get(username="ana")
    proposal = proposed(factories.staff(Role.ORGANISER))
    refused_by_both(proposal, factories.came(ana), SecondPersonTooNew, "account is too new")
    problem = refused(
        api_of(ana).post(f"proposals/{proposal.uuid}/confirmation"), 403, "second_person_too_new"
    )
    assert ana.second_from and problem["data"] == {"until": ana.second_from.isoformat()}
    # Reading and proposing need no second person.
    assert api_of(ana).get("proposals").json()["items"][0]["lapsed"] is None


def test_the_first_two_administrators_begin_and_a_third_on_the_console_waits() -> None:
    def console(name: str, role: Role = Role.ADMINISTRATOR) -> User:
        return user_create(username=name, full_name="Maria Mas", password=PASSWORD, roles=[role])

    desk = console("desk", Role.ORGANISER)
    one, two = (factories.came(console(name)) for name in ("one", "two"))
    assert (one.second_from, two.second_from) == (None, None)
    assert desk.second_from
    accounts.user_deactivate(by=one, user_id=two.user_id)
    third = console("third")
    assert third.second_from and third.second_from > clock.now()
    proposal = accounts.roles_propose(by=one, user_id=desk.pk, roles=["stewards"])
    refused_by_both(proposal, factories.came(third), SecondPersonTooNew, "account is too new")


def test_the_database_lets_no_later_account_begin_at_once() -> None:
    one, two = factories.staff(Role.ADMINISTRATOR), factories.staff(Role.ADMINISTRATOR)
    accounts.user_deactivate(by=one, user_id=two.user_id)
    for roles in (["administrator"], ["organiser"]):
        with pytest.raises(DatabaseError, match="waits before"), transaction.atomic():
            User.objects.create(username="x", full_name="X", password="!", roles=roles)


def test_an_administrator_whose_account_is_new_gives_no_power(
    administrators: tuple[StaffActor, StaffActor], organiser: StaffActor
) -> None:
    first, second = administrators
    roles = ["administrator"]
    confirm(accounts.roles_propose(by=first, user_id=organiser.user_id, roles=roles), second)
    new = factories.signed_on(User.objects.get(pk=organiser.user_id))
    other = factories.staff(Role.CASHIER)
    with pytest.raises(SecondPersonTooNew):
        GIVEN["roles"](new, other.user_id)
    with pytest.raises(DatabaseError, match="too new to give power"), transaction.atomic():
        Proposal.objects.create(
            kind=accounts.ROLES.name,
            subject="user:1",
            content={},
            content_digest=bytes(32),
            proposed_by_id=new.user_id,
            proposed_in_id=new.session_id,
            proposed_at=clock.now(),
        )


def test_nobody_shortens_the_wait(
    administrators: tuple[StaffActor, StaffActor], organiser: StaffActor
) -> None:
    first, second = administrators
    confirm(GIVEN["roles"](first, organiser.user_id), second)
    earlier = User.objects.get(pk=organiser.user_id)
    confirm(GIVEN["a password"](first, organiser.user_id), second)
    rows = User.objects.filter(pk=organiser.user_id)
    for change in (
        {"second_from": None},
        {"second_from": clock.now()},
        {"given": None},
        {"given": None, "second_from": None},
        {
            "given": proposed(factories.staff(Role.ORGANISER)),
            "second_from": clock.now() + timedelta(days=2),
        },
        {"given": earlier.given, "second_from": earlier.second_from},
    ):
        with pytest.raises(DatabaseError, match="waits before"), transaction.atomic():
            rows.update(**change)


def test_a_proposal_grows_old(organiser: StaffActor) -> None:
    second = User.objects.get(pk=factories.staff(Role.ORGANISER).user_id)
    proposal, stands = proposed(organiser), proposed(organiser, IN_FORCE)
    assert stands.good_until is None
    assert proposal.good_until
    factories.time_to(proposal.good_until + timedelta(seconds=1))
    refused_by_both(proposal, factories.signed_on(second), ProposalOld, "lapsed")
    (row,) = (
        row
        for row in api_of(second).get("proposals").json()["items"]
        if row["proposal"] == str(proposal.uuid)
    )
    assert row["lapsed"] == "old"
    anew = proposed(factories.signed_on(second))
    decision = Decision.objects.get(proposal=proposal)
    assert (decision.verdict, decision.decided_by) == ("rejected", second)
    confirm(anew, factories.staff(Role.ORGANISER))
    confirm(stands, factories.signed_on(second))


LOSES: dict[str, Callable[[StaffActor, StaffActor, int], object]] = {
    "closed": lambda one, two, user: accounts.user_deactivate(by=one, user_id=user),
    "closed and opened": lambda one, two, user: confirm(GIVEN["its opening"](one, user), two),
    "other roles": lambda one, two, user: confirm(
        accounts.roles_propose(by=one, user_id=user, roles=["cashier"]), two
    ),
    "reset": lambda one, two, user: confirm(GIVEN["a password"](one, user), two),
}


@pytest.mark.parametrize("lose", LOSES.values(), ids=LOSES)
def test_a_proposal_ends_with_the_account_of_its_proposer(
    administrators: tuple[StaffActor, StaffActor],
    organiser: StaffActor,
    lose: Callable[[StaffActor, StaffActor, int], object],
) -> None:
    second = factories.staff(Role.ORGANISER)
    proposal, stands = proposed(organiser), proposed(organiser, IN_FORCE)
    lose(*administrators, organiser.user_id)
    refused_by_both(proposal, second, ProposerChanged, "lapsed")
    confirm(stands, second)
    two_persons.reject(proposal=proposal.uuid, by=second)
