"""Show seals and their amendments."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from lototrot import powers
from lototrot.models.sealing import Amendment, Seal


class AmendmentInline(ReadOnlyInline):
    model = Amendment
    shown = ("number", "proposal", "entry")


@admin.register(Seal)
class SealAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("contest", "sealed_at", "tickets", "bets", "takings_cents")
    shown = ("contest", "sealed_at", "tickets", "bets", "takings_cents", "root_hex", "entry")
    inlines = (AmendmentInline,)

    @admin.display(description=_("root"))
    def root_hex(self, row: Seal) -> str:
        return bytes(row.root).hex()
