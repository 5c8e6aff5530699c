"""Premises, suspensions and a terminal's own data, as they are read."""

import pytest

from core.database.tokens import token_digest
from core.premises import operators, selectors, services, suspending
from core.premises.access import BareTerminal, Capability
from core.premises.models import Game, Operator, Premises
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from tests.support import factories


def test_premises_are_read_with_all_their_parts(
    by: StaffActor, bar: Premises, terminal: tuple[BareTerminal, str], operator: Operator
) -> None:
    place = selectors.premises_one(by=by, code="P1")
    assert place == bar
    assert [row.code for row in place.terminals.all()] == ["T1"]
    assert list(place.operators.all()) == [operator]
    assert not place.authorisations.all()
    assert list(selectors.premises_list(by=by)) == [bar]
    with pytest.raises(services.PremisesUnknown):
        selectors.premises_one(by=by, code="P2")


@pytest.mark.parametrize("role", [Role.STEWARDS, Role.CASHIER])
def test_the_register_is_read_with_a_power(bar: Premises, role: Role) -> None:
    by = factories.staff(role)
    for read in (
        lambda: selectors.premises_list(by=by),
        lambda: selectors.premises_one(by=by, code="P1"),
        lambda: selectors.suspensions(by=by, in_force=True),
    ):
        with pytest.raises(PowerMissing):
            read()


def test_suspensions_are_read_with_the_lifted_ones_or_without(
    by: StaffActor, bar: Premises
) -> None:
    lifted = suspending.sales_suspend(by=by, reason="Line down", premises="P1")
    suspending.sales_resume(by=by, suspension=lifted.pk)
    in_force = suspending.sales_suspend(by=by, reason="Storm")
    assert list(selectors.suspensions(by=by, in_force=True)) == [in_force]
    assert set(selectors.suspensions(by=by, in_force=False)) == {lifted, in_force}


def test_a_terminal_reads_its_data_and_its_live_session(
    terminal: tuple[BareTerminal, str], operator: Operator
) -> None:
    bare, _ = terminal
    session, token, _ = operators.operator_sign_on(terminal=bare, number=1, pin="271828")
    digest = token_digest(token)
    card = selectors.terminal_card(terminal=bare, session_digest=digest)
    assert (card.terminal.code, card.session) == ("T1", session)
    assert card.capabilities == sorted(Capability)
    assert selectors.terminal_card(terminal=bare, session_digest=b"").session is None
    operators.operator_sign_off(session=session.pk)
    assert selectors.terminal_card(terminal=bare, session_digest=digest).session is None


@pytest.mark.article("14.I.6")
def test_a_sale_is_refused_without_authorisation_and_while_suspended(by: StaffActor) -> None:
    bare = factories.point().bare
    assert selectors.sale_refusal(by=bare, game=Game.LOTOTROT) is None
    stop = suspending.sales_suspend(by=by, reason="Storm")
    assert selectors.sale_refusal(by=bare, game=Game.LOTOTROT) == "sales_suspended"
    suspending.sales_resume(by=by, suspension=stop.pk)
    spent = factories.point(factories.premises(limit_cents=0)).bare
    assert selectors.sale_refusal(by=spent, game=Game.LOTOTROT) == "credit_exhausted"
    without = factories.point(factories.premises(authorised=())).bare
    assert selectors.sale_refusal(by=without, game=Game.LOTOTROT) == "premises_not_authorised"
