"""Serve balances, transfers and the trial balance."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api import pagination
from core.api.schema import operation
from core.api.shapes import (
    Cents,
    Choice,
    Day,
    Instant,
    KnownName,
    PageQuery,
    Shape,
    Text,
    Uuid,
    Whole,
)
from core.api.views import StaffView
from core.kernel.days import DayOutOfRange
from core.ledger import powers, selectors
from core.ledger.models import Account
from core.ledger.openings import LedgerArchived
from core.ledger.titles import kinds


class AccountQuery(PageQuery):
    prefix = Text(max_length=80, default="", help_text="The beginning of the accounts' codes.")
    day = Day(default=None, help_text="As they stood at the end of that day; without it, now.")


class AccountBalanceOut(Shape):
    code = serializers.CharField()
    side = Choice(Account.Side.values, help_text="Where the balance normally stands.")
    debit_cents = Cents()
    credit_cents = Cents()
    balance_cents = Cents(source="cents", help_text="Positive on the account's normal side.")


class TransferQuery(PageQuery):
    account = Text(max_length=80, default="")
    reference = Uuid(default=None)
    kind = KnownName(kinds, max_length=40, default="")


class TransferOut(Shape):
    id = Whole()
    reference = Uuid()
    line = Whole()
    kind = serializers.CharField()
    debit = serializers.CharField(source="debit.code")
    credit = serializers.CharField(source="credit.code")
    amount_cents = Cents()
    at = Instant()


class TrialBalanceOut(Shape):
    accounts = Whole()
    transfers = Whole()
    debit_cents = Cents(help_text="Sum of the balances that stand on the debit side.")
    credit_cents = Cents()
    difference_cents = Cents(help_text="Zero if the books agree.")


class Accounts(StaffView):
    @operation(
        "Balances, by account code",
        answer=AccountBalanceOut,
        paged=True,
        query=AccountQuery,
        problems=(LedgerArchived, DayOutOfRange),
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(AccountQuery)
        page = pagination.page_of(
            lambda after, limit: selectors.account_balances(
                by=self.by,
                prefix=query["prefix"],
                day=query["day"],
                after=after,
                limit=limit,
            ),
            query,
            kind=str,
            position=lambda balance: balance.code,
        )
        return self.page(AccountBalanceOut, *page)


class Transfers(StaffView):
    @operation(
        "Transfers, oldest first",
        answer=TransferOut,
        paged=True,
        query=TransferQuery,
        problems=(selectors.AccountUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(TransferQuery)
        rows = selectors.transfers(
            by=self.by, account=query["account"], reference=query["reference"], kind=query["kind"]
        )
        return self.rows(TransferOut, rows, query)


class TrialBalance(StaffView):
    @operation("The trial balance", answer=TrialBalanceOut, power=powers.READ)
    def get(self, request: Request) -> HttpResponse:
        return self.answer(TrialBalanceOut, selectors.trial_balance(by=self.by))
