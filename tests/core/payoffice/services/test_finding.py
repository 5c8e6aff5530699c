"""Documents found by code, claim, UUID and receipt."""

import datetime
import uuid

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from core.database import clock
from core.kernel import codes
from core.kernel.codes import CodeForged, CodeMalformed, CodeMistyped
from core.kernel.errors import DomainError
from core.kernel.regulation import Bearer
from core.payoffice import sources
from core.payoffice.models import Claim
from core.payoffice.services import finding
from core.payoffice.services.presenting import presentation_make
from core.payoffice.sources import DocumentUnknown
from core.premises.access import (
    OperatorSessionExpired,
    OperatorSessionUnknown,
    TerminalCredentials,
    TerminalRevoked,
    TerminalUnknown,
    TokenExpired,
    TokenReplaced,
)
from core.premises.models import Game, OperatorSession, Terminal
from core.premises.services import terminal_roll
from tests.support import factories
from tests.support import paying as given
from tests.support.api import Api
from tests.support.factories.places import TOKEN_DAYS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.mark.article("14.III.10.3")
def test_a_code_a_uuid_and_a_claim_lead_to_the_same_document() -> None:
    (won,) = given.worth(500)
    payable = finding.by_code(won.code)
    assert (payable.uuid, payable.amount_cents) == (won.ticket.uuid, 500)
    assert finding.by_uuid(Game.LOTOTROT, won.ticket.uuid) == payable
    presentation = presentation_make(at=factories.point().actor, code=won.code)
    assert finding.by_claim(presentation.claim) == payable
    source = finding.source_of(payable)
    assert (source.game, source.bearer) == (Game.LOTOTROT, Bearer.TICKET)


def test_a_code_that_is_wrong_or_of_no_document_says_so() -> None:
    (won,) = given.worth(500)
    mistyped = won.code[:-1] + ("0" if won.code[-1] != "0" else "1")
    wrong: list[tuple[str, type[DomainError]]] = [
        ("1ABC", CodeMalformed),
        (mistyped, CodeMistyped),
        (given.forged_code(), CodeForged),
        (given.unknown_code(), DocumentUnknown),
    ]
    for code, error in wrong:
        with pytest.raises(error):
            finding.by_code(code)
    for game in (Game.LOTOTROT, "roulette"):
        with pytest.raises(DocumentUnknown):
            finding.by_uuid(game, uuid.uuid4())


def test_an_invented_code_is_refused_alike_and_unasked_whatever_it_is_near_to(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    """Neither its time nor its bytes tell of a voucher of that day, or of that body."""
    voucher, _ = given.bicycles()
    genuine = "".join(voucher.code.split("-"))
    others = {
        "day": genuine[:3] + "0" * 20,
        "body": genuine[:19] + "0000",
        "none": "1ZZ" + "0" * 20,
    }
    answers = set()
    for near, text in others.items():
        invented = text + codes._check(text)
        with django_assert_num_queries(0), pytest.raises(CodeForged):
            finding.by_code(invented)
        answer = Api().post("check", {"code": invented})
        answers.add(answer.content.replace(answer.json()["request_id"].encode(), b""))
        assert near and invented != genuine
    assert len(answers) == 1


def test_the_current_claim_follows_the_acts_on_the_document() -> None:
    won, torn = given.worth(500, 600)
    payable = finding.by_code(won.code)
    untouched = finding.current_claim(payable)
    assert (untouched.state, untouched.deposit) == (None, None)
    assert untouched.today == datetime.date(2030, 3, 3)
    assert finding.claim_of(payable) is None
    presentation_make(at=factories.point().actor, code=won.code)
    assert finding.current_claim(payable).state == Claim.State.PRESENTED
    deposit = given.deposited(torn.code, factories.point().actor)
    current = finding.current_claim(finding.by_code(torn.code))
    assert (current.state, current.deposit) == (Claim.State.HELD, deposit.uuid)


@pytest.mark.article("14.III.10.5")
def test_a_deposit_leads_to_its_claim_once_it_is_matched() -> None:
    (won,) = given.worth(500)
    place = factories.point()
    matched = given.deposited(won.code, place.actor)
    claim = finding.claim_of_deposit(matched.uuid)
    assert claim.document_id == won.ticket.pk
    match = finding.standing_match(claim)
    assert match is not None and match.deposit == matched
    unmatched = given.deposited("", place.actor, "unreadable")
    for receipt in (unmatched.uuid, uuid.uuid4()):
        with pytest.raises(DocumentUnknown):
            finding.claim_of_deposit(receipt)


@pytest.mark.article("14.III.10.2")
def test_one_statement_finds_at_a_terminal_what_several_find() -> None:
    won, lost, printed, torn = given.worth(500, 0, 600, 700)
    presentation_make(at=factories.point().actor, code=printed.code)
    receipt = given.deposited(torn.code, factories.point().actor).uuid
    here = factories.point()
    claims = [(won, None, None), (lost, None, None), (printed, "presented", None)]
    for each, state, deposit in [*claims, (torn, "held", receipt)]:
        actor, document = finding.at_terminal(here.credentials, each.code)
        assert actor == here.actor
        assert document is not None
        assert document.details is None
        _, checked = finding.at_terminal(here.credentials, each.code, with_details=True)
        assert checked is not None
        assert checked.payable == document.payable
        assert checked.details == finding.source_of(document.payable).details(each.ticket.pk)
        assert document.payable == finding.by_code(each.code)
        assert (document.current.state, document.current.deposit) == (state, deposit)
        assert document.current.today == finding.current_claim(document.payable).today
        assert document.authorised


@pytest.mark.article("14.I.6")
def test_what_is_found_tells_an_authorisation_that_the_premises_lack() -> None:
    (won,) = given.worth(500)
    only_instant = factories.point(factories.premises(authorised=("promotrot",)))
    _, document = finding.at_terminal(only_instant.credentials, won.code)
    assert document is not None
    assert not document.authorised


def test_a_terminal_that_is_not_known_is_refused_whatever_code_it_presents() -> None:
    (won,) = given.worth(500)
    here = factories.point()
    stranger = TerminalCredentials.of("no-token", here.session_token)
    signed_off = TerminalCredentials.of(here.token, "no-session")
    for code in (won.code, "1ABC", given.forged_code(), given.unknown_code()):
        with pytest.raises(TerminalUnknown):
            finding.at_terminal(stranger, code)
        with pytest.raises(OperatorSessionUnknown):
            finding.at_terminal(signed_off, code)


def test_a_rolled_token_is_taken_at_its_first_check_and_the_old_one_is_refused() -> None:
    (won,) = given.worth(500)
    here = factories.point()
    new = TerminalCredentials.of(terminal_roll(terminal=here.bare).text, here.session_token)
    assert finding.at_terminal(new, won.code) == (here.actor, None)  # left to `by_code`, once
    _, document = finding.at_terminal(new, won.code)
    assert document is not None
    with pytest.raises(TokenReplaced):
        finding.at_terminal(here.credentials, won.code)


def test_a_terminal_that_may_not_act_is_refused_a_document_that_is_there() -> None:
    (won,) = given.worth(500)
    here, gone = factories.point(), factories.point()
    Terminal.objects.filter(pk=gone.terminal.pk).update(revoked_at=clock.now())
    with pytest.raises(TerminalRevoked):
        finding.at_terminal(gone.credentials, won.code)
    OperatorSession.objects.filter(pk=here.session.pk).update(ended_at=clock.now())
    with pytest.raises(OperatorSessionExpired):
        finding.at_terminal(here.credentials, won.code)
    factories.time_pass(days=TOKEN_DAYS)
    with pytest.raises(TokenExpired):
        finding.at_terminal(here.credentials, won.code)


def test_a_code_that_finds_nothing_is_left_to_the_search_that_says_why() -> None:
    here = factories.point()
    for code in ("1ABC", given.forged_code(), given.unknown_code()):
        assert finding.at_terminal(here.credentials, code) == (here.actor, None)


@pytest.mark.article("14.I.6")
def test_an_authorisation_is_looked_up_by_its_premises_not_among_all_of_the_game() -> None:
    query = sources.of_kind(codes.TICKET).code_query
    first, *rest = finding._at_terminal(query.sql).split("%s")
    text = first + "".join(f"${n}{part}" for n, part in enumerate(rest, start=1))
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute(f"PREPARE at_terminal (bytea, bytea, text, bytea, text) AS {text}")
        cursor.execute("EXPLAIN EXECUTE at_terminal ('', '', 'lototrot', '', 'lototrot')")
        plan = "\n".join(row[0] for row in cursor.fetchall())
        cursor.execute("DEALLOCATE at_terminal")
    assert "Index Cond: (premises_id = t.premises_id)" in plan, plan
    assert "authorisation_lototrot_alone" not in plan


def test_a_scanned_text_is_a_receipt_by_its_32_hexadecimal_digits_alone() -> None:
    (won,) = given.worth(500)
    receipt = uuid.uuid4()
    for text in (str(receipt), f" {str(receipt).upper()} ", str(receipt).replace("-", "'")):
        assert finding.scanned(text) == {"deposit": receipt}
    for text in (won.code, won.code.replace("-", ""), "", f"{receipt}0", str(receipt)[:-1]):
        assert finding.scanned(text) == {"code": text}
