"""Search what terminals sell by UUID or by the code of a terminal, which have indexes."""

import uuid
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from core.admin_support.readonly import ReadOnlyAdmin
from core.premises.models import Terminal


class SearchedAdmin(ReadOnlyAdmin):
    """Search rows by UUID or by the code of a terminal, which have indexes."""

    search_fields = ("uuid",)
    search_help_text = _("A UUID, or the code of a terminal.")
    sortable_by = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            return queryset.filter(uuid=uuid.UUID(term)), False
        except ValueError:
            return queryset.filter(terminal=Terminal.objects.filter(code=term).first()), False
