"""Credentials: which token, session and kind of premises opens what."""

from collections.abc import Callable

import pytest

from core.kernel.errors import DomainError
from core.ledger import services as ledger
from core.ledger.models import Account
from core.premises import operators, services
from core.premises.access import (
    CAPABILITIES,
    BareTerminal,
    Capability,
    OperatorSessionExpired,
    OperatorSessionUnknown,
    TerminalActor,
    TerminalCannot,
    TerminalCredentials,
    TerminalUnknown,
    TokenReplaced,
    bare_terminal,
    terminal_actor,
)
from core.premises.models import (
    Operator,
    Premises,
)
from core.premises.openings import NewPremises
from core.premises.operators import SESSION_LENGTH, PinRefused
from core.staff.actor import StaffActor
from tests.core.premises.conftest import BAR, PIN
from tests.support import factories


def sign_on(terminal: BareTerminal) -> str:
    """Return the token of a session of operator 1."""
    return operators.operator_sign_on(terminal=terminal, number=1, pin=PIN)[1]


@pytest.mark.article("14.I.1", "14.I.3")
@pytest.mark.parametrize("kind", Premises.Kind.values)
def test_each_kind_of_premises_has_an_account_and_its_own_capabilities(
    by: StaffActor, kind: str
) -> None:
    factories.opened(by, premises=[NewPremises(**(BAR | {"kind": kind}))])
    place = Premises.objects.get()
    assert Account.objects.get().code == ledger.premises_account(place.pk).code
    actor = TerminalActor(1, place.pk, kind, 1, 1)
    sells = kind in ("establishment", "racecourse_point")
    for capability in Capability:
        if capability in CAPABILITIES[kind]:
            actor.need(capability)
        else:
            assert (capability, sells) == (Capability.SELL, False)
            with pytest.raises(TerminalCannot):
                actor.need(capability)


def enrolled_anew(by: StaffActor, terminal: BareTerminal) -> str:
    code = factories.enrolment_code("P1", "T1")
    return services.terminal_enrol(code=code, public_key=factories.KEY.public)[1].text


def rolled(by: StaffActor, terminal: BareTerminal) -> str:
    return services.terminal_roll(terminal=terminal).text


@pytest.mark.parametrize(
    ("renew", "refusal"), [(enrolled_anew, TerminalUnknown), (rolled, TokenReplaced)]
)
def test_a_new_token_ends_the_old_one(
    by: StaffActor,
    terminal: tuple[BareTerminal, str],
    renew: Callable[[StaffActor, BareTerminal], str],
    refusal: type[DomainError],
) -> None:
    bare, old = terminal
    new = renew(by, bare)
    assert bare_terminal(TerminalCredentials.of(new, "")) == bare
    with pytest.raises(refusal):
        bare_terminal(TerminalCredentials.of(old, ""))


def test_a_session_expires_and_ends_with_the_operators_work(
    terminal: tuple[BareTerminal, str], operator: Operator
) -> None:
    bare, _ = terminal
    session = sign_on(bare)
    factories.time_pass(seconds=SESSION_LENGTH.total_seconds() - 5)
    token = services.terminal_roll(terminal=bare)  # the one of the enrolment has expired
    credentials = TerminalCredentials.of(token.text, session)
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
    session_token = sign_on(terminal[0])
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
