"""Store the public log: signed entries in a chain, their keys, and their receivers."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key
from core.proofs import wire


class SigningKey(Guarded):
    """A public key of the log (Ed25519). One is in force; its private half is never stored here.

    `first_sequence` is the entry that introduced it; it signs from there until the entry
    `until_sequence`, which replaced it.
    """

    mutable = ("in_force", "valid_until", "until_sequence", "ended_by")

    class Ended(models.TextChoices):
        ROTATION = "rotation", _("Rotation")
        LOSS = "loss", _("Loss")
        COMPROMISE = "compromise", _("Compromise")

    key_id = models.CharField(_("key"), max_length=16, unique=True)
    public_key = models.BinaryField(max_length=32, unique=True)
    valid_from = models.DateTimeField(_("valid from"))
    first_sequence = models.BigIntegerField(_("first entry"))
    in_force = models.BooleanField(_("in force"), default=True)
    valid_until = models.DateTimeField(_("valid until"), null=True)
    until_sequence = models.BigIntegerField(_("ended by entry"), null=True)
    ended_by = models.CharField(_("reason"), max_length=10, choices=Ended.choices, blank=True)

    class Meta:
        verbose_name = _("signing key")
        verbose_name_plural = _("signing keys")
        constraints = [
            models.UniqueConstraint(
                fields=["in_force"], condition=Q(in_force=True), name="signing_key_in_force"
            ),
            models.CheckConstraint(
                condition=Q(in_force=True, valid_until=None, until_sequence=None, ended_by="")
                | Q(in_force=False, valid_until__isnull=False, until_sequence__isnull=False)
                & ~Q(ended_by=""),
                name="signing_key_ended_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.key_id


class LogEntry(Guarded):
    """An entry of the public log. `digest` is SHA-256 of its canonical bytes without signature.

    `previous` is the digest of the entry before (zeros before the first). The database refuses a
    gap and a second chain.
    """

    sequence = models.BigIntegerField(_("number"), unique=True)
    at = models.DateTimeField(_("time"))
    kind = models.CharField(_("kind"), max_length=60)
    subject = models.CharField(_("subject"), max_length=120)
    document = models.JSONField(_("document"))
    previous = models.BinaryField(max_length=32, unique=True)
    digest = models.BinaryField(_("digest"), max_length=32, unique=True)
    key = foreign_key(SigningKey, _("key"), db_index=False)
    signature = models.BinaryField(max_length=64)

    class Meta:
        verbose_name = _("entry of the public log")
        verbose_name_plural = _("entries of the public log")
        constraints = [
            models.UniqueConstraint(fields=["kind", "subject"], name="log_entry_once"),
            models.CheckConstraint(condition=Q(sequence__gte=1), name="log_entry_number"),
        ]

    def __str__(self) -> str:
        return f"{self.sequence} · {self.kind} · {self.subject}"

    def body(self) -> dict[str, Any]:
        """Return the signed part: its canonical JSON is the message, SHA-256 of that the digest."""
        return wire.body(
            sequence=self.sequence,
            previous=bytes(self.previous),
            at=self.at,
            kind=self.kind,
            subject=self.subject,
            document=self.document,
            key_id=self.key.key_id,
        )

    def published(self) -> dict[str, Any]:
        """Return the entry as it is published (docs/proofs/log.md)."""
        return self.body() | {"signature": bytes(self.signature).hex()}


class Receiver(Guarded):
    """A folder or an HTTP address to which every entry is delivered, in order.

    Of the entry `disputed_sequence` the receiver has another one: there are two logs.
    """

    mutable = ("delivered_sequence", "disputed_sequence", "failures", "last_error", "retry_at")
    derived = mutable  # how far delivery has come is for the sweeper, not for the journal

    address = models.CharField(_("address"), max_length=300, unique=True)
    delivered_sequence = models.BigIntegerField(_("delivered up to"), default=0)
    disputed_sequence = models.BigIntegerField(_("has another entry"), null=True)
    failures = models.PositiveIntegerField(_("failures in a row"), default=0)
    last_error = models.CharField(_("last error"), max_length=200, blank=True)
    retry_at = models.DateTimeField(_("next try"), null=True)

    class Meta:
        verbose_name = _("receiver of the public log")
        verbose_name_plural = _("receivers of the public log")

    def __str__(self) -> str:
        return self.address
