"""Read the tokens of staff, terminals and operators from the headers of a request."""

from typing import Any

import pytest

from core.api.authentication import STAFF_SCHEME, TERMINAL_SCHEME, terminal_credentials, token_from
from core.api.errors import CredentialsMissing
from tests.support import factories
from tests.support.api import Api, refused, terminal_api


@pytest.mark.parametrize("written", ["Bearer abc", "bearer abc", "BEARER abc"])
def test_a_token_is_read_in_any_case_of_its_scheme(written: str) -> None:
    assert token_from({"HTTP_AUTHORIZATION": written}, STAFF_SCHEME) == "abc"


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"HTTP_AUTHORIZATION": ""},
        {"HTTP_AUTHORIZATION": "Bearer"},
        {"HTTP_AUTHORIZATION": "Bearer "},
        {"HTTP_AUTHORIZATION": "Terminal abc"},
        {"HTTP_AUTHORIZATION": "Bearer " + "x" * 129},
    ],
)
def test_a_header_without_a_token_of_the_scheme_is_refused(meta: dict[str, Any]) -> None:
    with pytest.raises(CredentialsMissing):
        token_from(meta, STAFF_SCHEME)


def test_a_terminal_has_credentials_with_or_without_an_operator() -> None:
    meta = {"HTTP_AUTHORIZATION": f"{TERMINAL_SCHEME} abc"}
    alone = terminal_credentials(meta)
    signed_on = terminal_credentials({**meta, "HTTP_X_OPERATOR_SESSION": "session"})
    assert alone != signed_on
    with pytest.raises(CredentialsMissing):
        terminal_credentials({"HTTP_X_OPERATOR_SESSION": "session"})


@pytest.mark.django_db
def test_the_challenge_names_the_scheme_of_the_resource(anybody: Api) -> None:
    staff = anybody.get("premises")
    refused(staff, 401, "credentials_missing")
    assert staff.headers["WWW-Authenticate"].split()[0] == STAFF_SCHEME
    terminal = anybody.get("terminal")
    refused(terminal, 401, "credentials_missing")
    assert terminal.headers["WWW-Authenticate"].split()[0] == TERMINAL_SCHEME
    of_terminal = terminal_api(factories.point())
    refused(of_terminal.get("premises"), 401, "credentials_missing")
