"""Show the simulated clock in the admin, and move it."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import Act, Done
from core.admin_support.forms import ActForm, MomentField
from core.admin_support.readonly import ReadOnlyAdmin
from core.database.models import ClockOffset
from core.staff import powers
from core.staff.actor import StaffActor
from core.staff.services import clock_move


class _Move(ActForm):
    instant = MomentField(label=_("Move to"))
    reason = forms.CharField(label=_("Reason"), max_length=200)


def _move(by: StaffActor, target: None, data: dict[str, Any]) -> Done:
    clock_move(by=by, **data)
    return Done(_("The clock is moved."))


MOVE = Act(
    name="move",
    title=_("Move simulated time"),
    power=powers.MOVE_CLOCK,
    run=_move,
    form=_Move,
    text=_("Time only moves forward, for everybody; what falls due meanwhile is done."),
    icon="schedule",
    danger=True,
    offered=lambda by, target: settings.SIMULATED_TIME,
)


@admin.register(ClockOffset)
class ClockOffsetAdmin(ReadOnlyAdmin):
    read_power = powers.READ_PROPOSALS
    columns = ("set_at", "offset", "reason")
    list_acts = (MOVE,)
