"""Provide premises, an enrolled terminal and an operator."""

import pytest

from core.premises import operators, services
from core.premises.access import (
    BareTerminal,
)
from core.premises.models import (
    Operator,
    Premises,
)
from core.premises.openings import NewPremises
from core.staff.actor import StaffActor
from core.staff.powers import Role
from tests.support import factories

PIN = "271828"
GIVEN = "141421"
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
    factories.opened(by, premises=[NewPremises(**BAR)])
    return Premises.objects.get()


@pytest.fixture
def terminal(by: StaffActor, bar: Premises) -> tuple[BareTerminal, str]:
    """An enrolled terminal of the bar, and its token."""
    code = factories.enrolment_code(bar, "T1")
    enrolled, token = services.terminal_enrol(code=code, public_key=factories.KEY.public)
    return BareTerminal(enrolled.pk, bar.pk, bar.kind), token.text


@pytest.fixture
def operator(by: StaffActor, bar: Premises, terminal: tuple[BareTerminal, str]) -> Operator:
    """An operator of the bar, who has chosen their PIN."""
    person = {"number": 1, "name": "Biel", "pin": GIVEN}
    registered = operators.operator_register(by=by, premises=bar.code, **person)
    operators.operator_pin_choose(terminal=terminal[0], number=1, pin=GIVEN, new_pin=PIN)
    registered.refresh_from_db()
    return registered
