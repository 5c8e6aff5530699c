"""One line per request, and nothing in any line that could pay a prize or open a door."""

import logging
import re
import uuid

import pytest
from django.conf import LazySettings
from django.contrib.auth.hashers import make_password

from core.api import problems
from core.api.logs import mask
from core.kernel.codes import ALPHABET
from core.premises.models import Operator
from tests.support import factories
from tests.support.api import Api, LogText, refused, terminal_api

pytestmark = pytest.mark.django_db

PIN = "482913"


def test_what_a_terminal_presents_is_in_no_line(anybody: Api, log_text: LogText) -> None:
    point = factories.point()
    Operator.objects.filter(pk=point.operator.pk).update(pin=make_password(PIN))
    terminal = terminal_api(point)
    number = point.operator.number
    token = terminal.prove("terminal/session", {"number": number, "pin": PIN}).json()["token"]
    refused(
        terminal.prove("terminal/session", {"number": number, "pin": "731946"}), 401, "pin_refused"
    )
    refused(terminal.raw("terminal/session", f'{{"pin": "{PIN}"'), 401, "proof_missing")
    refused(Api(Authorization=f"Terminal {token}").get("terminal"), 401, "terminal_unknown")
    assert len(log_text.events("request")) == 4
    written = log_text.getvalue()
    for secret in (PIN, "731946", token, point.token, point.session_token):
        assert secret not in written


def test_a_sale_leaves_no_code_in_the_log(log_text: LogText, settings: LazySettings) -> None:
    """Sold, repeated, printed, looked at, refused: the code is in the answers and nowhere else."""
    settings.ACCESS_LOG_EVERY = 1
    point = factories.point()
    contest = factories.contest()
    factories.acknowledge(contest, point)
    body = {
        "uuid": str(uuid.uuid4()),
        "contest": contest.pk,
        "price_cents": contest.price_cents,
        "amount_cents": contest.price_cents,
        "races": [[1]] * 7,
    }
    terminal = terminal_api(point)
    sold = terminal.post("lototrot/tickets", body)
    assert sold.status_code == 201, sold.content
    code = sold.json()["code"]
    assert terminal.post("lototrot/tickets", body).json()["code"] == code
    other = terminal.post("lototrot/tickets", {**body, "races": [[2]] * 7})
    assert other.status_code == 409
    assert len(log_text.events("request")) == 3
    written = re.sub(r"[^0-9A-Z]", "", log_text.getvalue().upper())
    plain = re.sub(r"[^0-9A-Z]", "", code.upper())
    assert len(plain) == 24
    assert set(plain) <= set(ALPHABET)
    assert plain not in written
    assert not any(plain[i : i + 12] in written for i in range(13)), "not even half of it"


def test_libraries_and_exceptions_are_masked(log_text: LogText, anybody: Api) -> None:
    code = "1ABC-DEFG-HJKM-NPQR-STVW-XYZ2"
    token = "qX3_9vZ-1aBcD4eF5gH6iJ7kL8mN9oP0"
    logging.getLogger("some.library").warning("Key (code)=(%s) already exists", code)
    try:
        raise ValueError(f"bad token {token} of table premises_terminal")
    except ValueError:
        logging.getLogger("some.library").exception("failed")
        problems.log.error("fault", exc_info=True)
    written = log_text.getvalue()
    assert code not in written
    assert token not in written
    assert "premises_terminal" in written, "names of our own stay readable"
    assert written.count("ValueError") == 2
    assert "local variable" not in written


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("1ABC-DEFG-HJKM-NPQR-STVW-XYZ2", True),
        ("1ABC DEFG HJKM NPQR STVW XYZ2", True),
        ("1ABCDEFGHJKMNPQRSTVWXYZ2", True),
        ("1abcdefghjkmnpqrstvwxyz2", True),
        ("qX3_9vZ-1aBcD4eF5gH6iJ7kL8mN9oP0", True),
        ("lototrot_ticket_code_digest_key", False),
        ("that will have been done", False),
        ("relation does not exist", False),
        ("2026-11-20", False),
    ],
)
def test_what_is_masked(text: str, hidden: bool) -> None:
    assert (mask(f"before {text} after") != f"before {text} after") is hidden
