"""Put proposals of the prize office into words: what is paid, exchanged, voided or decided."""

import datetime
from collections.abc import Callable
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import NOTHING, day, link, money
from core.admin_support.contents import ProposalWords
from core.database.reading.batches import row_by, the
from core.payoffice.models import (
    CashSession,
    Cheque,
    ChequeRecovery,
    Claim,
    Deposit,
    Payee,
    Ruling,
    VoidedChequePayment,
)
from core.payoffice.models.payments import MEANS
from core.payoffice.services import cheques, desk, goods, recovering, ruling
from core.premises.models import Game
from core.staff.models import Proposal

Facts = list[tuple[Any, Any]]
_MEANS = dict(MEANS)


# --- What a document is paid or exchanged for -----------------------------------------------------


def _game(proposal: Proposal) -> str:
    return str(Game(proposal.content["game"]).label)


def _payment(proposal: Proposal) -> str:
    content = proposal.content
    return f"{money(content['amount_cents'])} · {_MEANS[content['means']]} · {_game(proposal)}"


def _exchange(proposal: Proposal) -> str:
    return f"{money(proposal.content['amount_cents'])} · {_game(proposal)}"


def _document(proposal: Proposal) -> Facts:
    """Return the document and what it is worth. The UUID is on its receipt and on its page."""
    content = proposal.content
    return [
        (_("game"), _game(proposal)),
        (_("document"), content["document"]),
        (_("amount"), money(content["amount_cents"])),
    ]


def _session(proposal: Proposal) -> Facts:
    content = proposal.content
    deposits = Deposit.objects.filter(uuid=content["deposit"]) if content["deposit"] else ()
    session = CashSession.objects.get(uuid=content["cash_session"])
    received = [(_("deposit"), link(deposit)) for deposit in deposits]
    return [(_("cash session"), link(session)), *received]


def _paid(proposal: Proposal) -> Facts:
    content = proposal.content
    payee = Payee.objects.filter(uuid=content["payee"]).first() if content["payee"] else None
    named = [(_("payee"), link(payee))] if payee else []
    means = (_("means"), _MEANS[content["means"]])
    return [*_document(proposal), means, *named, *_session(proposal)]


def _exchanged(proposal: Proposal) -> Facts:
    return [*_document(proposal), *_session(proposal)]


# --- Cheques, and what the bank paid for voided ones ----------------------------------------------


def _cheque(proposal: Proposal) -> Cheque:
    return the(row_by(Cheque, "number", proposal.content["cheque"]))


def _of_cheque(proposal: Proposal) -> SafeString:
    row = _cheque(proposal)
    cents = proposal.content.get("amount_cents", row.amount_cents)
    return format_html("{} · {}", link(row, f"{row.number:08d}"), money(cents))


def _words_of_cheque(more: Callable[[dict[str, Any]], Facts]) -> ProposalWords:
    """Return the words for proposals about a cheque, with more facts of their content."""

    def facts(proposal: Proposal) -> Facts:
        return [(_("cheque"), _of_cheque(proposal)), *more(proposal.content)]

    return ProposalWords("cheque", _of_cheque, facts)


def _reason(content: dict[str, Any]) -> Facts:
    return [(_("reason"), content["reason"])]


def _payee(content: dict[str, Any]) -> Facts:
    return [(_("payee"), link(Payee.objects.filter(uuid=content["payee"]).first()))]


def _paid_all_the_same(content: dict[str, Any]) -> Facts:
    return [
        (_("presented on"), _day(content["presented_on"])),
        (_("who has the money"), VoidedChequePayment.Outcome(content["outcome"]).label),
        *_reason(content),
    ]


def _given_back(content: dict[str, Any]) -> Facts:
    return [
        (_("credited on"), _day(content["credited_on"])),
        (_("reference"), content["reference"]),
        (_("given back by"), ChequeRecovery.Giver(content["returned_by"]).label),
    ]


def _taken_back(content: dict[str, Any]) -> Facts:
    rows = (model.objects.filter(uuid=content["entry"]).first() for model in recovering.ENTRIES)
    entries = [(row._meta.verbose_name, link(row, row.uuid)) for row in rows if row]
    return [*entries, *_reason(content)]


def _day(written: str) -> str:
    return day(datetime.date.fromisoformat(written))


def _ceiling(proposal: Proposal) -> str:
    words = gettext("%(amount)s from %(day)s on")
    since = _day(proposal.content["in_force_from"])
    return words % {"amount": money(proposal.content["cents"]), "day": since}


def _ceiling_facts(proposal: Proposal) -> Facts:
    content = proposal.content
    return [
        (_("in force from"), _day(content["in_force_from"])),
        (_("cash ceiling"), money(content["cents"])),
        (_("source"), content["source"]),
    ]


# --- What is held ---------------------------------------------------------------------------------


def _verdict(proposal: Proposal) -> str:
    return str(Ruling.Verdict(proposal.content["verdict"]).label)


def _held(proposal: Proposal) -> Facts:
    """Return what is decided about: a deposit, and the document with its claim once matched."""
    content = proposal.content
    deposit = Deposit.objects.filter(uuid=content.get("deposit")).first()
    facts: Facts = [(_("deposit"), link(deposit))] if deposit else []
    if "claim" in content:
        claim = Claim.objects.filter(pk=content["claim"]).first()
        facts += [*_document(proposal), (_("claim"), link(claim) if claim else NOTHING)]
    return facts


def _ruled_about(proposal: Proposal) -> SafeString:
    """Return the verdict with the amount that is held, or the deposit that nobody matched."""
    content = proposal.content
    if "claim" in content:
        about: Any = f"{money(content['amount_cents'])} · {_game(proposal)}"
    else:
        about = link(row_by(Deposit, "uuid", content["deposit"]))
    return format_html("{} · {}", _verdict(proposal), about)


def _ruling(proposal: Proposal) -> Facts:
    yes_no = {True: _("Yes"), False: _("No")}
    names = (("blocked", _("blocked")), ("presented", _("presented")))
    content = proposal.content
    facts = [(title, yes_no[content[name]]) for name, title in names if name in content]
    if "deposits" in content:
        facts.append((_("deposits"), content["deposits"]))
    return [(_("decision"), _verdict(proposal)), *_held(proposal), *facts, *_reason(content)]


WORDS = {
    desk.PAYMENT.name: ProposalWords("means", _payment, _paid),
    goods.EXCHANGE.name: ProposalWords("document", _exchange, _exchanged),
    cheques.VOID.name: _words_of_cheque(_reason),
    cheques.REISSUE.name: _words_of_cheque(_payee),
    cheques.VOIDED_PAYMENT.name: _words_of_cheque(_paid_all_the_same),
    cheques.CASH_CEILING.name: ProposalWords("cents", _ceiling, _ceiling_facts),
    recovering.RECOVERY.name: _words_of_cheque(_given_back),
    recovering.WRITE_OFF.name: _words_of_cheque(_reason),
    recovering.REVERSAL.name: _words_of_cheque(_taken_back),
    ruling.RULING.name: ProposalWords("verdict", _ruled_about, _ruling),
}
