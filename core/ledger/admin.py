"""Show accounts and transfers in the admin.

A balance is a sum over transfers, so only the page of one account computes it.
"""

import uuid
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from core.admin_support.columns import listed, money
from core.admin_support.documents import as_html
from core.admin_support.readonly import ReadOnlyAdmin
from core.journal.selectors import MOST_OF_A_TABLE
from core.ledger import powers
from core.ledger.blocks import ACCOUNTS
from core.ledger.models import Account, OpeningBalance, Transfer
from core.ledger.services import AccountCode, balance_cents
from core.ledger.titles import title_of


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    quick = ("code__startswith",)
    columns = ("code", "side", "opened_at")
    shown = ("code", "side", "balance", "opened_at", "transfers")
    list_filter = ("side",)
    search_fields = ("code__startswith",)
    search_help_text = _("The beginning of the account's code.")
    ordering = ("code",)
    read_power = powers.READ

    @admin.display(description=_("balance"))
    def balance(self, row: Account) -> str:
        return money(balance_cents(AccountCode(row.code, Account.Side(row.side))))

    @admin.display(description=_("transfers"))
    def transfers(self, row: Account) -> str:
        return listed(Transfer, _("See them"), q=row.code)


@admin.register(OpeningBalance)
class OpeningBalanceAdmin(ReadOnlyAdmin):
    columns = ("ends_at", "up_to", "accounts")
    shown = ("ends_at", "up_to", "block", "sums")
    search_fields = ("block",)
    search_help_text = _("The code of an account.")
    sortable_by = ()
    read_power = powers.READ

    @admin.display(description=_("accounts"))
    def accounts(self, row: OpeningBalance) -> int:
        return len(row.by_account())

    @admin.display(description=_("opening balances"))
    def sums(self, row: OpeningBalance) -> SafeString:
        sums = row.by_account()
        accounts = Account.objects.in_bulk(sums)
        return as_html(
            [
                {
                    "account": str(accounts[ident]),
                    "debit_cents": debit,
                    "credit_cents": credit,
                    "balance_cents": accounts[ident].on_its_side(debit - credit),
                    "transfers": transfers,
                }
                for ident, (debit, credit, transfers) in sums.items()
            ]
        )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search by the code of an account: its block is found by its id."""
        term = search_term.strip()
        if not term:
            return queryset, False
        account = Account.objects.filter(code=term).first()
        return queryset.filter(block=account.pk // ACCOUNTS) if account else queryset.none(), False


@admin.register(Transfer)
class TransferAdmin(ReadOnlyAdmin):
    quick = ("reference",)
    asks = ("at", "debit", "credit", "amount_cents")
    summed = ("amount_cents",)
    numbered_by = "at"
    columns = ("id", "at", "title", "debit", "credit", "amount_cents", "reference")
    search_fields = ("reference",)
    search_help_text = _("The reference of an act, or the code of an account.")
    sortable_by = ()
    read_power = powers.READ

    @admin.display(description=_("kind"))
    def title(self, row: Transfer) -> str:
        return title_of(row.kind)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search by reference or by account code; indexes cover both."""
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            return queryset.filter(reference=uuid.UUID(term)), False
        except ValueError:
            account = Account.objects.filter(code=term).first()
            return queryset.filter(Q(debit=account) | Q(credit=account)), False


def story(request: HttpRequest, row: Any) -> list[Transfer]:
    """Return the transfers that were posted under the UUID of a row."""
    reference = getattr(row, "uuid", None)
    if reference is None:
        return []
    return list(Transfer.objects.filter(reference=reference).order_by("pk")[:MOST_OF_A_TABLE])
