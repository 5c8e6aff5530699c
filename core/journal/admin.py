"""The journal, for the auditor and the inspector: readable, and verified on request."""

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
from core.journal.models import Act, Batch, Block, Change, RowForm
from core.journal.verifying import What
from core.staff.actor import StaffActor

_SAYS = {
    What.BATCH: _("Batch %(batch)s of the journal does not hold."),
    What.CHECKPOINT: _("Batch %(batch)s is not what a checkpoint says that was published."),
    What.ROW_CHANGED: _("%(table)s %(row)s is not as act %(xid)s left it."),
    What.ROW_REMOVED: _("%(table)s %(row)s, of act %(xid)s, is gone."),
    What.ROW_ADDED: _("%(table)s %(row)s was put in: act %(xid)s did not write it."),
    What.ROW_WITHOUT_ACT: _("%(table)s %(row)s was written past the journal."),
    What.ACT_UNNAMED: _("Act %(xid)s says neither who wrote nor why."),
    What.TRIGGER: _("%(table)s: a trigger of the journal is disabled or gone."),
    What.FORM: _("%(table)s: a column that was sealed is gone."),
    What.RULE: _("%(table)s %(row)s does not fit act %(xid)s: rule %(rule)s."),
    What.ANEW: _("A restored server counts acts anew: nothing can be written."),
}


def _verify(by: StaffActor, target: None, data: dict[str, Any]) -> Done:
    found = selectors.verification(by=by)
    if found.findings:
        raise selectors.JournalTouched(
            places=[
                {"code": f.what.value, "place": _SAYS[f.what] % dataclasses.asdict(f)}
                for f in found.findings
            ]
        )
    return Done(
        _("%(batches)s batches, %(entries)s entries: nothing was touched.")
        % {"batches": found.batches, "entries": found.entries}
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
    columns = ("xid", "at", "name", "user", "terminal", "operator", "request_id")
    shown = (
        "xid",
        "at",
        "name",
        "user",
        "session",
        "terminal",
        "operator",
        "request_id",
        "database_role",
        "written",
        "changed",
    )
    search_fields = ("=name", "=request_id", "=user__username", "=terminal__code")
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
