"""The rows that terminals are known by: what is kept of a token, and what cannot be stored."""

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.premises import services
from core.premises.access import TerminalCredentials, TokenReplaced, bare_terminal
from core.premises.models import FormerToken, OperatorSession, Terminal, TerminalCopy
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_the_digest_of_a_replaced_token_is_kept_and_one_copy_is_one_sign() -> None:
    point = factories.point()
    before = bytes(Terminal.objects.get(pk=point.terminal.pk).token_digest or b"")
    token = services.terminal_roll(terminal=point.bare).text
    assert not FormerToken.objects.exists(), "it serves until the new one is used"
    assert bare_terminal(TerminalCredentials.of(token, "")) == point.bare
    (former,) = FormerToken.objects.all()
    assert (former.terminal, bytes(former.token_digest)) == (point.terminal, before)
    factories.time_pass(minutes=2)
    for _ in range(3):
        with pytest.raises(TokenReplaced):
            bare_terminal(point.credentials)
    assert TerminalCopy.objects.get().terminal == point.terminal


@pytest.mark.parametrize("lacking", ["public_key", "token_expires_at", "enrolled_at"])
def test_no_terminal_has_a_token_without_its_key_and_end(lacking: str) -> None:
    rows = Terminal.objects.filter(pk=factories.point().terminal.pk)
    whole = "terminal_enrolled_whole|no leave to enrol was used"
    with pytest.raises(IntegrityError, match=whole), transaction.atomic():
        rows.update(**{lacking: None})
    with pytest.raises(IntegrityError, match="terminal_rolled_whole"), transaction.atomic():
        rows.update(next_token_digest=b"x" * 32)


def test_a_session_is_of_an_operator_of_the_premises_of_its_terminal() -> None:
    """No key locks the two rows: a trigger asks for them."""
    here, there = factories.point(), factories.point()
    nobody = 987654321
    for number, (terminal, operator) in enumerate(
        (
            (here.terminal.pk, there.operator.pk),
            (there.terminal.pk, here.operator.pk),
            (nobody, here.operator.pk),
            (here.terminal.pk, nobody),
        )
    ):
        with pytest.raises(IntegrityError, match="no operator"), transaction.atomic():
            OperatorSession.objects.create(
                terminal_id=terminal,
                operator_id=operator,
                token_digest=bytes([number]) * 32,
                started_at=clock.now(),
                expires_at=clock.now(),
            )
