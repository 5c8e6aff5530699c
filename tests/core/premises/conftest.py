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
from core.staff.actor import StaffActor
from core.staff.powers import Role
from tests.support import factories

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
    return operators.operator_register(by=by, premises=bar.code, number=1, name="Biel", pin=PIN)
