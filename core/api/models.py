"""Store the first answer to each request with an Idempotency-Key."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key
from core.staff.models import User


class FirstAnswer(Guarded):
    """The answer to a request with an Idempotency-Key, written in the transaction of the act.

    `key_digest` is SHA-256 of the key. `request_digest` is a keyed digest of method, path and body
    (a body may hold a password or a PIN). Members that an answer shows only once are null in
    `body`.
    """

    user = foreign_key(User, _("member of staff"), db_index=False)
    key_digest = models.BinaryField(_("digest of the key"), max_length=32)
    request_digest = models.BinaryField(_("digest of the request"), max_length=32)
    status = models.PositiveSmallIntegerField(_("HTTP status"))
    body = models.TextField(_("answer"))
    answered_at = models.DateTimeField(_("answered at"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key_digest"], name="first_answer_once"),
            models.CheckConstraint(
                condition=Q(status__gte=200, status__lt=300), name="first_answer_is_success"
            ),
        ]
