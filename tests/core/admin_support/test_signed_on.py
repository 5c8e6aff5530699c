"""The person who acts in the admin is the one for whom its pages are drawn."""

import pytest
from django.http import HttpRequest
from django.test import Client

from core.admin_support import signed_on
from core.admin_support.columns import NOTHING, link, listed, may_open
from core.staff.models import User
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support import factories

pytestmark = pytest.mark.django_db


def request_by(role: Role) -> HttpRequest:
    return signed_on.request_of(factories.staff(role), "")


def test_links_are_drawn_for_the_person_of_the_request_and_no_longer() -> None:
    place = factories.premises()
    assert signed_on.reader() is None and "<a " in link(place), "as in a file: nobody's page"
    with signed_on.shown_to(request_by(Role.CASHIER)):
        assert link(place) == str(place)
        assert listed(Ticket, "See them") == NOTHING
        assert not may_open(User)
        with signed_on.shown_to(request_by(Role.AUDITOR)):
            assert "<a " in link(place) and "<a " in listed(Ticket, "See them")
        assert link(place) == str(place)
    assert signed_on.reader() is None and "<a " in link(place)


def test_an_error_on_a_page_leaves_nobody_behind() -> None:
    with pytest.raises(ZeroDivisionError), signed_on.shown_to(request_by(Role.CASHIER)):
        raise ZeroDivisionError
    assert signed_on.reader() is None


def test_who_is_not_signed_on_has_no_power() -> None:
    request = Client().get("/admin/login/").wsgi_request
    assert not signed_on.is_live(request) and not signed_on.may(request, "premises.read")
    assert signed_on.may(request_by(Role.ORGANISER), "premises.read")
    assert not signed_on.may(request_by(Role.CASHIER), "premises.read")
