"""Show the public log, its keys and its receivers in the admin."""

import json

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.readonly import ReadOnlyAdmin
from core.proofs import powers
from core.proofs.models import LogEntry, Receiver, SigningKey


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("sequence", "at", "kind", "subject", "key")
    shown = ("sequence", "at", "kind", "subject", "content", "key", "digest_hex", "signature_hex")
    list_filter = ("kind",)
    search_fields = ("subject__startswith",)
    search_help_text = _("The beginning of the subject.")
    ordering = ("-sequence",)

    @admin.display(description=_("document"))
    def content(self, row: LogEntry) -> str:
        return json.dumps(row.document, ensure_ascii=False, indent=1)

    @admin.display(description=_("digest"))
    def digest_hex(self, row: LogEntry) -> str:
        return bytes(row.digest).hex()

    @admin.display(description=_("signature"))
    def signature_hex(self, row: LogEntry) -> str:
        return bytes(row.signature).hex()


@admin.register(SigningKey)
class SigningKeyAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("key_id", "in_force", "valid_from", "valid_until", "ended_by")
    shown = (
        "key_id",
        "public",
        "in_force",
        "valid_from",
        "first_sequence",
        "valid_until",
        "until_sequence",
        "ended_by",
    )

    @admin.display(description=_("public key"))
    def public(self, row: SigningKey) -> str:
        return bytes(row.public_key).hex()


@admin.register(Receiver)
class ReceiverAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("address", "delivered_sequence", "failures", "last_error", "retry_at")
