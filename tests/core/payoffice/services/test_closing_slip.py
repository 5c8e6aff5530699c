"""The slip of a closed cash session."""

import pytest

from core.kernel.languages import LANGUAGES
from core.payoffice import selectors
from core.payoffice.services import desk
from core.payoffice.services.closing_slip import closing_slip
from core.receipts.formats import format_cents
from core.receipts.text import render
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given

pytestmark = pytest.mark.django_db


def test_the_slip_tells_books_count_difference_reason_and_both_persons() -> None:
    (won,) = given.worth(500)
    who = given.cashier(float_cents=20_000)
    session = given.session_of(who)
    given.cash_taken(who, 3_000)
    desk.desk_pay(by=who, request=won.request())
    given.cash_closed(who, session, 16_490)
    supervisor = factories.staff(Role.SUPERVISOR)
    closed = selectors.closed_session(by=supervisor, ident=session.uuid)
    assert closed.proposal is not None
    for language in LANGUAGES:
        written = " ".join(render(closing_slip(closed, language)).split())
        for cents in (20_000, -3_000, -500, 16_500, 10_000, 16_490, -10):
            assert format_cents(cents, language) in written, (language, cents, written)
        assert "Looked for twice." in written
        assert closed.proposal.decision.decided_by.username in written
    open_one = given.session_of(given.cashier())
    with pytest.raises(selectors.ClosingUnknown):
        selectors.closed_session(by=supervisor, ident=open_one.uuid)
