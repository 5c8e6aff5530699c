"""The admin site: signing on and off, languages, simulated time."""

from datetime import timedelta

import pytest
from django.contrib import admin
from django.test import Client

from core.staff.devices import cookie_name
from core.staff.models import StaffSession, User
from core.staff.powers import Role
from lototrot.models.contest import Contest
from tests.support import factories
from tests.support.admin_desk import Desk, list_url

pytestmark = pytest.mark.django_db
REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)


def test_an_account_without_roles_is_sent_to_sign_on() -> None:
    desk = Desk()
    assert "/login/" in desk.client.get("/admin/")["Location"]


def test_a_session_that_has_ended_signs_on_again() -> None:
    desk = Desk(Role.ORGANISER)
    desk.get("/admin/")
    StaffSession.objects.filter(user=desk.person).update(ended_at=factories.time_pass(minutes=1))
    assert "/login/" in desk.client.get("/admin/")["Location"]


def test_a_session_ends_by_itself() -> None:
    desk = Desk(Role.ORGANISER)
    factories.time_pass(hours=9)
    assert "/login/" in desk.client.get("/admin/")["Location"]
    assert "/login/" in desk.client.post("/admin/database/clockoffset/move/")["Location"]


def test_an_idle_browser_is_forgotten_after_half_an_hour() -> None:
    desk = Desk(Role.ORGANISER)
    desk.get("/admin/")
    session = desk.client.session
    assert session.get_expiry_age() <= timedelta(minutes=30).total_seconds()


def test_signing_off_ends_the_staff_session() -> None:
    desk = Desk(Role.ORGANISER)
    desk.client.post("/admin/logout/")
    assert not StaffSession.objects.filter(user=desk.person, channel="admin", ended_at=None)


def test_signing_on_needs_name_password_and_code() -> None:
    user = User.objects.get(pk=factories.staff(Role.ORGANISER).user_id)
    user.set_password("a long enough secret")
    user.save(update_fields=["password"])
    secret = factories.second_factor(user)
    client = Client(headers={"accept-language": "ca"})
    form = client.get("/admin/login/").content.decode()
    assert "Lototrot" in form
    assert '<input type="hidden" name="next" value="/admin/">' in form  # else no page is there
    wrong = client.post("/admin/login/", {"username": user.username, "password": "no"})
    assert wrong.status_code == 200
    right = {"username": user.username, "password": "a long enough secret", "next": "/admin/"}
    assert client.post("/admin/login/", right).status_code == 200  # without the code
    right["code"] = factories.one_time_code(secret)
    assert client.post("/admin/login/", right)["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200
    assert StaffSession.objects.filter(user=user, channel="admin", ended_at=None).count() == 1


def test_a_browser_that_knows_the_person_is_not_kept_out_by_strangers() -> None:
    user = User.objects.get(pk=factories.staff(Role.STEWARDS).user_id)
    user.set_password("a long enough secret")
    user.save(update_fields=["password"])
    secret = factories.second_factor(user)
    right = {"username": user.username, "password": "a long enough secret", "next": "/admin/"}

    def sign_on(client: Client) -> int:
        factories.time_pass(seconds=30)  # a code is good once
        code = factories.one_time_code(secret)
        return int(client.post("/admin/login/", right | {"code": code}).status_code)

    home, stranger = Client(), Client(headers={"accept-language": "en"})
    assert sign_on(home) == 302
    home.get("/admin/")
    cookie = home.cookies[cookie_name(user.username)]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/admin/")
    home.post("/admin/logout/")
    for _ in range(30):
        wrong = stranger.post("/admin/login/", right | {"password": "a wrong password"})
        assert wrong.status_code == 200
    limited = stranger.post("/admin/login/", right)
    assert limited.status_code == 429
    assert "Retry-After" in limited.headers
    assert "Too many requests" in limited.content.decode()
    assert sign_on(stranger) == 429
    assert sign_on(home) == 302


def test_the_language_can_be_chosen() -> None:
    desk = Desk(Role.ORGANISER)
    desk.client.post("/admin/language/", {"language": "es", "next": "/admin/"})
    assert 'lang="es"' in desk.get("/admin/")


def test_simulated_time_is_said_on_every_page() -> None:
    assert "Simulated time:" not in Desk(Role.ORGANISER).get("/admin/")
    factories.time_pass(minutes=5)
    assert "Simulated time:" in Desk(Role.ORGANISER).get(list_url(Contest))


def test_a_page_that_is_not_for_a_role_says_so_and_leads_on() -> None:
    """Before, a bare 403 answered."""
    answer = Desk(Role.CASHIER, language="en").client.get("/admin/ledger/transfer/")
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "Your roles do not let you see this page" in page
    assert 'id="nav-sidebar-apps"' in page


def test_a_form_of_an_older_session_is_refused_in_words() -> None:
    """Before, it was Django's bare page 403, in English."""
    desk = Desk(Role.ORGANISER, language="ca")
    strict = Client(enforce_csrf_checks=True, headers={"accept-language": "ca"})
    strict.cookies = desk.client.cookies
    answer = strict.post("/admin/logout/")
    assert answer.status_code == 403
    assert "Tornau a obrir la pàgina" in answer.content.decode()
    assert "house-empty" in answer.content.decode()
    assert desk.client.get("/admin/").status_code == 200


def test_what_is_not_there_is_said_on_a_page_of_the_site() -> None:
    answer = Desk(Role.ORGANISER).client.get("/admin/no/such/page/")
    assert answer.status_code == 404
    assert "no such page or row" in answer.content.decode()
