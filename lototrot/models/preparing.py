"""Store the changes and the discards of contests that were not on sale yet [E9]."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.staff.models import Proposal, StaffSession, User
from lototrot.models.contest import Contest


class ContestChange(Guarded):
    """A change of a draft's terms: those that changed, as they were and as they became [E9]."""

    contest = foreign_key(Contest, _("contest"), related_name="changes")
    before = models.JSONField(_("terms before"))
    after = models.JSONField(_("terms after"))
    changed_at = models.DateTimeField(_("changed at"))
    changed_by = foreign_key(User, _("changed by"))
    changed_in = foreign_key(StaffSession, _("changed in session"))

    class Meta:
        verbose_name = _("change of the contest")
        verbose_name_plural = _("changes of the contest")

    def __str__(self) -> str:
        return str(self.contest)


class Discard(Guarded):
    """The act of two persons that discards a contest which was never on sale [E9]."""

    contest = one_to_one(Contest, _("contest"), related_name="discard")
    reason = models.CharField(_("reason"), max_length=400)
    discarded_at = models.DateTimeField(_("discarded at"))
    proposal = one_to_one(Proposal, _("proposal"))

    class Meta:
        verbose_name = _("discarded contest")
        verbose_name_plural = _("discarded contests")
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="discard_has_reason")]

    def __str__(self) -> str:
        return str(self.contest)
