"""Setting up one's own second factor in the admin."""

import re

import pytest
from django.contrib.auth.hashers import make_password
from django.test import Client

from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import user_create
from tests.support import factories
from tests.support.admin_desk import Desk, confirm_pending

pytestmark = pytest.mark.django_db

PASSWORD = "drei-hengste-im-regen"
OWN = PASSWORD[::-1]


def person(*roles: Role) -> User:
    return user_create(
        username="ana", full_name="Joan Mas", password=PASSWORD, roles=roles or ["auditor"]
    )


def test_it_is_set_up_before_anything_is_shown() -> None:
    user = person(Role.ADMINISTRATOR)
    client = Client(headers={"accept-language": "en"})
    signed_on = {"username": "ana", "password": PASSWORD, "code": ""}
    assert client.post("/admin/login/?next=/admin/", signed_on).status_code == 302
    for page in ("/admin/", "/admin/staff/user/", "/admin/second-factor/"):
        assert client.get(page).headers["location"] == "/admin/password_change/"
    assert "Others know the password" in client.get("/admin/password_change/").content.decode()
    typed = {"current": PASSWORD, "password": OWN, "password_again": OWN}
    assert client.post("/admin/password_change/", typed).status_code == 302
    signed_on["password"] = OWN
    for page in ("/admin/", "/admin/staff/user/", "/admin/password_change/"):
        assert client.get(page).headers["location"] == "/admin/second-factor/"
    text = client.get("/admin/second-factor/").content.decode()
    secret = re.search(r'house-secret"><code>(\w+)<', text)
    assert secret and "<svg" in text
    wrong = client.post("/admin/second-factor/", {"code": "000000"}).content.decode()
    assert "one_time_code_wrong" in wrong and secret[1] in wrong
    code = factories.one_time_code(secret[1])
    assert client.post("/admin/second-factor/", {"code": code}).status_code == 302
    assert client.get("/admin/staff/user/").status_code == 200
    client.post("/admin/logout/")
    refused_page = client.post("/admin/login/", signed_on).content.decode()
    assert "Name, password or code is not right." in refused_page
    factories.time_pass(seconds=30)
    code = factories.one_time_code(secret[1])
    assert client.post("/admin/login/", {**signed_on, "code": code}).status_code == 302
    assert client.get("/admin/staff/user/").status_code == 200
    desk = Desk(Role.ADMINISTRATOR)
    desk.do(user, "second_factor_end")
    confirm_pending("staff.second_factor", Role.ADMINISTRATOR)
    assert client.get("/admin/").status_code == 302
    assert not desk.offers(user, "second_factor_end")


def test_a_person_with_a_second_factor_does_not_set_up_another() -> None:
    response = Desk(Role.CASHIER).client.get("/admin/second-factor/")
    assert (response.status_code, response["Location"]) == (302, "/admin/")


@pytest.mark.parametrize("has_begun", [False, True], ids=["", "secret shown"])
def test_a_browser_that_comes_second_signs_on_anew_with_the_code(has_begun: bool) -> None:
    """Two browsers sign on before there is a second factor, and one sets it up."""
    stored = make_password(PASSWORD)
    user = factories.account("ana", "Joan Mas", Role.AUDITOR, stored=stored)
    client = Client(headers={"accept-language": "en"})
    assert (
        client.post("/admin/login/", {"username": "ana", "password": PASSWORD}).status_code == 302
    )
    if has_begun:
        assert client.get("/admin/second-factor/").status_code == 200
    factories.second_factor(user)
    answer = client.get("/admin/second-factor/")
    assert answer.headers["location"].startswith("/admin/login/")
    assert client.get("/admin/").headers["location"].startswith("/admin/login/")
