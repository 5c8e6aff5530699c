"""Show rows without forms that change them. Acts change them through services."""

import datetime
import functools
import types
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin import ShowFacets
from django.contrib.admin.utils import unquote
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models.constants import LOOKUP_SEP
from django.forms.models import _get_foreign_key
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import action
from unfold.enums import ActionVariant

from core.admin_support import signed_on
from core.admin_support.acts import Act, perform
from core.admin_support.columns import Column, column, name_column, title_of, url_of
from core.admin_support.lists import choosing, files, saved
from core.admin_support.lists.paging import List
from core.admin_support.story import story_of
from core.database.models import SECRET_FIELDS
from core.looks.recording import is_watched, look_at_list, look_at_row
from core.proofs.selectors import retired_ranges, retired_until
from core.staff.names import Named, with_name


def asked_back(request: HttpRequest) -> str:
    """Return the page that wants the person back after the act, if it is an address of this
    site.
    """
    address = request.GET.get("back", "")
    return address if url_has_allowed_host_and_scheme(address, allowed_hosts=None) else ""


class _Shown:
    """The common part of lists and pages: columns by name, for reading only."""

    model: type[models.Model]
    read_power: str = ""

    def _columns(self, names: Sequence[str]) -> list[Column | str]:
        return [self._column(name) for name in names]

    def _column(self, name: str) -> Column | str:
        if name == "__str__":
            return name_column(self.model)
        if hasattr(self, name):
            return name  # The page has a method of that name.
        return column(self.model._meta.get_field(name))  # type: ignore[arg-type]

    def _all_names(self) -> list[str]:
        """Return the names of the fields that people may see, in the order of the model."""
        fields = self.model._meta.concrete_fields
        return [
            field.name
            for field in fields
            if not field.primary_key
            and not isinstance(field, models.BinaryField)
            and field.name not in SECRET_FIELDS
        ]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the person may see the rows: only who has the power `read_power`."""
        return signed_on.may(request, self.read_power)


def _has_rows(inline: Any, request: HttpRequest, parent: models.Model) -> bool:
    key = _get_foreign_key(type(parent), inline.model, fk_name=inline.fk_name)
    return bool(inline.get_queryset(request).filter(**{key.name: parent}).exists())


class ReadOnlyInline(_Shown, TabularInline):  # type: ignore[misc]
    """The rows of a related table. `shown` names their columns."""

    shown: Sequence[str] = ()
    extra = 0
    max_num = 0
    can_delete = False
    show_change_link = True
    if hasattr(TabularInline, "show_title"):  # Newer versions of Unfold renamed the option.
        show_title = False
    else:
        hide_title = True

    def __init__(self, parent_model: type[models.Model], admin_site: admin.AdminSite) -> None:
        super().__init__(parent_model, admin_site)
        self.readonly_fields = self.fields = tuple(self._columns(self.shown))
        self.show_change_link = admin_site.is_registered(self.model)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the person may see the rows: those of a table with a page of its own by
        the power of that page, others with the page that they stand on.
        """
        page = self.admin_site._registry.get(self.model)
        return page is None or bool(page.has_view_permission(request))


class ReadOnlyAdmin(_Shown, ModelAdmin):  # type: ignore[misc]
    """A list that never counts its rows, and a page for each row.

    `columns` are the columns of the list, and `shown` the entries of the page (by default every
    field). Each is the name of a field or of a method; `told` are fields that such a method shows.
    `acts` are done to one row, `list_acts` from the list, and `chosen_acts` to the rows that a
    person chooses in the list (`lists.choosing`). Without a `read_power` nobody reads the page.
    `quick` are the comparisons by which the search box finds a row; each uses an index or a small
    table. `asks` are the days, amounts and related rows that filter the list (`lists.asking`).
    `summed` are the amounts that are added up. The ids of the rows follow the order of the instant
    `numbered_by`. `people` are foreign keys to persons: their names find a row. A table of persons
    is searched by their names without it.
    """

    columns: Sequence[str] = ("__str__",)
    shown: Sequence[str] = ()
    told: Sequence[str] = ()
    quick: Sequence[str] = ()
    people: Sequence[str] = ()
    asks: Sequence[str] = ()
    summed: Sequence[str] = ()
    numbered_by: str = ""
    acts: Sequence[Act] = ()
    list_acts: Sequence[Act] = ()
    chosen_acts: Sequence[Act] = ()
    ordering: Sequence[str] = ("-pk",)
    actions = None
    change_form_outer_after_template = "admin_support/story.html"
    list_per_page = 50
    list_select_related: Any = ()
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    list_before_template = "admin_support/list_asked.html"

    def by_uuid(self, ident: UUID) -> models.Q:
        """Return the condition by which the search box finds the row with a UUID. A table without
        an index that begins with its UUIDs has another one.
        """
        return models.Q(uuid=ident)

    def retired_until(self) -> datetime.date | None:
        """Return up to which day rows left with retired months; None if none did. A table whose
        rows leave later than their month says another one.
        """
        return retired_until(self.model._meta.db_table)

    def archive_of(self, ident: UUID) -> str:
        """Return in words which archive has the row with a UUID; empty if the table cannot tell."""
        return ""

    def __init__(self, model: type[models.Model], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        self.list_display = tuple(self._columns(self.columns))
        if not self.list_select_related:
            self.list_select_related = [
                field.name
                for field in model._meta.concrete_fields
                if isinstance(field, models.ForeignKey) and field.name in self.columns
            ]
        self.readonly_fields = self.fields = tuple(self._columns(self.shown or self._all_names()))
        self.actions_detail = [self._add_action(act, "act") for act in self.acts]
        self.actions_list = [self._add_action(act, "list_act") for act in self.list_acts]
        if self.chosen_acts:  # They have an address; the form below the list leads there.
            self.actions_list += [self._add_action(act, "chosen_act") for act in self.chosen_acts]
            self.list_display_links = self.list_display[:1]
            self.list_display = (choosing.box, *self.list_display)
            self.list_after_template = "admin_support/list_chosen.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[List]:
        return List

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[Any, bool]:
        """Search names of persons too, which the database cannot compare."""
        rows, repeats = super().get_search_results(request, queryset, search_term)
        term = search_term.strip()
        if not term:
            return rows, repeats
        if issubclass(self.model, Named):
            rows = rows | queryset.filter(with_name(self.model, term))
        for name in self.people:
            model: Any = self.model._meta.get_field(name).related_model
            people = model.objects.filter(with_name(model, term))
            rows = rows | queryset.filter(**{f"{name}__in": people.values("pk")})
        return rows, repeats

    def get_urls(self) -> list[URLPattern]:
        """Add the list as a file, and its saved views."""
        guarded, meta = self.admin_site.admin_view, self.model._meta
        as_files = [
            path(
                f"{kind}/",
                guarded(functools.partial(files.answer, self, kind=kind)),
                name=f"{meta.app_label}_{meta.model_name}_{kind}",
            )
            for kind in files.KINDS
        ]
        views = path(
            "views/",
            guarded(functools.partial(saved.answer, self)),
            name=f"{meta.app_label}_{meta.model_name}_views",
        )
        chosen = path(
            "chosen/",
            guarded(functools.partial(choosing.answer, self)),
            name=f"{meta.app_label}_{meta.model_name}_chosen",
        )
        return [*as_files, views, *([chosen] if self.chosen_acts else []), *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list, once it is on record who looks at rows of players."""
        added_context = {"saved": saved.offered(self, request), **(extra_context or {})}
        added_context["chosen_acts"] = choosing.offered(self, request)
        page: HttpResponse = super().changelist_view(request, added_context)
        if page.status_code == HTTPStatus.OK:
            look_at_list(self.model, asked=request.META.get("QUERY_STRING", ""))
        return page

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Show the page of a row, once it is on record who looks at a row of a player."""
        page: HttpResponse = super().changeform_view(request, object_id, *args, **kwargs)
        if page.status_code == HTTPStatus.OK:
            if is_watched(self.model):
                look_at_row(self.get_object(request, unquote(object_id or "")))
            else:
                for inline in self.inlines:
                    look_at_list(inline.model, asked=request.path)
            row = self.get_object(request, unquote(object_id or ""))
            words: dict[str, Any] = {"story": story_of(request, row), "subtitle": title_of(row)}
            words["rare"] = self._rare(request, row)
            page.context_data |= words  # type: ignore[attr-defined]
        return page

    def _get_obj_does_not_exist_redirect(
        self, request: HttpRequest, opts: Any, object_id: str
    ) -> HttpResponse:
        """Say of a row that left with a retired month which archive has it."""
        month = self._month_left(unquote(object_id))
        if not month:
            page: HttpResponse = super()._get_obj_does_not_exist_redirect(request, opts, object_id)
            return page
        words = gettext("Rows of that number were retired with %(month)s: its archive has them.")
        answer: HttpResponse = self.admin_site.refusal(
            request, HTTPStatus.NOT_FOUND, _("Nothing there"), words % {"month": month}
        )
        return answer

    def _month_left(self, key: str) -> str:
        """Return the month with which rows of a key were retired, YYYY-MM; empty if none names
        it.
        """
        if not (getattr(self.model, "retires", False) and key.isdecimal()):
            return ""
        ranges = retired_ranges(self.model._meta.db_table)
        months = (each.month for each in ranges if each.first_row <= int(key) <= each.last_row)
        return next(months, "")

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Lead to the story on the row's page, which is the only history of a row."""
        row = self.get_object(request, unquote(object_id))
        if row is None or not self.has_view_permission(request, row):
            raise Http404
        return HttpResponseRedirect(f"{url_of(row)}#story")

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Return whether the address of the list may ask this: only about a column that is shown,
        and about nothing of a related row but which one it is.
        """
        own = {getattr(list_filter, "parameter_name", None) for list_filter in self.list_filter}
        return lookup in own or self._asks_of_shown(lookup)

    def asked_names(self) -> set[str]:
        """Return the names of the columns that people see, and may search and filter by."""
        filters = {list_filter for list_filter in self.list_filter if isinstance(list_filter, str)}
        return {*self.columns, *(self.shown or self._all_names()), *self.told, *filters}

    def _asks_of_shown(self, lookup: str) -> bool:
        name, *steps = lookup.split(LOOKUP_SEP)
        if name not in self.asked_names():
            return False
        try:
            field: Any = self.model._meta.get_field(name)
        except FieldDoesNotExist:
            return False
        if not field.concrete or isinstance(field, models.BinaryField) or name in SECRET_FIELDS:
            return False
        if field.is_relation and steps[:1] in (["id"], ["pk"], [field.target_field.name]):
            steps = steps[1:]
        return len(steps) <= 1 and all(step in field.get_lookups() for step in steps)

    def _add_action(self, act: Act, kind: str) -> str:
        """Make the act an action of Unfold with an address, and return the action's name."""
        name = f"{kind}_{act.name}"
        on_row = kind == "act"

        def view(page: ReadOnlyAdmin, request: HttpRequest, object_id: str = "") -> HttpResponse:
            return page._perform(act, request, object_id if on_row else None)

        view.__name__ = name
        variant = ActionVariant.PRIMARY if act.due else ActionVariant.DEFAULT
        variant = ActionVariant.DANGER if act.danger else variant
        decorate = action(description=act.title, url_path=act.name, icon=act.icon, variant=variant)
        setattr(self, name, types.MethodType(decorate(view), self))
        return name

    def _perform(self, act: Act, request: HttpRequest, object_id: str | None) -> HttpResponse:
        target = None
        if not self.has_view_permission(request):
            raise Http404
        meta = self.model._meta
        back = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
        if object_id is not None:
            target = self.get_object(request, unquote(object_id))
            if target is None:
                raise Http404
            back = url_of(target)
            if is_watched(self.model):
                look_at_row(target)
        back = asked_back(request) or back
        context = self.admin_site.each_context(request) | {"opts": meta, "media": self.media}
        return perform(act, request, target, context, back)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[Any]:
        target = self.get_object(request, unquote(str(object_id)))
        if target is None:
            return []
        often = sorted((a for a in self.acts if not a.is_rare), key=lambda act: not act.due)
        offered = self._offered_names(request, often, "act", target)
        actions = super().get_actions_detail(request, object_id)
        allowed = [action for action in actions if action.method.__name__ in offered]
        names = [f"act_{act.name}" for act in often]
        return sorted(allowed, key=lambda action: names.index(action.method.__name__))

    def _rare(self, request: HttpRequest, target: Any) -> list[tuple[Act, str]]:
        """Return the rare acts that the person may do to the row, with their addresses."""
        by, folder = signed_on.actor(request), url_of(target).removesuffix("change/")
        return [
            (act, f"{folder}{act.name}/")
            for act in self.acts
            if act.is_rare and act.open_to(by, target)
        ]

    def get_actions_list(self, request: HttpRequest) -> list[Any]:
        offered = self._offered_names(request, self.list_acts, "list_act", None)
        actions = super().get_actions_list(request)
        return [action for action in actions if action.method.__name__ in offered]

    @staticmethod
    def _offered_names(
        request: HttpRequest, acts: Sequence[Act], kind: str, target: Any
    ) -> set[str]:
        by = signed_on.actor(request)
        return {f"{kind}_{act.name}" for act in acts if act.open_to(by, target)}

    def get_inline_instances(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Return the inlines of the related tables that have rows for this one."""
        inlines: list[Any] = super().get_inline_instances(request, obj)
        if obj is None:
            return inlines
        return [inline for inline in inlines if _has_rows(inline, request, obj)]
