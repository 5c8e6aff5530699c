"""Operators: their PINs, their sessions, and the end of their work."""

from collections import Counter

import pytest
from django.conf import LazySettings
from django.contrib.auth.hashers import make_password
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.kernel.errors import DomainError
from core.premises import operators
from core.premises.access import (
    BareTerminal,
    OperatorSessionExpired,
    OperatorSessionUnknown,
    TerminalCredentials,
    bare_terminal,
    terminal_actor,
)
from core.premises.models import (
    Operator,
    OperatorSession,
    Premises,
    Terminal,
)
from core.premises.operators import (
    OperatorInactive,
    OperatorUnknown,
    PinNotOwn,
    PinRefused,
    PinWeak,
)
from core.premises.services import terminal_enrol
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from core.tools.raceday.key import TerminalKey
from core.traffic import hashing
from core.traffic.limits import Throttled
from tests.core.premises.conftest import PIN
from tests.support import factories
from tests.support.api import refused, terminal_api
from tests.support.concurrency.sales import PATIENCE_S, apart
from tests.support.databases import Database


def test_an_operator_who_leaves_sells_no_more(by: StaffActor) -> None:
    contest, place = factories.contest(), factories.point()
    whose = {"premises": place.premises.code, "number": place.operator.number}
    ended = operators.operator_deactivate(by=by, **whose)
    assert operators.operator_deactivate(by=by, **whose) == ended
    assert not ended.is_active
    assert factories.sell(contest, place).outcome == "operator_session_expired"
    with pytest.raises(PinRefused):
        operators.operator_sign_on(terminal=place.bare, number=ended.number, pin=PIN)
    with pytest.raises(OperatorInactive):
        operators.operator_pin_reset(by=by, **whose, pin=PIN)
    with pytest.raises(OperatorUnknown):
        operators.operator_deactivate(by=by, premises=place.premises.code, number=32_000)
    with pytest.raises(PowerMissing):
        operators.operator_deactivate(by=factories.staff(Role.AUDITOR), **whose)


def test_another_pin_has_new_tries(
    by: StaffActor, bar: Premises, terminal: tuple[BareTerminal, str], operator: Operator
) -> None:
    bare, _ = terminal
    session = operators.operator_sign_on(terminal=bare, number=1, pin=PIN).session
    for _ in range(5):
        with pytest.raises(PinRefused):
            operators.operator_sign_on(terminal=bare, number=1, pin="000002")
    with pytest.raises(Throttled):
        operators.operator_sign_on(terminal=bare, number=1, pin=PIN)
    with pytest.raises(PinWeak):
        operators.operator_pin_reset(by=by, premises=bar.code, number=1, pin="111111")
    operators.operator_pin_reset(by=by, premises=bar.code, number=1, pin="314159")
    session.refresh_from_db()
    assert session.ended_at is not None
    with pytest.raises(PinRefused):
        operators.operator_sign_on(terminal=bare, number=1, pin=PIN)
    with pytest.raises(PinNotOwn):
        operators.operator_sign_on(terminal=bare, number=1, pin="314159")
    operators.operator_pin_choose(terminal=bare, number=1, pin="314159", new_pin=PIN)
    assert operators.operator_sign_on(terminal=bare, number=1, pin=PIN)


WEAK = [
    "12345",
    "1234567890123",
    "111111",
    "123456",
    "654321",
    "890123",
    "109876",
    "12345a",
    "",
    "١٢٣٤٥٧",
    "27 828",
    "-27182",
]


@pytest.mark.parametrize("pin", WEAK)
def test_pins_that_anybody_would_try_first_are_refused(
    by: StaffActor, bar: Premises, pin: str
) -> None:
    with pytest.raises(PinWeak):
        operators.operator_register(by=by, premises="P1", number=1, name="Biel", pin=pin)
    assert not Operator.objects.exists()


@pytest.mark.parametrize("pin", ["271828", "112358132134", "121212", "100000"])
def test_other_pins_are_taken_and_kept_as_a_slow_hash(
    by: StaffActor, bar: Premises, pin: str
) -> None:
    operator = operators.operator_register(by=by, premises="P1", number=1, name="Biel", pin=pin)
    assert operator.pin.startswith("keyed_argon2$1$argon2id$")
    assert pin not in operator.pin


def sign_on(terminal: BareTerminal, pin: str = PIN, number: int = 1) -> tuple[OperatorSession, str]:
    signed_on = operators.operator_sign_on(terminal=terminal, number=number, pin=pin)
    return signed_on.session, signed_on.token


def test_an_operator_signs_on_and_is_then_known(
    terminal: tuple[BareTerminal, str], operator: Operator
) -> None:
    bare, token = terminal
    session, session_token = sign_on(bare)
    actor = terminal_actor(TerminalCredentials.of(token, session_token))
    assert (actor.operator_id, actor.session_id, actor.terminal_id) == (
        operator.pk,
        session.pk,
        bare.terminal_id,
    )
    with pytest.raises(OperatorSessionUnknown):
        terminal_actor(TerminalCredentials.of(token, session_token + "x"))
    operators.operator_sign_off(session=session.pk)
    with pytest.raises(OperatorSessionExpired):
        terminal_actor(TerminalCredentials.of(token, session_token))
    ended = OperatorSession.objects.get().ended_at
    operators.operator_sign_off(session=session.pk)
    assert OperatorSession.objects.get().ended_at == ended


def test_wrong_pins_elsewhere_keep_no_operator_out(
    terminal: tuple[BareTerminal, str], operator: Operator, bar: Premises
) -> None:
    bare, _ = terminal
    sign_on(bare)  # works here
    stolen = factories.point(bar).bare
    refusals: Counter[str] = Counter()
    for _ in range(50):
        with pytest.raises(DomainError) as refusal:
            sign_on(stolen, "999991")
        refusals[refusal.value.code] += 1
    assert refusals == {"pin_refused": 5, "throttled": 45}
    assert sign_on(bare)
    with pytest.raises(Throttled):
        sign_on(stolen)


def test_one_pin_for_many_operators_is_limited_at_a_terminal(bar: Premises) -> None:
    stolen = factories.point(bar).bare
    refusals: Counter[str] = Counter()
    for number in range(1, 41):
        with pytest.raises(DomainError) as refusal:
            sign_on(stolen, "999991", number + 1000)
        refusals[refusal.value.code] += 1
    assert refusals == {"pin_refused": 30, "throttled": 10}


def test_a_wrong_pin_writes_nothing(db: None, terminal: tuple[BareTerminal, str]) -> None:
    with CaptureQueriesContext(connection) as asked, pytest.raises(PinRefused):
        sign_on(terminal[0], "999991")
    assert {query["sql"].partition(" ")[0] for query in asked} == {"SELECT"}


@pytest.mark.parametrize("pin", ["1234", "1234567890123", "27182a", "٢٧١٨٢٨"])
def test_what_cannot_be_a_pin_is_not_hashed(
    terminal: tuple[BareTerminal, str],
    operator: Operator,
    pin: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(hashing, "is_right")
    with pytest.raises(PinRefused):
        sign_on(terminal[0], pin)


def test_only_sign_on_pays_for_the_hash(
    terminal: tuple[BareTerminal, str], operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, token = terminal
    credentials = TerminalCredentials.of(token, sign_on(bare)[1])

    def never(*_: object) -> bool:
        raise AssertionError("a hash was spent")

    monkeypatch.setattr(hashing, "is_right", never)
    terminal_actor(credentials)
    bare_terminal(credentials)


def test_a_pin_moves_to_the_new_key_at_its_next_use(
    terminal: tuple[BareTerminal, str], operator: Operator, settings: LazySettings
) -> None:
    newer = {"2": bytes(range(32))}
    settings.TOKEN_KEYS = ("2", settings.TOKEN_KEYS[1] | newer)
    sign_on(terminal[0])
    settings.TOKEN_KEYS = ("2", newer)
    assert sign_on(terminal[0])


def test_nobody_signs_on_with_a_pin_that_was_replaced_meanwhile(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hash takes a tenth of a second, and may wait for its place for seconds."""
    by, place = factories.staff(Role.ORGANISER), factories.point()
    whose = {"premises": place.premises.code, "number": place.operator.number}
    Operator.objects.update(pin=make_password(PIN))
    compare = hashing.check_password

    def compared(pin: str, encoded: str) -> bool:
        is_right = compare(pin, encoded)
        apart(lambda: operators.operator_pin_reset(by=by, **whose, pin="314159")).result(PATIENCE_S)
        return is_right

    monkeypatch.setattr(hashing, "check_password", compared)
    with pytest.raises(PinRefused):
        operators.operator_sign_on(terminal=place.bare, number=place.operator.number, pin=PIN)
    assert not OperatorSession.objects.filter(ended_at=None).exists()


def test_a_machine_whose_terminal_enrolled_elsewhere_meanwhile_gets_no_token(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stolen machine has its key and signs on while the new one takes its place."""
    place = factories.point()
    Operator.objects.update(pin=make_password(PIN))
    code = factories.enrolment_code(place.premises, place.terminal.code)
    compare = hashing.check_password

    def compared(pin: str, encoded: str) -> bool:
        is_right = compare(pin, encoded)
        apart(lambda: terminal_enrol(code=code, public_key=TerminalKey().public)).result(PATIENCE_S)
        return is_right

    monkeypatch.setattr(hashing, "check_password", compared)
    stolen = terminal_api(place, signed_on=False)
    body = {"number": place.operator.number, "pin": PIN}
    refused(stolen.prove("terminal/session", body), 401, "token_replaced")
    terminal = Terminal.objects.get(pk=place.terminal.pk)
    assert terminal.next_token_digest is None
    assert OperatorSession.objects.count() == 1
