"""Operators: their PINs, their sessions, and the end of their work."""

from typing import Any

import pytest

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
)
from core.premises.operators import (
    ATTEMPTS_BEFORE_LOCK,
    LOCK_LENGTH,
    OperatorInactive,
    OperatorUnknown,
    PinLocked,
    PinRefused,
    PinWeak,
)
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from tests.support import factories
from tests.support.databases import Database

PIN = "271828"


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


def test_another_pin_opens_what_was_locked(
    by: StaffActor, bar: Premises, terminal: tuple[BareTerminal, str], operator: Operator
) -> None:
    bare, _ = terminal
    session, _ = operators.operator_sign_on(terminal=bare, number=1, pin=PIN)
    for _ in range(operators.ATTEMPTS_BEFORE_LOCK):
        with pytest.raises(PinRefused):
            operators.operator_sign_on(terminal=bare, number=1, pin="000002")
    with pytest.raises(PinLocked):
        operators.operator_sign_on(terminal=bare, number=1, pin=PIN)
    with pytest.raises(PinWeak):
        operators.operator_pin_reset(by=by, premises=bar.code, number=1, pin="111111")
    operators.operator_pin_reset(by=by, premises=bar.code, number=1, pin="314159")
    session.refresh_from_db()
    assert session.ended_at is not None
    with pytest.raises(PinRefused):
        operators.operator_sign_on(terminal=bare, number=1, pin=PIN)
    assert operators.operator_sign_on(terminal=bare, number=1, pin="314159")


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
    assert operator.pin.startswith("argon2$argon2id$")
    assert pin not in operator.pin


def sign_on(terminal: BareTerminal, pin: str = PIN, number: int = 1) -> tuple[OperatorSession, str]:
    return operators.operator_sign_on(terminal=terminal, number=number, pin=pin)


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


def test_wrong_pins_lock_and_the_lock_ends(
    terminal: tuple[BareTerminal, str], operator: Operator
) -> None:
    bare, _ = terminal
    for _ in range(ATTEMPTS_BEFORE_LOCK):
        with pytest.raises(PinRefused):
            sign_on(bare, "999991")
    for pin in (PIN, "999991"):
        with pytest.raises(PinLocked):
            sign_on(bare, pin)
    factories.time_pass(seconds=LOCK_LENGTH.total_seconds() - 5)
    with pytest.raises(PinLocked):
        sign_on(bare)
    factories.time_pass(seconds=6)
    sign_on(bare)
    for _ in range(ATTEMPTS_BEFORE_LOCK - 1):
        with pytest.raises(PinRefused):
            sign_on(bare, "999991")
    sign_on(bare)


def test_a_refused_pin_is_counted_for_good(own_database: Database) -> None:
    place = factories.point()
    bare = BareTerminal(place.terminal.pk, place.premises.pk, place.premises.kind)
    for attempt in (1, 2):
        with pytest.raises(PinRefused):
            sign_on(bare, "999991", place.operator.number)
        assert Operator.objects.get().failed_attempts == attempt


def test_an_unknown_operator_costs_a_hash(
    terminal: tuple[BareTerminal, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spent: list[str] = []
    original: Any = operators.make_password

    def counted(pin: str) -> str:
        spent.append(original(pin))
        return spent[-1]

    monkeypatch.setattr(operators, "make_password", counted)
    with pytest.raises(PinRefused):
        sign_on(terminal[0], number=404)
    assert [encoded.split("$")[0] for encoded in spent] == ["argon2"]


def test_only_sign_on_pays_for_the_hash(
    terminal: tuple[BareTerminal, str], operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare, token = terminal
    credentials = TerminalCredentials.of(token, sign_on(bare)[1])

    def never(*_: object) -> bool:
        raise AssertionError("a hash was spent")

    monkeypatch.setattr(operators, "check_password", never)
    terminal_actor(credentials)
    bare_terminal(credentials)
