"""Check what the base classes of views refuse before any service is called."""

import pytest

from core.api.errors import RouteUnknown
from core.api.shapes import BIGGEST
from core.api.views import ApiView
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import session_start
from tests.support import factories
from tests.support.api import Api, refused, terminal_api


def test_a_part_of_the_path_must_be_able_to_name_something() -> None:
    view = ApiView()
    view.check_path({"code": "P-1", "number": BIGGEST})
    for part in ("a\nb", "\x00", BIGGEST + 1):
        with pytest.raises(RouteUnknown):
            view.check_path({"part": part})


@pytest.mark.django_db
def test_staff_without_their_second_factor_are_refused() -> None:
    user = User.objects.get(pk=factories.staff(Role.ORGANISER).user_id)
    _session, token = session_start(user=user, verified=False)
    response = Api(Authorization=f"Bearer {token}").get("premises")
    refused(response, 403, "second_factor_not_set")


@pytest.mark.django_db
def test_a_terminal_without_an_operator_may_ask_only_for_the_terminal() -> None:
    api = terminal_api(factories.point(), signed_on=False)
    assert api.get("terminal").status_code == 200
    response = api.delete("terminal/session")
    assert response.status_code == 401
    assert response.json()["code"].startswith("operator_session")


@pytest.mark.django_db
def test_a_hot_path_names_its_methods_as_every_path_does() -> None:
    response = terminal_api(factories.point()).delete("lototrot/tickets")
    refused(response, 405, "method_not_allowed")
    assert "POST" in response.headers["Allow"]
