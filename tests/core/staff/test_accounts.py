"""Accounts of staff: one administrator takes power away, two give it."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, transaction

from core.journal import acting
from core.staff import accounts, powers, two_persons
from core.staff.actor import PasswordNotOwn, PowerMissing, StaffActor
from core.staff.models import NewPassword, Proposal, SecondFactor, StaffSession, User
from core.staff.powers import Role
from core.staff.second_factor import factor_end_propose
from core.staff.services import (
    AppointmentMissing,
    PasswordWeak,
    RolesIncompatible,
    SignOnRefused,
    UsernameTaken,
)
from tests.support import factories

PASSWORD = "correct horse battery"
PROPOSE: dict[str, Callable[[StaffActor, int], Proposal]] = {
    "roles": lambda by, user: accounts.roles_propose(by=by, user_id=user, roles=["stewards"]),
    "open": lambda by, user: accounts.reactivation_propose(by=by, user_id=user),
    "password": lambda by, user: accounts.password_propose(by=by, user_id=user, password=PASSWORD),
    "factor": lambda by, user: factor_end_propose(by=by, user_id=user),
}


@pytest.fixture
def by(db: None) -> StaffActor:
    return factories.staff(Role.ADMINISTRATOR)


@pytest.fixture
def second(by: StaffActor) -> StaffActor:
    return factories.staff(Role.ADMINISTRATOR)


@pytest.fixture
def other(by: StaffActor, second: StaffActor) -> StaffActor:
    """Return a cashier whose account is closed and who has a second factor."""
    cashier = factories.staff(Role.CASHIER)
    factories.second_factor(User.objects.get(pk=cashier.user_id))
    accounts.user_deactivate(by=by, user_id=cashier.user_id)
    return cashier


def row(actor: StaffActor) -> User:
    return User.objects.get(pk=actor.user_id)


def ended(actor: StaffActor) -> bool:
    return StaffSession.objects.get(pk=actor.session_id).ended_at is not None


def confirm(proposal: Proposal, by: StaffActor) -> None:
    two_persons.confirm(proposal=proposal.uuid, by=by)


def account(by: StaffActor, **changes: str | list[str]) -> Proposal:
    arguments = {
        "username": "ana",
        "full_name": "Joan Mas",
        "password": PASSWORD,
        "roles": ["auditor"],
    }
    return accounts.account_propose(by=by, **arguments | changes)


@pytest.mark.parametrize("act", PROPOSE.values(), ids=PROPOSE)
def test_another_administrator_proposes_and_a_third_person_confirms(
    by: StaffActor,
    second: StaffActor,
    other: StaffActor,
    act: Callable[[StaffActor, int], Proposal],
) -> None:
    before = User.objects.filter(pk=other.user_id).values().get()
    proposal = act(by, other.user_id)
    assert User.objects.filter(pk=other.user_id).values().get() == before
    with pytest.raises(two_persons.SamePerson):
        confirm(proposal, by)
    with pytest.raises(PowerMissing):
        confirm(proposal, factories.staff(Role.ORGANISER))
    with pytest.raises(two_persons.ProposalPending):
        act(second, other.user_id)
    confirm(proposal, second)
    with pytest.raises(accounts.OwnAccount):
        act(by, by.user_id)
    with pytest.raises(accounts.UserUnknown):
        act(by, 0)
    with pytest.raises(PowerMissing):
        act(factories.staff(Role.ORGANISER), other.user_id)


def test_nobody_confirms_what_is_given_to_themselves(by: StaffActor, second: StaffActor) -> None:
    proposal = accounts.roles_propose(by=by, user_id=second.user_id, roles=["organiser"])
    with pytest.raises(accounts.OwnAccount):
        confirm(proposal, second)
    confirm(proposal, factories.staff(Role.ADMINISTRATOR))
    assert row(second).roles == ["organiser"]


def test_an_account_is_there_when_two_have_given_it(by: StaffActor, second: StaffActor) -> None:
    proposal = account(by)
    assert PASSWORD not in str(proposal.content)
    assert not User.objects.filter(username="ana").exists()
    confirm(proposal, second)
    user = User.objects.get(username="ana")
    assert (user.roles, user.given, user.check_password(PASSWORD)) == (["auditor"], proposal, True)
    assert NewPassword.objects.get().password == ""
    with pytest.raises(UsernameTaken):
        account(second)


def test_a_rejected_account_leaves_no_password(by: StaffActor, second: StaffActor) -> None:
    proposal = account(by)
    two_persons.reject(proposal=proposal.uuid, by=second)
    assert NewPassword.objects.get().password == ""
    assert not User.objects.filter(username="ana").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"password": "another"},
        {"name_key": b"another"},
        {"password": ""},  # the key alone stays
        {"name_key": None},
    ],
)
def test_what_waits_with_a_proposal_is_erased_and_never_replaced(
    by: StaffActor, second: StaffActor, change: dict[str, object]
) -> None:
    """One SQL statement would otherwise choose what the second person confirms."""
    account(by)
    before = NewPassword.objects.values().get()
    with pytest.raises(DatabaseError, match="only erased"), transaction.atomic():
        NewPassword.objects.update(**change)
    assert NewPassword.objects.values().get() == before
    NewPassword.objects.update(password="", name_key=None)
    with pytest.raises(DatabaseError, match="only erased"), transaction.atomic():
        NewPassword.objects.update(password="another")


def test_accounts_that_are_refused(by: StaffActor, second: StaffActor) -> None:
    with pytest.raises(PasswordWeak):
        account(by, password="short")
    with pytest.raises(AppointmentMissing):
        account(by, roles=["inspector"])
    with pytest.raises(RolesIncompatible):
        account(by, roles=["organiser", "administrator"])
    assert not Proposal.objects.exists()
    proposal = account(by)
    factories.staff(name="ana")
    with pytest.raises(UsernameTaken):
        confirm(proposal, second)


def test_roles_replace_those_before(by: StaffActor, second: StaffActor, other: StaffActor) -> None:
    roles = ["supervisor", "organiser", "organiser"]
    confirm(accounts.roles_propose(by=by, user_id=other.user_id, roles=roles), second)
    assert row(other).roles == ["organiser", "supervisor"]
    with pytest.raises(AppointmentMissing):
        accounts.roles_propose(by=by, user_id=other.user_id, roles=["inspector"])
    with pytest.raises(RolesIncompatible):
        accounts.roles_propose(by=by, user_id=other.user_id, roles=["auditor", "cashier"])


def test_closing_ends_the_sessions_and_two_open_again(
    by: StaffActor, second: StaffActor, other: StaffActor
) -> None:
    for _ in range(2):
        assert not accounts.user_deactivate(by=by, user_id=other.user_id).is_active
    assert ended(other)
    confirm(accounts.reactivation_propose(by=by, user_id=other.user_id), second)
    assert row(other).is_active
    with pytest.raises(accounts.AccountOpen):
        accounts.reactivation_propose(by=by, user_id=other.user_id)


def test_a_password_that_two_set_ends_the_sessions(by: StaffActor, second: StaffActor) -> None:
    other = factories.staff(Role.CASHIER)
    with pytest.raises(PasswordWeak):
        accounts.password_propose(by=by, user_id=other.user_id, password="short")
    proposal = accounts.password_propose(by=by, user_id=other.user_id, password=PASSWORD)
    assert not ended(other)
    confirm(proposal, second)
    assert row(other).check_password(PASSWORD)
    assert ended(other)
    assert NewPassword.objects.get().password == ""


def test_ones_own_password_is_changed_with_the_current_one(db: None) -> None:
    other = factories.staff(Role.CASHIER)
    user = row(other)
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])
    elsewhere = factories.another_session(other)
    with pytest.raises(SignOnRefused):
        accounts.password_change(by=other, current="a wrong guess", new=PASSWORD[::-1])
    with pytest.raises(PasswordWeak):
        accounts.password_change(by=other, current=PASSWORD, new="short")
    changed = accounts.password_change(by=other, current=PASSWORD, new=PASSWORD[::-1])
    assert changed.check_password(PASSWORD[::-1])
    assert (ended(other), ended(elsewhere)) == (False, True)


def test_a_password_that_others_set_must_be_changed(by: StaffActor, second: StaffActor) -> None:
    other = factories.staff(Role.CASHIER)
    confirm(accounts.password_propose(by=by, user_id=other.user_id, password=PASSWORD), second)
    assert row(other).must_set_password
    fresh = factories.another_session(other)
    for refused in (powers.READ_PROPOSALS, "premises.read"):
        with pytest.raises(PasswordNotOwn):
            fresh.need(refused)
    users = User.objects.filter(pk=other.user_id)
    with pytest.raises(DatabaseError, match="password of their own"), transaction.atomic():
        users.update(must_set_password=False)
    with acting.acting("own", staff=other.user_id):
        with pytest.raises(DatabaseError, match="password of their own"), transaction.atomic():
            users.update(must_set_password=False)
        accounts.password_change(by=fresh, current=PASSWORD, new=PASSWORD[::-1])
    assert factories.another_session(other).own_password


def test_names_are_shown_with_their_account(by: StaffActor) -> None:
    one, other = (factories.account(name, "Ana Pons", Role.CASHIER) for name in ("ana", "ana2"))
    assert (one.name_and_alias, other.name_and_alias) == ("Ana Pons (ana)", "Ana Pons (ana2)")
    assert (str(one), str(other)) == ("ana", "ana2")


DIRECT: dict[str, Callable[[User], object]] = {
    "an account": lambda user: User.objects.create(
        username="x",
        full_name="X",
        password="!",
        roles=["organiser"],
        created_at=user.created_at,
    ),
    "roles": lambda user: User.objects.filter(pk=user.pk).update(roles=["organiser"]),
    "opening": lambda user: User.objects.filter(pk=user.pk).update(is_active=True),
    "a password": lambda user: User.objects.filter(pk=user.pk).update(password="!!"),
    "a factor": lambda user: SecondFactor.objects.filter(user=user, ended_at=None).update(
        ended_at=user.created_at
    ),
}


@pytest.mark.parametrize("act", DIRECT.values(), ids=DIRECT)
def test_the_database_refuses_power_that_one_gives(
    by: StaffActor, other: StaffActor, act: Callable[[User], object]
) -> None:
    with (
        acting.acting("x", staff=by.user_id),
        pytest.raises(DatabaseError, match="two administrators"),
        transaction.atomic(),
    ):
        act(row(other))


def test_the_database_refuses_a_proposal_that_gave_something_else(
    by: StaffActor, second: StaffActor, other: StaffActor
) -> None:
    proposal = accounts.roles_propose(by=by, user_id=other.user_id, roles=["stewards"])
    users = User.objects.filter(pk=other.user_id)
    for refused in ({"roles": ["stewards"], "given": proposal},):
        with pytest.raises(DatabaseError), transaction.atomic():
            users.update(**refused)  # nobody has confirmed it
    confirm(proposal, second)
    for change in ({"roles": ["organiser"]}, {"is_active": True}, {"password": "!!"}):
        with pytest.raises(DatabaseError, match="two administrators"), transaction.atomic():
            users.update(**change)


def test_a_person_changes_the_own_password_while_two_administer(
    by: StaffActor, second: StaffActor
) -> None:
    other = factories.staff(Role.CASHIER)
    confirm(accounts.password_propose(by=by, user_id=other.user_id, password=PASSWORD), second)
    other = factories.another_session(other)
    with acting.acting("own", staff=other.user_id):
        changed = accounts.password_change(by=other, current=PASSWORD, new=PASSWORD[::-1])
    assert changed.check_password(PASSWORD[::-1])
