"""Show the journal to the auditor and the inspector in the admin, and verify it on request."""

import dataclasses
from typing import Any

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import Act as AdminAct
from core.admin_support.acts import Done
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.journal import powers, selectors
from core.journal.models import Act, Batch, Block, Change, RowForm, Source
from core.journal.verifying import Fault
from core.staff.actor import StaffActor

_SENTENCES = {
    Fault.BATCH: _("Batch %(batch)s of the journal is broken."),
    Fault.CHECKPOINT: _("Batch %(batch)s differs from its published checkpoint."),
    Fault.ROW_CHANGED: _("%(table)s %(row)s is not as act %(xid)s left it."),
    Fault.ROW_REMOVED: _("%(table)s %(row)s, of act %(xid)s, is gone."),
    Fault.ROW_ADDED: _("%(table)s %(row)s was inserted, but act %(xid)s did not write it."),
    Fault.ROW_WITHOUT_ACT: _("%(table)s %(row)s was written without the journal."),
    Fault.ACT_UNNAMED: _("Act %(xid)s does not say who wrote or why."),
    Fault.TRIGGER: _("%(table)s: a trigger of the journal is disabled or missing."),
    Fault.FORM: _("%(table)s: a sealed column is missing."),
    Fault.RULE: _("%(table)s %(row)s does not fit act %(xid)s: rule %(rule)s."),
    Fault.UNBEGUN: _("No lineage has begun on this server: nothing can be written."),
    Fault.LINEAGE: _("The journal's lineages do not follow from one another, see batch %(batch)s."),
}


def _verify(by: StaffActor, target: None, data: dict[str, Any]) -> Done:
    verification = selectors.verification(by=by)
    if verification.findings:
        raise selectors.JournalTouched(
            places=[
                {
                    "code": finding.what.value,
                    "place": _SENTENCES[finding.what] % dataclasses.asdict(finding),
                }
                for finding in verification.findings
            ]
        )
    return Done(
        _("%(batches)s batches, %(entries)s entries: nothing was changed.")
        % {"batches": verification.batches, "entries": verification.entries}
    )


VERIFY = AdminAct(
    name="verify",
    title=_("Verify the journal"),
    power=powers.READ,
    run=_verify,
    text=_("Every batch, every published checkpoint and every row is read once."),
    icon="verified_user",
)


@admin.register(Act)
class ActAdmin(ReadOnlyAdmin):
    asks = ("at", "user", "terminal", "operator")
    numbered_by = "at"
    columns = ("xid", "at", "source", "user", "terminal", "operator", "request_id")
    shown = (
        "xid",
        "at",
        "source",
        "user",
        "session",
        "terminal",
        "operator",
        "request_id",
        "written",
        "changed",
    )
    search_fields = ("=source__name", "request_id__exact", "=user__username", "=terminal__code")
    search_help_text = _("The whole name of an act, a request, a user name or a terminal.")
    read_power = powers.READ
    list_acts = (VERIFY,)

    @admin.display(description=_("rows written"))
    def written(self, row: Act) -> SafeString:
        return format_html_join(
            "",
            "<p>{} · {}: {}</p>",
            ((w.table, w.rows, ", ".join(map(str, w.first))) for w in selectors.written(act=row)),
        )

    @admin.display(description=_("changes"))
    def changed(self, row: Act) -> SafeString:
        return format_html_join(
            "",
            "<p>{} {}: {}: {} → {}</p>",
            (
                (change.relation, change.row_id, name, change.before[name], change.after[name])
                for change in selectors.changes(act=row)
                for name in sorted(change.before)
            ),
        )


@admin.register(Source)
class SourceAdmin(ReadOnlyAdmin):
    columns = ("id", "name", "database_role")
    shown = ("name", "database_role")
    search_fields = ("=name",)
    read_power = powers.READ


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin):
    columns = ("id", "relation", "row_id", "xid")
    shown = ("xid", "relation", "row_id", "before", "after")
    search_fields = ("=relation", "=row_id")
    read_power = powers.READ


class _Blocks(ReadOnlyInline):
    model = Block
    shown = ("position", "row_form", "rows")


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    columns = ("number", "sealed_at", "entries", "first_xid", "end_xid", "digest_hex")
    shown = ("number", "sealed_at", "entries", "first_xid", "end_xid", "digest_hex", "key")
    read_power = powers.READ
    inlines = (_Blocks,)
    list_acts = (VERIFY,)

    @admin.display(description=_("digest"))
    def digest_hex(self, row: Batch) -> str:
        return bytes(row.digest).hex()


@admin.register(RowForm)
class RowFormAdmin(ReadOnlyAdmin):
    columns = ("relation", "names")
    shown = ("relation", "names")
    read_power = powers.READ

    @admin.display(description=_("columns"))
    def names(self, row: RowForm) -> str:
        return ", ".join(row.columns)
