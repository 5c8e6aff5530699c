"""Changing one's own password in the admin."""

import pytest

from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import user_create
from tests.support.admin_desk import Desk

SECRET = "correct horse battery"
pytestmark = pytest.mark.django_db


def test_ones_own_password() -> None:
    desk = Desk(Role.CASHIER)
    desk.person.set_password(SECRET)
    desk.person.save(update_fields=["password"])
    desk.client.force_login(desk.person)
    elsewhere = Desk(person=desk.person)
    typed = {"current": SECRET, "password": SECRET[::-1], "password_again": SECRET[::-1]}
    wrong = desk.client.post("/admin/password_change/", {**typed, "current": "no"})
    assert "<code>sign_on_refused</code>" in wrong.content.decode()
    assert desk.client.post("/admin/password_change/", typed).status_code == 302
    desk.person.refresh_from_db()
    assert desk.person.check_password(SECRET[::-1])
    desk.get("/admin/")
    assert elsewhere.client.get("/admin/").status_code == 302


def test_a_password_that_others_know_opens_only_its_change() -> None:
    user_create(username="ana", full_name="Joan Mas", password=SECRET, roles=["administrator"])
    desk = Desk(person=User.objects.get(username="ana"))
    for page in ("/admin/", "/admin/staff/user/", "/admin/second-factor/", "/admin/race-day/"):
        assert desk.client.get(page).headers["location"] == "/admin/password_change/"
    assert "Others know the password" in desk.get("/admin/password_change/")
    typed = {"current": SECRET, "password": SECRET, "password_again": SECRET}
    same = desk.client.post("/admin/password_change/", typed)
    assert "<code>password_unchanged</code>" in same.content.decode()
    typed |= {"password": SECRET[::-1], "password_again": SECRET[::-1]}
    assert desk.client.post("/admin/password_change/", typed).status_code == 302
    desk.get("/admin/staff/user/")
    assert not User.objects.get(username="ana").must_set_password
