"""Check that a dump taken while a contest is on sale opens nothing to who lacks the keys.

The dump is a real one of every table. The attacker knows the source and everything in the dump.
"""

import uuid
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.hashers import check_password, make_password

from core.kernel import codes
from core.kernel.errors import DomainError
from core.premises.access import TerminalCredentials, terminal_actor
from core.premises.models import Operator
from core.premises.requests import new_uuid
from core.premises.services import terminal_enrol
from core.staff import services as staff
from core.staff.models import User
from core.staff.powers import Role
from core.staff.second_factor import factor_begin
from core.staff.session_store import SessionStore
from lototrot.services.contest.code_secrets import secret_of
from lototrot.services.tickets.selling import SaleRequest, ticket_sell
from tests.support import factories
from tests.support.databases import Database
from tests.support.verifying.dumping import candidates, digests, dumped

PIN = "271828"
OTHERS = codes.CodeKeys({"1": (b"x" * 32, b"y" * 32)}, "1")


@dataclass(frozen=True, slots=True)
class Loot:
    """The dump, with what the attacker wants and must not learn from it."""

    text: str
    ticket: uuid.UUID
    code: codes.Code
    secret: bytes
    tokens: tuple[str, ...]
    pin: str


@pytest.fixture
def loot(own_database: Database, tmp_path: Path) -> Loot:
    """Return a dump with a ticket sold, people signed on, and a second factor under set-up."""
    contest, point = factories.contest(), factories.point()
    factories.acknowledge(contest, point)
    request = SaleRequest(new_uuid(), contest.pk, ((1,),) * 7, 100, 100)
    sold = ticket_sell(credentials=point.credentials, request=request)
    assert sold.code is not None
    organiser = factories.staff(Role.ORGANISER)
    _, session = staff.session_start(user=User.objects.get(pk=organiser.user_id))
    enrolment = factories.enrolment_code(point.premises, point.terminal.code)
    newcomer = factories.staff(Role.AUDITOR)
    factor = factor_begin(by=newcomer)
    browser = SessionStore()
    browser["second_factor_shown"] = [factor.secret, factor.uri]
    browser.save()
    pin = make_password(PIN)
    Operator.objects.filter(pk=point.operator.pk).update(pin=pin)
    tokens = (point.token, point.session_token, session, enrolment, factor.secret)
    return Loot(
        dumped(own_database, tmp_path),
        sold.uuid,
        sold.code,
        secret_of(contest),
        (*tokens, browser.session_key or ""),
        pin,
    )


def test_a_dump_prints_no_ticket_signs_nobody_on_and_confirms_no_guess(
    loot: Loot, settings: LazySettings
) -> None:
    assert str(loot.ticket) in loot.text and loot.pin in loot.text  # it is whole
    hidden = [loot.code.text, loot.code.grouped, *loot.tokens, PIN]
    hidden += [loot.secret.hex(), b64encode(loot.secret).decode()]
    assert [text for text in hidden if text in loot.text] == []

    # No value of the dump is the secret, and with the secret itself no bit of the code follows.
    tried = [*candidates(loot.text), loot.secret]
    assert len(tried) > 50
    for secret in tried:
        forged = codes.issue(codes.TICKET, loot.ticket, secret, OTHERS)
        assert forged.text[3:19] != loot.code.text[3:19]  # the body; the day before it is known

    # No value of the dump is a token or a cookie.
    values = digests(loot.text)
    assert len(values) > 10
    for value in values:
        for use in (
            lambda token: staff.session_actor(token=token),
            lambda token: terminal_actor(TerminalCredentials.of(token, token)),
            lambda token: terminal_enrol(code=token, public_key=factories.KEY.public),
        ):
            with pytest.raises(DomainError):
                use(value)
        assert not SessionStore().exists(value[:40])

    # A right guess of a PIN is not confirmed without the key.
    assert check_password(PIN, loot.pin)
    settings.TOKEN_KEYS = ("1", {"1": b"x" * 32})
    assert not check_password(PIN, loot.pin)
