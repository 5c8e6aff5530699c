"""Show closed periods in the admin, and let staff propose to close the next month."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import Act, Done
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.periods import powers, services
from core.periods.models import ClosedPeriod, PeriodBalance
from core.staff.actor import StaffActor


def _close(by: StaffActor, target: None, data: dict[str, Any]) -> Done:
    services.period_propose(by=by)
    return Done(_("Proposed; a second person confirms it."))


CLOSE = Act(
    name="close",
    title=_("Propose to close the next month"),
    power=powers.CLOSE,
    run=_close,
    icon="lock_clock",
    text=_("An inspector or auditor confirms it. Its figures are published for ever."),
)


class _Balances(ReadOnlyInline):
    model = PeriodBalance
    shown = ("account", "balance_cents")


@admin.register(ClosedPeriod)
class ClosedPeriodAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("number", "first_day", "last_day", "closed_at")
    list_acts = (CLOSE,)
    inlines = (_Balances,)
    sortable_by = ()
