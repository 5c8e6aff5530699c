"""Record over the API what the bank paid for voided cheques, and what becomes of the losses."""

from uuid import UUID

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Cents, Choice, Day, Instant, Shape, Text, Uuid
from core.api.views import StaffView
from core.payoffice import powers
from core.payoffice.models import ChequeRecovery, VoidedChequePayment
from core.payoffice.services import cheques, recovering
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending


class BankPaymentOut(Shape):
    uuid = Uuid()
    presented_on = Day()
    outcome = Choice(VoidedChequePayment.Outcome.values)


class LossEntryOut(Shape):
    uuid = Uuid()
    reversed_at = Instant(allow_null=True, help_text="When it was taken back.")
    reversed_reason = serializers.CharField()


class RecoveryOut(LossEntryOut):
    amount_cents = Cents()
    credited_on = Day()
    reference = serializers.CharField()
    returned_by = Choice(ChequeRecovery.Giver.values)


class WriteOffOut(LossEntryOut):
    amount_cents = Cents()
    reason = serializers.CharField()
    recorded_at = Instant()


class BankPaymentIn(Shape):
    amount_cents = Cents(min_value=1)
    presented_on = Day()
    outcome = Choice(
        VoidedChequePayment.Outcome.values,
        help_text="`settled`: the payee has the money. `loss`: another has it.",
    )
    reason = Text(max_length=200)


class RecoveryIn(Shape):
    amount_cents = Cents(min_value=1)
    credited_on = Day()
    reference = Text(max_length=120, help_text="The bank's, of the credit. It is recorded once.")
    returned_by = Choice(ChequeRecovery.Giver.values)


class WriteOffIn(Shape):
    amount_cents = Cents(min_value=1)
    reason = Text(max_length=200)


class LossReversalIn(Shape):
    reason = Text(max_length=200)


class ChequeBankPayment(StaffView):
    @operation(
        "Propose to record that the bank paid a voided cheque; another person confirms",
        body=BankPaymentIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            cheques.ChequeUnknown,
            cheques.ChequeNotVoided,
            cheques.ChequeAmountDiffers,
            cheques.ChequeDayWrong,
            cheques.ChequeReplaced,
            cheques.ChequeSettled,
            cheques.ReasonNeeded,
            ProposalPending,
        ),
        example={
            "amount_cents": 250000,
            "presented_on": "2026-11-20",
            "outcome": "loss",
            "reason": "Stolen; reported to the police.",
        },
        power=powers.ISSUE_CHEQUES,
    )
    def post(self, request: Request, number: int) -> HttpResponse:
        return self.accepted_once(
            ProposalOut,
            cheques.voided_cheque_paid,
            by=self.by,
            number=number,
            **self.read(BankPaymentIn),
        )


class ChequeRecoveries(StaffView):
    @operation(
        "Propose to record that a loss by a voided cheque was given back; another person confirms",
        body=RecoveryIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            cheques.ChequeUnknown,
            recovering.ChequeNotLost,
            recovering.RecoveryAmountWrong,
            recovering.RecoveryDayWrong,
            recovering.RecoveryRecorded,
            recovering.RecoveryReferenceMissing,
            ProposalPending,
        ),
        example={
            "amount_cents": 100000,
            "credited_on": "2026-11-27",
            "reference": "TR 2026-331",
            "returned_by": "insurer",
        },
        power=powers.ISSUE_CHEQUES,
    )
    def post(self, request: Request, number: int) -> HttpResponse:
        return self.accepted_once(
            ProposalOut, recovering.loss_recover, by=self.by, number=number, **self.read(RecoveryIn)
        )


class ChequeWriteOffs(StaffView):
    @operation(
        "Propose to write off a loss by a voided cheque; an organiser confirms",
        body=WriteOffIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            cheques.ChequeUnknown,
            recovering.ChequeNotLost,
            recovering.WriteOffAmountWrong,
            cheques.ReasonNeeded,
            ProposalPending,
        ),
        example={"amount_cents": 150000, "reason": "The court closed the case."},
        power=powers.ISSUE_CHEQUES,
    )
    def post(self, request: Request, number: int) -> HttpResponse:
        return self.accepted_once(
            ProposalOut,
            recovering.loss_write_off,
            by=self.by,
            number=number,
            **self.read(WriteOffIn),
        )


class LossEntryReversal(StaffView):
    @operation(
        "Propose to take back an entry about a voided cheque; another person confirms",
        "It is the `uuid` of a bank payment, a recovery or a write-off of a cheque. A counter entry"
        " is posted. A bank payment is taken back last (`loss_entries_stand`).",
        body=LossReversalIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            recovering.LossEntryUnknown,
            recovering.LossEntryReversed,
            recovering.LossEntriesStand,
            cheques.ReasonNeeded,
            ProposalPending,
        ),
        example={"reason": "The credit was of another cheque."},
        power=powers.ISSUE_CHEQUES,
    )
    def post(self, request: Request, ident: UUID) -> HttpResponse:
        return self.accepted_once(
            ProposalOut,
            recovering.loss_entry_reverse,
            by=self.by,
            entry=ident,
            **self.read(LossReversalIn),
        )
