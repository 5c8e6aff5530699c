"""One line per request, and nothing in any line that could pay a prize or open a door."""

import datetime
import json
import logging
import re

import pytest
import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import LazySettings
from django.contrib.auth.hashers import make_password
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy

from core.api import logs, problems
from core.api.logs import _as_json, mask
from core.kernel.codes import ALPHABET
from core.premises import services
from core.premises.models import Operator
from core.premises.requests import new_uuid
from core.staff.models import User
from core.staff.powers import Role
from core.staff.second_factor import present_code
from core.tools.raceday.key import TerminalKey
from tests.support import factories
from tests.support.api import Api, LogText, refused, staff_api, terminal_api
from tests.support.operations.called import operations

pytestmark = pytest.mark.django_db

PIN = "482913"
GIVEN, OWN = "correct horse battery", "a password of one's own"


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
        "uuid": str(new_uuid()),
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


def test_enrolling_and_rolling_leave_no_code_and_no_token(log_text: LogText) -> None:
    point = factories.point()
    code = factories.enrolment_code(point.premises, point.terminal.code)
    key = TerminalKey()
    body = {"enrolment_code": code, "public_key": key.public}
    anybody = Api()
    refused(anybody.post("terminal/enrolment", body | {"public_key": "x"}), 422, "key_unfit")
    token = anybody.post("terminal/enrolment", body).json()["token"]
    refused(anybody.post("terminal/enrolment", body), 401, "enrolment_refused")
    enrolled = Api(Authorization=f"Terminal {token}")
    rolled = enrolled.prove("terminal/token", {}, key=key).json()["token"]
    now = Api(Authorization=f"Terminal {rolled}")
    assert now.get("terminal").status_code == 200
    refused(enrolled.get("terminal"), 401, "token_replaced")
    refused(now.prove("terminal/token", {}), 401, "proof_refused")
    assert log_text.events("request")
    hidden_in(log_text, code, token, rolled)


def test_proposals_of_accounts_leave_no_password_code_or_token(log_text: LogText) -> None:
    administrator, other = staff_api(Role.ADMINISTRATOR), staff_api(Role.ADMINISTRATOR)
    account = {"username": "or-17", "full_name": "Maria Riera", "roles": ["organiser"]}
    refused(administrator.post("staff", account | {"password": "Kurz1"}), 422, "password_weak")
    proposed = administrator.post("staff", account | {"password": GIVEN})
    assert proposed.status_code == 202, proposed.content
    ident = proposed.json()["proposal"]
    refused(administrator.post(f"proposals/{ident}/confirmation"), 403, "same_person")
    answer = other.get(f"proposals/{ident}")
    assert other.post(f"proposals/{ident}/confirmation").status_code == 200
    secret = factories.second_factor(User.objects.get(username="or-17"))
    code = present_code("or-17")
    asked = {"username": "or-17", "password": GIVEN, "code": code}
    refused(Api().post("staff/sessions", asked | {"password": OWN}), 401, "sign_on_refused")
    session = Api().post("staff/sessions", asked).json()
    person = Api(Authorization=f"Bearer {session['token']}")
    assert person.post("staff/password", {"current": GIVEN, "new": OWN}).status_code == 204
    assert GIVEN not in answer.content.decode()
    hidden_in(log_text, GIVEN, OWN, "Kurz1", code, secret, session["token"], session["device"])


def test_what_fails_with_a_secret_in_hand_says_it_nowhere(
    log_text: LogText, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the line of the failure nor the error's page has it, no matter who raised it."""
    code = "qX3_9vZ-1aBcD4eF5gH6iJ7kL8mN9oP0"

    def fail(**fields: str) -> None:
        raise RuntimeError(f"cannot enrol with {fields}")

    monkeypatch.setattr(services, "terminal_enrol", fail)
    answer = Api().post("terminal/enrolment", {"enrolment_code": code, "public_key": "x"})
    assert answer.status_code == 500
    assert code not in answer.content.decode()
    assert "RuntimeError" in log_text.getvalue()
    hidden_in(log_text, code)


def test_the_signer_says_no_key_when_it_fails(log_text: LogText) -> None:
    """It holds private keys as hexadecimal text, which is masked wherever it comes from."""
    private = Ed25519PrivateKey.generate().private_bytes_raw().hex()
    try:
        raise ValueError(f"not a key: {private}")
    except ValueError:
        logging.getLogger("core.proofs.signer").exception("cannot sign with %s", private)
    hidden_in(log_text, private)


def test_no_address_has_a_place_for_a_secret() -> None:
    """Logs of proxies, histories and referrers have whole addresses."""
    named = {
        (each.name, parameter["name"])
        for each in operations()
        for parameter in each.parameters("query")
        if re.search("pin|password|token|secret|code$", parameter["name"])
    }
    assert named == set()


def hidden_in(log_text: LogText, *secrets: str) -> None:
    """Check that no line has a secret: neither whole nor half of it."""
    written = log_text.getvalue()
    for secret in secrets:
        assert secret and secret not in written
        half = secret[: len(secret) // 2]
        assert len(half) < 6 or half not in written, "not even half of it"


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


def test_the_line_of_a_request_is_the_one_that_structlog_writes(
    log_text: LogText, settings: LazySettings
) -> None:
    fields = {"method": "POST", "route": "api/é", "status": 201, "duration_ms": 1.25, "terminal": 7}
    with structlog.contextvars.bound_contextvars(request_id="abcd-1234", trace_id="f00"):
        logs.info("request", dict(fields))
        structlog.get_logger().info("request", **fields)
        logs.info("request", {**fields, "request_id": "of its own"})
        structlog.get_logger().info("request", **fields | {"request_id": "of its own"})
    moment = re.compile(r'"timestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z)"')
    lines = log_text.getvalue().splitlines()
    assert all(moment.search(line) for line in lines)
    one, two, own, own_too = (moment.sub("", line) for line in lines)
    assert one == two != own == own_too
    written = log_text.getvalue()
    settings.LOG_LEVEL = "WARNING"
    logs.configure()
    logs.info("request", dict(fields))
    structlog.get_logger().info("request", **fields)
    assert log_text.getvalue() == written


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


def test_whatever_an_event_holds_is_a_line_of_json() -> None:
    """A log that cannot be written must not stop the act that it tells of."""
    event = {
        "cents": 1 << 80,
        "text": gettext_lazy("ticket"),
        "safe": mark_safe("<b>"),
        "who": PIN.encode(),
        "odd": {1: object},
        "day": datetime.date(2030, 3, 2),
    }
    written = json.loads(_as_json(event))
    assert (written["cents"], written["safe"]) == (1 << 80, "<b>")
    assert _as_json({"a": 1, "é": "à"}) == '{"a":1,"é":"à"}'
    for name, value in event.items():
        assert json.loads(_as_json({name: value}))
