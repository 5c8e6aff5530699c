"""Show the clock's references and its incidents."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.documents import as_html
from core.admin_support.readonly import ReadOnlyAdmin
from core.timekeeping import powers
from core.timekeeping.models import Incident, Reading


def _seconds(microseconds: int) -> str:
    return f"{microseconds / 1e6:+.3f}"


@admin.register(Reading)
class ReadingAdmin(ReadOnlyAdmin):
    columns = ("kind", "name", "ahead", "measured_at")
    shown = ("kind", "name", "ahead", "uncertainty", "own_machine", "measured_at")
    read_power = powers.WATCH

    @admin.display(description=_("clock less reference (seconds)"))
    def ahead(self, row: Reading) -> str:
        return _seconds(row.ahead_us)

    @admin.display(description=_("uncertainty (seconds)"))
    def uncertainty(self, row: Reading) -> str:
        return _seconds(row.uncertainty_us)


@admin.register(Incident)
class IncidentAdmin(ReadOnlyAdmin):
    columns = ("began_at", "ended_at", "cause", "ahead")
    shown = ("cause", "ahead", "began_at", "ended_at", "readings_shown")
    read_power = powers.WATCH

    @admin.display(description=_("clock less reference (seconds)"))
    def ahead(self, row: Incident) -> str:
        return _seconds(row.ahead_us)

    @admin.display(description=_("readings"))
    def readings_shown(self, row: Incident) -> Any:
        return as_html(row.readings)
