"""Accounts in the admin: by their services, by the right person, on record."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry

from core.staff import accounts
from core.staff.models import Proposal, StaffSession, User
from core.staff.powers import Role
from tests.support import factories
from tests.support.admin_desk import Desk, act_url, confirm_pending, logged, row_url, text_of

pytestmark = pytest.mark.django_db
SECRET = "correct horse battery"


def _user(*roles: Role, **fields: Any) -> User:
    user = User.objects.get(pk=factories.staff(*roles).user_id)
    for name, value in fields.items():
        setattr(user, name, value)
    user.save(update_fields=[*fields])
    return user


def _new(**other: Any) -> dict[str, Any]:
    return {
        "username": "st-5",
        "full_name": "Joana Mas",
        "roles": ["stewards"],
        "password": SECRET,
        "password_again": SECRET,
        **other,
    }


def test_two_administrators_open_an_account() -> None:
    desk = Desk(Role.ADMINISTRATOR)
    assert desk.offers(User, "create")
    desk.do(User, "create", **_new())
    proposal = Proposal.objects.get(kind="staff.account")
    assert logged(desk, "create").object_id == str(proposal.pk)
    assert not User.objects.filter(username="st-5")
    page = text_of(Desk(Role.ADMINISTRATOR).client.get(row_url(proposal)))
    assert "Joana Mas" in page and SECRET not in page
    desk.refused(proposal, "confirm", "same_person")
    confirm_pending("staff.account", Role.ADMINISTRATOR)
    user = User.objects.get(username="st-5")
    assert (user.roles, user.check_password(SECRET)) == (["stewards"], True)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ({"password": "short", "password_again": "short"}, "password_weak"),
        ({"roles": ["inspector"]}, "appointment_missing"),
    ],
)
def test_a_refused_account_opens_nothing(typed: dict[str, Any], code: str) -> None:
    desk = Desk(Role.ADMINISTRATOR)
    before = LogEntry.objects.count()
    desk.refused(User, "create", code, **_new(**typed))
    assert not User.objects.filter(username="st-5")
    assert LogEntry.objects.count() == before


def test_passwords_are_typed_twice_and_never_sent_back() -> None:
    desk = Desk(Role.ADMINISTRATOR)
    response = desk.ask(User, "create", **_new(password_again="something else"))
    assert "differ" in text_of(response)
    assert SECRET not in response.content.decode()


def test_roles_are_set_by_two() -> None:
    desk, user = Desk(Role.ADMINISTRATOR), _user(Role.CASHIER)
    desk.do(user, "roles", roles=["organiser", "supervisor"])
    user.refresh_from_db()
    assert user.roles == ["cashier"]
    second = Desk(Role.ADMINISTRATOR)
    page = second.get(act_url(Proposal.objects.get(kind="staff.roles"), "confirm"))
    assert row_url(user) in page
    second.do(Proposal.objects.get(kind="staff.roles"), "confirm")
    user.refresh_from_db()
    assert user.roles == ["organiser", "supervisor"]
    desk.refused(user, "roles", "appointment_missing", roles=["inspector"])
    desk.refused(user, "roles", "roles_incompatible", roles=["auditor", "organiser"])


def test_a_closed_account_is_out_at_once_and_can_be_opened_again() -> None:
    desk, other = Desk(Role.ADMINISTRATOR), Desk(Role.ORGANISER)
    other.get("/admin/")
    desk.do(other.person, "deactivate")
    assert other.client.get("/admin/").status_code == 302
    assert not StaffSession.objects.filter(user=other.person, ended_at=None)
    assert not desk.offers(other.person, "deactivate")
    desk.do(other.person, "reactivate")
    other.person.refresh_from_db()
    assert not other.person.is_active
    confirm_pending("staff.reactivation", Role.ADMINISTRATOR)
    other.person.refresh_from_db()
    assert other.person.is_active


def test_a_password_is_reset() -> None:
    desk, user = Desk(Role.ADMINISTRATOR), _user(Role.CASHIER)
    desk.do(user, "password_reset", password=SECRET, password_again=SECRET)
    confirm_pending("staff.password", Role.ADMINISTRATOR)
    user.refresh_from_db()
    assert user.check_password(SECRET)
    assert not StaffSession.objects.filter(user=user, ended_at=None)
    desk.refused(user, "password_reset", "password_weak", password="a", password_again="a")


def test_nobody_changes_their_own_account() -> None:
    desk = Desk(Role.ADMINISTRATOR)
    for act, typed in (
        ("roles", {"roles": ["organiser"]}),
        ("deactivate", {}),
        ("password_reset", {"password": SECRET, "password_again": SECRET}),
    ):
        assert not desk.offers(desk.person, act)
        desk.refused(desk.person, act, "own_account", **typed)
    desk.person.refresh_from_db()
    assert (desk.person.roles, desk.person.is_active) == (["administrator"], True)


@pytest.mark.parametrize("role", [role for role in Role if role != Role.ADMINISTRATOR])
def test_only_an_administrator_manages_accounts(role: Role) -> None:
    desk, user = Desk(role), _user(Role.CASHIER)
    assert not desk.offers(User, "create")
    assert not desk.offers(user, "deactivate")
    for row, act in ((User, "create"), (user, "roles"), (user, "deactivate")):
        assert desk.ask(row, act, **_new()).status_code in (403, 404)  # 404: not to be seen either
        assert desk.client.get(act_url(row, act)).status_code in (403, 404)
    user.refresh_from_db()
    assert user.is_active


def test_an_unknown_account() -> None:
    by = factories.staff(Role.ADMINISTRATOR)
    with pytest.raises(accounts.UserUnknown):
        accounts.user_deactivate(by=by, user_id=0)
    assert Desk(Role.ADMINISTRATOR).client.get("/admin/staff/user/0/roles/").status_code == 404
