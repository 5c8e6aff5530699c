"""Signing on and off, and accounts."""

from collections.abc import Iterator

import pytest

from core.api.views import StaffView
from core.staff.models import StaffSession, User
from core.staff.powers import Role
from core.staff.second_factor import present_code
from core.staff.services import second_factor_of
from tests.support import factories
from tests.support.api import Api, places, refused, staff_api

PASSWORD = "correct horse battery"
OWN = "a password of one's own"
ACCOUNT = {
    "username": "or-17",
    "full_name": "Maria Riera",
    "password": PASSWORD,
    "roles": ["organiser"],
}

pytestmark = pytest.mark.django_db


@pytest.fixture
def account(administrator: Api) -> dict[str, object]:
    opened(administrator, ACCOUNT)
    (account,) = (
        each for each in administrator.get("staff").json()["items"] if each["username"] == "or-17"
    )
    return dict(account)


def opened(administrator: Api, body: dict[str, object]) -> None:
    """Confirm an account as a second administrator."""
    proposed = administrator.post("staff", body)
    assert proposed.status_code == 202, proposed.content
    path = f"proposals/{proposed.json()['proposal']}/confirmation"
    assert staff_api(Role.ADMINISTRATOR).post(path).status_code == 200


def signed_on(anybody: Api) -> dict[str, object]:
    """The session of the account's person, whose device is set up in another before."""
    user = User.objects.get(username="or-17")
    if second_factor_of(user) is None:
        factories.second_factor(user)
    code = present_code("or-17")
    body = {"username": "or-17", "password": PASSWORD, "code": code}
    response = anybody.post("staff/sessions", body)
    assert response.status_code == 201, response.content
    return dict(response.json())


def password_set(api: Api) -> None:
    """Set the first password that nobody else knows."""
    answer = api.post("staff/password", {"current": PASSWORD, "new": OWN})
    assert answer.status_code == 204, answer.content


def test_an_account_signs_on_and_off(account: dict[str, object], anybody: Api) -> None:
    assert account["roles"] == ["organiser"]
    assert "password" not in account
    session = signed_on(anybody)
    assert session["roles"] == ["organiser"]
    assert session["verified"] is True
    kept = StaffSession.objects.get(uuid=session["session"])
    assert str(session["token"]).encode() not in bytes(kept.token_digest)

    api = Api(Authorization=f"Bearer {session['token']}")
    password_set(api)
    assert api.get("premises").status_code == 200
    assert api.delete("staff/sessions/current").status_code == 204
    refused(api.get("premises"), 401, "session_expired")


def test_nothing_is_open_with_a_password_that_others_know(
    account: dict[str, object], anybody: Api
) -> None:
    session = signed_on(anybody)
    elsewhere = Api(Authorization=f"Bearer {session['token']}")
    factories.time_pass(seconds=30)  # the device shows another code
    session = signed_on(anybody)
    assert (session["verified"], session["must_set_password"]) == (True, True)
    api = Api(Authorization=f"Bearer {session['token']}")
    for refused_answer in (
        api.get("premises"),
        api.get("proposals"),
        api.post("premises", {}),
        api.post("staff/second-factor"),
        api.post("staff/second-factor/confirmation", {"code": "000000"}),
    ):
        refused(refused_answer, 403, "password_not_own")
    for new, code in (("short", "password_weak"), (PASSWORD, "password_unchanged")):
        body = {"current": PASSWORD, "new": new}
        refused(api.post("staff/password", body), 422, code)
    refused(api.post("staff/password", {"current": "a guess", "new": OWN}), 401, "sign_on_refused")
    password_set(api)
    assert api.get("premises").status_code == 200
    refused(elsewhere.get("premises"), 401, "session_expired")
    # Who proposed the first password knows nothing any more.
    first_sign_on = {"username": "or-17", "password": PASSWORD}
    refused(anybody.post("staff/sessions", first_sign_on), 401, "sign_on_refused")


def test_only_signing_off_and_the_password_are_open_before() -> None:
    def below(kind: type[StaffView]) -> Iterator[type[StaffView]]:
        for each in kind.__subclasses__():
            yield from (each, *below(each))

    is_open = {view.__name__ for view in below(StaffView) if not view.needs_own_password}
    assert is_open == {"CurrentSession", "OwnPassword"}


def test_wrong_passwords_are_all_alike_and_keep_no_known_device_out(
    account: dict[str, object], anybody: Api
) -> None:
    session = signed_on(anybody)
    nobody = anybody.post("staff/sessions", {"username": "nobody", "password": "x"})
    refused(nobody, 401, "sign_on_refused")
    wrong = {"username": "or-17", "password": "a wrong password"}
    for _ in range(20):
        problem = refused(anybody.post("staff/sessions", wrong), 401, "sign_on_refused")
    assert problem["title"] == nobody.json()["title"]
    right = {"username": "or-17", "password": PASSWORD}
    limited = anybody.post("staff/sessions", right)
    refused(limited, 429, "throttled")
    assert 300 < int(limited.headers["Retry-After"]) <= 360  # another try of this name, from here
    answer = anybody.post("staff/sessions", {**right, "device": session["device"]})
    refused(answer, 401, "second_factor_needed")
    elsewhere = {**right, "device": str(session["device"])[:-2]}
    refused(anybody.post("staff/sessions", elsewhere), 429, "throttled")


def test_a_token_that_is_none(anybody: Api, organiser: Api) -> None:
    refused(anybody.get("premises"), 401, "credentials_missing")
    for header in ("Bearer", "Bearer ", "Basic abc", "Terminal abc", "Bearer " + "a" * 200):
        refused(Api(Authorization=header).get("premises"), 401, "credentials_missing")
    refused(Api(Authorization="Bearer abc").get("premises"), 401, "session_unknown")


def test_a_dismissed_member_of_staff(account: dict[str, object], anybody: Api) -> None:
    token = signed_on(anybody)["token"]
    User.objects.filter(username="or-17").update(is_active=False)
    refused(Api(Authorization=f"Bearer {token}").get("premises"), 401, "session_expired")
    again = anybody.post("staff/sessions", {"username": "or-17", "password": PASSWORD})
    refused(again, 401, "sign_on_refused")


def test_only_an_administrator_opens_and_lists_accounts(administrator: Api, organiser: Api) -> None:
    refused(organiser.post("staff", ACCOUNT), 403, "power_missing")
    refused(organiser.get("staff"), 403, "power_missing")
    listed = administrator.get("staff").json()["items"]
    assert len(listed) == User.objects.count()
    assert not any("password" in item for item in listed)


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"password": "short"}, 422, "password_weak"),
        ({"roles": ["inspector"]}, 422, "appointment_missing"),
        ({"username": "taken"}, 409, "username_taken"),
    ],
)
def test_accounts_that_are_refused(
    administrator: Api, change: dict[str, object], status: int, code: str
) -> None:
    opened(administrator, {**ACCOUNT, "username": "taken"})
    refused(administrator.post("staff", {**ACCOUNT, **change}), status, code)
    assert not User.objects.filter(username="or-17").exists()


def test_an_inspector_names_the_appointment(administrator: Api) -> None:
    body = {**ACCOUNT, "roles": ["inspector"], "appointment": "Order 7/2026"}
    opened(administrator, body)
    assert User.objects.get(username="or-17").appointment == "Order 7/2026"


def test_every_field_at_fault_is_named(administrator: Api) -> None:
    body = {"username": 5, "password": "", "roles": ["organiser", "king"], "is_superuser": True}
    problem = refused(administrator.post("staff", body), 422, "fields_invalid")
    assert places(problem) == {
        "$.username": "type",
        "$.full_name": "required",
        "$.password": "blank",
        "$.roles[1]": "invalid_choice",
        "$.is_superuser": "unknown_field",
    }


def test_pages_of_accounts(administrator: Api) -> None:
    for _ in range(4):
        staff_api(Role.CASHIER)
    seen, cursor = [], ""
    while cursor is not None:
        page = administrator.get("staff", limit=2, **({"cursor": cursor} if cursor else {})).json()
        assert 1 <= len(page["items"]) <= 2
        seen += [item["id"] for item in page["items"]]
        cursor = page["next"]
    assert seen == sorted(User.objects.values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"cursor": "nonsense"}, "cursor_invalid"),
        ({"cursor": "WyJ4Il0"}, "cursor_invalid"),  # ["x"], a text
        ({"cursor": "Wy0xXQ"}, "cursor_invalid"),  # [-1]
        ({"cursor": "WzEwMDAwMDAwMDAwMDAwMDAwMDAwXQ"}, "cursor_invalid"),  # above 64 bits
        ({"cursor": "é"}, "cursor_invalid"),
        ({"limit": 0}, "fields_invalid"),
        ({"limit": 201}, "fields_invalid"),
        ({"limit": "many"}, "fields_invalid"),
        ({"page": 2}, "unknown_field"),
    ],
)
def test_pages_that_are_none(administrator: Api, query: dict[str, object], code: str) -> None:
    refused(administrator.get("staff", **query), 422, code)
