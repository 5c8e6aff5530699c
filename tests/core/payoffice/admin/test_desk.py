"""The office's desk in the admin: what it shows and offers, and that an act is done once."""

import re
import uuid
from typing import Any

import pytest

from core.payoffice.models import Claim, Deposit, Payment, Presentation
from core.payoffice.services.cash import cash_open
from core.receipts.formats import format_cents
from core.staff.models import Proposal, User
from core.staff.powers import Role
from core.staff.services import actor_of, session_start
from lototrot.models.settlement import Settlement
from lototrot.models.tickets import Ticket
from tests.support import factories, paying
from tests.support.admin_desk import Desk

pytestmark = pytest.mark.django_db
URL = "/admin/office/"


def cashier_at(*, cash: bool = True, float_cents: int = 500_000, **looks: Any) -> Desk:
    desk = Desk(Role.CASHIER, **looks)
    if cash:
        by = actor_of(session_start(user=desk.person, verified=True)[0])
        cash_open(by=by, premises=paying.office().code, float_cents=float_cents)
    return desk


def page_for(desk: Desk, code: str) -> str:
    return str(desk.client.post(URL, {"code": code}).content.decode())


def acts(page: str) -> list[str]:
    return re.findall(r'name="act" value="([a-z_]+)"', page)


def act(desk: Desk, page: str, name: str, **typed: Any) -> str:
    """Send the form of an act as the page offers it. Return the page that answers."""
    (form,) = [f for f in re.findall(r"<form.*?</form>", page, re.S) if f'value="{name}"' in f]
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    return str(desk.client.post(URL, {**hidden, **typed}).content.decode())


@pytest.mark.article("14.III.10.2", "14.III.10.4")
def test_a_prize_is_checked_and_paid_once() -> None:
    (ticket,) = paying.worth(123_45)
    desk = cashier_at()
    page = page_for(desk, ticket.code)
    assert "office-state good" in page and "123.45" in page
    assert acts(page)[0] == "pay"
    assert ticket.code not in desk.client.get(URL).content.decode()
    done = act(desk, page, "pay", intact="on")
    assert "hand the money over" in done
    assert Payment.objects.get().amount_cents == 123_45
    again = act(desk, page, "pay", intact="on")  # the same page sent twice
    assert "hand the money over" in again
    assert Payment.objects.count() == 1
    assert "Already paid" in done and acts(done) == []
    assert "must be paid" in page and "must be paid" not in done
    (paper,) = re.findall(r'href="(/admin/office/payment/[^"]+\.pdf)"', done)
    assert desk.client.get(paper).content.startswith(b"%PDF")


@pytest.mark.article("14.III.10.5")
def test_a_granted_deposit_is_paid_against_its_receipt() -> None:
    """A scanner of another layout types the hyphens of its number as other signs."""
    (ticket,) = paying.worth(123_45)
    receipt = str(paying.deposited(ticket.code, factories.point().actor).uuid)
    desk = cashier_at()
    page = page_for(desk, receipt)
    assert "Being checked" in page and acts(page) == []
    factories.time_pass(days=40)
    paying.ruled(Deposit.objects.get(), "granted")
    desk = cashier_at()
    assert "pay" not in acts(page_for(desk, ticket.code))
    for typed in (receipt.upper().replace("-", "'"), receipt):
        page = page_for(desk, typed)
        assert "Granted" in page and acts(page)[0] == "pay"
    assert "hand the money over" in act(desk, page, "pay", intact="on")
    assert Payment.objects.get().amount_cents == 123_45
    assert "document_unknown" in page_for(desk, str(uuid.uuid4()))


def test_what_is_refused_is_said_and_nothing_is_done() -> None:
    (ticket,) = paying.worth(50_00)
    desk = cashier_at()
    page = page_for(desk, ticket.code)
    refused = act(desk, page, "pay", intact="")
    assert "document_altered" in refused and not Payment.objects.exists()
    unknown = page_for(desk, "1ABC")
    assert "code_malformed" in unknown and acts(unknown) == []
    (sentence,) = re.findall(
        r'role="alert"><p class="office-large">(.*?)</p>(.*?)</div>', unknown, re.S
    )
    assert "code_malformed" not in sentence[0] and "<details" in sentence[1]


def test_a_code_with_an_error_is_given_back_to_be_put_right() -> None:
    """A cashier typed all 24 characters again, with a queue waiting."""
    (ticket,) = paying.worth(50_00)
    desk = cashier_at()
    wrong = ticket.code[:-1] + ("0" if ticket.code[-1] != "0" else "2")
    page = page_for(desk, wrong.lower().replace("-", " "))
    assert "compare each group" in page and f'value="{wrong}"' in page
    assert "Typed: 24 of 24" in page
    assert "Typed: 23 of 24" in page_for(desk, ticket.code[:-1])


@pytest.mark.article("14.III.9.8", "14.III.10.2")
def test_the_desk_says_why_a_prize_is_what_it_is() -> None:
    won, *_others = paying.settled(2, losers=1)
    page = page_for(cashier_at(), won.code)
    (why,) = re.findall(r'<section class="house-panel office-reasons".*?</section>', page, re.S)
    amount = format_cents(won.cents, "en")
    assert f"Why {amount}" in why and "office-state bad" not in why
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", why)
    assert ["2 right", "1 bet", amount, amount] == cells[4:8]
    settlement = Settlement.objects.get(contest=won.contest)
    assert f'href="/admin/lototrot/settlement/{settlement.pk}/change/"' in why
    # It stands under the acts: no button moves when a prize has more categories.
    assert page.index("office-acts") < page.index("office-reasons")
    assert "office-reasons" not in page_for(cashier_at(), paying.refunds(1)[0].code)


@pytest.mark.article("14.III.10.2", "14.III.10.4")
def test_an_empty_drawer_says_what_is_missing_and_pays_once_it_was_brought() -> None:
    (ticket,) = paying.worth(22_40)
    desk = cashier_at(float_cents=10_00)
    page = page_for(desk, ticket.code)
    assert "€12.40 missing: bring cash" in page and "pay" not in acts(page)
    (bring,) = re.findall(r'main" href="(/admin/[^"]+/move/[^"]+)"', page)
    assert "€10.00" in page  # in hand
    done = desk.client.post(bring, {"cents": "12.40", "reason": "From the safe", "do": "1"})
    assert (done.status_code, done["Location"]) == (302, URL)
    page = page_for(desk, ticket.code)
    assert "missing" not in page and acts(page)[0] == "pay"
    assert "hand the money over" in act(desk, page, "pay", intact="on")
    assert Payment.objects.get().amount_cents == 22_40


@pytest.mark.article("14.III.10.2")
def test_what_is_compared_with_the_paper_is_shown_and_a_refusal_is_a_sentence() -> None:
    won, nothing = paying.worth(22_40, 0)
    ticket, desk = Ticket.objects.get(pk=won.ticket.pk), cashier_at()
    page = page_for(desk, won.code)
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert facts["Premises"] == f"{ticket.premises.code} · {ticket.premises.name}"
    assert facts["Bets"] == str(ticket.bets) and facts["Game"] == "Lototrot"
    assert any(name.endswith(" right") for name in facts), facts
    page = page_for(desk, nothing.code)
    assert "The document has no prize." in page and "no_prize" not in page
    # Where *Pay* stood stands nothing that means something else.
    assert 'class="office-button main"' not in page


@pytest.mark.article("14.III.10.6")
def test_a_cheque_asks_for_the_payee() -> None:
    (ticket,) = paying.worth(1_000_01)
    desk = cashier_at()
    page = page_for(desk, ticket.code)
    assert 'name="payee_number"' in page
    payee = {"payee_name": "Maria Ferrer", "payee_kind": "dni", "payee_number": "43123456Z"}
    refused = act(desk, page, "propose_payment", **payee)
    assert "document_altered" in refused
    assert not Proposal.objects.filter(kind="payoffice.payment").exists()
    for typed in ("Maria Ferrer", "43123456Z"):  # and nothing is typed twice
        assert f'value="{typed}"' in refused
    act(desk, refused, "propose_payment", intact="on", **payee)
    paying.confirmed(Proposal.objects.get(kind="payoffice.payment"))
    assert Payment.objects.get().means == "nominative_cheque"


def test_what_is_no_code_is_answered_with_what_to_do() -> None:
    page = page_for(cashier_at(), "   ")
    assert 'role="alert"' in page and "scan the paper again" in page and acts(page) == []


def test_a_large_amount_waits_for_another_person() -> None:
    (ticket,) = paying.worth(300_00)
    desk = cashier_at()
    page = page_for(desk, ticket.code)
    assert acts(page)[0] == "propose_payment"
    assert "another person confirms" in act(desk, page, "propose_payment", intact="on")
    assert not Payment.objects.exists()
    paying.confirmed(Proposal.objects.get(kind__startswith="payoffice"))
    assert Payment.objects.get().amount_cents == 300_00


@pytest.mark.article("14.III.10.5")
def test_without_a_cash_session_one_is_opened_first_and_a_document_is_taken_in() -> None:
    ticket, other = paying.worth(70_00, 10_00)
    desk = cashier_at(cash=False)
    page = page_for(desk, ticket.code)
    assert acts(page) == [] and "/open/?back=" in page
    desk = cashier_at()
    page = page_for(desk, ticket.code)
    done = act(desk, page, "deposit", reason="damaged", notes="Torn in two")
    assert "Taken in for checking" in done and "Being checked" in done
    assert Claim.objects.get().state == Claim.State.HELD
    page = page_for(desk, other.code)
    assert "does not lapse any more" in act(desk, page, "present", intact="on")
    assert Presentation.objects.count() == 1


def test_it_speaks_three_languages_and_is_for_the_office_alone() -> None:
    (ticket,) = paying.worth(10_00)
    for language, word in (("ca", "Premi"), ("es", "Premio"), ("en", "Prize")):
        assert f'office-large">{word}<' in page_for(cashier_at(language=language), ticket.code)
    assert Desk(Role.STEWARDS).client.get(URL).status_code == 403
    looked = page_for(Desk(Role.AUDITOR), ticket.code)
    assert "office-state" in looked and acts(looked) == []
    assert User.objects.filter(roles__contains=["cashier"]).count() == 3
