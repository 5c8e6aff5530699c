"""Compose the office's papers: status slips, receipts, cheques, documents for prizes in kind."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice.judging import TO_BE_PAID, UNTOUCHED, DocumentState
from core.payoffice.models import Cheque, Deposit, Exchange, Payment, Presentation
from core.payoffice.models.payments import MEANS, PLACES
from core.payoffice.services import finding
from core.payoffice.services.checking import Checked
from core.payoffice.services.personal_data import payee_decrypt
from core.payoffice.sources import Payable
from core.premises.models import Game, Premises
from core.proofs.head import with_head
from core.receipts.document import (
    Align,
    Block,
    Document,
    Emphasis,
    Line,
    Notice,
    Pair,
    Qr,
    Rule,
    Spacer,
    Title,
)
from core.receipts.formats import format_cents, format_date, format_moment
from core.receipts.spelling import amount_in_words

STATES: Mapping[DocumentState, str | Promise] = {
    DocumentState.SOLD: gettext_lazy("Sold; nothing decided yet"),
    DocumentState.VOID: gettext_lazy("Void"),
    DocumentState.NO_PRIZE: gettext_lazy("No prize"),
    DocumentState.PRIZE: gettext_lazy("Prize"),
    DocumentState.REFUND_DUE: gettext_lazy("Refund due"),
    DocumentState.PRESENTED: gettext_lazy("Presented"),
    DocumentState.DEPOSITED: gettext_lazy("Deposited"),
    DocumentState.BLOCKED: gettext_lazy("Held"),
    DocumentState.GRANTED: gettext_lazy("Granted"),
    DocumentState.PAID: gettext_lazy("Paid"),
    DocumentState.EXCHANGED: gettext_lazy("Exchanged for the prize in kind"),
    DocumentState.LAPSED: gettext_lazy("Lapsed"),
    DocumentState.REFUSED: gettext_lazy("Refused"),
}
_PLACES = dict(PLACES)
_MEANS = dict(MEANS)


def status_slip(checked: Checked, language: str) -> Document:
    """Return the player's slip about a document: its state, where, when and how it is paid."""
    with override(language):
        payable = checked.payable
        blocks: list[Block] = [
            Title(_("Status")),
            Line(Game(payable.game).label, Align.CENTRE),
            Line(str(STATES[checked.state]), Align.CENTRE, Emphasis.LARGE),
        ]
        if checked.owed_cents:
            cents = format_cents(checked.owed_cents, language)
            blocks.append(Pair(_("Amount"), cents, Emphasis.LARGE))
        if checked.state in TO_BE_PAID and checked.rule is not None:
            blocks += _where(checked, language)
        if checked.presentable and not checked.owed_cents:
            sentence = _("It can be presented or deposited now, so that it never lapses.")
            blocks.append(Notice(sentence))
        blocks += [Rule(), *finding.source_of(payable).blocks(payable.document_id), Rule()]
        blocks += [
            Line(str(payable.uuid), Align.CENTRE),
            Pair(_("Checked"), format_moment(clock.now(), language)),
            Notice(_("This slip is no ticket: only the ticket or voucher itself is paid.")),
        ]
    return _slip(language, blocks)


def _where(checked: Checked, language: str) -> Iterable[Block]:
    payable, rule = checked.payable, checked.rule
    if rule is None:
        return
    if payable.first_pay_day:
        yield Pair(_("From"), format_date(payable.first_pay_day, language))
    lapses = checked.state in UNTOUCHED
    if payable.last_claim_day and lapses:
        yield Pair(_("Last day"), format_date(payable.last_claim_day, language))
    for place in rule.allowed:
        duty = _("Must pay it") if place in rule.payers.must else _("May pay it")
        yield Pair(duty, str(_PLACES[place.value]))
    if rule.payers.issuer_must:
        yield Pair(_("Must pay it"), _("The premises that issued it"))
    yield Pair(_("How"), str(_MEANS[rule.means.value]))
    if payable.thing is not None:
        yield Line(
            _("Exchanged for the prize in kind, or its value in money, as the winner chooses.")
        )


def payment_receipt(payment: Payment, language: str) -> Document:
    """Return the receipt of a payment, for the bearer."""
    payable = finding.by_claim(payment.claim)
    with override(language):
        blocks = _head(_("Receipt of payment"), payable, payment.uuid, payment.premises)
        blocks += [
            Pair(_("Paid"), format_moment(payment.paid_at, language)),
            Pair(_("How"), str(_MEANS[payment.means])),
            Pair(_("Amount"), format_cents(payment.amount_cents, language), Emphasis.LARGE),
        ]
        blocks += [Pair(_("Cheque"), f"{cheque.number:08d}") for cheque in payment.cheques.all()]
    return _slip(language, blocks)


def presentation_receipt(presentation: Presentation, language: str) -> Document:
    """Return the proof that a document was presented in time [D6]."""
    payable = finding.by_claim(presentation.claim)
    with override(language):
        blocks = _head(
            _("Receipt of presentation"), payable, presentation.uuid, presentation.premises
        )
        blocks.append(Pair(_("Presented"), format_moment(presentation.presented_at, language)))
        if payable.amount_cents:
            cents = format_cents(payable.amount_cents, language)
            blocks.append(Pair(_("Amount"), cents, Emphasis.LARGE))
        else:
            blocks.append(Line(_("Its prize, if any, is known when payment is ordered.")))
        blocks.append(
            Notice(_("Presented in time: it is paid against the ticket, also after its last day."))
        )
    return _slip(language, blocks)


def deposit_receipt(deposit: Deposit, language: str) -> Document:
    """Return the receipt of a deposit; the person who holds it is the bearer (14.III.10.5)."""
    with override(language):
        blocks: list[Block] = [
            Title(_("Receipt of deposit")),
            *_place(deposit.premises),
            Pair(_("Deposited"), format_moment(deposit.deposited_at, language)),
            Pair(_("Reason"), str(deposit.get_reason_display())),
        ]
        if deposit.notes:
            blocks.append(Line(deposit.notes))
        blocks += [
            Qr(str(deposit.uuid)),
            Line(str(deposit.uuid), Align.CENTRE),
            Notice(
                _(
                    "Two persons decide about the document after the period of payment. Keep this"
                    " receipt: what is granted is paid against it."
                )
            ),
        ]
    return _slip(language, blocks)


def exchange_document(exchange: Exchange, language: str) -> Document:
    """Return the document that entitles to the thing (15.III.6.5)."""
    payable = finding.by_claim(exchange.claim)
    with override(language):
        blocks = _head(_("Prize in kind"), payable, exchange.uuid, exchange.premises)
        blocks += [
            Line(exchange.item.description, Align.CENTRE, Emphasis.LARGE),
            Pair(_("Equivalent"), format_cents(exchange.claim.amount_cents, language)),
            Pair(_("Exchanged"), format_moment(exchange.exchanged_at, language)),
            Pair(_("Handed over at"), exchange.movement.premises.name),
            Qr(str(exchange.uuid)),
        ]
    return _slip(language, blocks)


def cheque_document(cheque: Cheque, language: str) -> Document:
    """Return a cheque to print. Raises Erased once its payee is no longer kept."""
    payee = payee_decrypt(cheque.payee)
    with override(language):
        blocks: list[Block] = [
            Title(_("Nominative cheque")),
            Pair(_("Number"), f"{cheque.number:08d}", Emphasis.BOLD),
            Pair(_("Date"), format_date(natural_day(cheque.issued_at), language)),
            Rule(),
            Line(_("Pay to")),
            Line(payee.name, Align.CENTRE, Emphasis.LARGE),
            Pair(_("The amount of"), format_cents(cheque.amount_cents, language), Emphasis.LARGE),
            Line(f"*** {amount_in_words(cheque.amount_cents, language)} ***", Align.CENTRE),
            Rule(),
            Spacer(3),
            Line("_" * 30, Align.CENTRE),
            Line(_("Signature for the organiser"), Align.CENTRE),
            Rule(),
            Line(str(cheque.payment.uuid), Align.CENTRE),
        ]
        if cheque.state == Cheque.State.VOIDED:
            blocks.append(Notice(_("VOID")))
    return _document(language, blocks)


def _head(title: str, payable: Payable, number: UUID, premises: Premises) -> list[Block]:
    return [
        Title(title),
        Line(Game(payable.game).label, Align.CENTRE),
        *_place(premises),
        Pair(_("Receipt"), str(number)),
        Pair(_("Document"), str(payable.uuid)),
    ]


def _place(premises: Premises) -> list[Block]:
    return [
        Line(f"{premises.code} {premises.name}"),
        Line(f"{premises.address}, {premises.municipality}"),
    ]


def _slip(language: str, blocks: Iterable[Block]) -> Document:
    """Return what a bearer takes away: the head of the public log is its last line."""
    return with_head(_document(language, blocks))


def _document(language: str, blocks: Iterable[Block]) -> Document:
    return Document(language=language, blocks=tuple(blocks), simulated=clock.is_simulated())
