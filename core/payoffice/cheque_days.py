"""Write the cheques of a day, and the losses by voided ones, into its day file; replay them."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import F, Model, Q

from core.database import clock
from core.payoffice import postings
from core.payoffice.models import (
    Cheque,
    ChequeRecovery,
    ChequeWriteOff,
    LossEntry,
    VoidedChequePayment,
)
from core.payoffice.services.recovering import Entry, line_of
from core.reports.parts import Event, Replay, Span, nothing, post

Data = Mapping[str, Any]
_ENTRIES: Mapping[str, type[Entry]] = {
    "payoffice.voided_cheque_paid": VoidedChequePayment,
    "payoffice.loss_recovered": ChequeRecovery,
    "payoffice.loss_written_off": ChequeWriteOff,
}


def open_cheques(span: Span) -> Iterator[Cheque]:
    """Yield the cheques that were issued and neither presented nor voided when the day began."""
    stood = Q(state="issued") | Q(reconciled_at__gte=span.since)
    stood |= Q(voiding__decision__decided_at__gte=span.since)
    for cheque in Cheque.objects.filter(stood, issued_at__lt=span.since):
        yield _as_issued(cheque)


def entries_taken_back(span: Span) -> Iterator[Model]:
    """Yield the earlier entries about losses that were taken back on that day, as they stood."""
    for model in _ENTRIES.values():
        earlier = model.objects.filter(within("reversed_at", span), recorded_at__lt=span.since)
        yield from map(_as_recorded, earlier)


def events(span: Span) -> Iterator[Event]:
    """Yield what happened to cheques that day."""
    for cheque in Cheque.objects.filter(within("issued_at", span)):
        yield Event(cheque.issued_at, "payoffice.cheque_issued", _as_issued(cheque), order=2)
    voided = Cheque.objects.annotate(voided_at=F("voiding__decision__decided_at"))
    for cheque in voided.filter(within("voided_at", span)).select_related("voiding"):
        data = {"cheque": cheque.pk, "reason": cheque.void_reason}
        yield Event(cheque.voided_at, "payoffice.cheque_voided", cheque.voiding, data=data, order=2)
    for cheque in Cheque.objects.filter(within("reconciled_at", span)):
        yield Event(
            cheque.reconciled_at or span.since,
            "payoffice.cheque_presented",
            data={"cheque": cheque.pk},
            order=2,
        )
    for kind, model in _ENTRIES.items():
        for entry in model.objects.filter(within("recorded_at", span)):
            yield Event(entry.recorded_at, kind, _as_recorded(entry), order=2)
        for entry in model.objects.filter(within("reversed_at", span)).select_related("reversal"):
            data = {"of": kind, "entry": entry.pk, "reason": entry.reversed_reason}
            at = entry.reversed_at or span.since
            yield Event(at, "payoffice.loss_reversed", entry.reversal, data=data, order=2)


def within(field: str, span: Span) -> Q:
    """Return the condition that the time is on that day."""
    return Q(**{f"{field}__gte": span.since, f"{field}__lt": span.until})


def _as_issued(cheque: Cheque) -> Cheque:
    cheque.state, cheque.voiding, cheque.void_reason = Cheque.State.ISSUED, None, ""
    cheque.presented_on = cheque.reconciled_at = cheque.reconciled_by = None
    return cheque


def _as_recorded(entry: LossEntry) -> LossEntry:
    entry.reversed_at = entry.reversal = None
    entry.reversed_reason = ""
    return entry


def _voided(row: Any, data: Data) -> None:
    """Void the cheque, so that another can stand for its payment."""
    voided = {"state": Cheque.State.VOIDED, "voiding": row, "void_reason": data["reason"]}
    Cheque.objects.filter(pk=data["cheque"]).update(**voided)


def _presented(row: Any, data: Data) -> None:
    cheque = Cheque.objects.get(pk=data["cheque"])
    post("payoffice.cheque", cheque, [postings.cheque_presented(cheque.amount_cents)])


def _entered(row: Any, data: Data) -> None:
    line = line_of(row)
    post(line.kind, row, [line])


def _taken_back(row: Any, data: Data) -> None:
    """Take back an entry, so that the payment or the credit can be recorded again."""
    entries = _ENTRIES[data["of"]].objects.filter(pk=data["entry"])
    entries.update(reversed_at=clock.now(), reversal=row, reversed_reason=data["reason"])
    entry = entries.get()
    line = postings.entry_reversed(line_of(entry))
    post(line.kind, entry, [line])


REPLAYS: Mapping[str, Replay] = {
    "payoffice.cheque_issued": nothing,
    "payoffice.cheque_voided": _voided,
    "payoffice.cheque_presented": _presented,
    **dict.fromkeys(_ENTRIES, _entered),
    "payoffice.loss_reversed": _taken_back,
}
