"""Accounts of staff, changed by another administrator or by their own person."""

from collections.abc import Callable

import pytest

from core.staff import accounts
from core.staff.actor import PowerMissing, StaffActor
from core.staff.models import StaffSession, User
from core.staff.powers import Role
from core.staff.services import AppointmentMissing, PasswordWeak, SignOnRefused
from tests.support import factories

PASSWORD = "correct horse battery"
ACTS: dict[str, Callable[[StaffActor, int], User]] = {
    "roles": lambda by, user: accounts.roles_set(by=by, user_id=user, roles=["cashier"]),
    "close": lambda by, user: accounts.user_deactivate(by=by, user_id=user),
    "open": lambda by, user: accounts.user_reactivate(by=by, user_id=user),
    "password": lambda by, user: accounts.password_reset(by=by, user_id=user, password=PASSWORD),
}


@pytest.fixture
def by(db: None) -> StaffActor:
    return factories.staff(Role.ADMINISTRATOR)


@pytest.fixture
def other(db: None) -> StaffActor:
    return factories.staff(Role.CASHIER)


def ended(actor: StaffActor) -> bool:
    return StaffSession.objects.get(pk=actor.session_id).ended_at is not None


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_an_account_is_changed_by_another_administrator_only(
    by: StaffActor, other: StaffActor, act: Callable[[StaffActor, int], User]
) -> None:
    assert act(by, other.user_id).pk == other.user_id
    with pytest.raises(accounts.OwnAccount):
        act(by, by.user_id)
    with pytest.raises(accounts.UserUnknown):
        act(by, 0)
    with pytest.raises(PowerMissing):
        act(factories.staff(Role.ORGANISER), other.user_id)


def test_roles_replace_those_before(by: StaffActor, other: StaffActor) -> None:
    user = accounts.roles_set(by=by, user_id=other.user_id, roles=["organiser", "auditor"])
    user.refresh_from_db()
    assert user.roles == ["organiser", "auditor"]
    with pytest.raises(AppointmentMissing):
        accounts.roles_set(by=by, user_id=other.user_id, roles=["inspector"])


def test_closing_ends_the_sessions_and_opening_ends_the_lock(
    by: StaffActor, other: StaffActor
) -> None:
    User.objects.filter(pk=other.user_id).update(failed_attempts=4)
    for _ in range(2):
        assert not accounts.user_deactivate(by=by, user_id=other.user_id).is_active
    assert ended(other)
    user = accounts.user_reactivate(by=by, user_id=other.user_id)
    assert (user.is_active, user.failed_attempts, user.locked_until) == (True, 0, None)


def test_a_reset_password_ends_the_sessions(by: StaffActor, other: StaffActor) -> None:
    with pytest.raises(PasswordWeak):
        accounts.password_reset(by=by, user_id=other.user_id, password="short")
    assert not ended(other)
    user = accounts.password_reset(by=by, user_id=other.user_id, password=PASSWORD)
    assert user.check_password(PASSWORD)
    assert ended(other)


def test_ones_own_password_is_changed_with_the_current_one(other: StaffActor) -> None:
    user = User.objects.get(pk=other.user_id)
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
