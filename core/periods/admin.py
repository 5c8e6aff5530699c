"""Show closed periods in the admin, and let staff propose to close the next month."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.documents import as_html
from core.admin_support.forms import ActForm
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.ledger.blocks import by_account
from core.ledger.models import Account
from core.periods import powers
from core.periods.archive.retiring import retirement_propose
from core.periods.long_work import closing_ask
from core.periods.models import Archive, ClosedPeriod, PeriodBalance, RetiredRows, Retirement
from core.periods.names import names_propose
from core.staff.actor import StaffActor


def _close(by: StaffActor, target: None, data: dict[str, Any]) -> Done:
    work = closing_ask(by=by)
    return Done(_("A worker counts the month, and proposes it then in your name."), row=work)


CLOSE = Act(
    name="close",
    title=_("Propose to close the next month"),
    power=powers.CLOSE,
    run=_close,
    icon="lock_clock",
    text=_("An inspector or auditor confirms it. Its figures are published for ever."),
)


class _Kept(ActForm):
    kept = forms.CharField(
        label=_("Where copies of the archive are kept"), max_length=400, widget=forms.Textarea
    )


def _retire(by: StaffActor, target: ClosedPeriod, data: dict[str, Any]) -> Done:
    retirement_propose(by=by, number=target.number, kept=data["kept"])
    return Done(PROPOSED)


def _is_archived(by: StaffActor, target: ClosedPeriod) -> bool:
    return hasattr(target, "archive") and not hasattr(target, "retirement")


RETIRE = Act(
    name="retire",
    title=_("Propose to retire the rows of its archive"),
    power=powers.RETIRE,
    run=_retire,
    form=_Kept,
    offered=_is_archived,
    icon="inventory_2",
    text=_("What leaves is published for ever. It is deleted here in the next night."),
    danger=True,
)


def _names_erase(by: StaffActor, target: None, data: dict[str, Any]) -> Done:
    return Done(PROPOSED, names_propose(by=by))


ERASE_NAMES = Act(
    name="names",
    title=_("Propose to erase names"),
    power=powers.RETIRE,
    run=_names_erase,
    icon="person_remove",
    text=_(
        "Of staff and operators who left so long ago that their names are not kept any longer."
        " Nobody can read them again."
    ),
    danger=True,
)


class _Balances(ReadOnlyInline):
    model = PeriodBalance
    shown = ("balances",)

    @admin.display(description=_("balance"))
    def balances(self, row: PeriodBalance) -> SafeString:
        held = by_account([(row.block, row.balances_cents)])
        codes = Account.objects.in_bulk(held)
        return as_html(
            [
                {"account": str(codes[ident]), "balance_cents": cents}
                for ident, cents in held.items()
            ]
        )


class _Archives(ReadOnlyInline):
    model = Archive
    shown = ("written_at", "place", "sha256")


class _Retirements(ReadOnlyInline):
    model = Retirement
    shown = ("retired_at", "kept", "entry")


@admin.register(ClosedPeriod)
class ClosedPeriodAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("number", "first_day", "last_day", "closed_at")
    list_acts = (CLOSE, ERASE_NAMES)
    inlines = (_Archives, _Retirements, _Balances)
    acts = (RETIRE,)
    sortable_by = ()


class _Rows(ReadOnlyInline):
    model = RetiredRows
    shown = ("relation", "first_row", "last_row", "count", "leaves", "sha256")


@admin.register(Retirement)
class RetirementAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("period", "retired_at", "kept")
    inlines = (_Rows,)
    sortable_by = ()
