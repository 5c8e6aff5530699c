"""Premises, authorisations, terminals, operators and suspensions, by their services."""

import dataclasses
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.ledger import services as ledger
from core.ledger.models import Account
from core.premises import services, suspending
from core.premises.access import (
    CAPABILITIES,
    BareTerminal,
    Capability,
    OperatorSessionExpired,
    OperatorSessionUnknown,
    TerminalActor,
    TerminalCannot,
    TerminalCredentials,
    TerminalRevoked,
    TerminalUnknown,
    bare_terminal,
    terminal_actor,
)
from core.premises.models import (
    Authorisation,
    Enrolment,
    Game,
    Operator,
    OperatorSession,
    Premises,
    Suspension,
    Terminal,
)
from core.premises.services import (
    ATTEMPTS_BEFORE_LOCK,
    ENROLMENT_LENGTH,
    LOCK_LENGTH,
    SESSION_LENGTH,
    AuthorisationOverlaps,
    AuthorisationUnknown,
    CodeTaken,
    EnrolmentRefused,
    OperatorInactive,
    OperatorUnknown,
    PeriodBackwards,
    PinLocked,
    PinRefused,
    PinWeak,
    PremisesIncomplete,
    PremisesUnknown,
    TerminalNotFound,
)
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from tests.support import factories
from tests.support.databases import Database

PIN = "271828"
BAR = {
    "code": "P1",
    "name": "Bar",
    "kind": "establishment",
    "address": "Carrer Major 1",
    "municipality": "Palma",
}


@pytest.fixture
def by(db: None) -> StaffActor:
    return factories.staff(Role.ORGANISER)


@pytest.fixture
def bar(by: StaffActor) -> Premises:
    return services.premises_register(by=by, **BAR)


@pytest.fixture
def terminal(by: StaffActor, bar: Premises) -> tuple[BareTerminal, str]:
    """An enrolled terminal of the bar, and its token."""
    _, code = services.terminal_register(by=by, premises=bar.code, code="T1")
    found, token = services.terminal_enrol(code=code)
    return BareTerminal(found.pk, bar.pk, bar.kind), token


@pytest.fixture
def operator(by: StaffActor, bar: Premises) -> Operator:
    return services.operator_register(by=by, premises=bar.code, number=1, name="Biel", pin=PIN)


# --- Premises and authorisations ------------------------------------------------------------------


@pytest.mark.article("14.I.1", "14.I.3")
@pytest.mark.parametrize("kind", Premises.Kind.values)
def test_each_kind_of_premises_has_an_account_and_its_own_capabilities(
    by: StaffActor, kind: str
) -> None:
    place = services.premises_register(by=by, **(BAR | {"kind": kind}))
    assert Account.objects.get().code == ledger.premises_account(place.pk).code
    actor = TerminalActor(1, place.pk, kind, 1, 1)
    sells = kind in ("establishment", "racecourse_point")
    assert place.sells is sells
    for capability in Capability:
        if capability in CAPABILITIES[kind]:
            actor.need(capability)
        else:
            assert (capability, sells) == (Capability.SELL, False)
            with pytest.raises(TerminalCannot):
                actor.need(capability)


def test_a_code_is_one_premises(by: StaffActor, bar: Premises) -> None:
    with pytest.raises(CodeTaken):
        services.premises_register(by=by, **BAR)
    assert Account.objects.count() == 1


@pytest.mark.article("14.II.3")
@pytest.mark.parametrize("blank", ["code", "name", "address"])
def test_premises_that_a_ticket_could_not_name_are_refused(by: StaffActor, blank: str) -> None:
    with pytest.raises(PremisesIncomplete):
        services.premises_register(by=by, **(BAR | {blank: " "}))


def authorised(by: StaffActor, *, hours: float, until: float | None = None) -> Authorisation:
    now = clock.now()
    return services.authorisation_record(
        by=by,
        premises="P1",
        game=Game.LOTOTROT,
        valid_from=now + timedelta(hours=hours),
        valid_until=None if until is None else now + timedelta(hours=until),
        reference="CAIB 1",
    )


@pytest.mark.article("14.I.6")
def test_authorisations_of_a_game_do_not_overlap(by: StaffActor, bar: Premises) -> None:
    authorised(by, hours=0, until=10)
    for start, end in ((-5, 1), (2, 3), (9, None), (-5, None)):
        with pytest.raises(AuthorisationOverlaps):
            authorised(by, hours=start, until=end)
    authorised(by, hours=11)
    services.authorisation_record(
        by=by,
        premises="P1",
        game=Game.PROMOTROT,
        valid_from=clock.now(),
        valid_until=None,
        reference="CAIB 2",
    )
    with pytest.raises(PeriodBackwards):
        authorised(by, hours=-10, until=-11)


@pytest.mark.article("14.I.6")
def test_an_authorisation_ends_now_and_stays_ended(by: StaffActor, bar: Premises) -> None:
    held = authorised(by, hours=-1)
    before = clock.now()
    ended = services.authorisation_end(by=by, authorisation=held.pk)
    assert ended.valid_until is not None
    assert before <= ended.valid_until <= clock.now()
    factories.time_pass(minutes=1)
    again = services.authorisation_end(by=by, authorisation=held.pk)
    assert again.valid_until == ended.valid_until
    with pytest.raises(AuthorisationUnknown):
        services.authorisation_end(by=by, authorisation=held.pk + 1)
    authorised(by, hours=1)


@pytest.mark.article("14.I.6")
@pytest.mark.parametrize("until", [None, 5])
def test_an_authorisation_still_to_begin_never_does(
    by: StaffActor, bar: Premises, until: float | None
) -> None:
    held = authorised(by, hours=2, until=until)
    ended = services.authorisation_end(by=by, authorisation=held.pk)
    assert ended.valid_until == ended.valid_from
    authorised(by, hours=1)


# --- Terminals ------------------------------------------------------------------------------------


def test_a_terminal_fetches_its_token_once(by: StaffActor, bar: Premises) -> None:
    registered, code = services.terminal_register(by=by, premises=bar.code, code="T1")
    assert registered.token_digest is None
    terminal, token = services.terminal_enrol(code=code)
    assert len(token) >= 43  # 256 bits in base64
    assert bytes(Terminal.objects.get().token_digest) == services.token_digest(token)
    for again in (code, "no such code", ""):
        with pytest.raises(EnrolmentRefused):
            services.terminal_enrol(code=again)
    assert code.encode() not in bytes(Enrolment.objects.get().code_digest)
    credentials = TerminalCredentials.of(token, "")
    assert bare_terminal(credentials) == BareTerminal(terminal.pk, bar.pk, "establishment")


def test_an_enrolment_code_expires(by: StaffActor, bar: Premises) -> None:
    _, code = services.terminal_register(by=by, premises=bar.code, code="T1")
    factories.time_pass(seconds=ENROLMENT_LENGTH.total_seconds() + 1)
    with pytest.raises(EnrolmentRefused):
        services.terminal_enrol(code=code)


def test_only_the_newest_code_of_a_terminal_serves(by: StaffActor, bar: Premises) -> None:
    """A code that was sent and lost is worth nothing once another was asked for."""
    _, lost = services.terminal_register(by=by, premises=bar.code, code="T1")
    newest = services.terminal_reenrol(by=by, terminal="T1")
    with pytest.raises(EnrolmentRefused):
        services.terminal_enrol(code=lost)
    services.terminal_enrol(code=newest)
    with pytest.raises(EnrolmentRefused):
        services.terminal_enrol(code=lost)


def enrolled_anew(by: StaffActor, terminal: BareTerminal) -> str:
    return services.terminal_enrol(code=services.terminal_reenrol(by=by, terminal="T1"))[1]


def rolled(by: StaffActor, terminal: BareTerminal) -> str:
    return services.terminal_roll(terminal=terminal)


@pytest.mark.parametrize("renew", [enrolled_anew, rolled])
def test_a_new_token_ends_the_old_one(
    by: StaffActor,
    terminal: tuple[BareTerminal, str],
    renew: Callable[[StaffActor, BareTerminal], str],
) -> None:
    bare, old = terminal
    new = renew(by, bare)
    assert bare_terminal(TerminalCredentials.of(new, "")) == bare
    with pytest.raises(TerminalUnknown):
        bare_terminal(TerminalCredentials.of(old, ""))


def test_a_sale_is_enough_to_take_the_new_token(by: StaffActor) -> None:
    contest, place = factories.contest(), factories.point()
    token = services.terminal_roll(terminal=place.bare)
    assert factories.sell(contest, dataclasses.replace(place, token=token)).outcome == "sold"
    assert factories.sell(contest, place).outcome == "terminal_unknown"
    enrolled_again = services.terminal_roll(terminal=place.bare)
    code = services.terminal_reenrol(by=by, terminal=place.terminal.code)
    services.terminal_enrol(code=code)
    with pytest.raises(TerminalUnknown):  # what was rolled before ends with what it was rolled by
        bare_terminal(TerminalCredentials.of(enrolled_again, ""))


def test_an_operator_who_leaves_sells_no_more(by: StaffActor) -> None:
    contest, place = factories.contest(), factories.point()
    whose = {"premises": place.premises.code, "number": place.operator.number}
    ended = services.operator_deactivate(by=by, **whose)
    assert services.operator_deactivate(by=by, **whose) == ended
    assert not ended.is_active
    assert factories.sell(contest, place).outcome == "operator_session_expired"
    with pytest.raises(PinRefused):
        services.operator_sign_on(terminal=place.bare, number=ended.number, pin=PIN)
    with pytest.raises(OperatorInactive):
        services.operator_pin_reset(by=by, **whose, pin=PIN)
    with pytest.raises(OperatorUnknown):
        services.operator_deactivate(by=by, premises=place.premises.code, number=32_000)
    with pytest.raises(PowerMissing):
        services.operator_deactivate(by=factories.staff(Role.AUDITOR), **whose)


def test_another_pin_opens_what_was_locked(
    by: StaffActor, bar: Premises, terminal: tuple[BareTerminal, str], operator: Operator
) -> None:
    bare, _ = terminal
    session, _ = services.operator_sign_on(terminal=bare, number=1, pin=PIN)
    for _ in range(services.ATTEMPTS_BEFORE_LOCK):
        with pytest.raises(PinRefused):
            services.operator_sign_on(terminal=bare, number=1, pin="000002")
    with pytest.raises(PinLocked):
        services.operator_sign_on(terminal=bare, number=1, pin=PIN)
    with pytest.raises(PinWeak):
        services.operator_pin_reset(by=by, premises=bar.code, number=1, pin="111111")
    services.operator_pin_reset(by=by, premises=bar.code, number=1, pin="314159")
    session.refresh_from_db()
    assert session.ended_at is not None
    with pytest.raises(PinRefused):
        services.operator_sign_on(terminal=bare, number=1, pin=PIN)
    assert services.operator_sign_on(terminal=bare, number=1, pin="314159")


def test_asking_for_a_code_leaves_the_terminal_at_work(
    by: StaffActor, terminal: tuple[BareTerminal, str]
) -> None:
    services.terminal_reenrol(by=by, terminal="T1")
    assert bare_terminal(TerminalCredentials.of(terminal[1], "")) == terminal[0]


def test_a_revoked_terminal_is_revoked_for_good(
    by: StaffActor, terminal: tuple[BareTerminal, str]
) -> None:
    code = services.terminal_reenrol(by=by, terminal="T1")
    first = services.terminal_revoke(by=by, terminal="T1")
    factories.time_pass(seconds=5)
    assert services.terminal_revoke(by=by, terminal="T1").revoked_at == first.revoked_at
    with pytest.raises(TerminalRevoked):
        bare_terminal(TerminalCredentials.of(terminal[1], ""))
    for each in (code, services.terminal_reenrol(by=by, terminal="T1")):
        with pytest.raises(EnrolmentRefused):
            services.terminal_enrol(code=each)
    with pytest.raises(TerminalNotFound):
        services.terminal_revoke(by=by, terminal="T2")


def test_codes_of_terminals_are_unique_and_their_premises_known(
    by: StaffActor, terminal: tuple[BareTerminal, str]
) -> None:
    with pytest.raises(CodeTaken):
        services.terminal_register(by=by, premises="P1", code="T1")
    with pytest.raises(PremisesUnknown):
        services.terminal_register(by=by, premises="P2", code="T2")


# --- Operators ------------------------------------------------------------------------------------

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
        services.operator_register(by=by, premises="P1", number=1, name="Biel", pin=pin)
    assert not Operator.objects.exists()


@pytest.mark.parametrize("pin", ["271828", "112358132134", "121212", "100000"])
def test_other_pins_are_taken_and_kept_as_a_slow_hash(
    by: StaffActor, bar: Premises, pin: str
) -> None:
    operator = services.operator_register(by=by, premises="P1", number=1, name="Biel", pin=pin)
    assert operator.pin.startswith("argon2$argon2id$")
    assert pin not in operator.pin


def sign_on(terminal: BareTerminal, pin: str = PIN, number: int = 1) -> tuple[OperatorSession, str]:
    return services.operator_sign_on(terminal=terminal, number=number, pin=pin)


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
    services.operator_sign_off(session=session.pk)
    with pytest.raises(OperatorSessionExpired):
        terminal_actor(TerminalCredentials.of(token, session_token))
    ended = OperatorSession.objects.get().ended_at
    services.operator_sign_off(session=session.pk)
    assert OperatorSession.objects.get().ended_at == ended


def test_a_session_expires_and_ends_with_the_operators_work(
    terminal: tuple[BareTerminal, str], operator: Operator
) -> None:
    bare, token = terminal
    credentials = TerminalCredentials.of(token, sign_on(bare)[1])
    factories.time_pass(seconds=SESSION_LENGTH.total_seconds() - 5)
    terminal_actor(credentials)
    Operator.objects.filter(pk=operator.pk).update(is_active=False)
    with pytest.raises(OperatorSessionExpired):
        terminal_actor(credentials)
    with pytest.raises(PinRefused):
        sign_on(bare)
    Operator.objects.filter(pk=operator.pk).update(is_active=True)
    factories.time_pass(seconds=6)
    with pytest.raises(OperatorSessionExpired):
        terminal_actor(credentials)


def test_an_operator_works_only_at_their_own_premises_and_terminal(
    by: StaffActor, terminal: tuple[BareTerminal, str], operator: Operator
) -> None:
    _, session_token = sign_on(terminal[0])
    elsewhere = factories.point()
    stranger = BareTerminal(elsewhere.terminal.pk, elsewhere.premises.pk, "establishment")
    with pytest.raises(PinRefused):
        sign_on(stranger)
    beside = factories.point(Premises.objects.get(code="P1"))
    for other in (elsewhere, beside):
        with pytest.raises(OperatorSessionUnknown):
            terminal_actor(TerminalCredentials.of(other.token, session_token))
    with pytest.raises(TerminalUnknown):
        terminal_actor(TerminalCredentials.of("stranger", session_token))


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
    original: Any = services.check_password

    def counted(pin: str, encoded: str) -> bool:
        spent.append(encoded)
        return bool(original(pin, encoded))

    monkeypatch.setattr(services, "check_password", counted)
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

    monkeypatch.setattr(services, "check_password", never)
    terminal_actor(credentials)
    bare_terminal(credentials)


# --- Suspension -----------------------------------------------------------------------------------


def test_a_suspension_is_lifted_once_and_records_by_whom(by: StaffActor, bar: Premises) -> None:
    stop = suspending.sales_suspend(by=by, reason="Line down", premises="P1")
    assert (stop.premises, stop.terminal, stop.suspended_in_id) == (bar, None, by.session_id)
    other = factories.staff(Role.ORGANISER)
    lifted = suspending.sales_resume(by=other, suspension=stop.pk)
    assert lifted.lifted_by_id == other.user_id
    assert lifted.lifted_at is not None
    assert lifted.lifted_at > lifted.since
    for pk in (stop.pk, stop.pk + 1):
        with pytest.raises(suspending.SuspensionUnknown):
            suspending.sales_resume(by=by, suspension=pk)


def test_a_suspension_has_one_scope_that_exists(
    by: StaffActor, terminal: tuple[BareTerminal, str]
) -> None:
    with pytest.raises(suspending.SuspensionScope):
        suspending.sales_suspend(by=by, reason="both", premises="P1", terminal="T1")
    with pytest.raises(PremisesUnknown):
        suspending.sales_suspend(by=by, reason="none", premises="P2")
    with pytest.raises(TerminalNotFound):
        suspending.sales_suspend(by=by, reason="none", terminal="T2")
    assert not Suspension.objects.exists()
    whole = suspending.sales_suspend(by=by, reason="all")
    with pytest.raises(IntegrityError, match="suspension_lifted_whole"), transaction.atomic():
        Suspension.objects.filter(pk=whole.pk).update(lifted_at=clock.now())
