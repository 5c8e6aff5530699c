"""Show auditors and inspectors who looked at what."""

from django.contrib import admin

from core.admin_support.readonly import ReadOnlyAdmin
from core.looks import powers
from core.looks.models import Look


@admin.register(Look)
class LookAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    asks = ("at", "user", "operator")
    columns = ("at", "user", "operator", "door", "kind", "subject", "asked")
    list_filter = ("kind", "user")
    list_select_related = ("user", "operator")
    search_fields = ("=subject",)
    sortable_by = ()
