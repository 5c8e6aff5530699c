"""Store who looked at what is of one player, or took an export."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key
from core.premises.models import Operator, Terminal
from core.staff.models import StaffSession, User


class Look(Guarded):
    """One look: who, through which door, at what, and when. Never what was seen.

    `door` is the name of the act, as in the journal. `kind` is `document` for a ticket or voucher
    (`subject` is then `game:id`), `report` or `export` with its name, or the label of a table with
    the key of the row. Without a subject it was a list, and `asked` is its filter; of a document
    `asked` says whether its code was presented. There are as many rows as pages that were shown,
    so they have few indexes.
    """

    at = models.DateTimeField(_("time"))
    door = models.CharField(_("door"), max_length=120)
    user = foreign_key(User, _("member of staff"), null=True, db_index=False)
    session = foreign_key(StaffSession, _("session"), null=True, db_index=False)
    terminal = foreign_key(Terminal, _("terminal"), null=True, db_index=False)
    operator = foreign_key(Operator, _("operator"), null=True, db_index=False)
    kind = models.CharField(_("kind"), max_length=60)
    subject = models.CharField(_("subject"), max_length=120, blank=True)
    asked = models.CharField(_("asked"), max_length=400, blank=True)

    class Meta:
        verbose_name = _("look")
        verbose_name_plural = _("looks")
        indexes = [models.Index(fields=["kind", "subject", "at"], name="look_at_subject")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}".strip()
