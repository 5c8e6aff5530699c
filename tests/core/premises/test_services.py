"""Terminals enrol and end, and authorisations end, by their services."""

import dataclasses
from datetime import timedelta

import pytest

from core.database import clock
from core.database.tokens import token_digest
from core.premises import services
from core.premises.access import (
    BareTerminal,
    TerminalCredentials,
    TerminalRevoked,
    TerminalUnknown,
    bare_terminal,
)
from core.premises.models import (
    Authorisation,
    Enrolment,
    Game,
    Premises,
    Terminal,
)
from core.premises.openings import CODE_LENGTH, NewAuthorisation, enrolment_code
from core.premises.services import AuthorisationUnknown, EnrolmentRefused, TerminalNotFound
from core.staff.actor import StaffActor
from core.traffic.limits import Throttled
from tests.support import factories

KEY = factories.KEY.public


def authorised(by: StaffActor, *, hours: float, until: float | None = None) -> Authorisation:
    now = clock.now()
    new = NewAuthorisation(
        premises="P1",
        game=Game.LOTOTROT,
        valid_from=now + timedelta(hours=hours),
        valid_until=None if until is None else now + timedelta(hours=until),
        reference="CAIB 1",
    )
    factories.opened(by, authorisations=[new])
    return Authorisation.objects.latest("pk")


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


def test_a_terminal_fetches_its_token_once(bar: Premises) -> None:
    code = factories.enrolment_code(bar, "T1")
    assert Terminal.objects.get().token_digest is None
    terminal, token = services.terminal_enrol(code=code, public_key=KEY)
    assert len(token.text) >= 43  # 256 bits in base64
    assert bytes(Terminal.objects.get().token_digest) == token_digest(token.text)
    for again in (code, "no such code", ""):
        with pytest.raises(EnrolmentRefused):
            services.terminal_enrol(code=again, public_key=KEY)
    assert code.encode() not in bytes(Enrolment.objects.get().code_digest)
    credentials = TerminalCredentials.of(token.text, "")
    assert bare_terminal(credentials) == BareTerminal(terminal.pk, bar.pk, "establishment")


def test_an_enrolment_code_expires(bar: Premises) -> None:
    code = factories.enrolment_code(bar, "T1")
    factories.time_pass(seconds=CODE_LENGTH.total_seconds() + 1)
    with pytest.raises(EnrolmentRefused):
        services.terminal_enrol(code=code, public_key=KEY)


def test_only_the_newest_code_of_a_terminal_serves(by: StaffActor, bar: Premises) -> None:
    """A code that was sent and lost is worth nothing once another was asked for."""
    lost = factories.enrolment_code(bar, "T1")
    newest = enrolment_code(by=by, terminal="T1")
    with pytest.raises(EnrolmentRefused):
        services.terminal_enrol(code=lost, public_key=KEY)
    services.terminal_enrol(code=newest, public_key=KEY)
    with pytest.raises(EnrolmentRefused):
        services.terminal_enrol(code=lost, public_key=KEY)


def test_a_sale_is_enough_to_take_the_new_token(db: None) -> None:
    contest, place = factories.contest(), factories.point()
    token = services.terminal_roll(terminal=place.bare).text
    assert factories.sell(contest, dataclasses.replace(place, token=token)).outcome == "sold"
    assert factories.sell(contest, place).outcome == "token_replaced"
    enrolled_again = services.terminal_roll(terminal=place.bare).text
    code = factories.enrolment_code(place.premises, place.terminal.code)
    services.terminal_enrol(code=code, public_key=KEY)
    with pytest.raises(TerminalUnknown):  # what was rolled before ends with what it was rolled by
        bare_terminal(TerminalCredentials.of(enrolled_again, ""))


def test_a_terminal_gets_a_bounded_number_of_tokens(
    terminal: tuple[BareTerminal, str],
) -> None:
    """Each leaves rows for ever: no terminal, stolen or not, fills the disk with them."""
    for _ in range(services.ROLLS.burst):
        services.terminal_roll(terminal=terminal[0])
    with pytest.raises(Throttled):
        services.terminal_roll(terminal=terminal[0])


def test_asking_for_a_code_leaves_the_terminal_at_work(
    bar: Premises, terminal: tuple[BareTerminal, str]
) -> None:
    factories.enrolment_code(bar, "T1")
    assert bare_terminal(TerminalCredentials.of(terminal[1], "")) == terminal[0]


def test_a_revoked_terminal_is_revoked_for_good(
    by: StaffActor, bar: Premises, terminal: tuple[BareTerminal, str]
) -> None:
    code = factories.enrolment_code(bar, "T1")
    first = services.terminal_revoke(by=by, terminal="T1")
    factories.time_pass(seconds=5)
    assert services.terminal_revoke(by=by, terminal="T1").revoked_at == first.revoked_at
    with pytest.raises(TerminalRevoked):
        bare_terminal(TerminalCredentials.of(terminal[1], ""))
    for each in (code, enrolment_code(by=by, terminal="T1")):
        with pytest.raises(EnrolmentRefused):
            services.terminal_enrol(code=each, public_key=KEY)
    with pytest.raises(TerminalNotFound):
        services.terminal_revoke(by=by, terminal="T2")
